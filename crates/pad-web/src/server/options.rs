//! Server options: TLS identity, limits, time-outs and trusted proxies.

use core::{fmt, time::Duration};
use std::{net::IpAddr, sync::Arc, thread};

use http::HeaderName;
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};

use super::error::ServerError;

/// Server options.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Certificate and key. With them the server speaks only TLS 1.2 and 1.3, without them only
    /// plain TCP.
    pub identity: Option<Identity>,
    /// Resource limits.
    pub limits: Limits,
    /// Time-outs.
    pub timeouts: Timeouts,
    /// Addresses of trusted proxies. The header `X-Forwarded-For` is ignored from all other peers.
    ///
    /// The client of a request from a proxy is the last address in the header that is not a trusted
    /// proxy's. Without such an address, or before one that cannot be parsed, it is the proxy whose
    /// address was read last.
    pub trusted_proxies: Vec<IpAddr>,
}

/// Header in which proxies name the client.
pub(super) const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Bytes that a client must send within [`Timeouts::body`], or take within [`Timeouts::write`].
pub(super) const QUANTUM: usize = 1 << 20;

/// Resource limits: counts and bytes, in total and per peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum length of a request body in bytes.
    pub request_bytes: usize,
    /// Maximum length of a response body in bytes. A handler that exceeds it has failed (status
    /// 500).
    pub response_bytes: usize,
    /// Maximum number of requests that are handled concurrently, each on a blocking thread.
    ///
    /// One peer may use half of the threads, and at least one. A quarter of all threads, rounded
    /// up, is reserved for peers that use none. A single thread is not reserved.
    pub in_flight: usize,
    /// Maximum number of queued requests. A quarter of all requests, in flight and queued, is
    /// reserved for peers without requests.
    pub waiting: usize,
    /// Maximum number of requests of one peer that are handled or queued.
    ///
    /// A peer is an IPv4 address or an IPv6 network of 64 bits. All clients behind a proxy that is
    /// not in [`Options::trusted_proxies`] are one peer.
    pub requests_per_peer: usize,
    /// Total bytes of request bodies that are being received and handled.
    pub body_bytes: usize,
    /// Total bytes of response bodies that are being sent.
    pub answer_bytes: usize,
    /// Bytes of the request bodies of one peer, and separately of its response bodies.
    pub bytes_per_peer: usize,
    /// Reserve in bytes for requests and responses of at most 64 KiB, used when the other memory
    /// limits are reached. One peer may have an eighth of it, or 64 KiB if that is more.
    pub reserve_bytes: usize,
    /// Maximum number of connections; further connections are closed immediately. A quarter is
    /// reserved for peers without connections.
    pub connections: usize,
    /// Maximum number of connections of one peer; a trusted proxy may have half of all.
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
    /// Limit for the head of a request, from the end of the previous response: the idle time-out of
    /// a connection.
    pub header: Duration,
    /// Limit for each further mebibyte of a request body, or for its rest.
    pub body: Duration,
    /// Limit for each further mebibyte of a response, once the client does not keep up.
    pub write: Duration,
    /// Limit for the wait for a thread.
    pub queue: Duration,
    /// Limit for a whole request body, even if it arrives steadily.
    pub whole_body: Duration,
    /// Limit for the client to take a whole response, even if it reads steadily.
    pub whole_answer: Duration,
    /// Limit for the requests in flight at shutdown.
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
    /// [`ServerError::Certificate`] if the input is not PEM, or has no certificate or no key.
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

    /// Returns the TLS configuration for HTTP/1.1, with rustls' safe default versions.
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
