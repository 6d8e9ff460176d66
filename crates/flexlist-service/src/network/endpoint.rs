//! The endpoint: from the bytes of a request to the bytes of its answer, within the limits.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use core::time::Duration;
use std::sync::Arc;

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Request as HttpRequest, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Response as HttpResponse},
    routing::post,
};
use http_body_util::BodyExt as _;
use pad_core::codec;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::spawn_blocking,
    time::{Instant, timeout, timeout_at},
};

use super::{CONTENT_TYPE, Handler, Limits, Options, PATH, options::QUANTUM};
use crate::message::{Refusal, Request, Response};

/// When a client may try again, in seconds.
const RETRY_AFTER_SECONDS: &str = "1";

/// What is read and thrown away of a refused request, so that its client is ready to read the answer.
const DRAINED_BYTES: usize = 1 << 20;
const DRAINED_FOR: Duration = Duration::from_secs(1);

/// No clock overflows in this time.
const LONGEST_WAIT: Duration = Duration::from_secs(1 << 30);

/// The one route.
pub(super) fn router<H: Handler>(handler: H, options: &Options) -> Router {
    let limits = options.limits;
    let permits = |count: usize| Arc::new(Semaphore::new(count.min(Semaphore::MAX_PERMITS)));
    let endpoint = Endpoint {
        handler,
        limits,
        body_timeout: options.timeouts.body,
        admitted: permits(limits.in_flight.saturating_add(limits.waiting)),
        working: permits(limits.in_flight),
        memory: permits(limits.buffered_bytes),
    };
    Router::new()
        .route(PATH, post(answer::<H>))
        .with_state(Arc::new(endpoint))
}

struct Endpoint<H> {
    handler: H,
    limits: Limits,
    body_timeout: Duration,
    /// Requests that were received whole: in flight or waiting.
    admitted: Arc<Semaphore>,
    /// Requests in flight.
    working: Arc<Semaphore>,
    /// One permit for each byte of a message in memory.
    memory: Arc<Semaphore>,
}

/// Why there is no message in the answer.
#[derive(Clone, Copy, Debug)]
enum Failure {
    Undecodable,
    Unreadable,
    TooSlow,
    TooLarge,
    WrongContentType,
    HandlerFailed,
    Overloaded,
}

impl Failure {
    fn response(self) -> HttpResponse {
        let (status, reason) = match self {
            Self::Undecodable => (StatusCode::BAD_REQUEST, "the request cannot be decoded"),
            Self::Unreadable => (StatusCode::BAD_REQUEST, "the request cannot be read"),
            Self::TooSlow => (StatusCode::REQUEST_TIMEOUT, "the request came too slowly"),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "the request is too large"),
            Self::WrongContentType => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "the content type must be application/octet-stream",
            ),
            Self::HandlerFailed => (StatusCode::INTERNAL_SERVER_ERROR, "the server failed"),
            Self::Overloaded => {
                let header = [(header::RETRY_AFTER, RETRY_AFTER_SECONDS)];
                let status = StatusCode::SERVICE_UNAVAILABLE;
                return (status, header, "the server is busy").into_response();
            }
        };
        (status, reason).into_response()
    }
}

/// A request as it came, with the permits for its memory.
struct Received {
    bytes: Vec<u8>,
    memory: OwnedSemaphorePermit,
}

