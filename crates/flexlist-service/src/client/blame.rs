//! Which side has to act on an error: what a program's exit status should say.
//!
//! Every refusal is listed, without a wildcard: a new one does not compile until its side is decided.

use std::io;

use web::client::HttpError;

use super::{error::ClientError, state::StateError, transport::TransportError};
use crate::message::Refusal;

/// The side that has to act on an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The owner: input, a key or a state that does not fit, or a limit of the server's that what he
    /// asked for exceeds.
    Owner,
    /// The server: it contradicts what the owner has verified, or does not do what it must.
    Server,
    /// Nobody: there is no answer, or something on this machine failed. Nothing is said about the file;
    /// try again.
    Circumstances,
}

/// What a client wanted when it was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To begin an upload, or to go on with one.
    Begin,
    /// To send the parts of an upload.
    Part,
    /// To finish an upload.
    Finish,
    /// To change a file that is uploaded.
    Change,
    /// An answer about a file that is uploaded: audits, reads, where it stands.
    Question,
}

impl Refusal {
    /// Whom a refusal of this blames. The client has checked what it asks, so that a server that keeps
    /// its word has few grounds to refuse; and of a file that it took, none not to answer for it.
    pub(super) const fn blame(&self, purpose: Purpose) -> Blame {
        match self {
            Self::Unavailable | Self::CannotWrite => Blame::Circumstances,
            Self::TooLarge(_) => match purpose {
                // Of answers it may ask for less at once; the client does, down to a single byte.
                Purpose::Question => Blame::Server,
                Purpose::Begin | Purpose::Part | Purpose::Finish | Purpose::Change => Blame::Owner,
            },
            // It may have given up an upload that took long, and need not keep what is not finished.
            Self::UnknownFile => match purpose {
                Purpose::Part | Purpose::Finish => Blame::Circumstances,
                Purpose::Begin | Purpose::Change | Purpose::Question => Blame::Server,
            },
            // Somebody else may upload with a copy of the state.
            Self::PartOutOfOrder { .. } | Self::UploadUnfinished { .. } => match purpose {
                Purpose::Part | Purpose::Finish => Blame::Circumstances,
                Purpose::Begin | Purpose::Change | Purpose::Question => Blame::Server,
            },
            // It may not take files of this owner, with these parameters, or of this kind.
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
            // Only he can have asked for that; of a finished file the server proves nothing.
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

    /// The error that this refusal is.
    pub(super) fn into_error(self, purpose: Purpose) -> ClientError {
        match self.blame(purpose) {
            Blame::Server => ClientError::Breach(self),
            Blame::Owner | Blame::Circumstances => ClientError::Refused(self),
        }
    }
}

impl ClientError {
    /// The side that has to act.
    pub fn blame(&self) -> Blame {
        match self {
            Self::Transport(error) => error.blame(),
            Self::Refused(refusal) => founded(refusal),
            // Another copy of the state was first, it says: what follows will show whether that is so.
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
            Self::Unanswered(_) | Self::Io(_) | Self::RandomnessUnavailable => Blame::Circumstances,
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

/// Whom a refusal blames that a server may say: [`Refusal::into_error`] has told it from the others.
const fn founded(refusal: &Refusal) -> Blame {
    match refusal.blame(Purpose::Part) {
        Blame::Circumstances => Blame::Circumstances,
        Blame::Owner | Blame::Server => Blame::Owner,
    }
}
