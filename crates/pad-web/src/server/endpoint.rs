//! The HTTP endpoint. It receives a request, calls the handler, and accounts for the response's
//! memory.

use core::time::Duration;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body, Bytes};
use tokio::{
    task::{spawn_blocking, yield_now},
    time::{Instant, timeout, timeout_at},
};

use super::{
    Admission, Answer, ClientAddress, Handler, Head, Limits, Options, Timeouts, Work,
    options::QUANTUM,
    peers::{Connection, Peer, Peers, Share, Unsent},
};

/// Value of `Retry-After` in responses of an overloaded server, in seconds.
const RETRY_AFTER_SECONDS: HeaderValue = HeaderValue::from_static("1");

/// Headers that web pages of an allowed origin may read, besides those that browsers allow anyway.
const EXPOSED: HeaderValue = HeaderValue::from_static("etag, link, pad-version, retry-after");

/// Maximum bytes of a refused request's body that are read and discarded. Many clients read the
/// response only after they have sent the body.
const DRAINED_BYTES: usize = 1 << 20;
/// Maximum time for reading and discarding a refused request.
const DRAINED_FOR: Duration = Duration::from_secs(1);

/// Minimum number of bytes by which the buffer for a body grows, up to the maximum length of the
/// body.
const LEAST_ROOM: usize = 1 << 14;

/// Maximum duration of a time-out; longer ones are shortened to it. It can be added to the current
/// time without overflow.
const LONGEST_WAIT: Duration = Duration::from_secs(1 << 30);

/// A response whose body is accounted for until it is dropped.
pub(super) type HttpResponse = http::Response<Full<Bytes>>;

/// The handler of all requests, with its limits and time-outs.
pub(super) struct Endpoint<H> {
    handler: H,
    limits: Limits,
    timeouts: Timeouts,
    /// See [`Options::allowed_origin`].
    allowed_origin: Option<HeaderValue>,
    peers: Arc<Peers>,
}

/// Reason for an error response: the request failed or was refused before it was handled, the
/// handler panicked, or its response cannot be sent.
enum Failure {
    Unreadable,
    TooSlow,
    TooLarge,
    HandlerFailed,
    Overloaded,
    Refused(Answer),
}

impl Failure {
    fn response(self) -> HttpResponse {
        let text = Answer::text;
        let Answer {
            status,
            headers,
            body,
        } = match self {
            Self::Unreadable => text(StatusCode::BAD_REQUEST, "the request cannot be read"),
            Self::TooSlow => text(StatusCode::REQUEST_TIMEOUT, "the request came too slowly"),
            Self::TooLarge => text(StatusCode::PAYLOAD_TOO_LARGE, "the request is too large"),
            Self::HandlerFailed => text(StatusCode::INTERNAL_SERVER_ERROR, "the server failed"),
            Self::Overloaded => text(StatusCode::SERVICE_UNAVAILABLE, "the server is busy")
                .with(header::RETRY_AFTER, RETRY_AFTER_SECONDS),
            // The handler's short text is sent without being counted as response memory.
            Self::Refused(answer) => answer,
        };
        response_of(status, headers, Bytes::from(body))
    }
}

/// The body of a request, with its shares of the memory limits.
struct BodyBuffer {
    bytes: Vec<u8>,
    memory: Vec<Share>,
}

/// The bytes of a response. They count as used memory until they are sent.
struct AccountedBody {
    bytes: Vec<u8>,
    _memory: Unsent,
}

