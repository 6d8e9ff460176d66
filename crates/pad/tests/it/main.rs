//! The library, from outside.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod another_family;
mod damage;
mod documents;
mod durable;
mod proof_file;
