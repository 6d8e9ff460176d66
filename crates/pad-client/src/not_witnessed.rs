//! Why what a server showed is not what witnesses have seen.

use pad::{Version, witnessed::WitnessedError};
use transparency_log::proof::LogProofError;

/// What a server showed is not what witnesses have seen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotWitnessed {
    /// The server shows no log of heads.
    #[error("the server shows no log of heads that witnesses watch")]
    NoLog,
    /// The checkpoint is not accepted, or its last entry is not a head of this dictionary.
    #[error("{}", in_full(.0))]
    Refused(#[from] WitnessedError),
    /// What the server shows of the log is not what its checkpoint says, in words.
    #[error("the log of heads does not fit its checkpoint: {0}")]
    Log(String),
    /// The answer is under another head than the one that the log has for this version.
    #[error("the head of version {0} is not the one in the log that witnesses have seen")]
    OtherHead(Version),
}

impl NotWitnessed {
    /// Whether something is only not there: the log, or enough recent cosignatures under it.
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

/// With what is wrong about the checkpoint, which the error itself leaves to its source.
fn in_full(error: &WitnessedError) -> String {
    match error {
        WitnessedError::Log(LogProofError::Policy(source)) => format!("{error}: {source}"),
        WitnessedError::Log(LogProofError::Note(source)) => format!("{error}: {source}"),
        error => error.to_string(),
    }
}
