//! Measurements of the workspace: the report behind the binary `bench`, and what the criterion
//! benches share with it.
//!
//! [`author`] and [`server`] measure one configuration each, in a process of its own
//! ([`process`]); [`batch`] measures large snapshots. [`record`] is what they report; [`tables`] and
//! [`figures`] show it beside the [`paper`]'s figures. [`counting`] counts the hashes that an update
//! needs, [`primitives`] times them. [`accumulators`], [`mod@tuple`] and [`flexlist`] are reports of their
//! own. What each figure means: README.md.

#![allow(
    clippy::as_conversions,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "counts of a measurement: none reaches 2^53, and indices fit a 64-bit machine"
)]
#![allow(
    clippy::missing_panics_doc,
    reason = "a measurement whose answer is wrong stops; there is nothing to document"
)]

pub mod accumulators;
pub mod author;
pub mod batch;
pub mod configuration;
pub mod costs;
pub mod counting;
pub mod figures;
pub mod fixture;
pub mod flexlist;
pub mod machine;
pub mod memory;
pub mod paper;
pub mod primitives;
pub mod process;
pub mod record;
pub mod server;
pub mod tables;
pub mod timing;
pub mod tuple;
pub mod update_file;
pub mod workload;

/// A result, or why there is none, for people.
pub type Outcome<T> = Result<T, Box<dyn std::error::Error>>;
