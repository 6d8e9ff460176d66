//! HTTP client of one server.

use core::{fmt, time::Duration};
use std::{net::IpAddr, sync::Arc, thread};

use rustls::crypto::ring;
use ureq::{
    Agent, Body, Error, RequestBuilder,
    http::{HeaderMap, Response as HttpResponse, StatusCode, header},
    tls::TlsConfig,
};

use super::{Address, HttpError, HttpOptions, error::AttemptError, options::root_certificates};

/// Length of a body in bytes above which a POST request sends `Expect: 100-continue`. A server can
/// then refuse the request before the body is sent.
const ASK_ABOVE: usize = 256 << 10;

/// Maximum delay before the next attempt, even if the server requests a longer delay.
const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// An HTTP or HTTPS client of one server. It keeps a pool of idle connections.
#[derive(Clone)]
pub struct HttpClient {
    agent: Agent,
    address: String,
    options: HttpOptions,
}

/// The path, the body of a POST request, and the client address to forward.
type Request<'r> = (&'r str, Option<PostBody<'r>>, Option<IpAddr>);

/// The body of a POST request, with its content type.
#[derive(Clone, Copy, Debug)]
pub struct PostBody<'b> {
    /// The value of the header `Content-Type`.
    pub content_type: &'static str,
    /// The bytes of the body.
    pub body: &'b [u8],
}

/// A server's response, with its whole body in memory.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The status; never 413 or 503, which [`HttpClient`] handles.
    pub status: StatusCode,
    /// The headers of the response.
    pub headers: HeaderMap,
    /// The body of the response.
    pub body: Vec<u8>,
}

/// The decision of a response handler: finished, or another attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict<T> {
    /// The response is final; contains the result.
    Done(T),
    /// The server requests another attempt. The result is used if no attempt is left.
    Again(T),
}

impl HttpClient {
    /// Creates a client of the server at `address`: `http://host:port` or `https://host:port`, with
    /// an optional path prefix.
    ///
    /// No connection is opened before the first request.
    ///
    /// # Errors
    /// [`HttpError::Configuration`] if `address` cannot be parsed as an [`Address`]. For
    /// `https://`, also if the root certificates are unreadable or there is none.
    pub fn new(address: &str, options: HttpOptions) -> Result<Self, HttpError> {
        let address = Address::parse(address)?;
        let agent = agent(&options, address.is_encrypted())?;
        Ok(Self {
            agent,
            address: format!("{}{}", address.origin(), address.path()),
            options,
        })
    }

    /// Returns the address without user and password.
    pub fn address(&self) -> String {
        without_password(&self.address)
    }

    /// Creates a client of the same server that waits for a response as long as
    /// [`HttpOptions::transfer`] allows, and retries failed requests.
    ///
    /// # Errors
    /// The errors of [`HttpClient::new`].
    pub fn patient(&self) -> Result<Self, HttpError> {
        let options = HttpOptions {
            wait: self.options.transfer,
            ..self.options.clone()
        };
        Self::new(&self.address, options)
    }

    /// Returns the options of this client.
    pub const fn options(&self) -> &HttpOptions {
        &self.options
    }

    /// Sends a GET request for `path` and passes the response, of at most `most` bytes, to `read`.
    /// Returns the result in the final [`Verdict`].
    ///
    /// # Errors
    /// [`HttpError`]; errors of `read`.
    pub fn get<T, E: From<HttpError>>(
        &self,
        path: &str,
        most: usize,
        read: impl FnMut(Reply) -> Result<Verdict<T>, E>,
    ) -> Result<T, E> {
        self.exchange((path, None, None), most, read)
    }

    /// Sends a POST request to `path` and passes the response, of at most `most` bytes, to `read`.
    /// Returns the result in the final [`Verdict`].
    ///
    /// # Errors
    /// [`HttpError`]; errors of `read`.
    pub fn post<T, E: From<HttpError>>(
        &self,
        path: &str,
        posted: PostBody<'_>,
        most: usize,
        read: impl FnMut(Reply) -> Result<Verdict<T>, E>,
    ) -> Result<T, E> {
        self.exchange((path, Some(posted), None), most, read)
    }

