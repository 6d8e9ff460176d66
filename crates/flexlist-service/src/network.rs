//! A server of typed messages: one HTTP endpoint, which takes a [`Request`] and answers a [`Response`].
//!
//! `POST` [`PATH`] with `codec::encode(&request)` as `application/octet-stream`. The answer has status
//! 200 and is `codec::encode(&response)`, a [`Refusal`](crate::message::Refusal) too: what is said about
//! a file is said in the message, and the status only says whether there is a message.
//!
//! | status | meaning |
//! | --- | --- |
//! | 200 | the body is an encoded `Response` |
//! | 400 | the request cannot be decoded |
//! | 408 | the request did not arrive in time |
//! | 413 | the request exceeds [`Limits::request_bytes`] |
//! | 415 | the content type is not `application/octet-stream` |
//! | 500 | the handler failed |
//! | 503 | too much to do; `Retry-After` says when to try again |
//!
//! Why HTTP/1.1 by axum, and not gRPC by tonic: one call that takes bytes and gives bytes has no use for
//! a schema language, a code generator and multiplexed streams, and a second encoding of every message
//! would be a second thing to fuzz. What is needed is what HTTP/1.1 has: limits, time-outs, `Retry-After`,
//! and every proxy and command-line client there is.
//!
//! A handler is synchronous, since hashing and reading a store are. It runs on a thread of its own, at
//! most [`Limits::in_flight`] at a time; [`Limits::waiting`] more may wait, and the next one is refused.
//! Nobody is trusted to be quick: a connection that sends or reads too slowly is closed. Nobody is trusted
//! to be modest: connections, requests and the bytes of messages have limits for all and limits for each
//! peer, so that a peer that takes all it may leaves enough for the others, and there is a reserve for
//! small messages. The bytes of messages being received and sent stay below
//! [`Limits::body_bytes`] + [`Limits::answer_bytes`] + [`Limits::reserve_bytes`]; a request that is being handled
//! takes a few times its own and its answer's bytes besides.

use std::sync::Arc;

use crate::{
    message::{Request, Response},
    server::FileServer,
};

mod accept;
mod endpoint;
mod error;
mod options;
mod peers;
mod server;

pub use error::ServerError;
pub use options::{Identity, Limits, Options, Timeouts};
pub use server::{Running, Server, Stopped};

/// Where the endpoint is.
pub const PATH: &str = "/flexlist/v1";

/// The content type of requests and answers.
pub const CONTENT_TYPE: &str = "application/octet-stream";

/// What answers requests.
pub trait Handler: Send + Sync + 'static {
    /// The answer to a request; a request that cannot be granted gets
    /// [`Response::Refused`].
    fn handle(&self, request: Request) -> Response;
}

impl Handler for FileServer {
    fn handle(&self, request: Request) -> Response {
        Self::handle(self, request)
    }
}

impl<H: Handler> Handler for Arc<H> {
    fn handle(&self, request: Request) -> Response {
        (**self).handle(request)
    }
}
