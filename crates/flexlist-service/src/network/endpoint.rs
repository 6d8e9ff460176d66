//! The HTTP endpoint of a server: decodes requests and encodes responses.

use pad_core::codec;
use pad_web::server::{
    Admission, Answer, Head, HeaderValue, Limits, Method, StatusCode, Work, header,
};

use super::{CONTENT_TYPE, Handler, PATH};
use crate::message::{Refusal, Request, Response};

/// Adapts a [`Handler`] of typed messages to a handler of encoded messages.
#[derive(Debug)]
pub struct Endpoint<H> {
    handler: H,
    limits: Limits,
}

impl<H> Endpoint<H> {
    /// Creates the endpoint of a server with these limits.
    pub const fn new(handler: H, limits: Limits) -> Self {
        Self { handler, limits }
    }
}

impl<H: Handler> pad_web::server::Handler for Endpoint<H> {
    type Request = ();

    fn admit(&self, head: &Head) -> Result<Admission<()>, Answer> {
        if head.uri.path() != PATH {
            return Err(Answer::text(StatusCode::NOT_FOUND, ""));
        }
        if head.method != Method::POST {
            let allowed = HeaderValue::from_static("POST");
            let answer = Answer::text(StatusCode::METHOD_NOT_ALLOWED, "");
            return Err(answer.with(header::ALLOW, allowed));
        }
        let content_type = head.headers.get(header::CONTENT_TYPE);
        if content_type.is_none_or(|value| value.as_bytes() != CONTENT_TYPE.as_bytes()) {
            return Err(Answer::text(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "the content type must be application/octet-stream",
            ));
        }
        Ok(Admission {
            request: (),
            body_bytes: self.limits.request_bytes,
            work: Work::Long,
        })
    }

    fn handle(&self, (): (), body: Vec<u8>) -> Answer {
        let Ok(request) = codec::decode::<Request>(&body, self.limits.request_bytes) else {
            let text = "the request cannot be decoded";
            return Answer::text(StatusCode::BAD_REQUEST, text);
        };
        drop(body);
        let mut bytes = codec::encode(&self.handler.handle(request));
        let limit = self.limits.response_bytes;
        if bytes.len() > limit {
            let reason = format!("an answer of {} bytes, where {limit} may be", bytes.len());
            bytes = codec::encode(&Response::Refused(Refusal::TooLarge(reason)));
        }
        Answer::new(StatusCode::OK, CONTENT_TYPE, bytes)
    }
}
