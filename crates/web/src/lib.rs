//! HTTP services of bounded requests: what a service and its client have in common with every other.
//!
//! * [`server`]: takes connections, with TLS where it is wanted, and hands whole requests to a synchronous
//!   handler. Connections, requests and memory have limits for all and for each peer, and nobody is waited for
//!   without end.
//! * [`client`]: sends requests, tries again where that may help, and reads no more of an answer than it may have.
//!
//! Neither knows what the bytes mean.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]
#![cfg_attr(
    test,
    allow(clippy::arithmetic_side_effects, reason = "tests fail by panicking")
)]

#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "server")]
pub mod server;
