//! Why a server has not sent something.

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
    /// What came is not what was asked for.
    #[error("the server sent no {0}")]
    Unusable(&'static str),
}

impl FetchError {
    /// Whether the server says so, with this word for the reason.
    pub fn is(&self, word: &str) -> bool {
        matches!(self, Self::Refused { code, .. } if code == word)
    }

    /// Whether it is the asker who asked for something that is not there.
    pub fn is_askers(&self) -> bool {
        matches!(
            self,
            Self::Refused {
                status: 400..=499,
                ..
            }
        )
    }
}
