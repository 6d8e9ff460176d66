//! What goes wrong with outsourced files, as sentences and exit statuses.

use std::{io::ErrorKind, path::Path};

use flexlist_service::{
    client::{AuditFailure, ClientError, SearchEnd, StateError, TransportError},
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
        ClientError::Refused(refusal @ Refusal::CannotWrite) => {
            Failure::Store(format!("the server refuses: {refusal}"))
        }
        ClientError::State(StateError::Io(error)) if error.kind() != ErrorKind::NotFound => {
            Failure::Store(format!("{}: state file: {error}", state.display()))
        }
        ClientError::State(error) => Failure::Input(format!("{}: {error}", state.display())),
        ClientError::AlreadyUploaded => Failure::Input(format!(
            "the file of {} is uploaded already: change it with pad file write, insert or delete, or \
             give another --state to upload a new one",
            state.display()
        )),
        ClientError::Transport(error @ TransportError::RequestTooLarge { .. }) => {
            Failure::Input(format!("{error}: change less at once"))
        }
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
    let reason = match failure.search {
        SearchEnd::Complete => failure.reason.to_string(),
        SearchEnd::GivenUp => format!("{}; the search was given up", failure.reason),
    };
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

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    fn status(error: ClientError) -> u8 {
        client(Path::new("s"), error).code()
    }

    #[test]
    fn exit_statuses_say_who_has_to_act() {
        let state = |kind| ClientError::State(StateError::Io(io::Error::from(kind)));
        assert_eq!(status(state(ErrorKind::NotFound)), 2);
        assert_eq!(status(state(ErrorKind::PermissionDenied)), 4);
        assert_eq!(status(state(ErrorKind::StorageFull)), 4);
        assert_eq!(status(ClientError::State(StateError::Damaged)), 2);
        assert_eq!(status(ClientError::AlreadyUploaded), 2);
        assert_eq!(status(ClientError::Dropped(Refusal::TagsInvalid)), 2);
        assert_eq!(status(ClientError::Refused(Refusal::CannotWrite)), 4);
        let too_large = TransportError::RequestTooLarge { length: 1 };
        assert_eq!(status(ClientError::Transport(too_large)), 2);
        let unreachable = TransportError::Status(500);
        assert_eq!(status(ClientError::Transport(unreachable)), 4);
        let (known, claimed) = (1, 0);
        assert_eq!(status(ClientError::Rollback { known, claimed }), 3);
    }
}
