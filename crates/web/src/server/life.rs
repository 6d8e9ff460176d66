//! The server's life: bind, serve, stop.

use core::time::Duration;
use std::{
    io,
    net::{SocketAddr, TcpListener, ToSocketAddrs},
    sync::Arc,
    thread::{self, JoinHandle},
};

use axum::Router;
use axum_server::{
    Handle, Server as Http,
    accept::DefaultAcceptor,
    tls_rustls::{RustlsAcceptor, RustlsConfig},
};
use hyper_util::rt::TokioTimer;
use rustls::ServerConfig;
use tokio::{
    runtime::{Builder, Runtime},
    signal,
    sync::watch,
    time::timeout,
};

use super::{Handler, Options, accept::Bounded, endpoint, error::ServerError, peers::Peers};

/// A server that has its address, but does not serve yet.
///
/// ```no_run
/// use web::server::{Admission, Answer, Handler, Head, Options, Server, StatusCode, Work};
///
/// struct Closed;
///
/// impl Handler for Closed {
///     type Request = ();
///
///     fn admit(&self, _: &Head) -> Result<Admission<()>, Answer> {
///         Ok(Admission { request: (), body_bytes: 0, work: Work::Brief })
///     }
///
///     fn handle(&self, (): (), _: Vec<u8>) -> Answer {
///         Answer::text(StatusCode::NOT_FOUND, "nothing is here")
///     }
/// }
///
/// Server::bind("127.0.0.1:4711", Options::default())?.run(Closed)?;
/// # Ok::<(), web::server::ServerError>(())
/// ```
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    tls: Option<Arc<ServerConfig>>,
    options: Options,
}

/// A server that serves on threads of its own until it is told to stop.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    connections: Handle<SocketAddr>,
    limit: watch::Sender<Limit>,
    thread: JoinHandle<Result<Stopped, ServerError>>,
}

/// How a server came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Every request was answered.
    Drained,
    /// The time limit came first. Connections were cut; a handler that was still busy is left to
    /// itself, since threads cannot be stopped from outside.
    TimedOut {
        /// How many connections were cut.
        connections: usize,
    },
}

/// How long requests in flight have once the server is to stop; `None` while it is not.
type Limit = Option<Duration>;

impl Server {
    /// A server at this address; port 0 takes a free one.
    ///
    /// # Errors
    /// [`ServerError::Bind`], [`ServerError::Certificate`].
    pub fn bind(address: impl ToSocketAddrs, options: Options) -> Result<Self, ServerError> {
        let tls = options
            .identity
            .as_ref()
            .map(|identity| identity.tls_config().map(Arc::new))
            .transpose()?;
        let listener = TcpListener::bind(address).map_err(ServerError::Bind)?;
        listener.set_nonblocking(true).map_err(ServerError::Bind)?;
        let address = listener.local_addr().map_err(ServerError::Bind)?;
        Ok(Self {
            listener,
            address,
            tls,
            options,
        })
    }

    /// The address that it is bound to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until Ctrl-C or, on Unix, SIGTERM; a second signal does not wait for requests in flight.
    ///
    /// # Errors
    /// [`ServerError::Io`].
    pub fn run(self, handler: impl Handler) -> Result<Stopped, ServerError> {
        let (limit, limits) = watch::channel(None);
        let patience = self.options.timeouts.shutdown;
        let runtime = self.runtime()?;
        let mut signals = {
            let _runtime = runtime.enter();
            Signals::listen().map_err(ServerError::Io)?
        };
        runtime.spawn(async move {
            signals.next().await;
            limit.send_replace(Some(patience));
            signals.next().await;
            limit.send_replace(Some(Duration::ZERO));
        });
        self.serve(runtime, handler, &Handle::new(), limits)
    }

    /// Serves on a thread of its own, until [`Running::shutdown`].
    ///
    /// # Errors
    /// [`ServerError::Io`].
    pub fn start(self, handler: impl Handler) -> Result<Running, ServerError> {
        let address = self.address;
        let connections = Handle::new();
        let handle = connections.clone();
        let (limit, limits) = watch::channel(None);
        let runtime = self.runtime()?;
        let thread = thread::Builder::new()
            .name("web-server".into())
            .spawn(move || self.serve(runtime, handler, &handle, limits))
            .map_err(ServerError::Io)?;
        Ok(Running {
            address,
            connections,
            limit,
            thread,
        })
    }

    fn runtime(&self) -> Result<Runtime, ServerError> {
        Builder::new_multi_thread()
            .enable_all()
            .max_blocking_threads(self.options.limits.in_flight.max(1))
            .thread_name("web-server")
            .build()
            .map_err(ServerError::Io)
    }