impl AsRef<[u8]> for AccountedBody {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Returns the response to a request on a connection.
pub(super) async fn answer<H: Handler>(
    endpoint: Arc<Endpoint<H>>,
    connection: Arc<Connection>,
    request: http::Request<impl Body<Data = Bytes> + Unpin>,
) -> HttpResponse {
    let (mut head, mut body) = request.into_parts();
    let is_read = [Method::GET, Method::HEAD].contains(&head.method);
    let expects = head.headers.contains_key(header::EXPECT);
    let peer = endpoint.peers.of_request(&connection, &head.headers);
    head.extensions.insert(ClientAddress(peer.address()));
    let answered = match endpoint.receive(&head, &mut body, peer).await {
        Ok((request, received, Work::Brief)) if !endpoint.peers.is_heavy(peer) => {
            let began = Instant::now();
            let answer = endpoint.respond(request, received, &connection, peer);
            endpoint.peers.note_brief(peer, began.elapsed());
            // Yields, so that a client with many requests does not keep the thread from other
            // clients.
            yield_now().await;
            answer
        }
        Ok((request, received, Work::Brief | Work::Long)) => {
            let endpoint = Arc::clone(&endpoint);
            endpoint.process(request, received, connection, peer).await
        }
        Err(failure) => {
            // A client that waits for "100 Continue" has sent no body, and reading would request
            // it. A client that was too slow gets no more time.
            let drainable = !matches!(failure, Failure::TooSlow | Failure::Unreadable);
            if drainable && !expects {
                drop(timeout(DRAINED_FOR, drain(&mut body)).await);
            }
            Err(failure)
        }
    };
    let mut response = answered.unwrap_or_else(|failure| {
        let is_own = !matches!(failure, Failure::Refused(_));
        let response = failure.response();
        if is_own {
            let status = response.status();
            let noted = guarded(|| endpoint.handler.note_refusal(&head, status));
            // A panic in it must not cost the client its response.
            drop(noted);
        }
        response
    });
    if let (true, Some(origin)) = (is_read, &endpoint.allowed_origin) {
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    }
    response
}

impl<H: Handler> Endpoint<H> {
    pub(super) fn new(handler: H, options: &Options, peers: Arc<Peers>) -> Self {
        Self {
            handler,
            limits: options.limits,
            timeouts: options.timeouts,
            allowed_origin: options.allowed_origin.clone(),
            peers,
        }
    }

    /// Receives a whole request, if the handler admits it and the limits allow it. Returns the
    /// parsed request, its body, and the expected duration of its work.
    async fn receive(
        &self,
        head: &Head,
        body: &mut (impl Body<Data = Bytes> + Unpin),
        peer: Peer,
    ) -> Result<(H::Request, BodyBuffer, Work), Failure> {
        let admitted = guarded(|| self.handler.admit(head))?.map_err(Failure::Refused)?;
        let Admission {
            request,
            body_bytes,
            work,
        } = admitted;
        let most = body_bytes.min(self.limits.request_bytes);
        if work == Work::Long && self.peers.has_no_place(peer) {
            return Err(Failure::Overloaded);
        }
        let announced = self.announced(&head.headers, most, peer)?;
        let received = self.receive_body(body, announced, most, peer).await?;
        Ok((request, received, work))
    }

    /// Returns the announced length of the body, if there is one. Refuses a body that is too long,
    /// or for which there is no memory, before receiving any of it. Also refuses a peer that uses
    /// too much response memory.
    fn announced(
        &self,
        headers: &HeaderMap,
        most: usize,
        peer: Peer,
    ) -> Result<Option<usize>, Failure> {
        let announced = headers
            .get(header::CONTENT_LENGTH)
            .and_then(|value| value.to_str().ok()?.parse::<u64>().ok())
            .map(|length| usize::try_from(length).unwrap_or(usize::MAX));
        if announced.is_some_and(|length| length > most) {
            return Err(Failure::TooLarge);
        }
        if announced.is_some_and(|length| self.peers.is_too_much(peer, length))
            || self.peers.is_exhausted(peer)
        {
            return Err(Failure::Overloaded);
        }
        Ok(announced)
    }

    /// Receives the body. Memory is reserved for bytes that have arrived, not for the announced
    /// length.
    async fn receive_body(
        &self,
        body: &mut (impl Body<Data = Bytes> + Unpin),
        announced: Option<usize>,
        most: usize,
        peer: Peer,
    ) -> Result<BodyBuffer, Failure> {
        let mut received = BodyBuffer {
            bytes: Vec::new(),
            memory: Vec::new(),
        };
        if body.is_end_stream() {
            return Ok(received);
        }
        let whole = after(self.timeouts.whole_body);
        let mut expected = 0_usize;
        let mut deadline = whole;
        loop {
            if received.bytes.len() >= expected {
                expected = received.bytes.len().saturating_add(QUANTUM);
                deadline = after(self.timeouts.body).min(whole);
            }
            let frame = timeout_at(deadline, body.frame()).await;
            let Some(frame) = frame.map_err(|_| Failure::TooSlow)? else {
                return Ok(received);
            };
            let frame = frame.map_err(|_| Failure::Unreadable)?;
            let Ok(data) = frame.into_data() else {
                continue; // Trailers are ignored.
            };
            let length = received.bytes.len().checked_add(data.len());
            if length.is_none_or(|length| length > most) {
                return Err(Failure::TooLarge);
            }
            self.make_room(
                &mut received,
                data.len(),
                announced.unwrap_or(most),
                (announced, peer),
            )?;
            received.bytes.extend_from_slice(&data);
        }
    }

