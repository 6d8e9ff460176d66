//! Both accumulators from outside: the laws of the traits, and recorded bytes.

#![allow(clippy::unwrap_used, reason = "a failed step fails the test")]

mod conformance;
mod fixed;
mod vectors;
