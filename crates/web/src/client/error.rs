//! Why there is no answer.

use std::io::ErrorKind;

use ureq::{Error, Timeout};

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// Address, certificate or time-outs cannot be used, in words.
    #[error("the connection cannot be set up: {0}")]
    Configuration(String),
    /// No attempt brought an answer; the reason of the last one, in words.
    #[error("no answer after {attempts} attempts: {reason}")]
    Unreachable {
        /// How many attempts.
        attempts: u32,
        /// Why the last one failed.
        reason: String,
    },
    /// The server accepted a request and did not begin to answer in the time for waiting, or did not end in the time for an answer;
    /// why, in words.
    #[error("no answer in time: {reason}")]
    Silent {
        /// What was waited for.
        reason: String,
    },
    /// The server was busy at every attempt.
    #[error("the server was busy at all {attempts} attempts")]
    Overloaded {
        /// How many attempts.
        attempts: u32,
    },
    /// The server is not the one that its certificate should prove, or TLS failed otherwise.
    #[error("no secure connection: {0}")]
    Tls(String),
    /// The request exceeds what the client, or the server by its status 413, lets through.
    #[error("a request of {length} bytes is too large")]
    RequestTooLarge {
        /// The length of the request in bytes.
        length: usize,
    },
    /// The answer exceeds the client's limit.
    #[error("the answer exceeds {limit} bytes")]
    ResponseTooLarge {
        /// The limit in bytes.
        limit: usize,
    },
}

/// How an attempt failed.
pub(super) enum Failed {
    /// Another attempt would fail as well.
    ForGood(HttpError),
    /// The server asks for this wait.
    Busy(core::time::Duration),
    /// No answer, for a reason in words.
    Unreachable(String),
    /// An answer that does not begin, or does not end.
    Silent(String),
}

impl Failed {
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
