//! Unverified access to one server of a dictionary.

use std::{net::IpAddr, str::FromStr};

use authdict::{KeyRange, PublicKey, Question, Version};
use pad_web::client::{Address, HttpClient, HttpOptions, PostBody, Reply, StatusCode, Verdict};
use serde_json::Map;

use crate::{
    fetch_error::FetchError,
    resource::{Resource, decoded, encoded},
};

/// A handle of one dictionary on one server. It does not verify responses.
#[derive(Clone, Debug)]
pub struct Remote {
    http: HttpClient,
    /// The path of the dictionary, without a trailing slash.
    dictionary: String,
}

/// The versions that a server claims to keep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    /// The oldest version that the server answers queries about.
    pub oldest: Version,
    /// The latest version of the server.
    pub latest: Version,
    /// The last version that the server will ever store, if it does not follow the author
    /// indefinitely. Such a server cannot report the latest version of the dictionary.
    pub until: Option<Version>,
    /// The range of keys that the server keeps; `None` if it keeps all keys.
    pub keys: Option<KeyRange>,
    /// The number of versions that the server has notes on, such as names and dates; `None` if the
    /// server does not state it.
    pub notes: Option<u64>,
}

impl Versions {
    /// Encodes the versions as a JSON object.
    #[doc(hidden)]
    pub fn to_json(&self) -> String {
        let (oldest, latest) = (self.oldest.number(), self.latest.number());
        let mut object = Map::new();
        object.insert("oldest".into(), oldest.into());
        object.insert("latest".into(), latest.into());
        if let Some(until) = self.until {
            object.insert("until".into(), until.number().into());
        }
        if let Some(keys) = &self.keys {
            let keys = encoded(&Question::Range(keys.clone()));
            object.insert("keys".into(), keys.into());
        }
        if let Some(notes) = self.notes {
            object.insert("notes".into(), notes.into());
        }
        serde_json::Value::from(object).to_string()
    }

    /// Decodes the result of [`Versions::to_json`]; returns `None` if it is malformed.
    pub(crate) fn from_json(bytes: &[u8]) -> Option<Self> {
        let object: serde_json::Value = serde_json::from_slice(bytes).ok()?;
        let number = |name| object.get(name)?.as_u64().map(Version::new);
        let until = match object.get("until") {
            None => None,
            Some(_) => Some(number("until")?),
        };
        let keys = match object.get("keys") {
            None => None,
            Some(keys) => match decoded(keys.as_str()?) {
                Ok(Question::Range(keys)) if keys.is_valid() => Some(keys),
                _ => return None,
            },
        };
        let notes = match object.get("notes") {
            None => None,
            Some(notes) => Some(notes.as_u64()?),
        };
        let (oldest, latest) = (number("oldest")?, number("latest")?);
        let is_ordered = oldest <= latest && until.is_none_or(|until| latest <= until);
        is_ordered.then_some(Self {
            oldest,
            latest,
            until,
            keys,
            notes,
        })
    }
}

/// The outcome of a pushed update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PushOutcome {
    /// The server has stored the update durably.
    Taken,
    /// The server had already stored this update.
    Known,
    /// The update's previous version is not the server's latest version.
    Gap {
        /// The latest version of the server.
        latest: Version,
    },
}

/// The outcome of delivered version notes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NotesOutcome {
    /// The number of notes that were new to the server.
    pub taken: u64,
    /// The number of versions of which the server keeps another note.
    pub different: u64,
}

/// Parses an address. Uses the default options, which trust the system's certificates only.
impl FromStr for Remote {
    type Err = FetchError;

    fn from_str(address: &str) -> Result<Self, FetchError> {
        Self::connect(address, HttpOptions::default())
    }
}

