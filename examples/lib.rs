//! Runnable tutorials: `cargo run -p examples --example publish_and_verify`.

/// The verifier of the documentation, compiled.
#[cfg(doctest)]
#[doc = include_str!("../docs/verifier.md")]
pub struct Verifier;
