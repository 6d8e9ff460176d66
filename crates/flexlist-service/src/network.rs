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
//! | 404, 405 | there is nothing but the endpoint, and it takes `POST` only |
//! | 408 | the request did not arrive in time |
//! | 413 | the request exceeds [`Limits::request_bytes`] |
//! | 415 | the content type is not `application/octet-stream` |
//! | 500 | the handler failed |
//! | 503 | too much to do; `Retry-After` says when to try again |
//!
//! Limits and deadlines are those of every server here: [`web::server`].

use std::{net::ToSocketAddrs, sync::Arc};

pub use web::server::{Identity, Limits, Options, Running, ServerError, Stopped, Timeouts};

use crate::{
    message::{Request, Response},
    server::FileServer,
};

mod endpoint;

use endpoint::Endpoint;

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

/// A server that has its address, but does not serve yet.
///
/// ```no_run
/// # use flexlist_service::{message::{Refusal, Request, Response}, network::{Handler, Options, Server}};
/// struct Closed;
///
/// impl Handler for Closed {
///     fn handle(&self, _: Request) -> Response {
///         Response::Refused(Refusal::Unavailable)
///     }
/// }
///
/// Server::bind("127.0.0.1:4711", Options::default())?.run(Closed)?;
/// # Ok::<(), flexlist_service::network::ServerError>(())
/// ```
#[derive(Debug)]
pub struct Server {
    server: web::server::Server,
    limits: Limits,
}

impl Server {
    /// A server at this address; port 0 takes a free one.
    ///
    /// # Errors
    /// [`ServerError::Bind`], [`ServerError::Certificate`].
    pub fn bind(address: impl ToSocketAddrs, options: Options) -> Result<Self, ServerError> {
        let limits = options.limits;
        let server = web::server::Server::bind(address, options)?;
        Ok(Self { server, limits })
    }

    /// The address that it is bound to.
    pub fn address(&self) -> std::net::SocketAddr {
        self.server.address()
    }

    /// Serves until Ctrl-C or, on Unix, SIGTERM; a second signal does not wait for requests in flight.
    ///
    /// # Errors
    /// [`ServerError::Io`].
    pub fn run(self, handler: impl Handler) -> Result<Stopped, ServerError> {
        self.server.run(Endpoint::new(handler, self.limits))
    }

    /// Serves on a thread of its own, until [`Running::shutdown`].
    ///
    /// # Errors
    /// [`ServerError::Io`].
    pub fn start(self, handler: impl Handler) -> Result<Running, ServerError> {
        self.server.start(Endpoint::new(handler, self.limits))
    }
}
