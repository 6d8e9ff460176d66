//! A router that forwards queries about one dictionary to upstream servers.

use core::time::Duration;
use std::{net::IpAddr, sync::Arc, time::Instant};

use authdict::{PublicKey, Question, Version};
use pad_client::{
    FetchError, HttpError, Remote, Versions,
    internals::{Reply, RequestTarget, Resource, is_dictionary_name},
};
use pad_web::server::{
    Admission, Answer, ConnectionCounters, Handler, Head, HeaderValue, Limits, StatusCode, Work,
    header,
};
use serde_json::{Map, json};

use crate::{
    metrics::{Metrics, label, write_metric},
    periodic_task::PeriodicTask,
    refusal::Refusal,
    reply::{CacheLifetime, MESSAGE, OBJECT, TEXT, description, health_reply, reply, within},
    request::{Request, Target, client_of, not_allowed},
    status_page::status_page,
    value::with_proof,
};

mod semaphore;
mod upstreams;

use semaphore::Semaphore;
use upstreams::Upstreams;

/// Forwards queries about one dictionary to upstream servers.
///
/// - Each query is first forwarded to a server that claims to keep the data. Other servers are
///   queried if such servers fail or do not have the data.
/// - Servers that keep the same data are queried in turn.
/// - The latest version is the newest version for which a server has sent a signed head. It never
///   decreases.
/// - Nothing else is verified. Clients verify responses, so they also detect a lying server behind
///   the router.
///
/// Updates are refused. Authors send updates directly to the servers.
#[derive(Debug)]
pub struct Router {
    name: String,
    upstreams: Arc<Upstreams>,
    limits: Limits,
    /// Limits how many large responses are received concurrently.
    semaphore: Semaphore,
    metrics: Arc<Metrics>,
}

/// Error returned when servers cannot be combined behind one router.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotRouted {
    /// The name is not a valid name of a dictionary.
    #[error(
        "{0:?} is not a valid name of a dictionary: use letters, digits, dots, hyphens and \
         underscores, and no dot first"
    )]
    Name(String),
    /// The list of servers is empty.
    #[error("no server is given")]
    NoServer,
    /// No key is given, and no server is reachable to read the key from.
    #[error("no author's key is given, and no server can be reached to ask for it")]
    NoKey,
    /// Servers have different author keys, or every server's key differs from the given key.
    #[error("{first} and {other} have dictionaries of different keys")]
    OtherKey {
        /// Address of a server, or a note that the key was given by the caller.
        first: String,
        /// Address of a server with a different key.
        other: String,
    },
}

/// Refreshes the versions of the server with index `number`, and records in `metrics` whether this
/// succeeded.
fn refresh(upstreams: &Upstreams, metrics: &Metrics, number: usize) -> Result<(), FetchError> {
    let outcome = upstreams.refresh(number);
    if let Some(server) = upstreams.servers.all().get(number) {
        metrics.note_upstream(&server.address(), outcome.is_ok());
    }
    outcome
}

impl Router {
    /// Creates a router for `servers` of one dictionary, which is served under the name `name`.
    ///
    /// Responses are limited by `limits`, the limits of the server that runs the router. If
    /// `public` is given, servers with another key are left out and logged. Otherwise, the author's
    /// key is read from the servers.
    ///
    /// Unreachable servers are queried again later. Their keys are not compared.
    ///
    /// # Errors
    /// [`NotRouted`] if the name is invalid, there is no server, or the keys are unknown or differ.
    pub fn new(
        name: String,
        servers: Vec<Remote>,
        public: Option<PublicKey>,
        limits: Limits,
    ) -> Result<Self, NotRouted> {
        if !is_dictionary_name(&name) {
            return Err(NotRouted::Name(name));
        }
        let upstreams = Arc::new(Upstreams::new(servers, public)?);
        let metrics = Arc::<Metrics>::default();
        for number in 0..upstreams.servers.all().len() {
            // Servers that are unreachable now are queried again later.
            drop(refresh(&upstreams, &metrics, number));
        }
        Ok(Self {
            name,
            upstreams,
            semaphore: Semaphore::new(
                limits
                    .answer_bytes
                    .checked_div(limits.response_bytes)
                    .unwrap_or(1),
            ),
            limits,
            metrics,
        })
    }

