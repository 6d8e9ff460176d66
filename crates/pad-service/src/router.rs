//! A router that forwards queries about one dictionary to upstream servers.

use core::time::Duration;
use std::{fmt::Write as _, net::IpAddr, sync::Arc};

use authdict::{PublicKey, Version, question::Question};
use pad_client::{
    FetchError, HttpError, Remote, Reply, RequestTarget, Resource, Versions, is_dictionary_name,
};
use pad_web::server::{
    Admission, Answer, Handler, Head, HeaderValue, Limits, StatusCode, Work, header,
};
use serde_json::{Map, json};

use crate::{
    metrics::Metrics,
    periodic_task::PeriodicTask,
    refusal::Refusal,
    reply::{CacheLifetime, MESSAGE, OBJECT, TEXT, reply},
    request::{Request, Target, not_allowed},
    witness::label,
};

mod semaphore;
mod upstreams;

use semaphore::Semaphore;
use upstreams::Upstreams;

/// Forwards queries about one dictionary to upstream servers.
///
/// - Each query goes first to servers that claim to keep the data. The other servers are asked if
///   these fail or turn out not to keep it.
/// - Servers that keep the same data are asked in turn.
/// - The latest version is the newest version whose signed head a server has sent. It never
///   decreases.
/// - Nothing else is verified. Clients verify responses, and detect a lying server behind the
///   router too.
///
/// Updates are refused: authors send them to the servers.
#[derive(Debug)]
pub struct Router {
    name: String,
    upstreams: Arc<Upstreams>,
    limits: Limits,
    /// Semaphore for large responses that are being received.
    semaphore: Semaphore,
    metrics: Metrics,
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
    /// No key is given, and no server is reachable to ask for the key.
    #[error("no author's key is given, and no server can be reached to ask for it")]
    NoKey,
    /// Servers have different author's keys, or every server has another key than the one given.
    #[error("{first} and {other} have dictionaries of different keys")]
    OtherKey {
        /// Address of a server, or a note that the key was given.
        first: String,
        /// Address of a server with a different key.
        other: String,
    },
}

