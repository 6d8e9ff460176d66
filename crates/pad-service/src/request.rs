//! Routing of requests by method and path.

use std::net::IpAddr;

use authdict::{Question, Version};
use pad_client::internals::{LONGEST_DELIVERY, Resource, VALUES};
use pad_core::internals::SIGNATURE_LENGTH;
use pad_web::server::{ClientAddress, Head, HeaderValue, Method, StatusCode, Work, header};

use crate::{refusal::Refusal, served::ServedDictionary};

/// A request about the server or about a dictionary. `D` is the type to which a dictionary's name
/// is resolved.
#[derive(Debug)]
pub struct Request<D> {
    pub(crate) target: Target<D>,
    /// Entity tags that the client sent in `If-None-Match`.
    pub(crate) if_none_match: Option<HeaderValue>,
    pub(crate) client: Option<IpAddr>,
    /// Whether the method is HEAD, so that only the head of the response is sent.
    pub(crate) is_head: bool,
}

/// Target of a request. `D` is the type of a resolved dictionary.
#[derive(Debug)]
pub(crate) enum Target<D> {
    /// The root path: a page for people.
    Index,
    /// Health of the server.
    Health,
    /// Metrics of the server.
    Metrics,
    /// Description of the HTTP interface.
    Description,
    /// Names of the dictionaries.
    List,
    /// A resource of a dictionary.
    Get(D, Resource),
    /// The answer, about a version, to the question in the request body.
    Ask(D, Version),
    /// The update in the request body, to be applied.
    Update(D),
    /// The notes on versions in the request body, to be stored.
    Notes(D),
}

/// Routes other than [`Resource::TEMPLATES`]: name, method and path.
pub const ROUTES: [(&str, &str, &str); 8] = [
    ("index", "get", "/"),
    ("health", "get", "/health"),
    ("metrics", "get", "/metrics"),
    ("openapi", "get", "/openapi.json"),
    ("list", "get", "/v1/dictionaries"),
    ("ask", "post", "/v1/dictionaries/{name}/answers/{version}"),
    ("push", "post", "/v1/dictionaries/{name}/updates"),
    ("push_notes", "post", "/v1/dictionaries/{name}/notes"),
];

/// Routes of a witness other than `health` and `metrics`: name, method and path. Paths are below
/// the witness's prefix. `{origin}` is the SHA-256 of a log's origin in hexadecimal digits.
pub const WITNESS_ROUTES: [(&str, &str, &str); 2] = [
    ("add_checkpoint", "post", ADD_CHECKPOINT),
    ("cosigned_checkpoint", "get", "/{origin}/checkpoint"),
];

/// Path of the protocol `tlog-witness` at which a witness takes checkpoints.
pub(crate) const ADD_CHECKPOINT: &str = "/add-checkpoint";

/// Path prefix of all dictionaries.
pub(crate) const DICTIONARIES: &str = "/v1/dictionaries";

impl<D> Target<D> {
    /// Parses the target from the head of a request. `dictionary` resolves the name of a
    /// dictionary, and returns `None` for an unknown name.
    pub(crate) fn of(
        head: &Head,
        dictionary: impl FnOnce(&str) -> Option<D>,
    ) -> Result<Self, Refusal> {
        let unknown = || Refusal::not_found("unknown_path", "unknown path");
        let path = head.uri.path();
        let is_get = head.method == Method::GET || head.method == Method::HEAD;
        if !is_get && head.method != Method::POST {
            return Err(not_allowed());
        }
        let Some(rest) = path.strip_prefix(DICTIONARIES) else {
            return match (path, is_get) {
                ("/", true) => Ok(Self::Index),
                ("/health", true) => Ok(Self::Health),
                ("/metrics", true) => Ok(Self::Metrics),
                ("/openapi.json", true) => Ok(Self::Description),
                ("/" | "/health" | "/metrics" | "/openapi.json", false) => Err(not_allowed()),
                _ => Err(unknown()),
            };
        };
        if rest.is_empty() {
            return if is_get {
                Ok(Self::List)
            } else {
                Err(not_allowed())
            };
        }
        let rest = rest.strip_prefix('/').ok_or_else(unknown)?;
        let (name, path) = rest.split_once('/').ok_or_else(unknown)?;
        let dictionary = dictionary(name).ok_or_else(|| {
            Refusal::not_found("unknown_dictionary", "there is no such dictionary")
        })?;
        if is_get {
            let resource = match head.uri.query() {
                Some(query) if path.starts_with(VALUES) => {
                    Resource::parse(&format!("{path}?{query}"))?
                }
                _ => Resource::parse(path)?,
            };
            return Ok(Self::Get(dictionary, resource));
        }
        match path.split_once('/') {
            None if path == "updates" => Ok(Self::Update(dictionary)),
            None if path == "notes" => Ok(Self::Notes(dictionary)),
            Some(("answers", version)) => {
                // The version is parsed like the version in the path of a GET request.
                match Resource::parse(&format!("heads/{version}"))? {
                    Resource::HeadOf(version) => Ok(Self::Ask(dictionary, version)),
                    _ => Err(unknown()),
                }
            }
            _ if Resource::parse(path).is_ok() => Err(not_allowed()),
            _ => Err(unknown()),
        }
    }

    /// Returns the name of the route, as in [`ROUTES`], or of the resource, as in
    /// [`Resource::TEMPLATES`].
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Health => "health",
            Self::Metrics => "metrics",
            Self::Description => "openapi",
            Self::List => "list",
            Self::Get(_, resource) => resource.name(),
            Self::Ask(..) => "ask",
            Self::Update(_) => "push",
            Self::Notes(_) => "push_notes",
        }
    }

    /// Returns the maximum bytes of the request body. `updates` is the limit for a body with an
    /// update.
    pub(crate) fn body_bytes(&self, updates: usize) -> usize {
        match self {
            Self::Update(_) => updates,
            Self::Notes(_) => LONGEST_NOTES.min(updates),
            Self::Ask(..) => authdict::internals::LONGEST_QUESTION,
            Self::Index
            | Self::Health
            | Self::Metrics
            | Self::Description
            | Self::List
            | Self::Get(..) => 0,
        }
    }
}

/// Maximum bytes of a page of notes with its signature.
const LONGEST_NOTES: usize = LONGEST_DELIVERY + SIGNATURE_LENGTH;

impl Target<ServedDictionary> {
    /// Returns the expected duration of the work.
    ///
    /// If the dictionary answers at once, look-ups of one key and the requests that every client
    /// sends first are brief. They take no longer than a thread switch.
    pub(crate) fn work(&self) -> Work {
        match self {
            Self::Get(
                dictionary,
                Resource::Public
                | Resource::Versions
                | Resource::Head
                | Resource::HeadOf(_)
                | Resource::Answer(_, Question::Key(_)),
            ) if dictionary.answers_at_once() => Work::Brief,
            _ => Work::Long,
        }
    }
}

impl<D> Request<D> {
    /// Creates a request for `target` from the request's head.
    pub(crate) fn new(target: Target<D>, head: &Head) -> Self {
        let if_none_match = head.headers.get(header::IF_NONE_MATCH).cloned();
        Self {
            target,
            if_none_match,
            client: client_of(head),
            is_head: head.method == Method::HEAD,
        }
    }
}

/// Returns the address of the client that sent a request.
pub(crate) fn client_of(head: &Head) -> Option<IpAddr> {
    head.extensions
        .get::<ClientAddress>()
        .map(|client| client.0)
}

pub(crate) fn not_allowed() -> Refusal {
    let text = "use GET or HEAD, or POST for updates, notes and questions";
    Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", text)
}
