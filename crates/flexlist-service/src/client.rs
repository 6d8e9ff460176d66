//! A client: what carries requests to a server, and the owner's side of one file.
//!
//! Nothing that a server says is believed: a [`Transport`] only bounds and decodes it, and
//! [`FileClient`] verifies it against about a hundred bytes of its own.

mod adopt;
mod apply;
mod audit;
mod blame;
mod error;
mod file;
mod http;
mod locate;
mod question;
mod read;
mod remove;
mod settle;
mod state;
mod transport;
mod upload;

pub use adopt::Vouched;
pub use apply::Applied;
pub use audit::{AuditReport, Extent};
pub use blame::Blame;
pub use error::{Asked, AuditFailure, AuditFault, ClientError, SearchEnd, Silence, Unanswered};
pub use file::{ClientOptions, FileClient, Owner, Settled, Status};
pub use http::{HttpOptions, HttpTransport, Roots};
pub use state::StateError;
pub use transport::{InProcess, Transport, TransportError};
