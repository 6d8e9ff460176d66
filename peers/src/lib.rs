//! Other people's authenticated dictionaries beside ours, on the same work, in one run.
//!
//! [`peer::Peer`] is what an adapter does; [`adapters`] has one for each dictionary, ours included. [`load`] is the work,
//! [`measure`] runs it, [`row`] is a line of what came out. README.md says what each peer is. Nothing of this ships.

// Whatever goes wrong ends the run, and says what.
#![allow(
    clippy::missing_panics_doc,
    reason = "a measurement that cannot go on ends"
)]

pub mod adapters;
pub mod database;
pub mod effort;
pub mod heap;
pub mod load;
pub mod lock;
pub mod measure;
pub mod peer;
pub mod row;
pub mod run;
pub mod signing;
pub mod stored;

pub use comparison::Outcome;
