//! HTTP transport: sends a client's requests to a server.

use pad_core::codec;
use pad_web::client::{HttpClient, PostBody, StatusCode, Verdict};
pub use pad_web::client::{HttpError, HttpOptions, Roots};

use super::transport::{Transport, TransportError, decode_response};
use crate::{
    message::{Refusal, Request, Response},
    network::{CONTENT_TYPE, PATH},
};

/// A server reached over HTTP or HTTPS. Connections are reused.
#[derive(Clone, Debug)]
pub struct HttpTransport(HttpClient);

impl HttpTransport {
    /// Creates a transport to the server at `address`: `http://host:port` or `https://host:port`,
    /// without a path.
    ///
    /// Connects with the first request.
    ///
    /// # Errors
    /// [`HttpError::Configuration`] for another scheme, an unreadable PEM file, or missing system
    /// certificates.
    pub fn new(address: &str, options: HttpOptions) -> Result<Self, TransportError> {
        Ok(Self(HttpClient::new(address, options)?))
    }
}

impl Transport for HttpTransport {
    fn exchange(&self, request: &Request) -> Result<Response, TransportError> {
        let bytes = codec::encode(request);
        let posted = PostBody {
            content_type: CONTENT_TYPE,
            body: &bytes,
        };
        let most = self.0.options().response_bytes;
        self.0.post(PATH, posted, most, |reply| {
            if reply.status != StatusCode::OK {
                return Err(TransportError::Status(reply.status.as_u16()));
            }
            Ok(match decode_response(&reply.body, most)? {
                // The server is busy, perhaps with an earlier attempt of this request.
                response @ Response::Refused(Refusal::Unavailable) => Verdict::Again(response),
                response => Verdict::Done(response),
            })
        })
    }

    fn request_limit(&self) -> usize {
        self.0.options().request_bytes
    }
}
