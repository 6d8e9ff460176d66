//! Known answers, and that `docs/format` says what the crate does.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod challenge_vectors;
mod format;
