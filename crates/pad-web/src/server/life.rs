//! Lifecycle of the server: bind, serve, shut down.

use core::{convert::Infallible, pin::pin, time::Duration};
use std::{
    io,
    net::{SocketAddr, TcpListener, ToSocketAddrs},
    sync::Arc,
    thread::{self, JoinHandle},
    time::{SystemTime, UNIX_EPOCH},
};

use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use rustls::ServerConfig;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net,
    runtime::{Builder, Runtime},
    signal,
    sync::watch,
    time::{sleep, timeout},
};
use tokio_rustls::TlsAcceptor;

use super::{
    Handler, Options,
    accept::GuardedStream,
    endpoint::{Endpoint, answer},
    error::ServerError,
    peers::{Connection, Peers},
};

/// A server that is bound to an address, but does not accept connections yet.
///
/// ```no_run
/// use pad_web::server::{Admission, Answer, Handler, Head, Options, Server, StatusCode, Work};
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
/// # Ok::<(), pad_web::server::ServerError>(())
/// ```
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    tls: Option<Arc<ServerConfig>>,
    options: Options,
}

/// A server that Ctrl-C or SIGTERM will stop. It does not accept connections yet.
#[derive(Debug)]
pub struct InterruptibleServer {
    server: Server,
    runtime: Runtime,
    limits: watch::Receiver<Limit>,
}

/// Handle of a server that runs in the background until [`RunningServer::shutdown`].
#[derive(Debug)]
pub struct RunningServer {
    address: SocketAddr,
    connections: Connections,
    limit: watch::Sender<Limit>,
    thread: JoinHandle<Result<ShutdownOutcome, ServerError>>,
}

/// Outcome of a shutdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShutdownOutcome {
    /// All connections ended within the time limit.
    Drained,
    /// The time limit was reached, and the remaining connections were closed. A handler that is
    /// still running continues, because a thread cannot be stopped from outside.
    TimedOut {
        /// Number of connections that were closed.
        connections: usize,
    },
}

/// Time limit for the requests in progress at shutdown; `None` before shutdown.
type Limit = Option<Duration>;

/// Channel that tells connections to end after their requests in progress. Each connection has a
/// receiver.
type Connections = Arc<watch::Sender<bool>>;

impl Server {
    /// Binds to `address`; port 0 selects a free port.
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

    /// Returns the bound address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until Ctrl-C or, on Unix, SIGTERM. A second signal aborts the requests in progress.
    ///
    /// # Errors
    /// [`ServerError::Io`].
    pub fn run(self, handler: impl Handler) -> Result<ShutdownOutcome, ServerError> {
        self.catch_signals()?.run(handler)
    }

    /// Installs the signal handlers of [`Server::run`]. Afterwards, a signal stops the returned
    /// server instead of the process, even if it arrives before the server runs.
    ///
    /// # Errors
    /// [`ServerError::Io`].
    pub fn catch_signals(self) -> Result<InterruptibleServer, ServerError> {
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
        Ok(InterruptibleServer {
            server: self,
            runtime,
            limits,
        })
    }

