//! The writing side: authors, and servers that replay their updates.
//!
//! All data is in memory. [`LogAuthor`] is an author, [`LogRepository`] a server.
//!
//! * [`entries`]: appended entries with their trees and proofs.
//! * [`update`]: the message that an author sends.
//! * [`building`]: the schedule of work in deferred logs.

#![allow(
    clippy::indexing_slicing,
    reason = "the maker's own vectors: no index comes from a message"
)]

mod bezout;
pub(crate) mod building;
pub(crate) mod checkpoint;
pub(crate) mod entries;
mod evidence;
mod forest;
mod frontier_evidence;
mod frontier_tree;
mod index;
mod job;
mod log_author;
mod node;
mod prover;
mod repository;
mod repository_author;
mod steps;
mod stepwise;
pub(crate) mod update;

#[cfg(test)]
mod figure4;
#[cfg(test)]
#[path = "../tests/it/support.rs"]
#[allow(dead_code, reason = "for all integration tests")]
mod support;

pub use building::{BuildProgress, Building};
pub use checkpoint::LogCheckpoint;
pub use entries::{AppendError, Entries};
pub use log_author::{AuthorError, LogAuthor};
pub use repository::LogRepository;
pub use repository_author::RepositoryAuthor;
pub use update::Appended;
