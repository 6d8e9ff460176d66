//! Why a server does not serve.

use std::io;

/// Why a server does not serve.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The address cannot be bound, in the words of the system.
    #[error("the address cannot be bound: {0}")]
    Bind(io::Error),
    /// Certificate and key are unreadable or do not belong together, in words.
    #[error("certificate and key cannot be used: {0}")]
    Certificate(String),
    /// The threads that the server needs cannot be had, or the listener failed.
    #[error("the server cannot serve: {0}")]
    Io(io::Error),
    /// A thread of the server panicked.
    #[error("a thread of the server panicked")]
    Panicked,
}
