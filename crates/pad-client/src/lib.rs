//! A client of dictionaries on servers that nobody trusts.
//!
//! | you need | take | it costs |
//! | --- | --- | --- |
//! | one dictionary on several servers, verified; when one fails or lies, the next is asked | [`Client`] | a request for each question, one more for each newer version |
//! | what one server has, as bytes, unchecked | [`Server`] | a request |
//! | several of them, with what each keeps: whom to ask first | [`Servers`] | |
//! | where it is: the paths under a dictionary's address | [`Resource`] | |
//! | how a server failed a client, and the file in which a lie is kept | [`Incident`] | the lie's bytes on the disk |
//! | the word of others that the newest version shown is the newest there is | [`Witnesses`] | the log's checkpoint and one entry, a signature for each witness |
//!
//! [`Client`] blocks, and so does every call of it; `AsyncClient` (feature `tokio`) is the same for tasks of tokio.

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
mod error;
mod fetch_error;
mod incident;
mod not_witnessed;
mod notes;
mod resource;
mod server;
mod servers;
mod visit;
mod witnesses;

#[cfg(feature = "tokio")]
pub use asynchronous::AsyncClient;
pub use client::Client;
pub use error::ClientError;
pub use fetch_error::FetchError;
pub use incident::{Fault, Incident, Unusable};
pub use not_witnessed::NotWitnessed;
pub use notes::{last_of_page, notes_to_json, versions_to_json};
pub use resource::{Resource, UnknownPath};
pub use server::{LONGEST_PAGE, Pushed, Server, Versions, is_dictionary_name};
pub use servers::{Servers, Wanted};
pub use visit::Visit;
pub use web::client::{HttpError, HttpOptions, Reply, Roots, without_password};
pub use witnesses::{Cosigned, Witnesses};
