//! HTTP services of bounded requests: what a service and its client have in common with every other.
//!
//! | you need | take | it costs |
//! | --- | --- | --- |
//! | to answer whole requests by a synchronous function, with limits for all and for each peer | [`server`] | a thread of the pool for each request in flight |
//! | to send requests, again where that may help, and read no more of an answer than it may have | [`client`] | the calling thread waits |
//!
//! The server speaks TLS where it is wanted, and waits for nobody without end.
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
