//! Dictionaries of every family over HTTP, on servers that need not be trusted.
//!
//! | to serve | use | cost |
//! | --- | --- | --- |
//! | requests about dictionaries | [`Service`] under a [`Server`] | a proof per request |
//! | the same inside an application's own server, e.g. axum | [`Mounted`] | |
//! | a store that other processes write | [`Dictionary`]; [`Keep`] limits versions | polling |
//! | a block directory, in a folder of its own | [`Directory`] | a proof per request |
//! | a copy of other servers, all updates verified | [`Mirror`] | an author's work except signing |
//! | a key range of a tree PAD, in memory, from proofs | [`Part`] under a [`Mirror`] | see below |
//! | requests routed to the servers that can answer | [`Router`] | one or more requests for each |
//! | a signed log of heads | [`HeadLog`], [`CosigningOptions`] | a signature per version |
//! | a witness for any `tlog-witness` logs | [`WitnessService`] | a signature per checkpoint |
//! | counters for Prometheus | [`Metrics`] | |
//!
//! A [`Part`] needs memory for the contents of its range, and one proof path per change.
//!
//! `openapi.json` describes all resources and their paths. Heads, proofs, updates and answers
//! to GET requests about fixed versions are immutable. A [`Service`] marks these responses as
//! immutable for caches, so an HTTP cache in front of it works as a mirror. A [`Router`] marks
//! only the one response that it verifies: the head of the latest version.

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

mod backoff;
mod cosigning;
mod delivery;
mod dictionary;
mod directory;
mod event_limit;
mod file_identity;
mod head_log;
mod keep;
mod metrics;
mod mirror;
mod page;
mod part;
mod periodic_task;
mod refusal;
mod reply;
mod request;
mod router;
mod served;
mod service;
mod status_page;
mod value;
mod witness;

pub use cosigning::CosigningOptions;
pub use dictionary::{ApplySummary, Dictionary, NotApplied};
pub use directory::Directory;
pub use head_log::{HeadLog, HeadLogError};
pub use keep::{CannotKeep, Keep, UnreadableKeep};
pub use metrics::Metrics;
pub use mirror::{Mirror, RoundSummary};
pub use pad_web::server::{
    ClientAddress, Identity, Limits, Mounted, Options, RunningServer, Server, ServerError,
    ShutdownOutcome, Timeouts,
};
pub use part::Part;
pub use periodic_task::PeriodicTask;
pub use router::{NotRouted, Router};
pub use served::ServedDictionary;
pub use service::Service;
pub use witness::WitnessService;

/// For the other crates of this workspace; no stability between versions.
#[doc(hidden)]
pub mod internals {
    pub use crate::{
        head_log::LoggedHeads,
        request::{ROUTES, WITNESS_ROUTES},
    };
}
