//! Options of the HTTP client, and root certificates.

use core::time::Duration;

use ureq::tls::{Certificate, PemItem, RootCerts, parse_pem};

use super::HttpError;

/// The root certificates that a client trusts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Roots {
    /// The certificate authorities of the operating system.
    #[default]
    System,
    /// Only the certificates in this text, which is encoded as PEM.
    Pem(Vec<u8>),
}

/// Options of an HTTP client.
///
/// Defaults: requests of 32 MiB, responses of 64 MiB, 5 attempts, a backoff of 200 ms, timeouts of
/// 10 s (`connect`) and 2 min (`transfer`, `wait`), and 3 idle connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpOptions {
    /// The trusted root certificates. They have no effect for `http://`.
    pub roots: Roots,
    /// Maximum length of a request in bytes.
    pub request_bytes: usize,
    /// Maximum length of a response in bytes.
    pub response_bytes: usize,
    /// Maximum number of attempts if the server is unreachable or busy. At least one attempt is
    /// made.
    pub attempts: u32,
    /// The delay before the second attempt. The delay doubles with each further attempt.
    pub backoff: Duration,
    /// Timeout for opening a connection, including the TLS handshake. Name resolution has the same
    /// timeout.
    pub connect: Duration,
    /// Timeout for each of four steps: sending the head of the request, sending its body, waiting
    /// for the head of the response, and receiving its body.
    pub transfer: Duration,
    /// Timeout for the head of the response, and again for its body. Takes effect only if it is
    /// below `transfer`. Each request is then sent only once, so that a client of several servers
    /// can try the next one.
    pub wait: Duration,
    /// Maximum number of idle connections kept for reuse.
    pub idle_connections: usize,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            roots: Roots::System,
            request_bytes: 32 << 20,
            // Lists of updates are longer than the updates, which have at most 64 MiB.
            response_bytes: (64 << 20) + (1 << 10),
            attempts: 5,
            backoff: Duration::from_millis(200),
            connect: Duration::from_secs(10),
            transfer: Duration::from_mins(2),
            wait: Duration::from_mins(2),
            idle_connections: 3,
        }
    }
}

impl HttpOptions {
    /// Returns whether the client waits for a response as long as [`HttpOptions::transfer`] allows.
    pub fn is_patient(&self) -> bool {
        self.wait >= self.transfer
    }
}

pub(super) fn root_certificates(roots: &Roots) -> Result<RootCerts, HttpError> {
    let certificates = match roots {
        Roots::System => system_certificates(),
        Roots::Pem(pem) => parse_pem(pem)
            .filter_map(|item| match item {
                Ok(PemItem::Certificate(certificate)) => Some(Ok(certificate)),
                Ok(_) => None,
                Err(error) => Some(Err(HttpError::Configuration(error.to_string()))),
            })
            .collect::<Result<Vec<_>, _>>()?,
    };
    if certificates.is_empty() {
        let reason = "no root certificate to verify the server with";
        return Err(HttpError::Configuration(reason.into()));
    }
    Ok(RootCerts::from(certificates))
}

/// Loads the certificates of the operating system, and skips unreadable ones.
fn system_certificates() -> Vec<Certificate<'static>> {
    rustls_native_certs::load_native_certs()
        .certs
        .iter()
        .map(|certificate| Certificate::from_der(certificate).to_owned())
        .collect()
}
