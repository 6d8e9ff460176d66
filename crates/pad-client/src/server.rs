//! One server of a dictionary: bytes, unchecked.

use std::net::IpAddr;

use pad::{KeyRange, PublicKey, Version, question::Question};
use serde_json::Map;
use web::client::{Address, HttpClient, HttpOptions, Posted, Reply, StatusCode, Verdict};

use crate::{
    fetch_error::FetchError,
    resource::{Resource, decoded, encoded},
};

/// A server of one dictionary.
#[derive(Clone, Debug)]
pub struct Server {
    http: HttpClient,
    /// The path of the dictionary, without a slash at its end.
    dictionary: String,
}

/// The versions that a server says it has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    /// The oldest one that can be asked about.
    pub oldest: Version,
    /// The latest.
    pub latest: Version,
    /// The last one that it is going to have, if it does not follow its author for ever: it has nothing to say about what
    /// is newest.
    pub until: Option<Version>,
    /// The keys that it has, if it does not have all of them.
    pub keys: Option<KeyRange>,
}

impl Versions {
    /// The object that says so.
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
        serde_json::Value::from(object).to_string()
    }

    /// What such an object says; `None` if it says no such thing.
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
        let (oldest, latest) = (number("oldest")?, number("latest")?);
        let is_ordered = oldest <= latest && until.is_none_or(|until| latest <= until);
        is_ordered.then_some(Self {
            oldest,
            latest,
            until,
            keys,
        })
    }
}

/// What became of an update that was pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pushed {
    /// The server has it, durably.
    Taken,
    /// The server has this very update since before.
    Known,
    /// The server is at another version than the one that the update follows.
    Gap {
        /// The latest version of the server.
        latest: Version,
    },
}

impl Server {
    /// The server of the dictionary at this address: `https://host:port/v1/dictionaries/NAME`, or
    /// `https://host:port` for one that has a single dictionary, which is then asked for its name.
    ///
    /// # Errors
    /// [`FetchError`].
    pub fn connect(address: &str, options: HttpOptions) -> Result<Self, FetchError> {
        let address = Address::parse(address)?;
        let http = HttpClient::new(address.origin(), options)?;
        let dictionary = match address.path() {
            "" => format!("{DICTIONARIES}/{}", only_name(&http)?),
            path => path.to_owned(),
        };
        Ok(Self { http, dictionary })
    }

    /// The same server, whose answers are waited for as long as may be; `None` if they are already.
    pub(crate) fn patient(&self) -> Option<Self> {
        if self.http.options().is_patient() {
            return None;
        }
        Some(Self {
            http: self.http.patient().ok()?,
            dictionary: self.dictionary.clone(),
        })
    }

    /// The dictionary's address.
    pub fn address(&self) -> String {
        format!("{}{}", self.http.address(), self.dictionary)
    }

    /// The bytes of a resource, at most so many.
    ///
    /// # Errors
    /// [`FetchError`].
    pub fn get(&self, resource: &Resource, most: usize) -> Result<Vec<u8>, FetchError> {
        let path = format!("{}/{}", self.dictionary, resource.path());
        if path.len() > LONGEST_PATH
            && let Resource::Answer(version, question) = resource
        {
            let path = format!("{}/answers/{version}", self.dictionary);
            let posted = Posted {
                content_type: CONTENT_TYPE,
                body: &question.encode(),
            };
            return self
                .http
                .post(&path, posted, most.max(LONGEST_REFUSAL), accepted);
        }
        self.http.get(&path, most.max(LONGEST_REFUSAL), accepted)
    }

    /// The key that it names as the author's, which nothing authenticates.
    ///
    /// # Errors
    /// [`FetchError`].
    pub fn public(&self) -> Result<PublicKey, FetchError> {
        let text = self.get(&Resource::Public, LONGEST_PUBLIC)?;
        let text = String::from_utf8(text).map_err(|_| FetchError::Unusable("public key"))?;
        PublicKey::from_text(&text).map_err(|_| FetchError::Unusable("public key"))
    }

    /// The versions that it says it has.
    ///
    /// # Errors
    /// [`FetchError`].
    pub fn versions(&self) -> Result<Versions, FetchError> {
        let bytes = self.get(&Resource::Versions, LONGEST_REFUSAL)?;
        Versions::from_json(&bytes).ok_or(FetchError::Unusable("versions"))
    }

