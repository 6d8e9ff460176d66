//! Integration tests of the tuple PADs: conformance, vectors, and lying servers.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod adversarial;
mod conformance;
mod conformance_accumulated;
mod many;
mod roles;
mod stored;
mod vectors;
