//! One question of an audit, and how it ends.

use core::ops::Range;

use super::{
    blame::{Blame, Purpose},
    error::{AuditFault, ClientError, Silence},
    transport::TransportError,
};
use crate::message::Refusal;

/// The bounds of the blocks that the server has proved to have.
pub(super) type Blocks = Result<Vec<Range<u64>>, Failed>;

/// How one question goes wrong.
pub(super) enum Failed {
    /// The server's fault.
    Fault(AuditFault),
    /// The question covers more than the server answers at once, in its words.
    TooLarge(String),
    /// There is no answer to judge.
    Silent(Silence),
    /// The question cannot be asked.
    Client(ClientError),
}

impl Failed {
    /// A question about so many bytes is refused. Of what a server took it must prove each block: what it
    /// calls too large may be asked for in smaller parts, but not below a single byte.
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

impl From<ClientError> for Failed {
    fn from(error: ClientError) -> Self {
        Self::Client(error)
    }
}

impl From<TransportError> for Failed {
    fn from(error: TransportError) -> Self {
        Self::Silent(Silence::Transport(error))
    }
}
