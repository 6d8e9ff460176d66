//! A server that is reached over HTTP.

use core::{fmt, time::Duration};
use std::{net::IpAddr, sync::Arc, thread};

use rustls::crypto::ring;
use ureq::{
    Agent, Body, Error, RequestBuilder,
    http::{HeaderMap, Response as HttpResponse, StatusCode, header},
    tls::TlsConfig,
};

use super::{Address, HttpError, HttpOptions, error::Failed, options::root_certificates};

/// Requests above this many bytes ask before they are sent, so that a refusal costs no transmission.
const ASK_ABOVE: usize = 256 << 10;

/// The longest wait before the next attempt, whatever the server asks for.
const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// A server that is reached over HTTP, or HTTPS; connections are kept and used again.
#[derive(Clone)]
pub struct HttpClient {
    agent: Agent,
    address: String,
    options: HttpOptions,
}

/// Path, what is posted, and the client that a proxy names.
type Request<'r> = (&'r str, Option<Posted<'r>>, Option<IpAddr>);

/// What is posted.
#[derive(Clone, Copy, Debug)]
pub struct Posted<'b> {
    /// The content type.
    pub content_type: &'static str,
    /// The body.
    pub body: &'b [u8],
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Its status; neither 413 nor 503, which are the [`HttpClient`]'s own business.
    pub status: StatusCode,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Vec<u8>,
}

/// What a reader makes of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict<T> {
    /// This is the answer.
    Done(T),
    /// The server asks to be asked again; this is the answer if there is no attempt left.
    Again(T),
}

impl HttpClient {
    /// The server at this address: `http://host:port` or `https://host:port`, perhaps with a path that all paths
    /// begin with.
    ///
    /// Connects with the first request.
    ///
    /// # Errors
    /// [`HttpError::Configuration`]: not an [`Address`], an unreadable PEM, or no system certificates.
    pub fn new(address: &str, options: HttpOptions) -> Result<Self, HttpError> {
        let address = Address::parse(address)?;
        let mut tls = TlsConfig::builder()
            .unversioned_rustls_crypto_provider(Arc::new(ring::default_provider()));
        if address.is_encrypted() {
            tls = tls.root_certs(root_certificates(&options.roots)?);
        }
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .tls_config(tls.build())
            .max_idle_connections(options.idle_connections)
            .max_idle_connections_per_host(options.idle_connections)
            .timeout_resolve(Some(options.connect))
            .timeout_connect(Some(options.connect))
            // A server may answer and never read.
            .timeout_send_request(Some(options.transfer))
            .timeout_send_body(Some(options.transfer))
            .timeout_recv_response(Some(options.transfer.min(options.wait)))
            .timeout_recv_body(Some(options.transfer.min(options.wait)))
            .build()
            .new_agent();
        Ok(Self {
            agent,
            address: format!("{}{}", address.origin(), address.path()),
            options,
        })
    }

    /// The address without the name and password that may stand in it.
    pub fn address(&self) -> String {
        without_password(&self.address)
    }

    /// A client of the same server that waits for an answer as long as for a transfer.
    ///
    /// # Errors
    /// As [`HttpClient::new`].
    pub fn patient(&self) -> Result<Self, HttpError> {
        let options = HttpOptions {
            wait: self.options.transfer,
            ..self.options.clone()
        };
        Self::new(&self.address, options)
    }

    /// How it talks to its server.
    pub const fn options(&self) -> &HttpOptions {
        &self.options
    }

    /// Gets what is at a path, of at most so many bytes, and has it read.
    ///
    /// # Errors
    /// [`HttpError`]; what `read` fails with.
    pub fn get<T, E: From<HttpError>>(
        &self,
        path: &str,
        most: usize,
        read: impl FnMut(Reply) -> Result<Verdict<T>, E>,
    ) -> Result<T, E> {
        self.exchange((path, None, None), most, read)
    }

    /// Posts something to a path, and has the answer read, which is at most so many bytes long.
    ///
    /// # Errors
    /// [`HttpError`]; what `read` fails with.
    pub fn post<T, E: From<HttpError>>(
        &self,
        path: &str,
        posted: Posted<'_>,
        most: usize,
        read: impl FnMut(Reply) -> Result<Verdict<T>, E>,
    ) -> Result<T, E> {
        let length = posted.body.len();
        if length > self.options.request_bytes {
            return Err(HttpError::RequestTooLarge { length }.into());
        }
        self.exchange((path, Some(posted), None), most, read)
    }

    /// Sends a request of `client` on once, and names the client in `X-Forwarded-For`.
    ///
    /// The server believes the name if it trusts this proxy. It is a POST if something is posted.
    ///
    /// # Errors
    /// [`HttpError`].
    pub fn forward(
        &self,
        path: &str,
        posted: Option<Posted<'_>>,
        client: Option<IpAddr>,
        most: usize,
    ) -> Result<Reply, HttpError> {
        let done = |reply| Ok(Verdict::Done(reply));
        self.exchange((path, posted, client), most, done)
    }

