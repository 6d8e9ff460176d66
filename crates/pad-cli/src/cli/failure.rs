//! Failures of commands: a message, an exit status, and optional advice.

use core::fmt;
use std::{io, path::Path};

use authdict::{
    AnswerError, ApplyError, AuthorError, CheckError, InputError, KeyFileError, LookupError,
    Refusal, RepositoryError, SigningRecordError, StoreError,
    internals::{AnyStore, version_notes::NameError},
    trace::TraceError,
};

/// The result of a command or of a part of it.
pub(crate) type Result<T = (), E = Failure> = core::result::Result<T, E>;

/// The failure of a command, which determines its message and exit status.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The key is absent, and only its value was requested: exit status 1.
    Absent(String),
    /// Wrong usage or input: exit status 2.
    Input(String),
    /// None of the queried servers keeps the requested version: exit status 2.
    #[cfg_attr(not(feature = "network"), allow(dead_code, reason = "servers say so"))]
    NotKept(String),
    /// Verification failed: exit status 3.
    Refused(String),
    /// The store is older than the version in the client's view: exit status 3.
    Behind(String),
    /// The store, the file system or a server failed: exit status 4.
    Store(String),
    /// Standard output was closed (EPIPE): the command exits with status 0 and writes no error.
    NobodyReads,
    /// Another failure, with advice for the user. [`Failure::help`] creates it.
    Advised { failure: Box<Self>, help: String },
}

impl Failure {
    /// Returns the exit status, and the kind of failure as one word.
    pub(crate) const fn class(&self) -> (u8, &'static str) {
        match self {
            Self::NobodyReads => (0, "output"),
            Self::Absent(_) => (1, "absent"),
            Self::Input(_) | Self::NotKept(_) => (2, "input"),
            Self::Refused(_) | Self::Behind(_) => (3, "verification"),
            Self::Store(_) => (4, "store"),
            Self::Advised { failure, .. } => failure.class(),
        }
    }

    /// Adds advice, written as an imperative without a final full stop. Replaces earlier advice.
    pub(crate) fn help(self, text: impl Into<String>) -> Self {
        let failure = match self {
            Self::Advised { failure, .. } => failure,
            failure => Box::new(failure),
        };
        Self::Advised {
            failure,
            help: text.into(),
        }
    }

    pub(crate) fn advice(&self) -> Option<&str> {
        match self {
            Self::Advised { help, .. } => Some(help),
            _ => None,
        }
    }

    /// Returns the failure without its advice, for pattern matching.
    pub(crate) const fn bare(&self) -> &Self {
        match self {
            Self::Advised { failure, .. } => failure.bare(),
            failure => failure,
        }
    }

    pub(crate) fn input(text: impl Into<String>) -> Self {
        Self::Input(text.into())
    }

    #[cfg(feature = "network")]
    pub(crate) fn of_server(self, server: &str) -> Self {
        let named = |text| format!("{server}: {text}");
        match self {
            Self::Input(text) => Self::Input(named(text)),
            Self::Refused(text) => Self::Refused(named(text)),
            Self::Store(text) => Self::Store(named(text)),
            Self::Advised { failure, help } => failure.of_server(server).help(help),
            other => other,
        }
    }

    /// Adds `file` to the beginning of the message, if the failure concerns input or verification.
    pub(crate) fn of_file(self, file: &Path) -> Self {
        let named = |text| format!("{}: {text}", file.display());
        match self {
            Self::Input(text) => Self::Input(named(text)),
            Self::Refused(text) => Self::Refused(named(text)),
            Self::Advised { failure, help } => failure.of_file(file).help(help),
            other => other,
        }
    }

    /// Returns the conversion of the error of a key file at `path` into a failure.
    pub(crate) fn key_file(path: &Path) -> impl Fn(KeyFileError) -> Self + Copy {
        move |error| {
            let text = format!("key file {}: {error}", path.display());
            match error {
                KeyFileError::Io(_) => Self::Store(text),
                _ => Self::Input(text),
            }
        }
    }

    /// Returns the conversion of the error of a trace at `path` into a failure.
    pub(crate) fn trace(path: &Path) -> impl Fn(TraceError) -> Self + Copy {
        move |error| {
            let text = format!("trace {}: {error}", path.display());
            match error {
                TraceError::Io(error) if error.raw_os_error().is_some() => Self::Store(text),
                TraceError::Utf16 => Self::Input(text).help(
                    "convert it, for example with iconv -f UTF-16 -t UTF-8; without a byte \
                         order mark, from UTF-16LE or UTF-16BE",
                ),
                _ => Self::Input(text),
            }
        }
    }

