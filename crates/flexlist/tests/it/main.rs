//! Known answers, and the examples of `docs/format`.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod challenge_vectors;
mod format;
