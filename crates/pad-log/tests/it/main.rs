//! Integration tests: vectors, the laws of logs, proofs about pairs of sizes, and forgeries.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod boundaries;
mod building;
mod client;
mod conformance;
mod damage;
mod forger;
mod forgeries;
mod forgeries_challenges;
mod forgeries_frontier;
mod frontier;
mod known_answers;
mod pairs;
mod servers;
mod support;
mod updates;
mod vectors;
