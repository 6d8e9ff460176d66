//! The library and the real binary, from outside.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod another_family;
mod bench;
mod cli;
mod conduct;
mod damage;
mod demo;
mod documents;
mod durable;
#[cfg(feature = "file")]
mod file;
mod kill;
mod memory;
mod proof_file;
mod record;
mod trust;
mod tuple;