    /// Starts one background task per server that refreshes the server's versions. Each task pauses
    /// for `every` before each refresh.
    pub fn follow(&self, every: Duration) -> Vec<PeriodicTask> {
        let numbers = 0..self.upstreams.servers.all().len();
        let follow = |number| {
            let (upstreams, metrics) = (Arc::clone(&self.upstreams), Arc::clone(&self.metrics));
            let mut failed = false;
            PeriodicTask::begin(every, move || {
                let fails = refresh(&upstreams, &metrics, number).err();
                let server = upstreams.servers.all().get(number).map(Remote::address);
                match (&fails, server) {
                    (Some(error), Some(server)) if !failed => tracing::warn!(server, %error),
                    (None, Some(server)) if failed => tracing::info!(server, "is of use again"),
                    _ => {}
                }
                failed = fails.is_some();
            })
        };
        numbers.map(follow).collect()
    }

    fn answer(&self, request: Request<()>, body: &[u8]) -> Result<Answer, Refusal> {
        let (known, client) = (request.if_none_match.as_ref(), request.client);
        let plain = |kind, text: String, lasts| Ok(reply(kind, text.into_bytes(), lasts, known));
        match request.target {
            Target::Index => Ok(status_page(&self.health(None).body)),
            Target::Health => Ok(self.health(known)),
            Target::Description => Ok(description(known)),
            Target::Metrics => plain(TEXT, self.text(), CacheLifetime::Once),
            Target::List => plain(OBJECT, json!([self.name]).to_string(), CacheLifetime::Once),
            Target::Get((), Resource::Versions) => {
                let versions = self.upstreams.versions().to_json();
                plain(OBJECT, versions, CacheLifetime::Moment)
            }
            Target::Get((), resource @ (Resource::Head | Resource::HeadOf(_))) => {
                let newest = self.upstreams.newest();
                let lasts = match resource {
                    Resource::HeadOf(version) if version != newest.version => {
                        let path = resource.path();
                        let reply =
                            self.forward(RequestTarget::HeadOf(version), (&path, None, client))?;
                        if version > newest.version && reply.status == StatusCode::OK {
                            // The server has a newer version than the router knows.
                            drop(self.upstreams.learn(version, reply.body.clone()));
                        }
                        return Ok(passed_on(reply, MESSAGE, known));
                    }
                    Resource::HeadOf(_) => CacheLifetime::Forever,
                    _ => CacheLifetime::Moment,
                };
                if newest.version == Version::EMPTY {
                    return Err(no_version());
                }
                Ok(reply(MESSAGE, newest.head, lasts, known))
            }
            Target::Get((), Resource::Value(version, key)) => {
                let version = match (version, self.upstreams.newest().version) {
                    (Some(version), _) => version,
                    (None, Version::EMPTY) => return Err(no_version()),
                    (None, newest) => newest,
                };
                let path = Resource::Value(Some(version), key.clone()).path();
                let question = Question::Key(key);
                let wanted = RequestTarget::Answer(version, &question);
                let reply = self.forward(wanted, (&path, None, client))?;
                let is_found = reply.status == StatusCode::OK;
                let answer = passed_on(reply, MESSAGE, known);
                Ok(if is_found {
                    with_proof(answer, version, &question)
                } else {
                    answer
                })
            }
            Target::Get((), resource) => {
                let reply = self.forward(wanted(&resource), (&resource.path(), None, client))?;
                Ok(passed_on(reply, content_type(&resource), known))
            }
            Target::Ask((), version) => {
                // A malformed question is refused without forwarding it.
                let question = Question::decode(body)
                    .map_err(|error| Refusal::bad_request("unreadable_question", error))?;
                let path = format!("answers/{version}");
                let reply = self.forward(
                    RequestTarget::Answer(version, &question),
                    (&path, Some(body), client),
                )?;
                Ok(passed_on(reply, MESSAGE, known))
            }
            Target::Update(()) | Target::Notes(()) => Err(not_allowed()),
        }
    }

