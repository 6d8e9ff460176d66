//! The outcome of one audit request.

use core::ops::Range;

use super::{
    blame::{Blame, Purpose},
    error::{AuditFault, ClientError, Silence},
    transport::TransportError,
};
use crate::message::Refusal;

/// The result of an audit request: the ranges of the blocks for which the server has proved
/// possession.
pub(super) type Blocks = Result<Vec<Range<u64>>, AuditQueryError>;

/// The ways in which an audit request fails.
pub(super) enum AuditQueryError {
    /// The server is at fault.
    Fault(AuditFault),
    /// The request covers more than the server answers in one response. Contains the server's
    /// reason.
    TooLarge(String),
    /// There is no answer to verify.
    Silent(Silence),
    /// An error on the client's side. Not the server's fault.
    Client(ClientError),
}

impl AuditQueryError {
    /// Classifies the refusal of a request about `bytes` bytes.
    ///
    /// A server must prove possession of every block that it accepted. The client may retry a
    /// request that is too large in smaller parts, but not below a single byte.
    pub(super) fn refused(bytes: u64, refusal: Refusal) -> Self {
        match refusal {
            Refusal::TooLarge(reason) if bytes > 1 => Self::TooLarge(reason),
            refusal => match refusal.blame(Purpose::Question) {
                Blame::Circumstances => Self::Silent(Silence::Refused(refusal)),
                Blame::Owner | Blame::Server => Self::Fault(AuditFault::Refused(refusal)),
            },
        }
    }
}

impl From<ClientError> for AuditQueryError {
    fn from(error: ClientError) -> Self {
        Self::Client(error)
    }
}

impl From<TransportError> for AuditQueryError {
    fn from(error: TransportError) -> Self {
        Self::Silent(Silence::Transport(error))
    }
}

impl From<AuditFault> for AuditQueryError {
    fn from(fault: AuditFault) -> Self {
        Self::Fault(fault)
    }
}
