//! A server that is reached over HTTP.

use core::{fmt, time::Duration};
use std::{io::ErrorKind, sync::Arc, thread};

use pad_core::codec;
use rustls::crypto::ring;
use ureq::{
    Agent, Body, Error,
    http::{Response as HttpResponse, StatusCode, header},
    tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem},
};

use super::transport::{Transport, TransportError, decode_response};
use crate::{
    message::{Refusal, Request, Response},
    network::{CONTENT_TYPE, PATH},
};

/// Requests above this many bytes ask before they are sent, so that a refusal costs no transmission.
const ASK_ABOVE: usize = 256 << 10;

/// The longest wait before the next attempt, whatever the server asks for.
const LONGEST_WAIT: Duration = Duration::from_secs(20);

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
        }
    }
}

/// A server that is reached over HTTP, or HTTPS; connections are kept and used again.
#[derive(Clone)]
pub struct HttpTransport {
    agent: Agent,
    address: String,
    options: HttpOptions,
}

impl HttpTransport {
    /// The server at this address: `http://host:port` or `https://host:port`, without a path.
    ///
    /// Connects with the first request.
    ///
    /// # Errors
    /// [`TransportError::Configuration`]: another scheme, an unreadable PEM, or no system certificates.
    pub fn new(address: &str, options: HttpOptions) -> Result<Self, TransportError> {
        let encrypted = address.starts_with("https://");
        if !encrypted && !address.starts_with("http://") {
            let reason = format!(
                "{} begins with neither http:// nor https://",
                without_password(address)
            );
            return Err(TransportError::Configuration(reason));
        }
        let mut tls = TlsConfig::builder()
            .unversioned_rustls_crypto_provider(Arc::new(ring::default_provider()));
        if encrypted {
            tls = tls.root_certs(root_certificates(&options.roots)?);
        }
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .tls_config(tls.build())
            .timeout_connect(Some(options.connect))
            .timeout_send_body(Some(options.transfer))
            .timeout_recv_response(Some(options.transfer))
            .timeout_recv_body(Some(options.transfer))
            .build()
            .new_agent();
        Ok(Self {
            agent,
            address: format!("{}{PATH}", address.trim_end_matches('/')),
            options,
        })
    }

    fn attempt(&self, request: &[u8]) -> Result<Response, Failed> {
        let mut post = self
            .agent
            .post(&self.address)
            .header(header::CONTENT_TYPE, CONTENT_TYPE);
        if request.len() > ASK_ABOVE {
            post = post.header(header::EXPECT, "100-continue");
        }
        let mut answer = post
            .send(request)
            .map_err(|error| Failed::from_error(&error))?;
        let too_large = TransportError::RequestTooLarge {
            length: request.len(),
        };
        match answer.status() {
            StatusCode::OK => self.read(&mut answer),
            StatusCode::SERVICE_UNAVAILABLE => Err(Failed::Busy(retry_after(&answer))),
            StatusCode::PAYLOAD_TOO_LARGE => Err(Failed::ForGood(too_large)),
            status => Err(Failed::ForGood(TransportError::Status(status.as_u16()))),
        }
    }

    fn read(&self, answer: &mut HttpResponse<Body>) -> Result<Response, Failed> {
        let limit = self.options.response_bytes;
        // One byte more than may be, so that the decoder sees that it is too much.
        let read = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
        let body = answer.body_mut().with_config().limit(read).read_to_vec();
        let bytes = body.map_err(|error| match error {
            Error::BodyExceedsLimit(_) => {
                Failed::ForGood(TransportError::ResponseTooLarge { limit })
            }
            error => Failed::from_error(&error),
        })?;
        decode_response(&bytes, limit).map_err(Failed::ForGood)
    }
}

