//! Assignment of errors to the side that has to act: owner, server or neither. Programs choose
//! their exit status by this side.
//!
//! The code matches every refusal without a wildcard. A new refusal therefore does not compile
//! until it is assigned to a side.

use std::io;

use pad_web::client::HttpError;

use super::{error::ClientError, state::StateError, transport::TransportError};
use crate::message::Refusal;

/// The side that has to act on an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The owner: an input, key or state does not fit, or the request exceeds a limit of the
    /// server.
    Owner,
    /// The server: it contradicts verified state, or refuses a request that it must answer.
    Server,
    /// Neither: there is no answer, an operation on this machine failed, or the state file is
    /// damaged. This is not a verdict on the file. Try again, or restore the state file.
    Circumstances,
}

/// The purpose of a request that the server refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A request to begin or resume an upload.
    Begin,
    /// A request that sends parts of an upload.
    Part,
    /// A request to finish an upload.
    Finish,
    /// A request to change an uploaded file.
    Change,
    /// A query about an uploaded file: audit, read or status.
    Question,
}

impl Refusal {
    /// Assigns the refusal of a request with this purpose to a side.
    ///
    /// The client checks its requests first, so an honest server has few reasons to refuse. It has
    /// no reason to refuse queries about a file that it accepted.
    pub(super) const fn blame(&self, purpose: Purpose) -> Blame {
        match self {
            Self::Unavailable | Self::CannotWrite => Blame::Circumstances,
            Self::TooLarge(_) => match purpose {
                // The client retries with smaller requests, down to a single byte.
                Purpose::Question => Blame::Server,
                Purpose::Begin | Purpose::Part | Purpose::Finish | Purpose::Change => Blame::Owner,
            },
            // The server may drop a slow upload before it is finished, but no finished file.
            Self::UnknownFile => match purpose {
                Purpose::Part | Purpose::Finish => Blame::Circumstances,
                Purpose::Begin | Purpose::Change | Purpose::Question => Blame::Server,
            },
            // During an upload, another process may upload with a copy of the state. The server is
            // then not to blame.
            Self::PartOutOfOrder { .. } | Self::UploadUnfinished { .. } => match purpose {
                Purpose::Part | Purpose::Finish => Blame::Circumstances,
                Purpose::Begin | Purpose::Change | Purpose::Question => Blame::Server,
            },
            // The server may reject a new file of this owner, with these parameters, or of this
            // kind. It may not reject later requests about an accepted file for these reasons.
            Self::WrongOwner
            | Self::WrongFileId
            | Self::Invalid(_)
            | Self::OwnerNotAllowed
            | Self::BeginExpired { .. } => match purpose {
                Purpose::Begin => Blame::Owner,
                Purpose::Part | Purpose::Finish | Purpose::Change | Purpose::Question => {
                    Blame::Server
                }
            },
            // Only the owner can request a removal. The server does not prove that the owner did,
            // so the claim is not accepted for a finished file.
            Self::Removed => match purpose {
                Purpose::Begin | Purpose::Part | Purpose::Finish => Blame::Owner,
                Purpose::Change | Purpose::Question => Blame::Server,
            },
            Self::UploadFinished
            | Self::UnknownVersion { .. }
            | Self::StaleBase { .. }
            | Self::RootMismatch
            | Self::TagsInvalid
            | Self::StoreFailed(_) => Blame::Server,
        }
    }

    /// Converts the refusal to an error: [`ClientError::Breach`] if it is the server's fault, else
    /// [`ClientError::Refused`].
    pub(super) fn into_error(self, purpose: Purpose) -> ClientError {
        match self.blame(purpose) {
            Blame::Server => ClientError::Breach(self),
            Blame::Owner | Blame::Circumstances => ClientError::Refused(self),
        }
    }
}

impl ClientError {
    /// Returns the side that has to act on this error.
    pub fn blame(&self) -> Blame {
        match self {
            Self::Transport(error) => error.blame(),
            Self::Refused(refusal) => founded(refusal),
            // The server claims that another copy of the state came first. The next operations
            // verify that.
            Self::Dropped(Refusal::StaleBase { .. }) => Blame::Owner,
            Self::Dropped(refusal) => refusal.blame(Purpose::Change),
            Self::Unexpected
            | Self::Breach(_)
            | Self::Proof(_)
            | Self::Blocks(_)
            | Self::Audit(_)
            | Self::Statement(_)
            | Self::OtherRoot { .. }
            | Self::Rollback { .. }
            | Self::Outdated { .. }
            | Self::Forked { .. } => Blame::Server,
            Self::State(StateError::Io(error)) if error.kind() != io::ErrorKind::NotFound => {
                Blame::Circumstances
            }
            Self::State(StateError::Damaged | StateError::NotAuthentic)
            | Self::Unanswered(_)
            | Self::Io(_)
            | Self::RandomnessUnavailable => Blame::Circumstances,
            Self::Superseded { .. }
            | Self::SourceChanged { .. }
            | Self::MoreParts { .. }
            | Self::NotOffered { .. }
            | Self::OwnerAudits
            | Self::SourceMoves
            | Self::StillThere
            | Self::NotUploaded
            | Self::AlreadyUploaded
            | Self::OutOfRange { .. }
            | Self::Edit(_)
            | Self::List(_)
            | Self::Challenge(_)
            | Self::Tag(_)
            | Self::State(_)
            | Self::Signer(_) => Blame::Owner,
        }
    }
}

impl TransportError {
    const fn blame(&self) -> Blame {
        match self {
            Self::Http(HttpError::Configuration(_) | HttpError::RequestTooLarge { .. }) => {
                Blame::Owner
            }
            Self::Http(_) | Self::Status(_) | Self::Undecodable(_) => Blame::Circumstances,
        }
    }
}

/// Assigns a legitimate refusal to a side. [`Refusal::into_error`] has already separated it from
/// refusals that are the server's fault.
const fn founded(refusal: &Refusal) -> Blame {
    match refusal.blame(Purpose::Part) {
        Blame::Circumstances => Blame::Circumstances,
        Blame::Owner | Blame::Server => Blame::Owner,
    }
}
