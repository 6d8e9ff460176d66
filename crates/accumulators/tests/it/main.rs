//! Both accumulators from outside: the laws of the traits, another implementation of the curve, and
//! recorded bytes.

#![allow(clippy::unwrap_used, reason = "a failed step fails the test")]

mod conformance;
mod interop_bls12_381;
mod vectors;