impl Transport for HttpTransport {
    fn exchange(&self, request: &Request) -> Result<Response, TransportError> {
        let bytes = codec::encode(request);
        if bytes.len() > self.options.request_bytes {
            return Err(TransportError::RequestTooLarge {
                length: bytes.len(),
            });
        }
        let mut backoff = self.options.backoff;
        let mut attempts = 1;
        loop {
            let (wait, error) = match self.attempt(&bytes) {
                // Another request about the file is taking long: this one sent before, perhaps.
                Ok(Response::Refused(Refusal::Unavailable)) if attempts < self.options.attempts => {
                    (Duration::ZERO, TransportError::Overloaded { attempts })
                }
                Ok(response) => return Ok(response),
                Err(Failed::ForGood(error)) => return Err(error),
                Err(Failed::Busy(wait)) => (wait, TransportError::Overloaded { attempts }),
                Err(Failed::Unreachable(reason)) => {
                    let error = TransportError::Unreachable { attempts, reason };
                    (Duration::ZERO, error)
                }
            };
            if attempts >= self.options.attempts {
                return Err(error);
            }
            thread::sleep(wait.max(spread(backoff)).min(LONGEST_WAIT));
            backoff = backoff.saturating_mul(2);
            attempts = attempts.saturating_add(1);
        }
    }

    fn request_limit(&self) -> usize {
        self.options.request_bytes
    }
}

/// An address without the name and password that may stand in it.
fn without_password(address: &str) -> String {
    let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    format!("{scheme}://{host}")
}

/// How an attempt failed.
enum Failed {
    /// Another attempt would fail as well.
    ForGood(TransportError),
    /// The server asks for this wait.
    Busy(Duration),
    /// No answer, for a reason in words.
    Unreachable(String),
}

impl Failed {
    fn from_error(error: &Error) -> Self {
        match error {
            Error::Io(cause) if cause.kind() == ErrorKind::InvalidData => {
                Self::ForGood(TransportError::Tls(error.to_string()))
            }
            Error::Tls(_) | Error::Rustls(_) | Error::Pem(_) => {
                Self::ForGood(TransportError::Tls(error.to_string()))
            }
            Error::BadUri(_) | Error::Http(_) | Error::InvalidProxyUrl => {
                Self::ForGood(TransportError::Configuration(error.to_string()))
            }
            _ => Self::Unreachable(error.to_string()),
        }
    }
}

/// The whole seconds of `Retry-After`; a date, or nothing, means no wait of its own.
fn retry_after(answer: &HttpResponse<Body>) -> Duration {
    let seconds = answer
        .headers()
        .get(header::RETRY_AFTER)
        .and_then(|value| value.to_str().ok()?.parse().ok());
    Duration::from_secs(seconds.unwrap_or(0))
}

/// Between half of `backoff` and all of it, so that clients that failed together come back apart.
fn spread(backoff: Duration) -> Duration {
    let mut random = [0];
    // Without randomness the wait is the longest.
    let random = getrandom::fill(&mut random).map_or(u8::MAX, |()| random[0]);
    let half = backoff.checked_div(2).unwrap_or_default();
    let share = half.saturating_mul(u32::from(random));
    half.saturating_add(share.checked_div(255).unwrap_or_default())
}

fn root_certificates(roots: &Roots) -> Result<RootCerts, TransportError> {
    let certificates = match roots {
        Roots::System => system_certificates(),
        Roots::Pem(pem) => parse_pem(pem)
            .filter_map(|item| match item {
                Ok(PemItem::Certificate(certificate)) => Some(Ok(certificate)),
                Ok(_) => None,
                Err(error) => Some(Err(TransportError::Configuration(error.to_string()))),
            })
            .collect::<Result<Vec<_>, _>>()?,
    };
    if certificates.is_empty() {
        let reason = "no root certificate to verify the server with";
        return Err(TransportError::Configuration(reason.into()));
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

impl fmt::Debug for HttpTransport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("HttpTransport")
            .field("address", &without_password(&self.address))
            .finish_non_exhaustive()
    }
}
