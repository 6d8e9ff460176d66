//! What goes wrong with outsourced files, as sentences and exit statuses.

use std::path::Path;

use flexlist_service::{
    client::{AuditFailure, ClientError},
    message::Refusal,
};
use pad::FileOwnerKeyError;

use crate::cli::Failure;

/// An operation on the file with this state file failed.
pub(super) fn client(state: &Path, error: ClientError) -> Failure {
    match error {
        ClientError::Audit(failure) => Failure::Refused(audit(&failure)),
        ClientError::Unexpected
        | ClientError::Proof(_)
        | ClientError::Blocks(_)
        | ClientError::Rollback { .. }
        | ClientError::Forked { .. } => {
            Failure::Refused(format!("the server's answer does not verify: {error}"))
        }
        // The server admits that it cannot give what it took.
        ClientError::Refused(refusal @ Refusal::StoreFailed(_)) => {
            Failure::Refused(format!("the server has lost something: {refusal}"))
        }
        ClientError::State(error) => Failure::Input(format!("{}: {error}", state.display())),
        ClientError::Io(_) | ClientError::Transport(_) | ClientError::RandomnessUnavailable => {
            Failure::Store(error.to_string())
        }
        error => Failure::Input(error.to_string()),
    }
}

/// An audit failed: which blocks, and how.
fn audit(failure: &AuditFailure) -> String {
    let blocks: Vec<String> = failure
        .damaged
        .iter()
        .map(|range| format!("{}..{}", range.start, range.end))
        .collect();
    let reason = &failure.reason;
    match blocks.len() {
        0 => format!("the audit failed: {reason}; asked again, every block was there"),
        1 => format!(
            "the audit failed: {reason}; damaged: bytes {}",
            blocks.join(", ")
        ),
        count => {
            let shown = blocks
                .iter()
                .take(20)
                .cloned()
                .collect::<Vec<_>>()
                .join(", ");
            let more = if count > 20 { ", .." } else { "" };
            format!("the audit failed: {reason}; {count} damaged places: bytes {shown}{more}")
        }
    }
}

/// An owner's key cannot be made or used.
pub(super) fn key(path: &Path, error: &FileOwnerKeyError) -> Failure {
    Failure::Input(format!("key file {}: {error}", path.display()))
}