    fn exchange<T, E: From<HttpError>>(
        &self,
        request: Request<'_>,
        most: usize,
        mut read: impl FnMut(Reply) -> Result<Verdict<T>, E>,
    ) -> Result<T, E> {
        let mut backoff = self.options.backoff;
        let mut attempts = 1;
        loop {
            // Others are asked before this one is again.
            let is_last = !self.options.is_patient() || attempts >= self.options.attempts;
            let (wait, error) = match self.attempt(request, most) {
                Ok(reply) => match read(reply)? {
                    Verdict::Done(answer) => return Ok(answer),
                    Verdict::Again(answer) if is_last => return Ok(answer),
                    Verdict::Again(_) => (Duration::ZERO, HttpError::Overloaded { attempts }),
                },
                Err(Failed::ForGood(error)) => return Err(error.into()),
                Err(Failed::Busy(wait)) => (wait, HttpError::Overloaded { attempts }),
                // Another attempt would take as long.
                Err(Failed::Silent(reason)) => return Err(HttpError::Silent { reason }.into()),
                Err(Failed::Unreachable(reason)) => {
                    (Duration::ZERO, HttpError::Unreachable { attempts, reason })
                }
            };
            if is_last {
                return Err(error.into());
            }
            thread::sleep(wait.max(spread(backoff)).min(LONGEST_WAIT));
            backoff = backoff.saturating_mul(2);
            attempts = attempts.saturating_add(1);
        }
    }

    fn attempt(&self, (path, posted, client): Request<'_>, most: usize) -> Result<Reply, Failed> {
        let address = format!("{}{path}", self.address);
        let length = posted.map_or(0, |posted| posted.body.len());
        let sent = match posted {
            None => naming(self.agent.get(&address), client).call(),
            Some(posted) => {
                let mut post = naming(self.agent.post(&address), client)
                    .header(header::CONTENT_TYPE, posted.content_type);
                if length > ASK_ABOVE {
                    post = post.header(header::EXPECT, "100-continue");
                }
                post.send(posted.body)
            }
        };
        let answer = sent.map_err(|error| Failed::from_error(&error))?;
        match answer.status() {
            StatusCode::SERVICE_UNAVAILABLE => Err(Failed::Busy(retry_after(&answer))),
            StatusCode::PAYLOAD_TOO_LARGE => {
                Err(Failed::ForGood(HttpError::RequestTooLarge { length }))
            }
            _ => read_reply(answer, most.min(self.options.response_bytes)),
        }
    }
}

fn naming<B>(request: RequestBuilder<B>, client: Option<IpAddr>) -> RequestBuilder<B> {
    match client {
        Some(client) => request.header("x-forwarded-for", client.to_string()),
        None => request,
    }
}

fn read_reply(answer: HttpResponse<Body>, limit: usize) -> Result<Reply, Failed> {
    let (head, mut body) = answer.into_parts();
    // One byte more than may be, so that it is seen that it is too much.
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    let too_large = || Failed::ForGood(HttpError::ResponseTooLarge { limit });
    let body = body.with_config().limit(most).read_to_vec();
    let body = body.map_err(|error| match error {
        Error::BodyExceedsLimit(_) => too_large(),
        error => Failed::from_error(&error),
    })?;
    if body.len() > limit {
        return Err(too_large());
    }
    Ok(Reply {
        status: head.status,
        headers: head.headers,
        body,
    })
}

/// An address without the name and password that may stand in it, to be shown.
pub fn without_password(address: &str) -> String {
    let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    if scheme.is_empty() {
        return host.to_owned();
    }
    format!("{scheme}://{host}")
}

/// The whole seconds of `Retry-After`; a date, or nothing, means no wait of its own.
fn retry_after(answer: &HttpResponse<Body>) -> Duration {
    let seconds = answer
        .headers()
        .get(header::RETRY_AFTER)
        .and_then(|value| value.to_str().ok()?.parse().ok());
    Duration::from_secs(seconds.unwrap_or(0))
}

/// Between half of `backoff` and all of it, so that clients that failed together come back apart.
fn spread(backoff: Duration) -> Duration {
    let mut random = [0];
    // Without randomness the wait is the longest.
    let random = getrandom::fill(&mut random).map_or(u8::MAX, |()| random[0]);
    let half = backoff.checked_div(2).unwrap_or_default();
    let share = half.saturating_mul(u32::from(random));
    half.saturating_add(share.checked_div(255).unwrap_or_default())
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("HttpClient")
            .field("address", &self.address())
            .finish_non_exhaustive()
    }
}