    /// Tries servers in order, and returns the first conclusive reply.
    ///
    /// A success is conclusive, except for an empty list of names or notes. A refusal with an error
    /// code that blames the request is conclusive if the first such refusal has the same status. If
    /// no reply is conclusive, the best refusal is returned.
    ///
    /// # Errors
    /// Error `no_server` if there is no usable reply.
    fn forward(
        &self,
        wanted: RequestTarget<'_>,
        asked: ClientRequest<'_>,
    ) -> Result<Reply, Refusal> {
        let servers = &self.upstreams.servers;
        servers.turn();
        let (mut elsewhere, mut late, mut failed) = (None, None, 0_usize);
        let mut refused: Option<Reply> = None;
        for (number, server) in servers.order(wanted) {
            match self.receive(server, asked) {
                Ok((reply, took)) => match FetchError::in_reply(&reply) {
                    Some(error) if error.is_elsewhere() => {
                        // Refreshes the server's versions, so that further requests for this data
                        // try other servers first.
                        drop(self.upstreams.refresh(number));
                        elsewhere = elsewhere.or(Some(reply));
                    }
                    // The server is behind, or does not publish this file.
                    Some(error) if error.is("unknown_version") || error.is("unknown_file") => {
                        late = Some(reply);
                    }
                    // The server has no such names or notes. Another server may have some.
                    None if is_named(asked.0) && reply.body == b"[]" => late = Some(reply),
                    // A slow server would occupy the permits for large responses.
                    None if took > SLOW => {
                        servers.answered_badly(number);
                        return Ok(reply);
                    }
                    None => {
                        servers.answered_one(number);
                        return Ok(reply);
                    }
                    // A refusal that blames the request is returned if a second server agrees, or
                    // if there is no other server.
                    Some(error)
                        if error.is_askers()
                            && (!error.is("") || is_length_refused(reply.status)) =>
                    {
                        match &refused {
                            Some(first) if first.status == reply.status => return Ok(reply),
                            Some(_) => {}
                            None => refused = Some(reply),
                        }
                    }
                    Some(_) => {
                        failed = failed.saturating_add(1);
                        servers.failed(number);
                    }
                },
                Err(error) => {
                    tracing::debug!(server = %server.address(), %error, "does not answer");
                    failed = failed.saturating_add(1);
                    // The server has not failed if its response exceeds the router's limit, or if
                    // the client has used up its share at the server.
                    let is_clients = matches!(
                        error,
                        FetchError::Http(
                            HttpError::ResponseTooLarge { .. } | HttpError::Overloaded { .. }
                        )
                    );
                    let unreachable =
                        matches!(error, FetchError::Http(HttpError::Unreachable { .. }));
                    if unreachable {
                        servers.unreachable(number);
                    } else if !is_clients {
                        servers.failed(number);
                    }
                }
            }
        }
        let newest = self.upstreams.newest().version;
        let is_shown = wanted.version().is_some_and(|version| version <= newest);
        // A server that failed may have the data, so a reply that the data is not kept here is not
        // final.
        let elsewhere = elsewhere.filter(|_| failed == 0);
        let found = if is_shown {
            // The router has verified the head of this version or of a later one, so the version
            // exists. A server that is behind cannot make it unknown, or outvote the refusal of a
            // server that has it.
            refused.or(elsewhere).or(late.filter(|_| failed == 0))
        } else {
            late.or(refused).or(elsewhere)
        };
        found.ok_or_else(|| no_server_answered(wanted, (failed, servers.all().len())))
    }

