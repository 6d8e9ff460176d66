//! Outsourced files through the program: a round trip, damage, and a server that is killed.

#![cfg(feature = "file")]
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

#[path = "../it/bench.rs"]
mod common;
mod full_disk;
mod kill;
mod liar;
mod operator;
mod refusals;
mod round_trip;
mod server;
mod ways;