/// The bytes of an answer, which count as memory in use until they are sent.
struct Accounted {
    bytes: Vec<u8>,
    _memory: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Accounted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

async fn answer<H: Handler>(
    State(endpoint): State<Arc<Endpoint<H>>>,
    request: HttpRequest,
) -> HttpResponse {
    let (head, mut body) = request.into_parts();
    let received = match endpoint.check_head(&head.headers) {
        Ok(()) => endpoint.receive(&mut body).await,
        Err(failure) => Err(failure),
    };
    match received {
        Ok(received) => match endpoint.process(received).await {
            Ok(bytes) => {
                let content_type = [(header::CONTENT_TYPE, CONTENT_TYPE)];
                (content_type, Body::from(bytes)).into_response()
            }
            Err(failure) => failure.response(),
        },
        Err(failure) => {
            // Who waits for "100 Continue" has sent nothing, and asking for the body would send it. And
            // who was too slow has been waited for.
            let drainable = !matches!(failure, Failure::TooSlow | Failure::Unreadable);
            if drainable && !head.headers.contains_key(header::EXPECT) {
                drop(timeout(DRAINED_FOR, drain(&mut body)).await);
            }
            failure.response()
        }
    }
}

impl<H: Handler> Endpoint<H> {
    /// Refuses what can be refused before the body is received.
    fn check_head(&self, headers: &HeaderMap) -> Result<(), Failure> {
        let content_type = headers.get(header::CONTENT_TYPE);
        if content_type.is_none_or(|value| value.as_bytes() != CONTENT_TYPE.as_bytes()) {
            return Err(Failure::WrongContentType);
        }
        let announced = headers
            .get(header::CONTENT_LENGTH)
            .and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        let limit = u64::try_from(self.limits.request_bytes).unwrap_or(u64::MAX);
        if announced.is_some_and(|length| length > limit) {
            return Err(Failure::TooLarge);
        }
        let room = u64::try_from(self.memory.available_permits()).unwrap_or(u64::MAX);
        if announced.is_some_and(|length| length > room) || self.admitted.available_permits() == 0 {
            return Err(Failure::Overloaded);
        }
        Ok(())
    }

    /// The body, in memory that is accounted for as the bytes come, not as they are announced.
    async fn receive(&self, body: &mut Body) -> Result<Received, Failure> {
        let mut received = Received {
            bytes: Vec::new(),
            memory: self.reserve(0)?,
        };
        let mut expected = 0_usize;
        let mut deadline = Instant::now();
        loop {
            if received.bytes.len() >= expected {
                expected = received.bytes.len().saturating_add(QUANTUM);
                let limit = self.body_timeout.min(LONGEST_WAIT);
                deadline = Instant::now().checked_add(limit).unwrap_or(deadline);
            }
            let frame = timeout_at(deadline, body.frame()).await;
            let Some(frame) = frame.map_err(|_| Failure::TooSlow)? else {
                return Ok(received);
            };
            let frame = frame.map_err(|_| Failure::Unreadable)?;
            let Ok(data) = frame.into_data() else {
                continue; // Trailers: nobody needs them.
            };
            let length = received.bytes.len().checked_add(data.len());
            if length.is_none_or(|length| length > self.limits.request_bytes) {
                return Err(Failure::TooLarge);
            }
            received.memory.merge(self.reserve(data.len())?);
            received.bytes.extend_from_slice(&data);
        }
    }

    fn reserve(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Failure> {
        let bytes = u32::try_from(bytes).map_err(|_| Failure::TooLarge)?;
        Arc::clone(&self.memory)
            .try_acquire_many_owned(bytes)
            .map_err(|_| Failure::Overloaded)
    }

    /// The encoded answer, when it is the request's turn.
    async fn process(self: Arc<Self>, received: Received) -> Result<Bytes, Failure> {
        let _admitted = Arc::clone(&self.admitted)
            .try_acquire_owned()
            .map_err(|_| Failure::Overloaded)?;
        let working = Arc::clone(&self.working)
            .acquire_owned()
            .await
            .map_err(|_| Failure::Overloaded)?;
        spawn_blocking(move || {
            // Held here, so that a client that leaves does not make room for what still runs.
            let _working = working;
            self.respond(received)
        })
        .await
        .unwrap_or(Err(Failure::HandlerFailed))
    }

    fn respond(&self, received: Received) -> Result<Bytes, Failure> {
        let request = codec::decode::<Request>(&received.bytes, self.limits.request_bytes)
            .map_err(|_| Failure::Undecodable)?;
        drop(received.bytes);
        let mut bytes = codec::encode(&self.handler.handle(request));
        drop(received.memory);
        let limit = self.limits.response_bytes;
        if bytes.len() > limit {
            let reason = format!("an answer of {} bytes, where {limit} may be", bytes.len());
            bytes = codec::encode(&Response::Refused(Refusal::TooLarge(reason)));
        }
        let memory = self.reserve(bytes.len())?;
        Ok(Bytes::from_owner(Accounted {
            bytes,
            _memory: memory,
        }))
    }
}

async fn drain(body: &mut Body) {
    let mut drained = 0_usize;
    while let Some(Ok(frame)) = body.frame().await {
        drained = drained.saturating_add(frame.data_ref().map_or(0, Bytes::len));
        if drained > DRAINED_BYTES {
            return;
        }
    }
}
