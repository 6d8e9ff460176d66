//! Client: transports of requests to a server, and the owner's side of one file.
//!
//! The server is not trusted. A [`Transport`] only limits and decodes responses. [`FileClient`]
//! verifies them against about a hundred bytes of state that it keeps.

mod adopt;
mod apply;
mod asking;
mod audit;
mod blame;
mod error;
mod file;
mod http;
mod kept;
mod locate;
mod observer;
mod options;
mod question;
mod read;
mod remove;
mod settle;
mod state;
mod sync;
mod transport;
mod upload;
mod vouched;

pub use apply::Applied;
pub use asking::TagCheck;
pub use audit::{AuditReport, Extent};
pub use blame::Blame;
pub use error::{Asked, AuditFailure, AuditFault, ClientError, SearchEnd, Silence, Unanswered};
pub use file::{FileClient, Owner, Settled, Status};
pub use http::{HttpError, HttpOptions, HttpTransport, Roots};
pub use kept::{KeptFile, Standing};
pub use observer::{FileObserver, PublicFile};
pub use options::ClientOptions;
pub use state::StateError;
pub use sync::Synced;
pub use transport::{InProcess, Transport, TransportError};
pub use vouched::Vouched;
