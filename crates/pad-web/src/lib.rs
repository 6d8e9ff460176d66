//! HTTP servers and clients for requests and responses of bounded size.
//!
//! Not a public interface: no stability between versions. Used by pad-client, pad-service,
//! flexlist-service and pad-cli.
//!
//! | you need | take | it costs |
//! | --- | --- | --- |
//! | to serve requests synchronously, with limits per peer | [`server`] | threads for long work |
//! | to send requests with retries and a response limit | [`client`] | the calling thread blocks |
//!
//! The server supports TLS, and every wait has a time limit.
//!
//! Server and client treat bodies as opaque bytes.

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
