//! Integration tests of the public interface.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod body;
mod bounded;
mod codec;
mod contradiction;
mod equivocation;
mod heads;
mod keys;
mod memory;
mod ordered;
mod signatures;
mod suites;
mod support;
mod vectors;
mod view;
mod vocabulary;
mod wycheproof;
