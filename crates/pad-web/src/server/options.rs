//! Server options: TLS identity, limits, time-outs and trusted proxies.

use core::{fmt, time::Duration};
use std::{net::IpAddr, sync::Arc, thread};

use http::{HeaderName, HeaderValue};
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};

use super::error::ServerError;

/// Options of a server.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Certificate and private key. If given, the server accepts only TLS 1.2 and 1.3. Otherwise,
    /// it accepts only plain TCP.
    pub identity: Option<Identity>,
    /// Limits on connections, requests and memory.
    pub limits: Limits,
    /// Time-outs of connections and requests.
    pub timeouts: Timeouts,
    /// Addresses of trusted proxies. The header `X-Forwarded-For` of other peers is ignored.
    ///
    /// For a request from a trusted proxy, the header is read from its last address backwards. The
    /// client is the first address that is not a trusted proxy's. If the header ends or an address
    /// cannot be parsed before that, the client is the trusted proxy that was read last.
    pub trusted_proxies: Vec<IpAddr>,
    /// Value of the header `Access-Control-Allow-Origin` in responses to GET and HEAD requests: an
    /// origin whose web pages may read the responses, or `*` for all pages.
    pub allowed_origin: Option<HeaderValue>,
}

/// Header in which proxies name the client.
pub(super) const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Number of bytes that a client must send within [`Timeouts::body`], or read within
/// [`Timeouts::write`].
pub(super) const QUANTUM: usize = 1 << 20;

/// Resource limits: counts and bytes, in total and per peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum length of a request body in bytes.
    pub request_bytes: usize,
    /// Maximum length of a response body in bytes. If a handler's response is longer, the client
    /// receives status 500.
    pub response_bytes: usize,
    /// Maximum number of requests that are handled concurrently, each on a blocking thread.
    ///
    /// One peer may use half of the threads, and at least one. A quarter of all threads, rounded
    /// up, is reserved for peers that use none. If there is only one thread, it is not reserved.
    pub in_flight: usize,
    /// Maximum number of queued requests. A quarter of all places for requests, in progress and
    /// queued, is reserved for peers without requests.
    pub waiting: usize,
    /// Maximum number of requests of one peer that are handled on blocking threads or queued.
    ///
    /// A peer is an IPv4 address, or an IPv6 network with a 64-bit prefix. All clients of a proxy
    /// that is not in [`Options::trusted_proxies`] count as one peer.
    pub requests_per_peer: usize,
    /// Maximum total bytes of the request bodies that are being received or handled.
    pub body_bytes: usize,
    /// Maximum total bytes of the response bodies that are being sent.
    pub answer_bytes: usize,
    /// Maximum bytes of the request bodies of one peer. The same maximum applies to its response
    /// bodies.
    pub bytes_per_peer: usize,
    /// Additional bytes for request and response bodies of at most 64 KiB. They are used when the
    /// other memory limits are reached. One peer may use an eighth of them, or 64 KiB if that is
    /// more.
    pub reserve_bytes: usize,
    /// Maximum number of connections; further connections are closed immediately. A quarter is
    /// reserved for peers without connections.
    pub connections: usize,
    /// Maximum number of connections of one peer. A trusted proxy may have half of all connections,
    /// if that is more.
    pub connections_per_peer: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request_bytes: 32 << 20,
            response_bytes: 64 << 20,
            in_flight: thread::available_parallelism().map_or(2, |threads| threads.get().max(2)),
            waiting: 256,
            requests_per_peer: 64,
            body_bytes: 256 << 20,
            answer_bytes: 256 << 20,
            bytes_per_peer: 64 << 20,
            reserve_bytes: 32 << 20,
            connections: 1024,
            connections_per_peer: 64,
        }
    }
}

/// Time-outs of connections and requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Limit for the TLS handshake.
    pub handshake: Duration,
    /// Limit for the head of a request, counted from the end of the previous response. It is also
    /// the idle time-out of a connection.
    pub header: Duration,
    /// Limit for each further mebibyte of a request body, or for its last part.
    pub body: Duration,
    /// Limit for each further mebibyte of a response, from the moment when a write has to wait for
    /// the client.
    pub write: Duration,
    /// Limit for waiting for a blocking thread.
    pub queue: Duration,
    /// Limit for a whole request body, even if it arrives steadily.
    pub whole_body: Duration,
    /// Limit for sending a whole response, even if the client reads steadily.
    pub whole_answer: Duration,
    /// Limit for the requests in progress after `Server::run` has received a stop signal.
    pub shutdown: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            handshake: Duration::from_secs(10),
            header: Duration::from_secs(20),
            body: Duration::from_mins(1),
            write: Duration::from_mins(1),
            queue: Duration::from_secs(30),
            whole_body: Duration::from_mins(5),
            whole_answer: Duration::from_mins(10),
            shutdown: Duration::from_secs(30),
        }
    }
}

/// Certificate chain and private key of a TLS server.
#[derive(Clone)]
pub struct Identity {
    certificates: Vec<CertificateDer<'static>>,
    key: Arc<PrivateKeyDer<'static>>,
}

impl Identity {
    /// Parses a certificate chain and its private key (PKCS #8, PKCS #1 or SEC 1), both as PEM. The
    /// chain begins with the server's certificate.
    ///
    /// # Errors
    /// [`ServerError::Certificate`] if the input is not PEM, or contains no certificate or no key.
    pub fn from_pem(certificates: &[u8], key: &[u8]) -> Result<Self, ServerError> {
        let unreadable = |error: &dyn fmt::Display| ServerError::Certificate(error.to_string());
        let certificates = CertificateDer::pem_slice_iter(certificates)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| unreadable(&error))?;
        if certificates.is_empty() {
            return Err(unreadable(&"no certificate in the PEM"));
        }
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| unreadable(&error))?;
        Ok(Self {
            certificates,
            key: Arc::new(key),
        })
    }

    /// Returns the TLS configuration for HTTP/1.1, with the TLS versions that rustls enables by
    /// default.
    pub(super) fn tls_config(&self) -> Result<ServerConfig, ServerError> {
        let provider = Arc::new(ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|builder| {
                builder
                    .with_no_client_auth()
                    .with_single_cert(self.certificates.clone(), self.key.clone_key())
            })
            .map_err(|error| ServerError::Certificate(error.to_string()))?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(config)
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Identity")
            .field("certificates", &self.certificates.len())
            .finish_non_exhaustive()
    }
}
