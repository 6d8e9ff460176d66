//! Logs from outside: vectors, proofs about all pairs of sizes, an oracle, and lying servers.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod boundaries;
mod building;
mod client;
mod damage;
mod forgeries;
mod frontier;
mod oracle;
mod pairs;
mod support;
mod updates;
mod vectors;
