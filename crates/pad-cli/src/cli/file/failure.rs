//! Conversion of errors with outsourced files into messages and exit statuses.

use std::path::Path;

use authdict::internals::FileOwnerKeyError;
use flexlist_service::{
    client::{Blame, ClientError, HttpError, StateError, TransportError},
    internals::message::Refusal,
};
use pad_web::client::without_password;

use crate::cli::Failure;

/// Converts the error of an operation on the file with the state file `state` into a [`Failure`].
pub(super) fn client(state: &Path, error: ClientError) -> Failure {
    let (blame, help) = (error.blame(), advice(state, &error));
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
        ClientError::State(error) => format!("{}: {error}", state.display()),
        ClientError::AlreadyUploaded => {
            format!("the file of {} is uploaded already", state.display())
        }
        error @ ClientError::Outdated { .. } => format!(
            "{error}: if no other copy of {} was used, the server lies",
            state.display()
        ),
        error => error.to_string(),
    };
    of(blame, text, help)
}

/// Returns advice for the user on an error of the file with the state file `state`, if there is
/// any.
fn advice(state: &Path, error: &ClientError) -> Option<String> {
    Some(match error {
        ClientError::State(StateError::WrongOwner | StateError::WrongTags) => {
            "give the key that the file was uploaded with as --key".into()
        }
        ClientError::State(StateError::Damaged | StateError::NotAuthentic) => {
            "restore a copy of the state file; pad file status then compares it with the server"
                .into()
        }
        ClientError::AlreadyUploaded => {
            "change it with pad file sync, write, insert or delete, or use another --state for a \
             new upload"
                .into()
        }
        ClientError::SourceChanged {
            finished: false, ..
        }
        | ClientError::MoreParts { .. }
        | ClientError::Refused(Refusal::Removed) => {
            "continue with the original file, or use --restart to discard what was sent and start \
             again"
                .into()
        }
        ClientError::SourceChanged { finished: true, .. } => {
            "upload the changes with pad file sync".into()
        }
        ClientError::Superseded { newer, .. } => format!(
            "use the newer copy, or catch up with pad file adopt --state {} --accept-version {}",
            state.display(),
            newer.version
        ),
        ClientError::StillThere => {
            "remove it with pad file delete --whole-file first, or use --abandon to leave it there \
             for good"
                .into()
        }
        ClientError::Transport(TransportError::Http(HttpError::RequestTooLarge { .. })) => {
            "change less at once".into()
        }
        ClientError::Transport(TransportError::Http(HttpError::Unreachable { .. }))
        | ClientError::Unanswered(_) => {
            "check that pad file serve runs there, or give another address with --server".into()
        }
        _ => return None,
    })
}

/// Converts an error like [`client`], and names the server if the transport failed.
pub(super) fn client_at(server: &str, state: &Path, error: ClientError) -> Failure {
    match &error {
        ClientError::Transport(TransportError::Http(HttpError::RequestTooLarge { .. })) => {
            client(state, error)
        }
        ClientError::Transport(_) | ClientError::Unanswered(_) => {
            let text = format!("{}: {error}", without_password(server));
            of(error.blame(), text, advice(state, &error))
        }
        _ => client(state, error),
    }
}

/// Converts the error of a reader or auditor into a [`Failure`]. `public` is the path of the file's
/// published data.
pub(super) fn observer(server: &str, public: &Path, error: ClientError) -> Failure {
    let blame = error.blame();
    let mut help = None;
    let text = match error {
        ClientError::Superseded { known, newer } => {
            help = Some("repeat the command".into());
            format!(
                "the owner changed the file in the meantime: version {known} is gone, and version \
                 {} is the newest",
                newer.version
            )
        }
        ClientError::Outdated { known, current } => format!(
            "the server claims version {current}, and shows no signature of the owner for it; \
             version {known} was requested"
        ),
        error @ (ClientError::Rollback { .. } | ClientError::Forked { .. }) => {
            format!("{}: {error}", public.display())
        }
        error => return client_at(server, public, error),
    };
    of(blame, text, help)
}

/// Chooses the exit status by the party that has to solve the problem.
fn of(blame: Blame, text: String, help: Option<String>) -> Failure {
    let failure = match blame {
        Blame::Owner => Failure::Input(text),
        Blame::Server => Failure::Refused(text),
        Blame::Circumstances => Failure::Store(text),
    };
    match help {
        Some(help) => failure.help(help),
        None => failure,
    }
}

pub(super) fn key(path: &Path, error: &FileOwnerKeyError) -> Failure {
    Failure::Input(format!("key file {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::io::{self, ErrorKind};

    use super::*;

    fn status(error: ClientError) -> u8 {
        client(Path::new("s"), error).class().0
    }

    #[test]
    fn exit_statuses_say_who_has_to_act() {
        let state = |kind| ClientError::State(StateError::Io(io::Error::from(kind)));
        assert_eq!(status(state(ErrorKind::NotFound)), 2);
        assert_eq!(status(state(ErrorKind::PermissionDenied)), 4);
        assert_eq!(status(state(ErrorKind::StorageFull)), 4);
        assert_eq!(status(ClientError::State(StateError::WrongOwner)), 2);
        assert_eq!(status(ClientError::State(StateError::Damaged)), 4);
        assert_eq!(status(ClientError::State(StateError::NotAuthentic)), 4);
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
