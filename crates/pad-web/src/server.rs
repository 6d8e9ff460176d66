//! An HTTP/1.1 server for whole requests and whole responses, with resource limits per peer.
//!
//! | status | meaning when sent by the server itself |
//! | --- | --- |
//! | 400 | the request cannot be read |
//! | 408 | the body of the request did not arrive in time |
//! | 413 | the request is longer than the limit |
//! | 500 | the handler failed, or its response exceeds the limit |
//! | 503 | the server is overloaded; `Retry-After` tells when to try again |
//!
//! All other statuses come from the handler, except 414 and 431 for a request head that is too
//! long.
//!
//! Handlers are synchronous, because hashing and file reads are synchronous. Long work runs on
//! blocking threads, with at most [`Limits::in_flight`] requests at a time. Up to
//! [`Limits::waiting`] more requests may be queued; further requests are refused. Work of a few
//! microseconds ([`Work::Brief`]) runs directly on the async runtime.
//!
//! Clients are not trusted:
//!
//! - A connection is closed if its client sends or reads too slowly.
//! - Connections, requests, threads and bytes of messages are limited in total and per peer.
//! - A quarter of the connections is reserved for peers that have none. Places for requests (in
//!   progress or queued) and threads are reserved in the same way.
//! - A part of the memory is reserved for small messages.
//! - If a brief request of a peer takes milliseconds, further brief requests of this peer run on
//!   blocking threads.
//!
//! The bodies that are being received and sent have at most [`Limits::body_bytes`] +
//! [`Limits::answer_bytes`] + [`Limits::reserve_bytes`] bytes in total. Short error responses are
//! not counted. A request that is being handled needs further memory: a few times the bytes of its
//! own body and response.
//!
//! The server uses HTTP/1.1 (hyper) instead of gRPC (tonic). Calls that take and return bytes need
//! no schema language, code generator or multiplexed streams. With gRPC, every message would have a
//! second encoding to fuzz. HTTP/1.1 provides the required features: limits, time-outs,
//! `Retry-After`, caches, and support in every proxy and command-line client.

use std::{net::IpAddr, sync::Arc};

pub use http::{HeaderName, HeaderValue, Method, StatusCode, header, request::Parts as Head};

mod accept;
mod counters;
mod endpoint;
mod error;
mod life;
mod mounted;
mod options;
mod peers;

pub use counters::ConnectionCounters;
pub use error::ServerError;
pub use life::{InterruptibleServer, RunningServer, Server, ShutdownOutcome};
pub use mounted::Mounted;
pub use options::{Identity, Limits, Options, Timeouts};

/// Address of a request's client. Each [`Head`] contains it as an extension.
///
/// Limits per peer are counted by this address. Only the first half of an IPv6 address is kept,
/// except for a trusted proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientAddress(pub IpAddr);

/// A synchronous request handler of a [`Server`].
pub trait Handler: Send + Sync + 'static {
    /// A request, as parsed from its head.
    type Request: Send + 'static;

    /// Decides from a request's head whether to receive its body.
    ///
    /// # Errors
    /// The response to the rejected request.
    fn admit(&self, head: &Head) -> Result<Admission<Self::Request>, Answer>;

    /// Returns the response to an admitted request with its complete `body`.
    fn handle(&self, request: Self::Request, body: Vec<u8>) -> Answer;

    /// Records that the server itself refuses a request with `status`, for metrics and logs. Does
    /// nothing by default.
    ///
    /// The server calls it for requests that are too large, too slow or too many, and after a
    /// panic. If the response of [`Handler::handle`] is too long or finds no memory, the server
    /// calls both. It does not call it if no head of a request can be parsed.
    fn note_refusal(&self, _head: &Head, _status: StatusCode) {}

    /// Receives the counters of the server's connections when the server starts, for metrics. Does
    /// nothing by default.
    fn observe(&self, _connections: &Arc<ConnectionCounters>) {}
}

impl<H: Handler> Handler for Arc<H> {
    type Request = H::Request;

    fn admit(&self, head: &Head) -> Result<Admission<H::Request>, Answer> {
        (**self).admit(head)
    }

    fn handle(&self, request: H::Request, body: Vec<u8>) -> Answer {
        (**self).handle(request, body)
    }

    fn note_refusal(&self, head: &Head, status: StatusCode) {
        (**self).note_refusal(head, status);
    }

    fn observe(&self, connections: &Arc<ConnectionCounters>) {
        (**self).observe(connections);
    }
}

/// An admitted request, with the limit for its body and the kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission<R> {
    /// The parsed request.
    pub request: R,
    /// Maximum length of the body in bytes. [`Limits::request_bytes`] applies if it is smaller.
    pub body_bytes: usize,
    /// Expected duration of the work.
    pub work: Work,
}

/// Expected duration of the work for a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Work of microseconds that waits for no lock or slow disk. It runs on a thread of the async
    /// runtime, so other connections wait during the work.
    Brief,
    /// Longer work. It runs on a blocking thread, as soon as one is free.
    Long,
}

/// A response with its whole body in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Status code of the response.
    pub status: StatusCode,
    /// Headers other than those about length and transmission, which the server adds.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// Body of the response.
    pub body: Vec<u8>,
}

impl Answer {
    /// Creates a response with a body of type `content_type`.
    pub fn new(status: StatusCode, content_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        let content_type = HeaderValue::from_static(content_type);
        let headers = vec![(header::CONTENT_TYPE, content_type)];
        let body = body.into();
        Self {
            status,
            headers,
            body,
        }
    }

    /// Adds a header to the response.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Creates a plain-text response (UTF-8).
    pub fn text(status: StatusCode, text: impl Into<String>) -> Self {
        Self::new(status, "text/plain; charset=utf-8", text.into())
    }
}
