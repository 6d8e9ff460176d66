//! Blocking HTTP client with retries and a limit on the response size.
//!
//! A failed request is retried if the server is unreachable or busy, unless [`HttpOptions::wait`]
//! is below [`HttpOptions::transfer`]. Requests must therefore be safe to send twice.

mod address;
mod error;
mod http;
mod options;

pub use address::Address;
pub use error::HttpError;
pub use http::{HttpClient, PostBody, Reply, Verdict, agent, without_password};
pub use options::{HttpOptions, Roots};
pub use ureq::{
    self as transport, Agent,
    http::{HeaderMap, StatusCode, header},
};
