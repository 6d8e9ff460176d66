//! Client: transports of requests to a server, and the owner's side of one file.
//!
//! The server is not trusted. A [`Transport`] only limits and decodes responses. [`FileClient`]
//! verifies the responses against about a hundred bytes of state that it keeps.

mod adopt;
mod apply;
mod audit;
mod blame;
mod error;
mod file;
mod http;
mod locate;
mod observer;
mod options;
mod queries;
mod question;
mod read;
mod remove;
mod settle;
mod signed_version;
mod state;
mod summary;
mod sync;
mod transport;
mod upload;

pub use apply::ApplyOutcome;
pub use audit::{AuditReport, Extent};
pub use blame::Blame;
pub use error::{
    AuditFailure, AuditFault, AuditSubject, ClientError, SearchEnd, Silence, UnansweredAudit,
};
pub use file::{FileClient, Owner, SettleOutcome, Status};
pub use http::{HttpError, HttpOptions, HttpTransport, Roots};
pub use observer::{FileObserver, PublicFile};
pub use options::ClientOptions;
pub use queries::TagCheck;
pub use signed_version::SignedVersion;
pub use state::{StateError, StateKey};
pub use summary::{FileProgress, StateSummary};
pub use sync::SyncReport;
pub use transport::{InProcess, Transport, TransportError};
