//! Errors of the HTTP client.

use std::io::ErrorKind;

use ureq::{Error, Timeout};

/// Error returned when a request receives no response, or an unusable response.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The address or the certificates are unusable, for the reason given here.
    #[error("the connection cannot be set up: {0}")]
    Configuration(String),
    /// The last attempt to send the request received no complete response.
    #[error("no answer after {attempts} attempts: {reason}")]
    Unreachable {
        /// The number of attempts to send the request.
        attempts: u32,
        /// The reason of the last failure.
        reason: String,
    },
    /// The server accepted the request, but its response did not begin within the timeout, or did
    /// not end within it. The timeout is the smaller of `wait` and `transfer` of
    /// [`HttpOptions`](crate::client::HttpOptions).
    #[error("no answer in time: {reason}")]
    Silent {
        /// A description of the timeout that expired.
        reason: String,
    },
    /// The server reported in the last attempt that it is busy.
    #[error("the server was busy at all {attempts} attempts")]
    Overloaded {
        /// The number of attempts to send the request.
        attempts: u32,
    },
    /// The server's certificate is not trusted, or TLS failed for another reason.
    #[error("no secure connection: {0}")]
    Tls(String),
    /// The request exceeds the client's limit, or the server rejected it with status 413.
    #[error("a request of {length} bytes is too large")]
    RequestTooLarge {
        /// The length of the request in bytes.
        length: usize,
    },
    /// The response exceeds the limit of the call or, if that is smaller, of the client.
    #[error("the answer exceeds {limit} bytes")]
    ResponseTooLarge {
        /// The exceeded limit in bytes.
        limit: usize,
    },
}

/// The failure of one attempt.
pub(super) enum AttemptError {
    /// A permanent error, which another attempt would repeat.
    ForGood(HttpError),
    /// The server is busy, and requests this delay before the next attempt.
    Busy(core::time::Duration),
    /// The attempt received no complete response, for this reason.
    Unreachable(String),
    /// The response did not begin or did not end within the timeout, for this reason.
    Silent(String),
}

impl AttemptError {
    pub(super) fn from_error(error: &Error) -> Self {
        match error {
            Error::Io(cause) if cause.kind() == ErrorKind::InvalidData => {
                Self::ForGood(HttpError::Tls(error.to_string()))
            }
            Error::Tls(_) | Error::Rustls(_) | Error::Pem(_) => {
                Self::ForGood(HttpError::Tls(error.to_string()))
            }
            Error::BadUri(_) | Error::Http(_) | Error::InvalidProxyUrl => {
                Self::ForGood(HttpError::Configuration(error.to_string()))
            }
            Error::Timeout(Timeout::RecvResponse | Timeout::RecvBody) => {
                Self::Silent(error.to_string())
            }
            _ => Self::Unreachable(error.to_string()),
        }
    }
}
