//! Transports: send a client's request to a server and return its response.

use pad_core::{DecodeError, codec};
use pad_web::client::HttpError;

use crate::{
    message::{Request, Response},
    network::Handler,
};

/// Sends requests to a server, over a network or in the same process.
pub trait Transport {
    /// Sends a request and returns the decoded response, without verifying it.
    ///
    /// After an error, the request may or may not have reached the server. Every request of this
    /// crate may be sent again. Until the next change of the file, the server answers a repeated
    /// request as it answered the first.
    ///
    /// # Errors
    /// [`TransportError`] if no valid response arrives.
    fn exchange(&self, request: &Request) -> Result<Response, TransportError>;

    /// Maximum length in bytes of an encoded request that this client sends. The server's limit may
    /// be lower.
    fn request_limit(&self) -> usize;
}

impl<T: Transport + ?Sized> Transport for &T {
    fn exchange(&self, request: &Request) -> Result<Response, TransportError> {
        (**self).exchange(request)
    }

    fn request_limit(&self) -> usize {
        (**self).request_limit()
    }
}

/// Error returned when a request gets no valid response.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// No response arrived, the configuration is invalid, or the request or the response exceeds
    /// its length limit.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// The server answered with an HTTP status other than 200, which means that the body is no
    /// message.
    #[error("the server answered with status {0}")]
    Status(u16),
    /// The response cannot be decoded.
    #[error("the answer cannot be decoded: {0}")]
    Undecodable(DecodeError),
}

/// A transport to a server in the same process. Encodes and decodes messages as on a network.
#[derive(Clone, Debug)]
pub struct InProcess<H> {
    handler: H,
    limit: usize,
}

impl<H: Handler> InProcess<H> {
    /// Creates a transport to `handler`. Requests and responses have at most `limit` bytes.
    pub fn new(handler: H, limit: usize) -> Self {
        Self { handler, limit }
    }

    /// Returns the handler that answers the requests.
    pub fn handler(&self) -> &H {
        &self.handler
    }
}

impl<H: Handler> Transport for InProcess<H> {
    fn exchange(&self, request: &Request) -> Result<Response, TransportError> {
        let request = codec::encode(request);
        if request.len() > self.limit {
            return Err(TransportError::Http(HttpError::RequestTooLarge {
                length: request.len(),
            }));
        }
        let request =
            codec::decode(&request, self.limit).map_err(|_| TransportError::Status(400))?;
        let response = codec::encode(&self.handler.handle(request));
        decode_response(&response, self.limit)
    }

    fn request_limit(&self) -> usize {
        self.limit
    }
}

/// Decodes a response of at most `limit` bytes.
pub(super) fn decode_response(bytes: &[u8], limit: usize) -> Result<Response, TransportError> {
    codec::decode(bytes, limit).map_err(|error| match error {
        DecodeError::TooLarge { limit } => {
            TransportError::Http(HttpError::ResponseTooLarge { limit })
        }
        error => TransportError::Undecodable(error),
    })
}
