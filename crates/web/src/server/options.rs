//! What an operator may choose.

use core::{fmt, time::Duration};
use std::{net::IpAddr, sync::Arc, thread};

use http::HeaderName;
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};

use super::error::ServerError;

/// What an operator may choose.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// With a certificate the server speaks TLS 1.2 and 1.3 only, without one plain TCP only.
    pub identity: Option<Identity>,
    /// How much at once.
    pub limits: Limits,
    /// How long.
    pub timeouts: Timeouts,
    /// Addresses of trusted proxies. The client of a request from one is the last address in its
    /// `X-Forwarded-For` that is not a trusted proxy's, or the proxy itself without such an address.
    /// The header is ignored from all other peers.
    pub trusted_proxies: Vec<IpAddr>,
}

/// Header in which proxies name the client.
pub(super) const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// What a client must send, or take, in [`Timeouts::body`] and [`Timeouts::write`] to be waited for.
pub(super) const QUANTUM: usize = 1 << 20;

/// How much at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest request in bytes.
    pub request_bytes: usize,
    /// The longest answer in bytes; handlers keep to it, and one that does not has failed.
    pub response_bytes: usize,
    /// How many requests are handled at the same time, each on a thread. One peer has half of the threads at
    /// most, and a quarter of all is for peers that have none; one thread at least, each.
    pub in_flight: usize,
    /// Maximum number of queued requests; a quarter is reserved for peers that have none.
    pub waiting: usize,
    /// How many requests of one peer may be handled or wait. A peer is an IPv4 address or an IPv6 network of
    /// 64 bits; behind a proxy that is not in [`Options::trusted_proxies`], all clients are one.
    pub requests_per_peer: usize,
    /// The bytes of all requests that are being received and handled.
    pub body_bytes: usize,
    /// The bytes of all answers that are being sent.
    pub answer_bytes: usize,
    /// The bytes of the requests of one peer, and again of its answers.
    pub bytes_per_peer: usize,
    /// The bytes that are there for requests and answers of at most 64 KiB when the others take all there
    /// is; one peer may have an eighth of them.
    pub reserve_bytes: usize,
    /// Maximum number of connections; further ones are closed at once. A quarter is reserved for
    /// peers that have none.
    pub connections: usize,
    /// How many connections of one peer; a trusted proxy may have half of all.
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

/// How long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For the TLS handshake.
    pub handshake: Duration,
    /// For the head of a request, from the end of the answer before it: how long a connection may idle.
    pub header: Duration,
    /// In which a client must have sent one more mebibyte of the body of its request, or all of it.
    pub body: Duration,
    /// In which a client that does not keep up must have taken one more mebibyte of its answer.
    pub write: Duration,
    /// For a request that waits for a thread.
    pub queue: Duration,
    /// For all of the body of a request, however steadily it comes.
    pub whole_body: Duration,
    /// For all of an answer to be taken, however steadily it is.
    pub whole_answer: Duration,
    /// For the requests in flight when the server is told to stop.
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

/// The certificate of a server that speaks TLS, and its key.
#[derive(Clone)]
pub struct Identity {
    certificates: Vec<CertificateDer<'static>>,
    key: Arc<PrivateKeyDer<'static>>,
}

impl Identity {
    /// The identity of a certificate chain, the server's own certificate first, and its private key
    /// (PKCS #8, PKCS #1 or SEC 1), both as PEM.
    ///
    /// # Errors
    /// [`ServerError::Certificate`]: not PEM, or no certificate, or no key in it.
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

    /// The TLS settings of this identity, for HTTP/1.1 with rustls' safe defaults.
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