impl Remote {
    /// Creates a handle of the dictionary at `https://host:port/v1/dictionaries/NAME`, or at
    /// `https://host:port` for a server with a single dictionary.
    ///
    /// Sends a request only if `address` has no path: it requests the dictionary's name.
    ///
    /// # Errors
    /// [`FetchError::Http`] if `address` or `options` are invalid. Without a path,
    /// [`FetchError::Several`] unless the server has one dictionary, or another [`FetchError`].
    pub fn connect(address: &str, options: HttpOptions) -> Result<Self, FetchError> {
        let address = Address::parse(address)?;
        let http = HttpClient::new(address.origin(), options)?;
        let dictionary = match address.path() {
            "" => format!("{DICTIONARIES}/{}", only_name(&http)?),
            path => path.to_owned(),
        };
        Ok(Self { http, dictionary })
    }

    /// Creates a handle that waits for responses as long as the HTTP option `transfer` allows.
    /// Returns `None` if this handle already waits that long, or if the new handle cannot be
    /// created.
    pub(crate) fn patient(&self) -> Option<Self> {
        if self.http.options().is_patient() {
            return None;
        }
        Some(Self {
            http: self.http.patient().ok()?,
            dictionary: self.dictionary.clone(),
        })
    }

    /// Returns the dictionary's address, without user and password.
    pub fn address(&self) -> String {
        format!("{}{}", self.http.address(), self.dictionary)
    }

    /// Fetches a resource of at most `most` bytes, or of at most 64 KiB if `most` is smaller.
    ///
    /// # Errors
    /// [`FetchError`].
    #[doc(hidden)]
    pub fn get(&self, resource: &Resource, most: usize) -> Result<Vec<u8>, FetchError> {
        let path = format!("{}/{}", self.dictionary, resource.path());
        #[cfg(feature = "tracing")]
        let _entered =
            tracing::debug_span!("request", server = self.address(), path = %path).entered();
        let most = most.max(LONGEST_REFUSAL);
        let Some((version, question)) = posted(&path, resource) else {
            return self.http.get(&path, most, accepted);
        };
        self.ask(version, &question.encode(), most)
    }

    /// Posts the encoded `question` about a version, and returns the answer of at most `most`
    /// bytes, or of at most 64 KiB if `most` is smaller.
    ///
    /// # Errors
    /// [`FetchError`].
    #[doc(hidden)]
    pub fn ask(
        &self,
        version: Version,
        question: &[u8],
        most: usize,
    ) -> Result<Vec<u8>, FetchError> {
        let path = format!("{}/answers/{version}", self.dictionary);
        let most = most.max(LONGEST_REFUSAL);
        self.http.post(&path, message(question), most, accepted)
    }

    /// The line of the HTTP request for a resource, with the whole address. For a posted question,
    /// the address is the one that a shorter question would have.
    pub(crate) fn request_line(&self, resource: &Resource) -> String {
        let path = format!("{}/{}", self.dictionary, resource.path());
        let method = posted(&path, resource).map_or("GET", |_| "POST");
        format!("{method} {}/{}", self.address(), resource.path())
    }

    /// Fetches the author's public key from the server. The key is not authenticated.
    ///
    /// # Errors
    /// [`FetchError`].
    pub fn public(&self) -> Result<PublicKey, FetchError> {
        let text = self.get(&Resource::Public, LONGEST_PUBLIC)?;
        let text = String::from_utf8(text).map_err(|_| FetchError::Unusable("public key"))?;
        PublicKey::from_text(&text).map_err(|_| FetchError::Unusable("public key"))
    }

    /// Fetches the versions that the server claims to keep.
    ///
    /// # Errors
    /// [`FetchError`].
    pub fn versions(&self) -> Result<Versions, FetchError> {
        let bytes = self.get(&Resource::Versions, LONGEST_REFUSAL)?;
        Versions::from_json(&bytes).ok_or(FetchError::Unusable("versions"))
    }

    /// Forwards the request of a client with the address `client` to this server, and returns the
    /// response. `path` is relative to the dictionary's address.
    ///
    /// The response has at most `most` bytes, or at most 64 KiB if `most` is smaller. The request
    /// is a POST if `posted` is given.
    ///
    /// # Errors
    /// [`FetchError`] if there is no response, or an unusable response.
    #[doc(hidden)]
    pub fn forward(
        &self,
        path: &str,
        posted: Option<&[u8]>,
        client: Option<IpAddr>,
        most: usize,
    ) -> Result<Reply, FetchError> {
        let path = format!("{}/{path}", self.dictionary);
        let posted = posted.map(message);
        let most = most.max(LONGEST_REFUSAL);
        Ok(self.http.forward(&path, posted, client, most)?)
    }