    /// Serves on a new thread until [`RunningServer::shutdown`].
    ///
    /// # Errors
    /// [`ServerError::Io`].
    pub fn start(self, handler: impl Handler) -> Result<RunningServer, ServerError> {
        let address = self.address;
        let connections = Connections::default();
        let own = Arc::clone(&connections);
        let (limit, limits) = watch::channel(None);
        let runtime = self.runtime()?;
        let thread = thread::Builder::new()
            .name("web-server".into())
            .spawn(move || self.serve(runtime, handler, &own, limits))
            .map_err(ServerError::Io)?;
        Ok(RunningServer {
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
        connections: &Connections,
        limits: watch::Receiver<Limit>,
    ) -> Result<ShutdownOutcome, ServerError> {
        let peers = Peers::new(&self.options.limits, &self.options.trusted_proxies);
        handler.observe(peers.counters());
        let endpoint = Endpoint::new(handler, &self.options, Arc::clone(&peers));
        let stopped = runtime.block_on(async {
            tokio::select! {
                served = self.listen(endpoint, &peers, connections, limits.clone()) => {
                    served.map(|()| ShutdownOutcome::Drained)
                }
                () = deadline(limits, connections) => Ok(ShutdownOutcome::TimedOut {
                    connections: connections.receiver_count(),
                }),
            }
        });
        // Handlers that exceed the time limit still run on these threads. This call does not wait
        // for them.
        runtime.shutdown_background();
        stopped.map_err(ServerError::Io)
    }

    /// Accepts connections until shutdown, then waits until all connections have ended.
    async fn listen<H: Handler>(
        self,
        endpoint: Endpoint<H>,
        peers: &Arc<Peers>,
        connections: &Connections,
        mut limits: watch::Receiver<Limit>,
    ) -> io::Result<()> {
        let timeouts = self.options.timeouts;
        let listener = net::TcpListener::from_std(self.listener)?;
        let tls = self.tls.map(TlsAcceptor::from);
        let endpoint = Arc::new(endpoint);
        loop {
            let accepted = tokio::select! {
                biased;
                () = limited(&mut limits) => break,
                accepted = listener.accept() => accepted,
            };
            let Ok((stream, address)) = accepted else {
                // For example, the process has no free file descriptor.
                sleep(PAUSE).await;
                continue;
            };
            let Some(stream) = GuardedStream::accept(stream, address, peers, &timeouts) else {
                continue;
            };
            let served = ConnectionTask {
                endpoint: Arc::clone(&endpoint),
                connection: stream.connection(),
                header: timeouts.header,
                ending: connections.subscribe(),
            };
            let tls = tls.clone();
            tokio::spawn(async move {
                let Some(tls) = tls else {
                    return served.converse(stream).await;
                };
                if let Ok(Ok(stream)) = timeout(timeouts.handshake, tls.accept(stream)).await {
                    served.converse(stream).await;
                }
            });
        }
        drop(listener);
        connections.closed().await;
        Ok(())
    }
}

impl InterruptibleServer {
    /// Serves until a signal arrives, like [`Server::run`].
    ///
    /// # Errors
    /// [`ServerError::Io`].
    pub fn run(self, handler: impl Handler) -> Result<ShutdownOutcome, ServerError> {
        let connections = Connections::default();
        self.server
            .serve(self.runtime, handler, &connections, self.limits)
    }
}

/// The state of one open connection.
struct ConnectionTask<H> {
    endpoint: Arc<Endpoint<H>>,
    connection: Arc<Connection>,
    header: Duration,
    ending: watch::Receiver<bool>,
}

impl<H: Handler> ConnectionTask<H> {
    /// Serves HTTP/1.1 with a time limit for heads.
    ///
    /// The next request is read after the previous response is sent. If a client pipelines requests
    /// without reading, only one response is in memory, until the client is disconnected.
    async fn converse(mut self, stream: impl AsyncRead + AsyncWrite + Unpin) {
        let service = service_fn(|request: http::Request<Incoming>| {
            let answer = answer(
                Arc::clone(&self.endpoint),
                Arc::clone(&self.connection),
                request,
            );
            async move { Ok::<_, Infallible>(answer.await) }
        });
        // The Date header can represent times from 1970 to the year 9999. At other times it is
        // omitted.
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let has_date = now.is_ok_and(|now| now.as_secs() < LAST_DATE);
        let conversation = http1::Builder::new()
            .auto_date_header(has_date)
            .timer(TokioTimer::new())
            .header_read_timeout(self.header)
            .serve_connection(TokioIo::new(stream), service);
        let mut conversation = pin!(conversation);
        let ending = async { drop(self.ending.wait_for(|is_ending| *is_ending).await) };
        // Errors of this connection do not affect others. For example, the client has left or was
        // too slow.
        tokio::select! {
            biased;
            () = ending => {
                conversation.as_mut().graceful_shutdown();
                drop(conversation.await);
            }
            _ = &mut conversation => (),
        }
    }
}

/// The first second of the year 9999, in seconds since 1970. The header `Date` is sent only before
/// this time.
const LAST_DATE: u64 = 253_370_764_800;

/// Pause after a connection could not be accepted.
const PAUSE: Duration = Duration::from_millis(50);

impl RunningServer {
    /// Returns the bound address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the number of open connections.
    pub fn connections(&self) -> usize {
        self.connections.receiver_count()
    }

    /// Stops accepting connections, answers the requests in progress within `limit`, and then stops
    /// the server. Returns immediately; [`join`](Self::join) waits.
    pub fn shutdown(&self, limit: Duration) {
        self.limit.send_replace(Some(limit));
    }

    /// Waits until the server has stopped.
    ///
    /// # Errors
    /// [`ServerError::Io`], [`ServerError::Panicked`].
    pub fn join(self) -> Result<ShutdownOutcome, ServerError> {
        self.thread.join().unwrap_or(Err(ServerError::Panicked))
    }
}

/// Waits until shutdown begins.
async fn limited(limits: &mut watch::Receiver<Limit>) {
    while limits.borrow_and_update().is_none() {
        changed(limits).await;
    }
}

/// Tells the connections to end once a shutdown begins, and waits until the limit of the shutdown
/// is reached.
async fn deadline(mut limits: watch::Receiver<Limit>, connections: &Connections) {
    loop {
        limited(&mut limits).await;
        connections.send_replace(true);
        let limit = limits.borrow().unwrap_or_default();
        if timeout(limit, changed(&mut limits)).await.is_err() {
            return;
        }
    }
}

/// Waits until the limit changes.
async fn changed(limits: &mut watch::Receiver<Limit>) {
    if limits.changed().await.is_err() {
        // The sender no longer exists, so no shutdown can be requested.
        core::future::pending::<()>().await;
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
    /// Installs signal handlers. Afterwards, these signals do not end the process.
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

    /// Waits for Ctrl-C. Waits forever if the signal handler cannot be installed.
    async fn next(&mut self) {
        if signal::ctrl_c().await.is_err() {
            core::future::pending::<()>().await;
        }
    }
}
