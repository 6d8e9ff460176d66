//! Why a server has not sent something.

use pad::Version;
use pad_core::codec::FORMAT_VERSION;
use web::client::HttpError;

/// Why a server has not sent what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// There is no answer.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// The server says that it will not, or cannot.
    #[error("the server says {status}, {code}: {text}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// A word that stands for the reason.
        code: String,
        /// The reason, in the server's words.
        text: String,
    },
    /// The server has said that it keeps other versions.
    #[error("the server keeps versions {oldest} to {latest}, and no others")]
    NotKept {
        /// The oldest version that it keeps.
        oldest: Version,
        /// The latest one.
        latest: Version,
    },
    /// The server says that it has none, or several dictionaries, where its address names none.
    #[error("the server names no single dictionary: {0}")]
    Several(String),
    /// The server says that the dictionary has no version yet, which nobody signs.
    #[error("the server says that there is no version yet")]
    NoVersion,
    /// The server does not know a version that the client has followed.
    #[error("the server does not have version {0} yet, which the author has signed")]
    Late(Version),
    /// The server says nothing of it beside what is signed.
    #[error("the server knows of no such name or note")]
    NotSaid,
    /// The server answers in a format that is newer than what this program reads.
    #[error(
        "the server answers in version {theirs} of the format, and this program reads version {FORMAT_VERSION} and no other: bring it up to date"
    )]
    NewerFormat {
        /// The version of the server's format.
        theirs: u8,
    },
    /// What came is not what was asked for.
    #[error("the server sent no {0}")]
    Unusable(&'static str),
}

impl FetchError {
    /// Whether the server says that it does not keep this, and others may.
    pub fn is_elsewhere(&self) -> bool {
        matches!(self, Self::NotKept { .. } | Self::NotSaid)
            || self.is("not_kept")
            || self.is("pruned")
    }

    /// Whether the server may only be slow, busy or out of reach for now: with others to ask, it was
    /// not waited for as long as may be.
    pub const fn is_slow(&self) -> bool {
        matches!(
            self,
            Self::Http(
                HttpError::Silent { .. }
                    | HttpError::Overloaded { .. }
                    | HttpError::Unreachable { .. }
            )
        )
    }

    /// Whether a response did not begin, or did not end, in time.
    pub(crate) const fn is_silence(&self) -> bool {
        matches!(self, Self::Http(HttpError::Silent { .. }))
    }

    /// Whether the server says so, with this word for the reason.
    pub fn is(&self, word: &str) -> bool {
        matches!(self, Self::Refused { code, .. } if code == word)
    }

    /// Whether it is the asker who asked for something that is not there.
    pub fn is_askers(&self) -> bool {
        matches!(
            self,
            Self::NotKept { .. }
                | Self::NotSaid
                | Self::Several(_)
                | Self::NoVersion
                | Self::Refused {
                    // Not that it took too long to ask, or that others ask too much.
                    status: 400..=407 | 409..=428 | 430..=499,
                    ..
                }
        )
    }
}
