//! How a client talks to its server.

use core::time::Duration;

use ureq::tls::{Certificate, PemItem, RootCerts, parse_pem};

use super::HttpError;

/// Which certificates the server's must descend from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Roots {
    /// The certificate authorities that the operating system trusts.
    #[default]
    System,
    /// The certificates in this PEM, and no others.
    Pem(Vec<u8>),
}

/// How a client talks to its server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpOptions {
    /// Which certificates the server's must descend from; without effect for `http://`.
    pub roots: Roots,
    /// The longest request in bytes.
    pub request_bytes: usize,
    /// The longest answer in bytes.
    pub response_bytes: usize,
    /// How often a request is sent at most, when the server is out of reach or busy; at least once.
    pub attempts: u32,
    /// The wait before the second attempt; it doubles with each further one.
    pub backoff: Duration,
    /// The time for a connection, its TLS handshake included.
    pub connect: Duration,
    /// The time for sending a request, for waiting, and for receiving the answer, each.
    pub transfer: Duration,
    /// The longest wait for an answer to begin, and again for it to end; without effect if it is not
    /// below `transfer`. For clients with several servers: each request is then sent once.
    pub wait: Duration,
    /// How many connections are kept for the next requests.
    pub idle_connections: usize,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            roots: Roots::System,
            request_bytes: 32 << 20,
            response_bytes: 64 << 20,
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
    /// Whether an answer is waited for as long as for a transfer.
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

/// What can be read of the system's store; single unreadable files in it are no reason to stop.
fn system_certificates() -> Vec<Certificate<'static>> {
    rustls_native_certs::load_native_certs()
        .certs
        .iter()
        .map(|certificate| Certificate::from_der(certificate).to_owned())
        .collect()
}