    /// Returns the dictionary's name, which is the last segment of its path.
    pub fn name(&self) -> &str {
        let (_, name) = self
            .dictionary
            .rsplit_once('/')
            .unwrap_or(("", &self.dictionary));
        name
    }

    /// Sends an update to the server. [`PushOutcome::Taken`] and [`PushOutcome::Known`] mean that
    /// the server has stored the update durably. [`PushOutcome::Gap`] means that the server has not
    /// stored it.
    ///
    /// The request may be sent twice, but takes effect once. The repeated request returns
    /// [`PushOutcome::Known`].
    ///
    /// # Errors
    /// [`FetchError`]; [`FetchError::Refused`] if the update is refused.
    pub fn push(&self, update: &[u8]) -> Result<PushOutcome, FetchError> {
        let (path, posted) = (format!("{}/updates", self.dictionary), message(update));
        self.http.post(&path, posted, LONGEST_REFUSAL, |reply| {
            Ok(Verdict::Done(match reply.status {
                StatusCode::CREATED => PushOutcome::Taken,
                StatusCode::OK => PushOutcome::Known,
                StatusCode::CONFLICT => match said(&reply.body) {
                    RefusalBody {
                        code,
                        latest: Some(latest),
                        ..
                    } if code == "version_gap" => PushOutcome::Gap { latest },
                    _ => return Err(refused(&reply)),
                },
                _ => return Err(refused(&reply)),
            }))
        })
    }

    /// Sends a page of version notes that the author signed for delivery.
    ///
    /// # Errors
    /// [`FetchError`]; [`FetchError::Refused`] if the page is refused.
    #[doc(hidden)]
    pub fn push_notes(&self, signed: &[u8]) -> Result<NotesOutcome, FetchError> {
        let (path, posted) = (format!("{}/notes", self.dictionary), message(signed));
        let reply = self.http.post(&path, posted, LONGEST_REFUSAL, accepted)?;
        let object: Option<serde_json::Value> = serde_json::from_slice(&reply).ok();
        let number = |name| object.as_ref()?.get(name)?.as_u64();
        let outcome = number("taken").zip(number("different"));
        let (taken, different) = outcome.ok_or(FetchError::Unusable("outcome"))?;
        Ok(NotesOutcome { taken, different })
    }
}

/// Returns the body of a POST request with a message.
const fn message(body: &[u8]) -> PostBody<'_> {
    PostBody {
        content_type: CONTENT_TYPE,
        body,
    }
}

/// Fetches the name of the server's only dictionary.
fn only_name(http: &HttpClient) -> Result<String, FetchError> {
    let bytes = http.get(DICTIONARIES, LONGEST_LIST, accepted)?;
    let list: Result<Vec<String>, _> = serde_json::from_slice(&bytes);
    let list = list.map_err(|_| FetchError::Unusable("list of dictionaries"))?;
    match list.as_slice() {
        [name] if is_dictionary_name(name) => Ok(name.clone()),
        names => {
            let names: Vec<_> = names
                .iter()
                .filter(|name| is_dictionary_name(name))
                .take(10)
                .collect();
            Err(FetchError::Several(format!(
                "add {DICTIONARIES}/NAME to its address, NAME being one of {names:?}"
            )))
        }
    }
}

/// Returns whether `name` is a valid dictionary name in an address.
///
/// Valid names have 1 to 200 ASCII letters, digits, dots, hyphens and underscores, and do not begin
/// with a dot.
pub fn is_dictionary_name(name: &str) -> bool {
    let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    !name.is_empty() && name.len() <= 200 && !name.starts_with('.') && name.bytes().all(is_usual)
}

fn accepted(reply: Reply) -> Result<Verdict<Vec<u8>>, FetchError> {
    match reply.status {
        StatusCode::OK => Ok(Verdict::Done(reply.body)),
        _ => Err(refused(&reply)),
    }
}

