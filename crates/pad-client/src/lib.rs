//! A client of dictionaries on servers that nobody trusts.
//!
//! * [`Client`]: one dictionary on several servers. What one of them says is verified; when it fails or lies, the
//!   next one is asked, and what the liar said is kept.
//! * [`Server`]: what one server has, as bytes, unchecked.
//! * [`Servers`]: several of them, with what each keeps: whom to ask first.
//! * [`Resource`]: where it is: the paths under a dictionary's address.
//! * [`Incident`]: how a server failed a client, and the file in which a lie is kept.
//! * [`Witnesses`]: whose word a client wants that the newest version it is shown is the newest there is.
//!
//! The client of this crate blocks, and so does every call.

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

mod client;
mod error;
mod fetch_error;
mod incident;
mod resource;
mod server;
mod servers;
mod visit;
mod witnesses;

pub use client::Client;
pub use error::ClientError;
pub use fetch_error::FetchError;
pub use incident::{Fault, Incident, Unusable};
pub use resource::{Resource, UnknownPath};
pub use server::{LONGEST_PAGE, Pushed, Server, Versions};
pub use servers::{Servers, Wanted};
pub use visit::Visit;
pub use web::client::{HttpError, HttpOptions, Reply, Roots, without_password};
pub use witnesses::{Cosigned, NotWitnessed, Witnesses};
