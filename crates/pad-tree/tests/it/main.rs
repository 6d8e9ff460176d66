//! Integration tests of the twelve tree PADs: conformance, vectors, and lying servers.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod adversarial;
mod agreement;
mod batches;
mod client;
mod compacted;
mod conformance;
mod growth;
mod hashes;
mod logs;
mod parts;
mod pieces;
mod set_operations;
mod signatures;
mod sorted;
mod stored;
mod vectors;
mod warmed;