    /// Forwards a request to a server. Also returns the time that the server took.
    ///
    /// The web server's memory limits count a response only when it is passed on to the client.
    /// Therefore the first attempt receives at most `SHORT` bytes. A longer response is requested
    /// again after the semaphore for large responses has given a permit.
    fn receive(
        &self,
        server: &Remote,
        (path, posted, client): ClientRequest<'_>,
    ) -> Result<(Reply, Duration), FetchError> {
        let longest = self.limits.response_bytes;
        let forward = |most| {
            let start = Instant::now();
            let reply = server.forward(path, posted, client, most)?;
            Ok((reply, start.elapsed()))
        };
        match forward(longest.min(SHORT)) {
            Err(FetchError::Http(HttpError::ResponseTooLarge { .. })) if longest > SHORT => {
                let _permit = self.semaphore.take();
                forward(longest)
            }
            reply => reply,
        }
    }

    /// Returns the response to a health check: 503 if no server can be reached.
    fn health(&self, known_tag: Option<&HeaderValue>) -> Answer {
        let known = self.upstreams.servers.known();
        let reached = known.iter().filter(|(_, _, reached)| *reached).count();
        let mut latest = Map::new();
        latest.insert(
            self.name.clone(),
            self.upstreams.newest().version.number().into(),
        );
        let mut health = Map::new();
        health.insert("latest".into(), latest.into());
        health.insert("servers".into(), known.len().into());
        health.insert("reached".into(), reached.into());
        let reasons: &[&str] = if reached > 0 {
            &[]
        } else {
            &["no server can be reached"]
        };
        health_reply(health, reasons, known_tag)
    }

    /// Returns the metrics of the router's own requests and of its servers.
    fn text(&self) -> String {
        let known = self.upstreams.servers.known();
        for (server, ..) in known.iter().filter(|(.., is_up)| !is_up) {
            // A request for a client may have found this out. Only the periodic request, which also
            // verifies heads, finds that a server is up.
            self.metrics.mark_upstream_down(&server.address());
        }
        let mut text = self.metrics.text(core::iter::empty());
        let gauges: [(&str, &str, Value); 2] = [
            (
                "pad_upstream_oldest_version",
                "The oldest version that the server says it keeps.",
                |versions| versions.oldest.number(),
            ),
            (
                "pad_upstream_latest_version",
                "The latest version that the server says it has.",
                |versions| versions.latest.number(),
            ),
        ];
        for (name, help, value) in gauges {
            let values = known.iter().map(|(server, versions, _)| {
                let value = versions.as_ref().map_or(0, value);
                (label("upstream", &server.address()), value)
            });
            write_metric(&mut text, (name, "gauge", help), values);
        }
        text
    }
}

impl Handler for Router {
    type Request = Request<()>;

    fn admit(&self, head: &Head) -> Result<Admission<Request<()>>, Answer> {
        let target = Target::of(head, |name| (name == self.name).then_some(()));
        let refused = |name, refusal| {
            self.metrics
                .counted(name, client_of(head), Err(refusal), Duration::ZERO)
        };
        let target = target.map_err(|refusal| refused(None, refusal))?;
        if matches!(target, Target::Update(()) | Target::Notes(())) {
            // An update or a note is refused before its body is received.
            return Err(refused(Some(target.name()), not_allowed()));
        }
        let work = match target {
            // These requests are answered without querying a server.
            Target::Index
            | Target::Health
            | Target::Description
            | Target::List
            | Target::Get((), Resource::Versions | Resource::Head) => Work::Brief,
            _ => Work::Long,
        };
        Ok(Admission {
            body_bytes: target.body_bytes(0),
            work,
            request: Request::new(target, head),
        })
    }

