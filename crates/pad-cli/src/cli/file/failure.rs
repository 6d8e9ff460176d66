//! Conversion of errors with outsourced files into messages and exit statuses.

use std::path::Path;

use authdict::FileOwnerKeyError;
use flexlist_service::{
    client::{Blame, ClientError, HttpError, StateError, TransportError},
    message::Refusal,
};
use pad_web::client::without_password;

use crate::cli::Failure;

/// Failure of an operation on the file of `state`.
pub(super) fn client(state: &Path, error: ClientError) -> Failure {
    let blame = error.blame();
    let text = match error {
        ClientError::Unexpected
        | ClientError::Proof(_)
        | ClientError::Blocks(_)
        | ClientError::Rollback { .. }
        | ClientError::Forked { .. } => {
            format!("the server's answer does not verify: {error}")
        }
        ClientError::State(StateError::Io(error)) => {
            format!("{}: state file: {error}", state.display())
        }
        ClientError::State(error @ (StateError::WrongOwner | StateError::WrongTags)) => {
            format!("{}: {error}: is this the right --key?", state.display())
        }
        ClientError::State(error) => format!("{}: {error}", state.display()),
        ClientError::AlreadyUploaded => format!(
            "the file of {} is uploaded already: change it with pad file sync, write, insert or \
             delete, or use another --state for a new upload",
            state.display()
        ),
        error @ (ClientError::SourceChanged {
            finished: false, ..
        }
        | ClientError::MoreParts { .. }
        | ClientError::Refused(Refusal::Removed)) => format!(
            "{error}; continue with the original file, or use --restart to discard what was sent \
             and start again"
        ),
        error @ ClientError::SourceChanged { finished: true, .. } => {
            format!("{error}; bring the changes there with pad file sync")
        }
        error @ ClientError::Superseded { newer, .. } => format!(
            "{error}: use the newer copy, or catch up with pad file adopt --state {} \
             --accept-version {}",
            state.display(),
            newer.version
        ),
        error @ ClientError::Outdated { .. } => format!(
            "{error}: if no other copy of {} was used, the server lies",
            state.display()
        ),
        error @ ClientError::StillThere => format!(
            "{error}: remove it with pad file delete --whole-file first, or use --abandon to leave \
             it there for good"
        ),
        ClientError::Transport(error @ TransportError::Http(HttpError::RequestTooLarge { .. })) => {
            format!("{error}: change less at once")
        }
        error => error.to_string(),
    };
    of(blame, text)
}

/// Like [`client`], but names the server for transport failures.
pub(super) fn client_at(server: &str, state: &Path, error: ClientError) -> Failure {
    let failure = |error: &ClientError| {
        let advice = match error {
            ClientError::Transport(TransportError::Http(HttpError::Unreachable { .. }))
            | ClientError::Unanswered(_) => {
                "; is pad file serve running there? --server gives another address"
            }
            _ => "",
        };
        let server = without_password(server);
        of(error.blame(), format!("{server}: {error}{advice}"))
    };
    match &error {
        ClientError::Transport(TransportError::Http(HttpError::RequestTooLarge { .. })) => {
            client(state, error)
        }
        ClientError::Transport(_) | ClientError::Unanswered(_) => failure(&error),
        _ => client(state, error),
    }
}

/// Failure of an observer of the published file `public`.
pub(super) fn observer(server: &str, public: &Path, error: ClientError) -> Failure {
    let blame = error.blame();
    let text = match error {
        ClientError::Superseded { known, newer } => format!(
            "the owner changed the file in the meantime: version {known} is gone, and version {} \
             is the newest; repeat the command",
            newer.version
        ),
        ClientError::Outdated { known, current } => format!(
            "the server claims version {current}, and shows no signature of the owner for it; \
             version {known} was requested"
        ),
        error @ (ClientError::Rollback { .. } | ClientError::Forked { .. }) => {
            format!("{}: {error}", public.display())
        }
        error => return client_at(server, public, error),
    };
    of(blame, text)
}

/// Chooses the exit status by the party that has to act.
fn of(blame: Blame, text: String) -> Failure {
    match blame {
        Blame::Owner => Failure::Input(text),
        Blame::Server => Failure::Refused(text),
        Blame::Circumstances => Failure::Store(text),
    }
}

/// Failure to create or use an owner's key.
pub(super) fn key(path: &Path, error: &FileOwnerKeyError) -> Failure {
    Failure::Input(format!("key file {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::io::{self, ErrorKind};

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
        assert_eq!(status(ClientError::Dropped(Refusal::TagsInvalid)), 3);
        let too_large = Refusal::TooLarge("a test".into());
        assert_eq!(status(ClientError::Dropped(too_large)), 2);
        assert_eq!(status(ClientError::Refused(Refusal::CannotWrite)), 4);
        let too_large = TransportError::Http(HttpError::RequestTooLarge { length: 1 });
        assert_eq!(status(ClientError::Transport(too_large)), 2);
        let unreachable = TransportError::Status(500);
        assert_eq!(status(ClientError::Transport(unreachable)), 4);
        let (known, claimed) = (1, 0);
        assert_eq!(status(ClientError::Rollback { known, claimed }), 3);
    }
}
