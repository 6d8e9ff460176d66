//! HTTP server for typed messages: one endpoint that takes a [`Request`] and returns a
//! [`Response`].
//!
//! A request is a `POST` to [`PATH`] with the body `codec::encode(&request)`, as
//! `application/octet-stream`. The response has status 200 and the body `codec::encode(&response)`,
//! also for a [`Refusal`]. The HTTP status only tells whether the response contains a message. The
//! message contains everything about the file.
//!
//! | status | meaning |
//! | --- | --- |
//! | 200 | the body is an encoded `Response` |
//! | 400 | the request cannot be read or decoded |
//! | 404, 405 | only the endpoint exists, and it accepts only `POST` |
//! | 408 | the request did not arrive in time |
//! | 413 | the request exceeds [`Limits::request_bytes`] |
//! | 415 | the content type is not `application/octet-stream` |
//! | 500 | the handler failed |
//! | 503 | overloaded; `Retry-After` gives the time to retry |
//!
//! Limits and deadlines are common to all servers of this workspace: [`pad_web::server`].
//!
//! ```no_run
//! # use flexlist_service::{
//! #     internals::message::{Refusal, Request, Response},
//! #     network::{Endpoint, Handler, Options, Server},
//! # };
//! struct Closed;
//!
//! impl Handler for Closed {
//!     fn handle(&self, _: Request) -> Response {
//!         Response::Refused(Refusal::Unavailable)
//!     }
//! }
//!
//! let options = Options::default();
//! let endpoint = Endpoint::new(Closed, options.limits);
//! Server::bind("127.0.0.1:4711", options)?.run(endpoint)?;
//! # Ok::<(), flexlist_service::network::ServerError>(())
//! ```

use std::sync::Arc;

use pad_core::codec;
use pad_web::server::{Admission, Answer, Head, HeaderValue, Method, StatusCode, Work, header};
pub use pad_web::server::{
    Identity, Limits, Options, RunningServer, Server, ServerError, ShutdownOutcome, Timeouts,
};

use crate::{
    message::{Refusal, Request, Response},
    server::FileServer,
};

/// The URL path of the endpoint.
pub const PATH: &str = "/flexlist/v1";

/// The content type of HTTP requests and responses.
pub const CONTENT_TYPE: &str = "application/octet-stream";

/// A handler of typed requests: the logic behind the HTTP server.
pub trait Handler: Send + Sync + 'static {
    /// Answers a request. A request that the handler refuses gets [`Response::Refused`].
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

/// The endpoint of a [`Server`]: decodes requests for a [`Handler`], and encodes its responses.
#[derive(Debug)]
pub struct Endpoint<H> {
    handler: H,
    limits: Limits,
}

impl<H> Endpoint<H> {
    /// Creates the endpoint of a server. A longer response than `limits` allow is replaced by
    /// [`Response::Refused`].
    ///
    /// `limits` must be those of the server's [`Options`]. If the server allows less, it answers
    /// longer responses with status 500. For requests, the smaller of the two limits applies.
    pub const fn new(handler: H, limits: Limits) -> Self {
        Self { handler, limits }
    }
}

impl<H: Handler> pad_web::server::Handler for Endpoint<H> {
    type Request = ();

    fn admit(&self, head: &Head) -> Result<Admission<()>, Answer> {
        if head.uri.path() != PATH {
            return Err(Answer::text(StatusCode::NOT_FOUND, ""));
        }
        if head.method != Method::POST {
            let allowed = HeaderValue::from_static("POST");
            let answer = Answer::text(StatusCode::METHOD_NOT_ALLOWED, "");
            return Err(answer.with(header::ALLOW, allowed));
        }
        let content_type = head.headers.get(header::CONTENT_TYPE);
        if content_type.is_none_or(|value| value.as_bytes() != CONTENT_TYPE.as_bytes()) {
            return Err(Answer::text(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "the content type must be application/octet-stream",
            ));
        }
        Ok(Admission {
            request: (),
            body_bytes: self.limits.request_bytes,
            work: Work::Long,
        })
    }

    fn handle(&self, (): (), body: Vec<u8>) -> Answer {
        let Ok(request) = codec::decode::<Request>(&body, self.limits.request_bytes) else {
            let text = "the request cannot be decoded";
            return Answer::text(StatusCode::BAD_REQUEST, text);
        };
        drop(body);
        let mut bytes = codec::encode(&self.handler.handle(request));
        let limit = self.limits.response_bytes;
        if bytes.len() > limit {
            let reason = format!("an answer of {} bytes, where {limit} may be", bytes.len());
            bytes = codec::encode(&Response::Refused(Refusal::TooLarge(reason)));
        }
        Answer::new(StatusCode::OK, CONTENT_TYPE, bytes)
    }
}
