//! Outsourced files over a network: a durable store, a server and a client of FlexDPDP.
//!
//! | you need | take | it costs |
//! | --- | --- | --- |
//! | the owner's side of a file: upload, edit, read, audit; crash-proof by a small state file | [`client`] | hundreds of bytes to keep; hashes and tags of what changes |
//! | to carry out requests over a [`store`], durably | [`server`] | the file's bytes, its tags and list |
//! | that on HTTP, with TLS where it is wanted | [`network`] | |
//! | what they say to each other, and the owner's signature on it | [`message`], [`signed`] | a signature for each change |
//!
//! Nothing that a server says is believed: answers are checked against what the owner has verified
//! before. Nothing that a client says is believed either: what changes a file is signed by its owner.
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

mod bounded;
pub mod client;
pub mod message;
pub mod network;
pub mod server;
pub mod signed;
pub mod store;
