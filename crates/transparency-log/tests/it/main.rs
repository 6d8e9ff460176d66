//! Integration tests: vectors, a naive tree as oracle, hostile bytes, crashes, and forks.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod checkpoints;
mod crashes;
mod external;
mod notes;
mod policies;
mod proofs;
mod stores;
mod support;
mod tiles;
mod trees;
mod vectors;
mod witnesses;