    fn handle(&self, request: Request<()>, body: Vec<u8>) -> Answer {
        let (name, client, began) = (request.target.name(), request.client, Instant::now());
        let answered = self.answer(request, &body);
        let answered = answered.map(|answer| within(answer, self.limits.response_bytes));
        self.metrics
            .counted(Some(name), client, answered, began.elapsed())
    }

    fn note_refusal(&self, head: &Head, status: StatusCode) {
        let target = Target::of(head, |name| (name == self.name).then_some(()));
        let name = target.ok().map(|target| target.name());
        self.metrics.count_refused(name, client_of(head), status);
    }

    fn observe(&self, connections: &Arc<ConnectionCounters>) {
        self.metrics.observe(connections);
    }
}

/// Returns whether a web server, or a proxy in front of it, refuses the length of a request. Such
/// refusals have no error code.
const fn is_length_refused(status: StatusCode) -> bool {
    matches!(status.as_u16(), 413 | 414 | 431)
}

/// Returns the data that a server must have to serve `resource`.
fn wanted(resource: &Resource) -> RequestTarget<'_> {
    match resource {
        Resource::HeadOf(version)
        | Resource::Heads(_, version)
        | Resource::Consistency(_, version)
        | Resource::Past(_, version) => RequestTarget::HeadOf(*version),
        Resource::Answer(version, question) => RequestTarget::Answer(*version, question),
        Resource::Page(version, range) => RequestTarget::Page(*version, range),
        Resource::Growth(_, version) => RequestTarget::ContentsOf(*version),
        Resource::Update(version) | Resource::Updates(version, _) => {
            RequestTarget::UpdateTo(*version)
        }
        _ => RequestTarget::Newest,
    }
}

/// Returns whether the resource at this path is a list of names or notes of versions.
fn is_named(path: &str) -> bool {
    path.starts_with("names/") || path.starts_with("notes/")
}

/// Returns the content type of a resource. The content type that the upstream server sends is
/// ignored.
const fn content_type(resource: &Resource) -> &'static str {
    match resource {
        Resource::Public => TEXT,
        Resource::Versions | Resource::Notes(..) | Resource::Named(_) => OBJECT,
        _ => MESSAGE,
    }
}

/// Converts the reply of an upstream server to the router's response.
///
/// The reply is not verified. Caches must therefore revalidate before each use, and must not store
/// refusals.
fn passed_on(reply: Reply, content_type: &'static str, known: Option<&HeaderValue>) -> Answer {
    if reply.status == StatusCode::OK {
        return self::reply(content_type, reply.body, CacheLifetime::Once, known);
    }
    let wait = reply.headers.get(header::RETRY_AFTER).cloned();
    let refusal = Answer::new(reply.status, OBJECT, reply.body);
    let refusal = refusal.with(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    match wait {
        Some(wait) => refusal.with(header::RETRY_AFTER, wait),
        None => refusal,
    }
}

/// The path, the body of a POST, and the address of the client.
type ClientRequest<'r> = (&'r str, Option<&'r [u8]>, Option<IpAddr>);

/// Maximum bytes of a response that is received without a permit for large responses.
const SHORT: usize = 1 << 20;
/// Time above which a server's response makes the router prefer other servers for a while.
const SLOW: Duration = Duration::from_secs(3);

/// Computes the value of a gauge from a server's versions, and from whether the server is up.
type Value = fn(&Versions) -> u64;

fn no_version() -> Refusal {
    Refusal::not_found("unknown_version", "no server has a version yet")
}

/// Creates the refusal of a request that no server can answer, because `failed` of `all` servers
/// failed. It names no addresses, because clients need not know them. The metrics and the log do.
fn no_server_answered(wanted: RequestTarget<'_>, (failed, all): (usize, usize)) -> Refusal {
    let about = wanted.version();
    let about = about.map_or_else(String::new, |version| format!(" about version {version}"));
    let text = format!("no server can answer{about}: {failed} of {all} servers failed");
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "no_server", text)
}
