//! The server's life: bind, serve, stop.

use core::{convert::Infallible, pin::pin, time::Duration};
use std::{
    io,
    net::{SocketAddr, TcpListener, ToSocketAddrs},
    sync::Arc,
    thread::{self, JoinHandle},
    time::{SystemTime, UNIX_EPOCH},
};

use hyper::{server::conn::http1, service::service_fn};
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
    accept::Guarded,
    endpoint::{Endpoint, answer},
    error::ServerError,
    peers::{Connection, Peers},
};

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
    connections: Connections,
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

/// Tells connections whether to end with the requests in flight; each of them has a receiver.
type Connections = Arc<watch::Sender<bool>>;

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
        self.serve(runtime, handler, &Connections::default(), limits)
    }

    /// Serves on a thread of its own, until [`Running::shutdown`].
    ///
    /// # Errors
    /// [`ServerError::Io`].
    pub fn start(self, handler: impl Handler) -> Result<Running, ServerError> {
        let address = self.address;
        let connections = Connections::default();
        let own = Arc::clone(&connections);
        let (limit, limits) = watch::channel(None);
        let runtime = self.runtime()?;
        let thread = thread::Builder::new()
            .name("web-server".into())
            .spawn(move || self.serve(runtime, handler, &own, limits))
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
        connections: &Connections,
        limits: watch::Receiver<Limit>,
    ) -> Result<Stopped, ServerError> {
        let peers = Peers::new(&self.options.limits, &self.options.trusted_proxies);
        let endpoint = Endpoint::new(handler, &self.options, Arc::clone(&peers));
        let stopped = runtime.block_on(async {
            tokio::select! {
                served = self.listen(endpoint, &peers, connections, limits.clone()) => {
                    served.map(|()| Stopped::Drained)
                }
                () = deadline(limits, connections) => Ok(Stopped::TimedOut {
                    connections: connections.receiver_count(),
                }),
            }
        });
        // Handlers that outlast the time limit are on these threads: do not wait for them.
        runtime.shutdown_background();
        stopped.map_err(ServerError::Io)
    }

    /// Serves until there is a limit, and then until all connections have ended.
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
                // As where the process has no file left to open.
                sleep(PAUSE).await;
                continue;
            };
            let Some(stream) = Guarded::accept(stream, address, peers, &timeouts) else {
                continue;
            };
            let served = Served {
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

/// A connection that is served.
struct Served<H> {
    endpoint: Arc<Endpoint<H>>,
    connection: Arc<Connection>,
    header: Duration,
    ending: watch::Receiver<bool>,
}

impl<H: Handler> Served<H> {
    /// Serves HTTP/1.1 with a time limit for heads. The next request is read once the response before
    /// it is sent. A client that pipelines without reading holds one response in memory, then is
    /// disconnected.
    async fn converse(mut self, stream: impl AsyncRead + AsyncWrite + Unpin) {
        let service = service_fn(|request| {
            let answer = answer(
                Arc::clone(&self.endpoint),
                Arc::clone(&self.connection),
                request,
            );
            async move { Ok::<_, Infallible>(answer.await) }
        });
        // The header of the date can say a time from 1970 to the year 9999.
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let has_date = now.is_ok_and(|now| now.as_secs() < LAST_DATE);
        let conversation = http1::Builder::new()
            .auto_date_header(has_date)
            .timer(TokioTimer::new())
            .header_read_timeout(self.header)
            .serve_connection(TokioIo::new(stream), service);
        let mut conversation = pin!(conversation);
        let ending = async { drop(self.ending.wait_for(|is_ending| *is_ending).await) };
        // That a client has left, or was too slow, concerns nobody else.
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

/// The first second of the year 9999.
const LAST_DATE: u64 = 253_370_764_800;

/// How long nothing is accepted after that has failed.
const PAUSE: Duration = Duration::from_millis(50);

impl Running {
    /// The address that it is bound to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// How many connections there are.
    pub fn connections(&self) -> usize {
        self.connections.receiver_count()
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

/// Returns when the server is told to stop.
async fn limited(limits: &mut watch::Receiver<Limit>) {
    if limits.wait_for(Option::is_some).await.is_err() {
        // Nobody is left who could stop this server.
        core::future::pending::<()>().await;
    }
}

/// Returns when the time is over that requests in flight have since the server was told to stop.
async fn deadline(mut limits: watch::Receiver<Limit>, connections: &Connections) {
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
                connections.send_replace(true);
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
