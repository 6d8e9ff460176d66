//! Dictionaries of every family over HTTP, on servers that nobody needs to trust.
//!
//! | you need | take | it costs |
//! | --- | --- | --- |
//! | to answer requests about one or many dictionaries | [`Service`] under [`web::server`] | what a proof costs |
//! | a store that is served, and followed while other processes publish into it | [`Dictionary`]; [`Keep`] says which versions of it | a look at the store now and then |
//! | a copy that follows other servers, verifies every update, and serves what it has verified | [`Mirror`] | an author's work without the signatures |
//! | some of the keys of a tree PAD, in memory, taken from other servers' proofs | [`Part`] under a [`Mirror`] | what the range holds, and a path for each change |
//! | to pass questions to the servers that keep what they are about | [`Router`] | a request for each question that no cache has |
//! | the log of a dictionary's heads, for the server that holds its key | [`HeadLog`], [`Cosigning`] by witnesses | a signature for each version |
//! | a witness of such logs, ours and others | [`WitnessService`] | a signature for each checkpoint |
//! | what was asked and answered, for Prometheus | [`Metrics`] | |
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
mod part;
mod pauses;
mod refusal;
mod reply;
mod request;
mod router;
mod served;
mod service;
mod tally;
mod witness;

pub use cosigning::Cosigning;
pub use dictionary::{Applied, Dictionary, NotApplied};
pub use following::Following;
pub use head_log::{HeadLog, HeadLogError, LoggedHeads};
pub use keep::{CannotKeep, Keep, UnreadableKeep};
pub use metrics::Metrics;
pub use mirror::{Mirror, Mirrored};
pub use part::Part;
pub use request::ROUTES;
pub use router::{NotRouted, Router};
pub use served::Served;
pub use service::Service;
pub use witness::{WITNESS_ROUTES, WitnessRequest, WitnessService};
