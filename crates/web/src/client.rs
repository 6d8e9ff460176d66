//! A client: sends whole requests, and reads no more of an answer than it may have.
//!
//! It blocks. A request that found no server, or a busy one, is sent again after a while, so only requests that
//! may be sent twice are for it.

mod address;
mod error;
mod http;
mod options;

pub use address::Address;
pub use error::HttpError;
pub use http::{HttpClient, Posted, Reply, Verdict, without_password};
pub use options::{HttpOptions, Roots};
pub use ureq::http::{HeaderMap, StatusCode, header};
