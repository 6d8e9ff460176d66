//! A client of dictionaries on untrusted servers.
//!
//! | you need | take | it costs |
//! | --- | --- | --- |
//! | verified answers, with failover | [`Client`] | a request per question and per new version |
//! | unverified bytes from one server | [`Remote`] | one request |
//! | a record of how a server failed, with evidence | [`Incident`] | the evidence on disk |
//! | cosignatures of the latest version | [`Witnesses`] | one entry and a signature per witness |
//!
//! Every call of [`Client`] blocks. `AsyncClient` (feature `tokio`) is the asynchronous client for
//! tokio tasks.

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

#[cfg(feature = "tokio")]
mod asynchronous;
mod client;
mod directory;
mod error;
mod fetch_error;
mod incident;
mod incidents;
mod not_witnessed;
mod notes;
mod remote;
mod resource;
mod servers;
mod session;
mod witnesses;

#[cfg(feature = "tokio")]
pub use asynchronous::AsyncClient;
pub use client::Client;
pub use error::ClientError;
pub use fetch_error::FetchError;
pub use incident::{Fault, Incident};
pub use not_witnessed::NotWitnessed;
pub use pad_web::client::{HttpError, HttpOptions, Roots};
pub use remote::{PushOutcome, Remote, Versions};
pub use witnesses::{CosignedHead, Witnesses};

/// For the other crates of this workspace; no stability between versions.
#[doc(hidden)]
pub mod internals {
    pub use pad_web::client::{Reply, without_password};

    pub use crate::{
        incident::Unusable,
        notes::{
            LONGEST_DELIVERY, last_of_page, notes_to_json, page_from_json, pages_to_json,
            versions_to_json,
        },
        remote::{LONGEST_PAGE, NotesOutcome, is_dictionary_name},
        resource::{Resource, UnknownPath, VALUES},
        servers::{RequestTarget, Servers},
        session::ServerSession,
    };
}