impl Router {
    /// Creates a router to `servers` of one dictionary, served as `name`.
    ///
    /// Responses respect `limits`, the limits of the server that runs the router. With a `public`
    /// key, servers with another key are left out and logged. Without it, the author's key is taken
    /// from the servers.
    ///
    /// Unreachable servers are asked again later. Their keys are not compared.
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
        Ok(Self {
            name,
            upstreams: Arc::new(Upstreams::new(servers, public)?),
            semaphore: Semaphore::new(
                limits
                    .answer_bytes
                    .checked_div(limits.response_bytes)
                    .unwrap_or(1),
            ),
            limits,
            metrics: Metrics::default(),
        })
    }

    /// Starts one background task per server that refreshes the server's versions. It pauses for
    /// `every` before each refresh.
    pub fn follow(&self, every: Duration) -> Vec<PeriodicTask> {
        let numbers = 0..self.upstreams.servers.all().len();
        let follow = |number| {
            let upstreams = Arc::clone(&self.upstreams);
            let mut failed = false;
            PeriodicTask::begin(every, move || {
                let fails = upstreams.refresh(number).err();
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
        let plain =
            |kind, text: String| Ok(reply(kind, text.into_bytes(), CacheLifetime::Once, known));
        match request.target {
            Target::Health => plain(OBJECT, self.health()),
            Target::Metrics => plain(TEXT, self.text()),
            Target::List => plain(OBJECT, json!([self.name]).to_string()),
            Target::Get((), Resource::Versions) => {
                let object = self.upstreams.versions().to_json();
                Ok(reply(
                    OBJECT,
                    object.into_bytes(),
                    CacheLifetime::Moment,
                    known,
                ))
            }
            Target::Get((), resource @ (Resource::Head | Resource::HeadOf(_))) => {
                let newest = self.upstreams.newest();
                let lasts = match resource {
                    Resource::HeadOf(version) if version != newest.version => {
                        let path = resource.path();
                        let reply =
                            self.forward(RequestTarget::HeadOf(version), (&path, None, client))?;
                        if version > newest.version && reply.status == StatusCode::OK {
                            // The server is ahead of this router.
                            drop(self.upstreams.learn(version, reply.body.clone()));
                        }
                        return Ok(passed_on(reply, MESSAGE, known));
                    }
                    Resource::HeadOf(_) => CacheLifetime::Forever,
                    _ => CacheLifetime::Moment,
                };
                if newest.version == Version::EMPTY {
                    let text = "no server has a version yet";
                    return Err(Refusal::new(StatusCode::NOT_FOUND, "unknown_version", text));
                }
                Ok(reply(MESSAGE, newest.head, lasts, known))
            }
            Target::Get((), resource) => {
                let reply = self.forward(wanted(&resource), (&resource.path(), None, client))?;
                Ok(passed_on(reply, content_type(&resource), known))
            }
            Target::Ask((), version) => {
                // Reject an unreadable question before it is forwarded.
                let question = Question::decode(body).map_err(|error| {
                    Refusal::new(StatusCode::BAD_REQUEST, "unreadable_question", error)
                })?;
                let path = format!("answers/{version}");
                let reply = self.forward(
                    RequestTarget::Answer(version, &question),
                    (&path, Some(body), client),
                )?;
                Ok(passed_on(reply, MESSAGE, known))
            }
            Target::Update(()) => Err(not_allowed()),
        }
    }

    /// Returns the first conclusive reply of a server, trying them in order.
    ///
    /// A success is conclusive, except for an empty list of names or notes. A documented refusal is
    /// conclusive if its status equals the status of the first refusal. Without a conclusive reply,
    /// returns the best refusal.
    ///
    /// # Errors
    /// `no_server` without a usable reply.
    fn forward(
        &self,
        wanted: RequestTarget<'_>,
        asked: ClientRequest<'_>,
    ) -> Result<Reply, Refusal> {
        let servers = &self.upstreams.servers;
        servers.turn();
        let (mut elsewhere, mut late, mut fails) = (None, None, false);
        let mut refused: Option<Reply> = None;
        for (number, server) in servers.order(wanted) {
            match self.receive(server, asked) {
                Ok(reply) => match FetchError::in_reply(&reply) {
                    Some(error) if error.is_elsewhere() => {
                        // Refresh its versions, so that such requests avoid it next time.
                        drop(self.upstreams.refresh(number));
                        elsewhere = elsewhere.or(Some(reply));
                    }
                    // The server lags behind, or publishes no such file.
                    Some(error) if error.is("unknown_version") || error.is("unknown_file") => {
                        late = Some(reply);
                    }
                    // The server knows no names. Another one may.
                    None if is_named(asked.0) && reply.body == b"[]" => late = Some(reply),
                    None => {
                        servers.answered_one(number);
                        return Ok(reply);
                    }
                    // A documented refusal, once a second server agrees or there is no other.
                    Some(error) if error.is_askers() && !error.is("") => match &refused {
                        Some(first) if first.status == reply.status => return Ok(reply),
                        Some(_) => {}
                        None => refused = Some(reply),
                    },
                    Some(_) => {
                        fails = true;
                        servers.failed(number);
                    }
                },
                Err(error) => {
                    tracing::debug!(server = %server.address(), %error, "does not answer");
                    fails = true;
                    // A response above the router's limit is not a failure of the server. Neither
                    // is a client that has used up its share there.
                    let is_clients = matches!(
                        error,
                        FetchError::Http(
                            HttpError::ResponseTooLarge { .. } | HttpError::Overloaded { .. }
                        )
                    );
                    if !is_clients {
                        servers.failed(number);
                    }
                }
            }
        }
        let newest = self.upstreams.newest().version;
        let is_shown = wanted.version().is_some_and(|version| version <= newest);
        // A server that failed may keep the data.
        let elsewhere = elsewhere.filter(|_| !fails);
        let found = if is_shown {
            // A late server neither makes a version unknown that the router has sent, nor outvotes
            // the refusal of a server with that version.
            refused.or(elsewhere).or(late.filter(|_| !fails))
        } else {
            late.or(refused).or(elsewhere)
        };
        found.ok_or_else(no_server_answered)
    }

    /// Forwards a request to a server.
    ///
    /// Responses are counted as memory only when they are passed on to the client. Therefore the
    /// first attempt is limited to `SHORT` bytes. A longer response is requested again once the
    /// semaphore for large responses has a permit.
    fn receive(
        &self,
        server: &Remote,
        (path, posted, client): ClientRequest<'_>,
    ) -> Result<Reply, FetchError> {
        let longest = self.limits.response_bytes;
        match server.forward(path, posted, client, longest.min(SHORT)) {
            Err(FetchError::Http(HttpError::ResponseTooLarge { .. })) if longest > SHORT => {
                let _permit = self.semaphore.take();
                server.forward(path, posted, client, longest)
            }
            reply => reply,
        }
    }

    fn health(&self) -> String {
        let known = self.upstreams.servers.known();
        let reached = known.iter().filter(|(_, _, reached)| *reached).count();
        let status = if reached > 0 { "ok" } else { "no server" };
        let mut latest = Map::new();
        latest.insert(
            self.name.clone(),
            self.upstreams.newest().version.number().into(),
        );
        json!({ "status": status, "latest": latest, "servers": known.len(), "reached": reached })
            .to_string()
    }

    /// Returns the metrics of the router's own requests, and of the servers.
    fn text(&self) -> String {
        let mut text = self.metrics.text(core::iter::empty());
        let known = self.upstreams.servers.known();
        let gauges: [(&str, &str, Value); 3] = [
            (
                "pad_server_up",
                "Whether the server answered when it was last asked.",
                |_, is_up| u64::from(is_up),
            ),
            (
                "pad_server_oldest_version",
                "The oldest version that the server says it keeps.",
                |versions, _| versions.map_or(0, |versions| versions.oldest.number()),
            ),
            (
                "pad_server_latest_version",
                "The latest version that the server says it has.",
                |versions, _| versions.map_or(0, |versions| versions.latest.number()),
            ),
        ];
        for (name, help, value) in gauges {
            // Writing to a string does not fail.
            let _: core::fmt::Result = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge");
            for (server, versions, is_up) in &known {
                let (address, value) = (label(&server.address()), value(versions.as_ref(), *is_up));
                let _: core::fmt::Result = writeln!(text, "{name}{{server=\"{address}\"}} {value}");
            }
        }
        text
    }
}

impl Handler for Router {
    type Request = Request<()>;

    fn admit(&self, head: &Head) -> Result<Admission<Request<()>>, Answer> {
        let target = Target::of(head, |name| (name == self.name).then_some(()));
        let target = target.map_err(|refusal| self.refused(None, &refusal))?;
        if matches!(target, Target::Update(())) {
            // Refuse an update before its body is received.
            return Err(self.refused(Some(target.name()), &not_allowed()));
        }
        let work = match target {
            // Answered without a server.
            Target::Health
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
        let name = request.target.name();
        match self.answer(request, &body) {
            Ok(answer) => {
                let status = answer.status.as_u16();
                self.metrics.count(Some(name), status, answer.body.len());
                answer
            }
            Err(refusal) => self.refused(Some(name), &refusal),
        }
    }
}

impl Router {
    fn refused(&self, name: Option<&str>, refusal: &Refusal) -> Answer {
        let answer = refusal.answer();
        tracing::debug!(resource = name, code = refusal.code(), "refused");
        let status = answer.status.as_u16();
        self.metrics.count(name, status, answer.body.len());
        answer
    }
}

/// Returns the contents that a server must keep to serve `resource`.
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

/// Returns whether a path asks for names or notes of versions.
fn is_named(path: &str) -> bool {
    path.starts_with("names/") || path.starts_with("notes/")
}

/// Returns the content type of a resource. The router ignores the upstream's content type.
const fn content_type(resource: &Resource) -> &'static str {
    match resource {
        Resource::Public => TEXT,
        Resource::Versions | Resource::Notes(..) | Resource::Named(_) => OBJECT,
        _ => MESSAGE,
    }
}

/// Converts an upstream's reply to the router's response.
///
/// Nothing in it is verified. Caches therefore revalidate each use, and store no refusal.
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

/// Path, body of a POST, and address of the client.
type ClientRequest<'r> = (&'r str, Option<&'r [u8]>, Option<IpAddr>);

/// Maximum bytes of a response that is received without a permit for large responses.
const SHORT: usize = 1 << 20;

/// Computes the value of a gauge from a server's versions and whether the server is up.
type Value = fn(Option<&Versions>, bool) -> u64;

fn no_server_answered() -> Refusal {
    let text = "no server answers of those that may have it";
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "no_server", text)
}
