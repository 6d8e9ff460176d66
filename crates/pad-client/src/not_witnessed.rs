//! Mismatches between responses and the log that witnesses have cosigned.

use authdict::{Version, WitnessedError};
use transparency_log::proof::LogProofError;

/// Error returned when a response does not match the log that witnesses have cosigned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotWitnessed {
    /// The server publishes no log of heads.
    #[error("the server shows no log of heads for witnesses")]
    NoLog,
    /// The checkpoint is not accepted, or its last entry is not a head of this dictionary.
    #[error("{}", in_full(.0))]
    Refused(#[from] WitnessedError),
    /// A resource of the log does not match the log's checkpoint, as described here.
    #[error("the log of heads does not match its checkpoint: {0}")]
    Log(String),
    /// The answer's head differs from the head of this version in the log.
    #[error("the head of version {0} differs from the one in the cosigned log")]
    OtherHead(Version),
    /// The log's entry for this version is not a head that the author has signed for it.
    #[error("the cosigned log has no head of version {0} that the author has signed")]
    NotLogged(Version),
}

impl NotWitnessed {
    /// Returns whether the only problem is a missing log, or too few recent cosignatures of it.
    #[doc(hidden)]
    pub const fn is_missing(&self) -> bool {
        use transparency_log::policy::PolicyError::QuorumNotMet;
        matches!(
            self,
            Self::NoLog
                | Self::Refused(WitnessedError::Log(LogProofError::Policy(
                    QuorumNotMet { .. }
                )))
        )
    }
}

/// Formats the error together with its source, because the error's own message omits the source.
fn in_full(error: &WitnessedError) -> String {
    match error {
        WitnessedError::Log(LogProofError::Policy(source)) => format!("{error}: {source}"),
        WitnessedError::Log(LogProofError::Note(source)) => format!("{error}: {source}"),
        error => error.to_string(),
    }
}
