//! A handler inside the server of another program.

use core::{
    convert::Infallible,
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};
use std::{
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
};

use hyper::body::{Body, Bytes};
use tower_service::Service;

use super::{
    ClientAddress, Handler, Options,
    endpoint::{Endpoint, HttpResponse, answer},
    peers::{Connection, Peers},
};

/// A handler as a service of the crate `tower`, to mount in an application with a server of its
/// own, for example axum.
///
/// The client of a request is the [`ClientAddress`] among the request's extensions, which the
/// application sets. Without this extension, all requests count as those of one peer. The limits
/// on requests, threads and memory apply, and the time-outs of bodies. Connections, TLS and the
/// time to send a response are up to the application.
///
/// Requests must run in a tokio runtime with a timer.
pub struct Mounted<H> {
    endpoint: Arc<Endpoint<H>>,
}

impl<H: Handler> Mounted<H> {
    /// Mounts `handler` with the limits and the body time-outs in `options`.
    pub fn new(handler: H, options: &Options) -> Self {
        let peers = Peers::new(&options.limits, &options.trusted_proxies);
        Self {
            endpoint: Arc::new(Endpoint::new(handler, options, peers)),
        }
    }
}

impl<H> Clone for Mounted<H> {
    fn clone(&self) -> Self {
        Self {
            endpoint: Arc::clone(&self.endpoint),
        }
    }
}

impl<H> fmt::Debug for Mounted<H> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Mounted").finish_non_exhaustive()
    }
}

impl<H, B> Service<http::Request<B>> for Mounted<H>
where
    H: Handler,
    B: Body<Data = Bytes> + Send + Unpin + 'static,
{
    type Response = HttpResponse;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        let client = request.extensions().get::<ClientAddress>();
        let address = client.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |client| client.0);
        let connection = Arc::new(Connection::of(address.to_canonical()));
        let answered = answer(Arc::clone(&self.endpoint), connection, request);
        Box::pin(async { Ok(answered.await) })
    }
}