    pub(crate) fn file(path: &Path, error: &io::Error) -> Self {
        Self::Store(format!("{}: {error}", path.display()))
    }

    /// Returns the conversion of the error of a file at `path` into a failure.
    pub(crate) fn at(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::file(path, &error)
    }

    pub(crate) fn not_plain(path: &Path) -> Self {
        let path = path.display();
        Self::Input(format!("{path} is not a plain file"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent(text)
            | Self::Input(text)
            | Self::NotKept(text)
            | Self::Refused(text)
            | Self::Behind(text)
            | Self::Store(text) => formatter.write_str(text),
            Self::NobodyReads => formatter.write_str("standard output is closed"),
            Self::Advised { failure, .. } => failure.fmt(formatter),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Missing(path) if AnyStore::is_in_objects(&path) => {
                Self::Store(format!("there is no store at {}", path.display()))
                    .help("create one in objects with pad apply --public or pad mirror --public")
            }
            StoreError::Missing(_) => Self::Store(error.to_string())
                .help("create one with pad import or pad put, and --key"),
            StoreError::NotSignedFor
            | StoreError::OnlyTrees
            | StoreError::CannotPrune
            | StoreError::CannotCompact
            | StoreError::TooLarge { .. } => Self::Input(error.to_string()),
            error => Self::Store(error.to_string()),
        }
    }
}

impl From<RepositoryError> for Failure {
    fn from(error: RepositoryError) -> Self {
        match error {
            RepositoryError::Store(error) => error.into(),
            RepositoryError::Unreadable(error) => {
                Self::Refused(format!("the update is refused: {error}"))
            }
            RepositoryError::Refused(error) => error.into(),
            RepositoryError::Lookup(error) => error.into(),
            error => Self::Store(error.to_string()),
        }
    }
}

impl From<AuthorError> for Failure {
    fn from(error: AuthorError) -> Self {
        match error {
            AuthorError::Repository(error) => error.into(),
            AuthorError::Record(error) => error.into(),
            AuthorError::NotOffered(error) => Self::Input(error.to_string()),
            AuthorError::Signing(ref fault) => Self::signer(fault, error.to_string()),
            error => Self::Store(error.to_string()),
        }
    }
}

impl From<SigningRecordError> for Failure {
    fn from(error: SigningRecordError) -> Self {
        let text = error.to_string();
        match error {
            SigningRecordError::OlderStore { .. }
            | SigningRecordError::OtherHead { .. }
            | SigningRecordError::Forgotten { .. } => Self::Refused(text),
            _ => Self::Store(text),
        }
    }
}

impl From<CheckError> for Failure {
    fn from(error: CheckError) -> Self {
        match error {
            CheckError::Repository(RepositoryError::Store(error)) => error.into(),
            CheckError::Repository(RepositoryError::Lookup(
                error @ (LookupError::Store(_) | LookupError::Damaged { .. }),
            )) => error.into(),
            error => Self::Refused(format!("the store does not verify: {error}")),
        }
    }
}

impl From<ApplyError> for Failure {
    fn from(error: ApplyError) -> Self {
        match error {
            // The update may be valid, but earlier updates are missing in the store. So this is a
            // failure of the input, not a refusal.
            ApplyError::VersionGap { expected, actual } if actual > expected => {
                Self::Input(format!(
                    "the update follows version {actual}, but the newest version here is \
                     {expected}"
                ))
                .help("apply the updates between them first")
            }
            error => Self::Refused(format!("the update is refused: {error}")),
        }
    }
}

impl From<LookupError> for Failure {
    fn from(error: LookupError) -> Self {
        match error {
            LookupError::Store(_) | LookupError::Damaged { .. } => Self::Store(error.to_string()),
            error => Self::Input(error.to_string()),
        }
    }
}

impl From<AnswerError> for Failure {
    fn from(error: AnswerError) -> Self {
        match error {
            AnswerError::Lookup(error) => error.into(),
            error => Self::Input(error.to_string()),
        }
    }
}

impl From<NameError> for Failure {
    fn from(error: NameError) -> Self {
        let help = match error {
            NameError::Ambiguous { .. } => "give the number of the version",
            NameError::TooOld(_) => "give the number or name of the version",
            _ => "list numbers, names and dates with pad versions",
        };
        Self::Input(error.to_string()).help(help)
    }
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Self {
        Self::Input(error.to_string())
    }
}

impl From<Refusal> for Failure {
    fn from(error: Refusal) -> Self {
        match error {
            Refusal::NotOffered(error) => Self::Input(error.to_string()),
            error => Self::Refused(format!("verification failed: {error}")),
        }
    }
}