    /// Reserves memory for `bytes` more bytes of a body of at most `most` bytes, and for some bytes
    /// in advance.
    fn make_room(
        &self,
        received: &mut BodyBuffer,
        bytes: usize,
        most: usize,
        (announced, peer): (Option<usize>, Peer),
    ) -> Result<(), Failure> {
        let length = received.bytes.len();
        if received.bytes.capacity().saturating_sub(length) >= bytes {
            return Ok(());
        }
        // With a growth of one eighth, a byte is copied at most eight times on average, and at most
        // one eighth is unused.
        let ahead = (length / 8).max(LEAST_ROOM);
        let wanted = bytes.max(ahead.min(most.saturating_sub(length)));
        let before = received.bytes.capacity();
        let share = self.peers.take_body(
            peer,
            length.saturating_add(wanted).saturating_sub(before),
            announced,
        );
        received.memory.push(share.ok_or(Failure::Overloaded)?);
        received.bytes.reserve_exact(wanted);
        Ok(())
    }

    /// Handles the request on a blocking thread, as soon as one is free.
    async fn process(
        self: Arc<Self>,
        request: H::Request,
        received: BodyBuffer,
        connection: Arc<Connection>,
        peer: Peer,
    ) -> Result<HttpResponse, Failure> {
        let admitted = self.peers.admit(peer);
        let _admitted = admitted.ok_or(Failure::Overloaded)?;
        let permit = timeout(self.timeouts.queue, self.peers.acquire_thread(peer)).await;
        let permit = permit.ok().flatten().ok_or(Failure::Overloaded)?;
        spawn_blocking(move || {
            // The permit is moved here, so that it is held even if the client disconnects.
            let _permit = permit;
            self.respond(request, received, &connection, peer)
        })
        .await
        .unwrap_or(Err(Failure::HandlerFailed))
    }

    fn respond(
        &self,
        request: H::Request,
        received: BodyBuffer,
        connection: &Arc<Connection>,
        peer: Peer,
    ) -> Result<HttpResponse, Failure> {
        let BodyBuffer { bytes, memory } = received;
        let Answer {
            status,
            headers,
            body,
        } = guarded(|| self.handler.handle(request, bytes))?;
        drop(memory);
        if body.len() > self.limits.response_bytes {
            return Err(Failure::HandlerFailed);
        }
        let memory = self.peers.take_answer(connection, peer, body.len());
        let body = Bytes::from_owner(AccountedBody {
            bytes: body,
            _memory: memory.ok_or(Failure::Overloaded)?,
        });
        Ok(response_of(status, headers, body))
    }
}

/// Calls the handler. A panic in it fails this request alone.
fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|_| Failure::HandlerFailed)
}

fn response_of(
    status: StatusCode,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Bytes,
) -> HttpResponse {
    let mut response = HttpResponse::new(Full::new(body));
    *response.status_mut() = status;
    response.headers_mut().extend(headers);
    // Browsers must not guess the type of bytes that an attacker has chosen.
    response.headers_mut().insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    response
}

/// Returns the instant `span` from now. Shortens `span` to at most `LONGEST_WAIT`.
fn after(span: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(span.min(LONGEST_WAIT)).unwrap_or(now)
}

async fn drain(body: &mut (impl Body<Data = Bytes> + Unpin)) {
    let mut drained = 0_usize;
    while let Some(Ok(frame)) = body.frame().await {
        drained = drained.saturating_add(frame.data_ref().map_or(0, Bytes::len));
        if drained > DRAINED_BYTES {
            return;
        }
    }
}
