//! A router: passes questions to the servers that keep what they are about, and the answers back.

use core::time::Duration;
use std::{fmt::Write as _, net::IpAddr, sync::Arc};

use pad::{PublicKey, Version, question::Question};
use pad_client::{
    FetchError, HttpError, Reply, Resource, Server, Versions, Wanted, is_dictionary_name,
};
use serde_json::{Map, json};
use web::server::{
    Admission, Answer, Handler, Head, HeaderValue, Limits, StatusCode, Work, header,
};

use crate::{
    following::Following,
    metrics::Metrics,
    refusal::Refusal,
    reply::{Lasts, MESSAGE, OBJECT, TEXT, reply},
    request::{Request, Target, not_allowed},
    witness::label,
};

mod places;
mod upstreams;

use places::Places;
use upstreams::Upstreams;

/// Passes questions about one dictionary to servers that keep what they are about.
///
/// It knows what each server says that it keeps, asks those first that have said so, and the others when these fail or say that they do
/// not keep it. Of what is newest it says what a server has shown a signed head of, and never goes back. It verifies nothing else: what the
/// author has signed is for clients to check, and a server that lies does so through the router as well. Of two servers that keep the
/// same, each is asked in turn.
///
/// Updates are not taken: authors bring them to the servers.
#[derive(Debug)]
pub struct Router {
    name: String,
    upstreams: Arc<Upstreams>,
    limits: Limits,
    /// For long answers that are being received.
    places: Places,
    metrics: Metrics,
}

/// Why servers cannot stand behind one router.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotRouted {
    /// The name cannot stand in an address.
    #[error(
        "{0:?} is no name of a dictionary: letters, digits, dots, hyphens and underscores, and no dot first"
    )]
    Name(String),
    /// There is no server.
    #[error("no server is named")]
    NoServer,
    /// No key is given, and no server can be reached to name one.
    #[error("no server can be reached to name the author's key")]
    NoKey,
    /// Servers name different keys of the author's, or all of them another one than was given.
    #[error("{first} and {other} have dictionaries of different keys")]
    OtherKey {
        /// The address of one server.
        first: String,
        /// The address of one that names another key.
        other: String,
    },
}

impl Router {
    /// The router to servers of one dictionary, under this name. Answers keep to the limits of the server that it is for. The author's key is
    /// taken from the servers if it is not given; if it is, servers that name another one are left out, and the log says so.
    ///
    /// Servers that cannot be reached now are asked later.
    ///
    /// # Errors
    /// [`NotRouted`].
    pub fn new(
        name: String,
        servers: Vec<Server>,
        public: Option<PublicKey>,
        limits: Limits,
    ) -> Result<Self, NotRouted> {
        if !is_dictionary_name(&name) {
            return Err(NotRouted::Name(name));
        }
        Ok(Self {
            name,
            upstreams: Arc::new(Upstreams::new(servers, public)?),
            places: Places::new(
                limits
                    .answer_bytes
                    .checked_div(limits.response_bytes)
                    .unwrap_or(1),
            ),
            limits,
            metrics: Metrics::default(),
        })
    }

