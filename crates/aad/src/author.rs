//! The side that makes logs: authors, and servers that replay their updates.
//!
//! Everything here is in memory. [`entries`]: what was appended, with its trees and proofs. [`update`]: what an author
//! sends. [`LogAuthor`] and [`LogRepository`] are the roles.

#![allow(
    clippy::indexing_slicing,
    reason = "the maker's own vectors: no index comes from a message"
)]

mod bezout;
mod built;
pub mod checkpoint;
pub mod entries;
mod evidence;
mod forest;
mod frontier_evidence;
mod frontier_tree;
mod log_author;
mod prover;
mod repository;
pub mod update;

#[cfg(test)]
mod figure4;

pub use built::BuiltUpdate;
pub use checkpoint::LogCheckpoint;
pub use entries::{AppendError, Entries};
pub use log_author::{AuthorError, LogAuthor};
pub use repository::LogRepository;
pub use update::Appended;
