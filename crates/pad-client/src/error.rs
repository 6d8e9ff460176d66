//! Why there is no answer.

use pad::question::Refusal;
use web::client::HttpError;

use crate::incident::{Fault, Incident};

/// Why a server has not sent what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// There is no answer.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// The server says that it will not, or cannot.
    #[error("the server says {status}, {code}: {text}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// A word that stands for the reason.
        code: String,
        /// The reason, in the server's words.
        text: String,
    },
    /// What came is not what was asked for.
    #[error("the server sent no {0}")]
    Unusable(&'static str),
}

impl FetchError {
    /// Whether the server says so, with this word for the reason.
    pub fn is(&self, word: &str) -> bool {
        matches!(self, Self::Refused { code, .. } if code == word)
    }

    /// Whether it is the asker who asked for something that is not there.
    pub fn is_askers(&self) -> bool {
        matches!(
            self,
            Self::Refused {
                status: 400..=499,
                ..
            }
        )
    }
}

/// Why a client has no verified answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// No server gave an answer that verifies.
    #[error("{}", in_a_line(.0))]
    Nobody(Vec<Incident>),
    /// The client's key or view cannot be used.
    #[error(transparent)]
    Client(#[from] Refusal),
    /// No server is named.
    #[error("no server is named")]
    NoServer,
}

impl ClientError {
    /// Whether a server has said something that does not verify.
    pub fn is_lie(&self) -> bool {
        match self {
            Self::Nobody(incidents) => {
                let mut faults = incidents.iter().map(|incident| &incident.fault);
                faults.any(|fault| {
                    matches!(fault, Fault::Lied(_) | Fault::Behind(_) | Fault::Fork(_))
                })
            }
            Self::Client(_) => true,
            Self::NoServer => false,
        }
    }

    /// Whether every server says that there is no such thing.
    pub fn is_askers(&self) -> bool {
        match self {
            Self::Nobody(incidents) => incidents.iter().all(
                |incident| matches!(&incident.fault, Fault::Silent(error) if error.is_askers()),
            ),
            Self::Client(_) => false,
            Self::NoServer => true,
        }
    }
}

fn in_a_line(incidents: &[Incident]) -> String {
    let lines: Vec<_> = incidents.iter().map(ToString::to_string).collect();
    lines.join("; ")
}