    /// Asks every server again and again what it keeps, with this pause; none waits for another.
    pub fn follow(&self, every: Duration) -> Vec<Following> {
        let numbers = 0..self.upstreams.servers.all().len();
        let follow = |number| {
            let upstreams = Arc::clone(&self.upstreams);
            let mut failed = false;
            Following::begin(every, move || {
                let fails = upstreams.refresh(number).err();
                let server = upstreams.servers.all().get(number).map(Server::address);
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
        let plain = |kind, text: String| Ok(reply(kind, text.into_bytes(), Lasts::Once, known));
        match request.target {
            Target::Health => plain(OBJECT, self.health()),
            Target::Metrics => plain(TEXT, self.text()),
            Target::List => plain(OBJECT, json!([self.name]).to_string()),
            Target::Get((), Resource::Versions) => {
                let object = self.upstreams.versions().to_json();
                Ok(reply(OBJECT, object.into_bytes(), Lasts::Moment, known))
            }
            Target::Get((), resource @ (Resource::Head | Resource::HeadOf(_))) => {
                let newest = self.upstreams.newest();
                let lasts = match resource {
                    Resource::HeadOf(version) if version != newest.version => {
                        let path = resource.path();
                        let reply = self.forward(Wanted::HeadOf(version), (&path, None, client))?;
                        if version > newest.version && reply.status == StatusCode::OK {
                            // The client has followed a server that is ahead of this router.
                            drop(self.upstreams.learn(version, reply.body.clone()));
                        }
                        return Ok(passed_on(reply, MESSAGE, known));
                    }
                    Resource::HeadOf(_) => Lasts::Forever,
                    _ => Lasts::Moment,
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
                // What is no question costs no server anything.
                let question = Question::decode(body).map_err(|error| {
                    Refusal::new(StatusCode::BAD_REQUEST, "unreadable_question", error)
                })?;
                let path = format!("answers/{version}");
                let reply = self.forward(
                    Wanted::Answer(version, &question),
                    (&path, Some(body), client),
                )?;
                Ok(passed_on(reply, MESSAGE, known))
            }
            Target::Update(()) => Err(not_allowed()),
        }
    }

    /// What the first server says that has it, or has something to say about it that others would say too.
    fn forward(&self, wanted: Wanted<'_>, asked: ClientRequest<'_>) -> Result<Reply, Refusal> {
        let servers = &self.upstreams.servers;
        servers.turn();
        let (mut elsewhere, mut late, mut fails) = (None, None, false);
        let mut refused: Option<Reply> = None;
        for (number, server) in servers.order(wanted) {
            match self.receive(server, asked) {
                Ok(reply) => match FetchError::in_reply(&reply) {
                    Some(error) if error.is_elsewhere() => {
                        // So that it is not asked in vain again.
                        drop(self.upstreams.refresh(number));
                        elsewhere = elsewhere.or(Some(reply));
                    }
                    // It is late, or publishes no such file.
                    Some(error) if error.is("unknown_version") || error.is("unknown_file") => {
                        late = Some(reply);
                    }
                    // It knows no names; another one may.
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
                    // A response above the router's limit is no failure of the server. Neither is a
                    // client that has used up its share there.
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
        // A server that fails may be the one that has it.
        let elsewhere = elsewhere.filter(|_| !fails);
        let found = if is_shown {
            // A late server does not make a version unknown that the router has shown, nor outvote
            // the refusal of a server that has it.
            refused.or(elsewhere).or(late.filter(|_| !fails))
        } else {
            late.or(refused).or(elsewhere)
        };
        found.ok_or_else(nobody)
    }

    /// What a server says. Answers are counted only when they are passed on, so short ones have a limit that all that are received at
    /// a time can have, and long ones are asked for again when there is a place for one.
    fn receive(
        &self,
        server: &Server,
        (path, posted, client): ClientRequest<'_>,
    ) -> Result<Reply, FetchError> {
        let longest = self.limits.response_bytes;
        match server.forward(path, posted, client, longest.min(SHORT)) {
            Err(FetchError::Http(HttpError::ResponseTooLarge { .. })) if longest > SHORT => {
                let _place = self.places.take();
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

    /// The metrics of its own requests, and of the servers.
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
            // Before it has come.
            return Err(self.refused(Some(target.name()), &not_allowed()));
        }
        let work = match target {
            // What the router itself knows.
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

/// What a server has to keep to have this.
fn wanted(resource: &Resource) -> Wanted<'_> {
    match resource {
        Resource::HeadOf(version)
        | Resource::Heads(_, version)
        | Resource::Consistency(_, version)
        | Resource::Past(_, version) => Wanted::HeadOf(*version),
        Resource::Answer(version, question) => Wanted::Answer(*version, question),
        Resource::Page(version, range) => Wanted::Page(*version, range),
        Resource::Growth(_, version) => Wanted::ContentsOf(*version),
        Resource::Update(version) | Resource::Updates(version, _) => Wanted::UpdateTo(*version),
        _ => Wanted::Newest,
    }
}

/// Whether names of versions are asked for, or what is said of these.
fn is_named(path: &str) -> bool {
    path.starts_with("names/") || path.starts_with("notes/")
}

/// The content type of a resource, which the router sets itself.
const fn content_type(resource: &Resource) -> &'static str {
    match resource {
        Resource::Public => TEXT,
        Resource::Versions | Resource::Notes(..) | Resource::Named(_) => OBJECT,
        _ => MESSAGE,
    }
}

/// The router's response from an upstream's. Nothing in it is verified: caches revalidate each
/// use, and store no refusal.
fn passed_on(reply: Reply, content_type: &'static str, known: Option<&HeaderValue>) -> Answer {
    if reply.status == StatusCode::OK {
        return self::reply(content_type, reply.body, Lasts::Once, known);
    }
    let wait = reply.headers.get(header::RETRY_AFTER).cloned();
    let refusal = Answer::new(reply.status, OBJECT, reply.body);
    let refusal = refusal.with(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    match wait {
        Some(wait) => refusal.with(header::RETRY_AFTER, wait),
        None => refusal,
    }
}

/// Path, what is posted, and the client that asks.
type ClientRequest<'r> = (&'r str, Option<&'r [u8]>, Option<IpAddr>);

/// Answers of at most so many bytes are received without a place of their own.
const SHORT: usize = 1 << 20;

/// What a gauge shows of a server.
type Value = fn(Option<&Versions>, bool) -> u64;

fn nobody() -> Refusal {
    let text = "none of the servers that may have it answers";
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "no_server", text)
}