    fn serve(
        self,
        runtime: Runtime,
        handler: impl Handler,
        handle: &Handle<SocketAddr>,
        limits: watch::Receiver<Limit>,
    ) -> Result<Stopped, ServerError> {
        let peers = Peers::new(&self.options.limits);
        let router = endpoint::router(handler, &self.options, Arc::clone(&peers));
        let stopped = runtime.block_on(async {
            tokio::select! {
                served = self.listen(router, peers, handle.clone()) => served.map(|()| Stopped::Drained),
                () = deadline(limits, handle) => Ok(Stopped::TimedOut {
                    connections: handle.connection_count(),
                }),
            }
        });
        // Handlers that outlast the time limit are on these threads: do not wait for them.
        runtime.shutdown_background();
        stopped.map_err(ServerError::Io)
    }

    async fn listen(
        self,
        router: Router,
        peers: Arc<Peers>,
        handle: Handle<SocketAddr>,
    ) -> io::Result<()> {
        let timeouts = self.options.timeouts;
        let server = axum_server::from_tcp(self.listener)?.handle(handle);
        let service = router.into_make_service_with_connect_info::<SocketAddr>();
        if let Some(config) = self.tls {
            let acceptor = RustlsAcceptor::new(RustlsConfig::from_config(config))
                .handshake_timeout(timeouts.handshake);
            let acceptor = Bounded::new(acceptor, peers, &timeouts);
            let server = http1(server.acceptor(acceptor), timeouts.header);
            server.serve(service).await
        } else {
            let acceptor = Bounded::new(DefaultAcceptor::new(), peers, &timeouts);
            let server = http1(server.acceptor(acceptor), timeouts.header);
            server.serve(service).await
        }
    }
}

impl Running {
    /// The address that it is bound to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// How many connections there are.
    pub fn connections(&self) -> usize {
        self.connections.connection_count()
    }

    /// Takes no more connections, answers the requests in flight within `limit`, then stops. Returns at
    /// once: [`join`](Self::join) waits.
    pub fn shutdown(&self, limit: Duration) {
        self.limit.send_replace(Some(limit));
    }

    /// Waits until the server has stopped.
    ///
    /// # Errors
    /// [`ServerError::Io`], [`ServerError::Panicked`].
    pub fn join(self) -> Result<Stopped, ServerError> {
        self.thread.join().unwrap_or(Err(ServerError::Panicked))
    }
}

/// HTTP/1.1 with a time limit for heads. Answers to requests that came together leave together: a client that pipelines
/// is not woken for each of them.
///
/// To be called last: a server that is given an acceptor afterwards waits for the first bytes of a
/// connection, to see which HTTP it speaks, and waits without a limit.
fn http1<A>(server: Http<SocketAddr, A>, header: Duration) -> Http<SocketAddr, A> {
    let mut server = server.http1_only();
    server
        .http_builder()
        .http1()
        .pipeline_flush(true)
        .timer(TokioTimer::new())
        .header_read_timeout(header);
    server
}

/// Returns when the time is over that requests in flight have since the server was told to stop.
async fn deadline(mut limits: watch::Receiver<Limit>, handle: &Handle<SocketAddr>) {
    loop {
        let limit = *limits.borrow_and_update();
        match limit {
            None => {
                if limits.changed().await.is_err() {
                    // Nobody is left who could stop this server.
                    core::future::pending::<()>().await;
                }
            }
            Some(limit) => {
                handle.graceful_shutdown(None);
                let shorter = async {
                    if limits.changed().await.is_err() {
                        core::future::pending::<()>().await;
                    }
                };
                if timeout(limit, shorter).await.is_err() {
                    return;
                }
            }
        }
    }
}

/// The signals that ask the process to stop.
#[cfg(unix)]
struct Signals {
    interrupt: signal::unix::Signal,
    terminate: signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// From now on signals are noticed, and do not end the process.
    fn listen() -> io::Result<Self> {
        use signal::unix::SignalKind;
        Ok(Self {
            interrupt: signal::unix::signal(SignalKind::interrupt())?,
            terminate: signal::unix::signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => (),
            _ = self.terminate.recv() => (),
        }
    }
}

/// The signals that ask the process to stop.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    /// Ctrl-C; never, where it cannot be heard.
    async fn next(&mut self) {
        if signal::ctrl_c().await.is_err() {
            core::future::pending::<()>().await;
        }
    }
}
