//! A server: whole requests in, whole answers out, within limits.
//!
//! | status | what the server itself says with it |
//! | --- | --- |
//! | 400 | the request cannot be read |
//! | 408 | the request did not arrive in time |
//! | 413 | the request is longer than may be |
//! | 500 | the handler failed |
//! | 503 | too much to do; `Retry-After` says when to try again |
//!
//! Everything else is the handler's. A handler is synchronous, since hashing and reading files are. What takes
//! it long runs on a thread of its own, at most [`Limits::in_flight`] at a time; [`Limits::waiting`] more may
//! wait, and the next one is refused. What takes it a few microseconds ([`Work::Brief`]) is done at once.
//!
//! Nobody is trusted to be quick: a connection that sends or reads too slowly is closed. Nobody is trusted
//! to be modest: connections, requests, threads and the bytes of messages have limits for all and limits for
//! each peer. A quarter of the connections, places and threads is for peers that have none, and there is a
//! reserve for small messages. A peer whose brief request took milliseconds gets threads for the next ones. The bytes of messages being received and sent stay below
//! [`Limits::body_bytes`] + [`Limits::answer_bytes`] + [`Limits::reserve_bytes`]; a request that is being handled
//! takes a few times its own and its answer's bytes besides.
//!
//! Why HTTP/1.1 by hyper, and not gRPC by tonic: calls that take bytes and give bytes have no use for
//! a schema language, a code generator and multiplexed streams, and a second encoding of every message
//! would be a second thing to fuzz. What is needed is what HTTP/1.1 has: limits, time-outs, `Retry-After`,
//! caches, and every proxy and command-line client there is.

use std::{net::IpAddr, sync::Arc};

pub use http::{HeaderName, HeaderValue, Method, StatusCode, header, request::Parts as Head};

mod accept;
mod endpoint;
mod error;
mod life;
mod options;
mod peers;
#[cfg(test)]
mod tests;

pub use error::ServerError;
pub use life::{Running, Server, Stopped};
pub use options::{Identity, Limits, Options, Timeouts};

/// Address of the client, among the extensions of each [`Head`].
///
/// It is what limits count as one peer: of an IPv6 address only the first half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientAddress(pub IpAddr);

/// What answers requests.
pub trait Handler: Send + Sync + 'static {
    /// What is asked for, as the head of a request says.
    type Request: Send + 'static;

    /// Whether a request with this head is received, before its body is.
    ///
    /// # Errors
    /// The answer to a request that is not.
    fn admit(&self, head: &Head) -> Result<Admission<Self::Request>, Answer>;

    /// The answer to a request that was admitted and received whole.
    fn handle(&self, request: Self::Request, body: Vec<u8>) -> Answer;
}

impl<H: Handler> Handler for Arc<H> {
    type Request = H::Request;

    fn admit(&self, head: &Head) -> Result<Admission<H::Request>, Answer> {
        (**self).admit(head)
    }

    fn handle(&self, request: H::Request, body: Vec<u8>) -> Answer {
        (**self).handle(request, body)
    }
}

/// A request that is received, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission<R> {
    /// What is asked for.
    pub request: R,
    /// The longest body in bytes; [`Limits::request_bytes`] if that is less.
    pub body_bytes: usize,
    /// How long its answer takes.
    pub work: Work,
}

/// How long an answer takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Some microseconds, and never a wait for a lock or for a slow disk: other connections wait meanwhile.
    Brief,
    /// It is done on a thread of its own, when it is its turn.
    Long,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its status.
    pub status: StatusCode,
    /// Its headers, without those about its length and transmission.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// Its body.
    pub body: Vec<u8>,
}

impl Answer {
    /// An answer with a body of this content type.
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

    /// The same answer with another header.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// A sentence.
    pub fn text(status: StatusCode, text: impl Into<String>) -> Self {
        Self::new(status, "text/plain; charset=utf-8", text.into())
    }
}
