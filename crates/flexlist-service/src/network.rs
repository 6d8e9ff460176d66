//! HTTP server for typed messages: one endpoint that takes a [`Request`] and returns a
//! [`Response`].
//!
//! A request is a `POST` to [`PATH`] with the body `codec::encode(&request)`, as
//! `application/octet-stream`. The response has status 200 and the body `codec::encode(&response)`,
//! also for a [`Refusal`](crate::message::Refusal). The HTTP status only tells whether the response
//! contains a message. The message contains everything about the file.
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

use std::{net::ToSocketAddrs, sync::Arc};

pub use pad_web::server::{
    Identity, Limits, Options, RunningServer, ServerError, ShutdownOutcome, Timeouts,
};

use crate::{
    message::{Request, Response},
    server::FileServer,
};

mod endpoint;

#[doc(hidden)]
pub use endpoint::Endpoint;

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

/// A server that is bound to its address but does not serve yet.
///
/// ```no_run
/// # use flexlist_service::{
/// #     internals::message::{Refusal, Request, Response}, network::{Handler, Options, Server},
/// # };
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
    server: pad_web::server::Server,
    limits: Limits,
}

impl Server {
    /// Binds a server to `address`. Port 0 takes a free port.
    ///
    /// # Errors
    /// [`ServerError::Bind`] if the address cannot be bound; [`ServerError::Certificate`] if the
    /// certificate or its key cannot be used.
    pub fn bind(address: impl ToSocketAddrs, options: Options) -> Result<Self, ServerError> {
        let limits = options.limits;
        let server = pad_web::server::Server::bind(address, options)?;
        Ok(Self { server, limits })
    }

    /// The address that the server is bound to.
    pub fn address(&self) -> std::net::SocketAddr {
        self.server.address()
    }

    /// Serves until Ctrl-C or, on Unix, SIGTERM. Then waits for the requests in flight, up to a
    /// time limit. After a second signal, it no longer waits.
    ///
    /// # Errors
    /// [`ServerError::Io`].
    pub fn run(self, handler: impl Handler) -> Result<ShutdownOutcome, ServerError> {
        self.server.run(Endpoint::new(handler, self.limits))
    }

    /// Serves on a separate thread until [`RunningServer::shutdown`].
    ///
    /// # Errors
    /// [`ServerError::Io`].
    pub fn start(self, handler: impl Handler) -> Result<RunningServer, ServerError> {
        self.server.start(Endpoint::new(handler, self.limits))
    }
}
