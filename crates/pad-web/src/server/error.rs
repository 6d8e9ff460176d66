//! Errors of binding and running a server.

use std::io;

/// Error returned when a server cannot be bound or run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The address cannot be bound.
    #[error("the address cannot be bound: {0}")]
    Bind(io::Error),
    /// Certificate and key are unreadable or do not belong together.
    #[error("certificate and key cannot be used: {0}")]
    Certificate(String),
    /// The server's threads or signal handlers cannot be created, or the listener cannot be used.
    #[error("the server cannot serve: {0}")]
    Io(io::Error),
    /// A thread of the server panicked.
    #[error("a thread of the server panicked")]
    Panicked,
}
