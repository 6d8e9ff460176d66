//! Errors of a client.

use authdict::{Refusal, Version, WitnessedError};

use crate::incident::{Fault, Incident};

/// Error returned when a client has no verified answer to return.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// All servers failed. Contains the last incident of each server.
    #[error("{}", in_a_line(.0))]
    AllServersFailed(Vec<Incident>),
    /// The client's key or view is unusable, or a statement does not verify.
    #[error(transparent)]
    Client(#[from] Refusal),
    /// The list of servers is empty.
    #[error("no server is given")]
    NoServer,
    /// The scheme's answers do not follow from the head, so cosigned heads do not cover them.
    #[error(
        "cosignatures do not cover answers of scheme {0}: the answers do not follow from the \
         cosigned head"
    )]
    Unbound(&'static str),
    /// The witness policy cannot be used for this dictionary.
    #[error(transparent)]
    Policy(#[from] WitnessedError),
    /// The clock of this machine is before 1970, so the age of cosignatures is unknown.
    #[error("this machine's clock is before 1970: the age of cosignatures is unknown")]
    Clock,
    /// The version is newer than the latest version of the view ([`crate::Client::advance`]).
    #[error("version {version} is newer than version {followed}, the newest followed")]
    Ahead {
        /// The version that was queried.
        version: Version,
        /// The latest version of the view.
        followed: Version,
    },
    /// The version is newer than the latest cosigned version.
    #[error("version {version} is newer than version {newest}, the newest cosigned")]
    NotSeen {
        /// The version that was queried.
        version: Version,
        /// The latest cosigned version.
        newest: Version,
    },
}

impl ClientError {
    /// Returns whether a server sent data that does not verify, was behind, or lacked cosignatures.
    /// Also returns true for every [`ClientError::Client`].
    pub fn is_lie(&self) -> bool {
        match self {
            Self::AllServersFailed(incidents) => {
                let mut faults = incidents.iter().map(|incident| &incident.fault);
                faults.any(|fault| {
                    matches!(
                        fault,
                        Fault::Lied(_) | Fault::Behind(_) | Fault::Unwitnessed(_) | Fault::Fork(_)
                    )
                })
            }
            Self::Client(_) => true,
            Self::NoServer
            | Self::Unbound(_)
            | Self::Policy(_)
            | Self::Clock
            | Self::Ahead { .. }
            | Self::NotSeen { .. } => false,
        }
    }

    /// Returns whether every server reports that it does not keep the requested version or key, or
    /// has no requested name or note.
    #[doc(hidden)]
    pub fn is_elsewhere(&self) -> bool {
        let Self::AllServersFailed(incidents) = self else {
            return false;
        };
        incidents.iter().all(Incident::is_elsewhere)
    }

    /// Returns whether the request or the client's configuration is at fault. For example, the
    /// request names a missing version or file.
    #[doc(hidden)]
    pub fn is_askers(&self) -> bool {
        match self {
            Self::AllServersFailed(incidents) => incidents.iter().all(
                |incident| matches!(&incident.fault, Fault::Silent(error) if error.is_askers()),
            ),
            Self::Client(_) | Self::Clock => false,
            Self::NoServer
            | Self::Unbound(_)
            | Self::Policy(_)
            | Self::Ahead { .. }
            | Self::NotSeen { .. } => true,
        }
    }
}

fn in_a_line(incidents: &[Incident]) -> String {
    let lines: Vec<_> = incidents.iter().map(ToString::to_string).collect();
    lines.join("; ")
}