    /// Whatever the server says to a request of `client` for a path under the dictionary's address.
    ///
    /// It is at most `most` bytes long. Something is posted if there is something to post.
    ///
    /// # Errors
    /// [`FetchError`] if there is no answer.
    pub fn forward(
        &self,
        path: &str,
        posted: Option<&[u8]>,
        client: Option<IpAddr>,
        most: usize,
    ) -> Result<Reply, FetchError> {
        let path = format!("{}/{path}", self.dictionary);
        let posted = posted.map(|body| Posted {
            content_type: CONTENT_TYPE,
            body,
        });
        let most = most.max(LONGEST_REFUSAL);
        Ok(self.http.forward(&path, posted, client, most)?)
    }

    /// The name under which the server has the dictionary.
    pub fn name(&self) -> &str {
        let (_, name) = self
            .dictionary
            .rsplit_once('/')
            .unwrap_or(("", &self.dictionary));
        name
    }

    /// Sends an update, which leads to this version. The server has it durably if it says so.
    ///
    /// It may be sent twice: the server answers as it answered the first time.
    ///
    /// # Errors
    /// [`FetchError`]; [`FetchError::Refused`] if the update is refused.
    pub fn push(&self, update: &[u8]) -> Result<Pushed, FetchError> {
        let posted = Posted {
            content_type: CONTENT_TYPE,
            body: update,
        };
        let path = format!("{}/updates", self.dictionary);
        self.http.post(&path, posted, LONGEST_REFUSAL, |reply| {
            Ok(Verdict::Done(match reply.status {
                StatusCode::CREATED => Pushed::Taken,
                StatusCode::OK => Pushed::Known,
                StatusCode::CONFLICT => match said(&reply) {
                    Said {
                        code,
                        latest: Some(latest),
                        ..
                    } if code == "version_gap" => Pushed::Gap { latest },
                    _ => return Err(refused(&reply)),
                },
                _ => return Err(refused(&reply)),
            }))
        })
    }
}

/// The name of the one dictionary that a server has.
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

/// Whether this can be the name of a dictionary in an address: at most 200 letters, digits, dots, hyphens and underscores of
/// ASCII, and no dot first.
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

/// What a refusal says, as far as it can be understood.
struct Said {
    code: String,
    text: String,
    latest: Option<Version>,
}

fn said(reply: &Reply) -> Said {
    let object: serde_json::Value = serde_json::from_slice(&reply.body).unwrap_or_default();
    let word = |name: &str| {
        let text = object.get(name).and_then(serde_json::Value::as_str);
        // It may end up in a terminal.
        let shown = text
            .unwrap_or_default()
            .chars()
            .filter(|letter| !letter.is_control());
        shown.take(LONGEST_WORDS).collect()
    };
    let latest = object.get("latest").and_then(serde_json::Value::as_u64);
    Said {
        code: word("error"),
        text: word("message"),
        latest: latest.map(Version::new),
    }
}

impl FetchError {
    /// What an answer says that grants nothing; `None` if it does grant something.
    pub fn in_reply(reply: &Reply) -> Option<Self> {
        (reply.status != StatusCode::OK).then(|| refused(reply))
    }
}

/// What an answer that grants nothing says.
fn refused(reply: &Reply) -> FetchError {
    let Said { code, text, .. } = said(reply);
    let status = reply.status.as_u16();
    FetchError::Refused { status, code, text }
}

/// Where a server has its dictionaries.
const DICTIONARIES: &str = "/v1/dictionaries";
/// The content type of messages.
const CONTENT_TYPE: &str = "application/octet-stream";
/// Longer addresses are not sent: the question is posted.
const LONGEST_PATH: usize = 8 << 10;
/// The letters that are shown of a server's words.
const LONGEST_WORDS: usize = 300;
const LONGEST_REFUSAL: usize = 64 << 10;
const LONGEST_LIST: usize = 1 << 20;
const LONGEST_PUBLIC: usize = 4 << 20;
/// The longest answer with several updates in bytes, unless the first of them is longer.
pub const LONGEST_PAGE: usize = 4 << 20;
