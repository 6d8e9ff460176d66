//! Runnable tutorials: `cargo run -p examples --example publish_and_verify`.

/// The documentation's programs, compiled and run.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../README.md")]
    struct Readme;

    #[doc = include_str!("../crates/pad-tuple/README.md")]
    struct Tuples;

    #[doc = include_str!("../crates/accumulators/README.md")]
    struct Accumulators;

    #[doc = include_str!("../docs/verifier.md")]
    struct Verifier;

    #[doc = include_str!("../docs/tutorials/first-half-hour.md")]
    struct FirstHalfHour;

    #[doc = include_str!("../docs/tutorials/application.md")]
    struct Application;

    #[doc = include_str!("../docs/tutorials/verifier.md")]
    struct VerifierImplementer;

    #[doc = include_str!("../docs/tutorials/researcher.md")]
    struct Researcher;
}