/// The JSON body of an error response, without its other fields. A generic JSON value would need a
/// hundred times the memory of a hostile body.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct RefusalObject {
    error: String,
    message: String,
    latest: Option<u64>,
}

/// The checked contents of a [`RefusalObject`].
struct RefusalBody {
    code: String,
    text: String,
    latest: Option<Version>,
}

fn said(body: &[u8]) -> RefusalBody {
    let body = Some(body).filter(|body| body.len() <= LONGEST_REFUSAL);
    let object = body.and_then(|body| serde_json::from_slice::<RefusalObject>(body).ok());
    let RefusalObject {
        error,
        message,
        latest,
    } = object.unwrap_or_default();
    let word = |text: String| {
        // Control characters are removed, because the text may be printed to a terminal.
        let shown = text.chars().filter(|letter| !letter.is_control());
        shown.take(LONGEST_WORDS).collect()
    };
    RefusalBody {
        code: word(error),
        text: word(message),
        latest: latest.map(Version::new),
    }
}

impl FetchError {
    /// Returns the error that a response reports; `None` if its status is 200.
    #[doc(hidden)]
    pub fn in_reply(reply: &Reply) -> Option<Self> {
        (reply.status != StatusCode::OK).then(|| refused(reply))
    }
}

/// Parses the error in an error response.
fn refused(reply: &Reply) -> FetchError {
    let RefusalBody { code, text, .. } = said(&reply.body);
    let status = reply.status.as_u16();
    FetchError::Refused { status, code, text }
}

/// Path of the list of dictionaries.
const DICTIONARIES: &str = "/v1/dictionaries";
/// Content type of messages.
const CONTENT_TYPE: &str = "application/octet-stream";
/// Returns the version and the question of an answer if its path is too long for a GET request.
fn posted<'r>(path: &str, resource: &'r Resource) -> Option<(Version, &'r Question)> {
    match resource {
        Resource::Answer(version, question) if path.len() > LONGEST_PATH => {
            Some((*version, question))
        }
        _ => None,
    }
}

/// Maximum length of a request path in bytes. A question that makes the path longer is sent with
/// POST.
const LONGEST_PATH: usize = 8 << 10;
/// Maximum number of characters of a server's message that are displayed.
const LONGEST_WORDS: usize = 300;
const LONGEST_REFUSAL: usize = 64 << 10;
const LONGEST_LIST: usize = 1 << 20;
const LONGEST_PUBLIC: usize = 4 << 20;
/// Maximum total length, in bytes, of the updates in one response. The first update may be longer.
pub const LONGEST_PAGE: usize = 4 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notes::{notes_from_json, page_from_json};

    /// Returns the JSON of `elements` small objects: as a generic value, a hundred times as large.
    fn hostile(elements: usize) -> Vec<u8> {
        format!("[{}0]", "{\"\":0},".repeat(elements)).into_bytes()
    }

    #[test]
    fn hostile_json_takes_little_memory() {
        let (short, long) = (hostile(9_000), hostile(200_000));
        let nested = |body: &[u8]| {
            let body = String::from_utf8_lossy(body);
            format!("{{\"error\":\"unknown_version\",\"detail\":{body}}}").into_bytes()
        };
        let (nested_short, nested_long) = (nested(&short), nested(&long));
        let refusals = [&short, &nested_short, &long, &nested_long];
        let version = Version::new;
        let note = br#"[{"version":1,"name":null,"time":1,"changes":1,"entries":1,"other":"#;
        let notes = [&note[..], &long, b"}]"].concat();
        let measured = allocation_counter::measure(|| {
            for body in refusals {
                said(body);
            }
            for body in [&long, &notes] {
                notes_from_json(body, version(1), version(4));
                page_from_json(body);
            }
        });
        assert!(measured.bytes_max < 64 << 10, "{measured:?}");
        assert_eq!(said(refusals[1]).code, "unknown_version");
        assert!(page_from_json(&notes).is_some());
    }
}