    /// Forwards the request of another client, and returns the server's response. The request is a
    /// POST if `posted` is given. Retries like [`HttpClient::get`].
    ///
    /// If `client` is given, this address is sent in `X-Forwarded-For`. The server uses the address
    /// if it trusts this process as a proxy.
    ///
    /// # Errors
    /// [`HttpError`].
    pub fn forward(
        &self,
        path: &str,
        posted: Option<PostBody<'_>>,
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
        let length = request.1.map_or(0, |posted| posted.body.len());
        if length > self.options.request_bytes {
            return Err(HttpError::RequestTooLarge { length }.into());
        }
        let mut backoff = self.options.backoff;
        let mut attempts = 1;
        loop {
            // With a short timeout `wait`, callers try other servers first, so this server is not
            // retried here.
            let is_last = !self.options.is_patient() || attempts >= self.options.attempts;
            let (wait, error) = match self.attempt(request, most) {
                Ok(reply) => match read(reply)? {
                    Verdict::Done(answer) => return Ok(answer),
                    Verdict::Again(answer) if is_last => return Ok(answer),
                    Verdict::Again(_) => (Duration::ZERO, HttpError::Overloaded { attempts }),
                },
                Err(AttemptError::ForGood(error)) => return Err(error.into()),
                Err(AttemptError::Busy(wait)) => (wait, HttpError::Overloaded { attempts }),
                // Another attempt would probably take as long, so there is none.
                Err(AttemptError::Silent(reason)) => {
                    return Err(HttpError::Silent { reason }.into());
                }
                Err(AttemptError::Unreachable(reason)) => {
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

    fn attempt(
        &self,
        (path, posted, client): Request<'_>,
        most: usize,
    ) -> Result<Reply, AttemptError> {
        let address = format!("{}{path}", self.address);
        let length = posted.map_or(0, |posted| posted.body.len());
        let sent = match posted {
            None => with_client(self.agent.get(&address), client).call(),
            Some(posted) => {
                let mut post = with_client(self.agent.post(&address), client)
                    .header(header::CONTENT_TYPE, posted.content_type);
                if length > ASK_ABOVE {
                    post = post.header(header::EXPECT, "100-continue");
                }
                post.send(posted.body)
            }
        };
        let answer = sent.map_err(|error| AttemptError::from_error(&error))?;
        match answer.status() {
            StatusCode::SERVICE_UNAVAILABLE => Err(AttemptError::Busy(retry_after(&answer))),
            StatusCode::PAYLOAD_TOO_LARGE => {
                Err(AttemptError::ForGood(HttpError::RequestTooLarge { length }))
            }
            _ => read_reply(answer, most.min(self.options.response_bytes)),
        }
    }
}

/// Creates a connection pool with the timeouts and limits of `options`, which follows no redirect
/// and reports each status as a response.
///
/// The proxy is the one that the environment names (`HTTPS_PROXY`, ..). Certificates are read only
/// if `is_encrypted`; without them, HTTPS requests fail.
///
/// # Errors
/// [`HttpError::Configuration`] if the root certificates are unreadable or there is none.
pub fn agent(options: &HttpOptions, is_encrypted: bool) -> Result<Agent, HttpError> {
    let mut tls =
        TlsConfig::builder().unversioned_rustls_crypto_provider(Arc::new(ring::default_provider()));
    if is_encrypted {
        tls = tls.root_certs(root_certificates(&options.roots)?);
    }
    Ok(Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .tls_config(tls.build())
        .max_idle_connections(options.idle_connections)
        .max_idle_connections_per_host(options.idle_connections)
        .timeout_resolve(Some(options.connect))
        .timeout_connect(Some(options.connect))
        // Ends requests to a server that accepts a connection and never reads from it.
        .timeout_send_request(Some(options.transfer))
        .timeout_send_body(Some(options.transfer))
        .timeout_recv_response(Some(options.transfer.min(options.wait)))
        .timeout_recv_body(Some(options.transfer.min(options.wait)))
        .build()
        .new_agent())
}

fn with_client<B>(request: RequestBuilder<B>, client: Option<IpAddr>) -> RequestBuilder<B> {
    match client {
        Some(client) => request.header("x-forwarded-for", client.to_string()),
        None => request,
    }
}

fn read_reply(answer: HttpResponse<Body>, limit: usize) -> Result<Reply, AttemptError> {
    let (head, mut body) = answer.into_parts();
    // One more byte than the limit is read, to detect a longer body.
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    let too_large = || AttemptError::ForGood(HttpError::ResponseTooLarge { limit });
    let body = body.with_config().limit(most).read_to_vec();
    let body = body.map_err(|error| match error {
        Error::BodyExceedsLimit(_) => too_large(),
        error => AttemptError::from_error(&error),
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

/// Removes the user and the password from an address, for display.
pub fn without_password(address: &str) -> String {
    let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let shown = match authority.rsplit_once('@') {
        Some((_, host)) => format!("{host}{path}"),
        // A password with '/', '?' or '#' looks like a port that is no number.
        None if has_odd_port(authority) => {
            let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
            host.to_owned()
        }
        None => rest.to_owned(),
    };
    if scheme.is_empty() {
        return shown;
    }
    format!("{scheme}://{shown}")
}

/// Returns whether a character other than a digit follows the last colon, outside of an IPv6
/// address.
fn has_odd_port(authority: &str) -> bool {
    let port = authority.rsplit_once(':').map_or("", |(_, port)| port);
    !authority.ends_with(']') && !port.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the delay of the header `Retry-After`; zero for a date or a missing header.
fn retry_after(answer: &HttpResponse<Body>) -> Duration {
    let seconds = answer
        .headers()
        .get(header::RETRY_AFTER)
        .and_then(|value| value.to_str().ok()?.parse().ok());
    Duration::from_secs(seconds.unwrap_or(0))
}

/// Adds jitter to a delay. Returns a delay between half of `backoff` and `backoff`, so that clients
/// do not retry at the same time.
fn spread(backoff: Duration) -> Duration {
    let mut random = [0];
    // Without random numbers, the delay is `backoff`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_shown_without_passwords() {
        for (address, shown) in [
            ("https://host/a", "https://host/a"),
            ("https://host:443/a@b", "https://host:443/a@b"),
            ("https://user:p@host:443/a@b", "https://host:443/a@b"),
            ("https://user:p#w@host/a", "https://host/a"),
            ("https://user:p/w?@host", "https://host"),
            ("http://[::1]/a@b", "http://[::1]/a@b"),
            ("http://[::1]:80/a@b", "http://[::1]:80/a@b"),
            ("user:p@host", "host"),
            ("host", "host"),
        ] {
            assert_eq!(without_password(address), shown, "{address}");
        }
    }
}
