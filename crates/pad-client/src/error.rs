//! Why there is no answer.

use pad::question::Refusal;

use crate::incident::{Fault, Incident};

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
