//! Logs from outside: vectors, proofs about all pairs of sizes, an oracle, and lying servers.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod support;
mod vectors;
