//! Outsourced files over a network: a durable store, a server and a client of FlexDPDP.
//!
//! | task | module | cost |
//! | --- | --- | --- |
//! | Upload, edit, read and audit a file as its owner | [`client`] | hashes and tags of changes |
//! | Execute requests on a durable store | [`server`] | the file's bytes, tags and list |
//! | Serve requests over HTTP, optionally with TLS | [`network`] | |
//!
//! A client keeps hundreds of bytes per file, in a state file that makes its operations crash-safe.
//!
//! Neither side trusts the other. Clients check answers against state that the owner has verified
//! before. Servers accept changes to a file only with its owner's signature.
//!
//! The tutorial is `examples/outsourced_file.rs` of the workspace.

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

pub mod client;
mod message;
pub mod network;
pub mod server;
mod signed;
mod store;

pub use store::StoreError;

/// Converts a length or a number of items, which is lossless on every target of std.
pub(crate) fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// For the other crates of this workspace; no stability between versions.
#[doc(hidden)]
pub mod internals {
    pub use crate::server::{check::check, settings::Clock};

    /// Messages of client and server.
    pub mod message {
        pub use crate::message::*;
    }

    /// The owner's signature on requests.
    pub mod signed {
        pub use crate::signed::*;
    }
}
