//! Measures third-party authenticated dictionaries and ours, with the same workload, in one run.
//!
//! [`peer::Peer`] is the interface of an adapter; [`adapters`] contains one adapter for each
//! dictionary, ours included. [`load`] is the workload, [`measure`] runs it, and [`row`] is the
//! format of results. README.md describes each dictionary. This crate is not published.

// Every failure ends the run, with an error message.
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
