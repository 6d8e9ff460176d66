//! Dictionaries of every family over HTTP, on servers that nobody needs to trust.
//!
//! * [`Service`]: answers requests about one or many dictionaries; [`web::server`] puts it on the network.
//! * [`Dictionary`]: a store that is served, and followed while other processes publish into it. [`Keep`] says which versions of it.
//! * [`Mirror`]: follows other servers, verifies every update, and serves what it has verified.
//! * [`Router`]: passes questions to the servers that keep what they are about.
//! * [`HeadLog`]: the log of a dictionary's heads, for the server that holds its key, and [`Cosigning`] by witnesses.
//! * [`WitnessService`]: a witness of such logs, ours and others.
//! * [`Metrics`]: what was asked and answered, for Prometheus.
//!
//! What there is to get, and where, is [`pad_client::Resource`]; `docs/openapi.json` describes it for others.
//! Everything about a fixed version is the same for ever, and says so to caches: any of them is a mirror.

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

mod cosigning;
mod dictionary;
mod following;
mod head_log;
mod keep;
mod metrics;
mod mirror;
mod refusal;
mod reply;
mod request;
mod router;
mod service;
mod witness;

pub use cosigning::Cosigning;
pub use dictionary::{Applied, Dictionary, NotApplied};
pub use following::Following;
pub use head_log::{HeadLog, HeadLogError};
pub use keep::{CannotKeep, Keep, UnreadableKeep};
pub use metrics::Metrics;
pub use mirror::{Mirror, Mirrored};
pub use request::ROUTES;
pub use router::{NotRouted, Router};
pub use service::Service;
pub use witness::{WITNESS_ROUTES, WitnessRequest, WitnessService};
