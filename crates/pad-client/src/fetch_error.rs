//! Errors of requests to a server.

use authdict::Version;
use pad_core::codec::FORMAT_VERSION;
use pad_web::client::HttpError;

/// Error returned when a server does not send the requested data.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The connection cannot be set up, no complete response was received, or a message is too
    /// large.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// The server refused the request.
    #[error("the server returned status {status}, {code}: {text}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// The server's error code, such as `not_kept`.
        code: String,
        /// The server's message.
        text: String,
    },
    /// The server does not keep the requested version.
    #[error("the server keeps versions {oldest} to {latest}, and no others")]
    NotKept {
        /// The oldest version that the server keeps.
        oldest: Version,
        /// The latest version that the server keeps.
        latest: Version,
    },
    /// The address names no dictionary, and the server does not have exactly one dictionary.
    #[error("the server's address names no dictionary: {0}")]
    Several(String),
    /// The server reports, unsigned, that the dictionary has no version yet.
    #[error("the server reports no version yet")]
    NoVersion,
    /// The server does not know a version that the client has already verified.
    #[error("the server does not have version {0} yet, which the author has signed")]
    Late(Version),
    /// The server does not know the requested name of a version, or has no requested note.
    #[error("the server has no such name or note")]
    NotSaid,
    /// The response uses a newer format version than this program reads.
    #[error(
        "the server uses format version {theirs}, and this program supports version \
         {FORMAT_VERSION} only: upgrade the program"
    )]
    NewerFormat {
        /// The format version of the response.
        theirs: u8,
    },
    /// The response does not have the expected content, which is named here.
    #[error("the server sent no {0}")]
    Unusable(&'static str),
}

impl FetchError {
    /// Returns whether the server reports that it does not keep the requested data. Other servers
    /// may have the data.
    #[doc(hidden)]
    pub fn is_elsewhere(&self) -> bool {
        matches!(self, Self::NotKept { .. } | Self::NotSaid)
            || self.is("not_kept")
            || self.is("pruned")
    }

    /// Returns whether the server may only be slow, busy or temporarily unreachable. For clients of
    /// several servers, the first timeout is shorter than the HTTP option `transfer`.
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

    /// Returns whether a response did not begin or did not end within the timeout.
    pub(crate) const fn is_silence(&self) -> bool {
        matches!(self, Self::Http(HttpError::Silent { .. }))
    }

    /// Returns whether the server refused with the error code `word`.
    #[doc(hidden)]
    pub fn is(&self, word: &str) -> bool {
        matches!(self, Self::Refused { code, .. } if code == word)
    }

    /// Returns whether the request itself is at fault. For example, it names a missing version or
    /// file. Includes all refusals with a 4xx status except 408 and 429.
    #[doc(hidden)]
    pub fn is_askers(&self) -> bool {
        matches!(
            self,
            Self::NotKept { .. }
                | Self::NotSaid
                | Self::Several(_)
                | Self::NoVersion
                | Self::Refused {
                    // The statuses 408 (timeout) and 429 (too many requests) are excluded.
                    status: 400..=407 | 409..=428 | 430..=499,
                    ..
                }
        )
    }
}
