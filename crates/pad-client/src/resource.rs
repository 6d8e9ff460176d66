//! Paths of resources under a dictionary's address.

use authdict::{KeyRange, Question, Version, internals::version_notes::LONGEST_NAME};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use pad_core::{DecodeError, Key};

/// A resource of a dictionary on a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resource {
    /// The author's public key, as the text of its file; unauthenticated.
    Public,
    /// The signed head of the latest version.
    Head,
    /// The versions that the server keeps.
    Versions,
    /// The signed head of a version.
    HeadOf(Version),
    /// The signed heads of the versions from the first to the second, or as many as fit in one
    /// response.
    Heads(Version, Version),
    /// The answer to a question about a version.
    Answer(Version, Question),
    /// The beginning of a range in a version: as much as the answer to one page can prove.
    Page(Version, KeyRange),
    /// The versions in which a key changed, unproved. The server may return only the newest of
    /// these versions that it finds in one search.
    History(Key),
    /// The versions up to the given version in which a key changed, like [`Resource::History`].
    HistoryUntil(Version, Key),
    /// The proof that the head of the second version continues the head of the first, older
    /// version.
    Consistency(Version, Version),
    /// The proof that the second version of a log contains all entries of the first, older version.
    Growth(Version, Version),
    /// The proofs of the root and the history of the first, older version under the head of the
    /// second.
    Past(Version, Version),
    /// The update that produced a version.
    Update(Version),
    /// The updates that produced the versions from the first to the second, or as many as fit in
    /// one response.
    Updates(Version, Version),
    /// The notes on the versions from the first to the second, or as many as one response
    /// covers.
    Notes(Version, Version),
    /// The versions with this name; unverified.
    Named(String),
    /// A file that the server publishes next to the dictionary.
    File(String),
    /// The value of a key in a version, or in the latest version for `None`; unproved.
    Value(Option<Version>, Key),
}

/// Error returned when a path names no resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownPath {
    /// The path has none of the known forms.
    #[error("unknown path")]
    Unknown,
    /// The version is not a decimal number without leading zeros.
    #[error("the version is not a number")]
    Version,
    /// The question or name is not base64url without padding.
    #[error("the question is not in base64url without padding")]
    Base64,
    /// The question cannot be decoded.
    #[error("the question cannot be decoded: {0}")]
    Question(DecodeError),
    /// The key is not percent-encoded, or longer than any key.
    #[error("the key is too long, or not percent-encoded")]
    Key,
}

impl Resource {
    /// The names of all resources, each with its path and placeholders for the variable parts.
    pub const TEMPLATES: [(&'static str, &'static str); 18] = [
        ("public", "public"),
        ("head", "head"),
        ("versions", "versions"),
        ("head_of_version", "heads/{version}"),
        ("heads", "heads/{first}/{last}"),
        ("answer", "answers/{version}/{question}"),
        ("page", "pages/{version}/{question}"),
        ("history", "histories/{question}"),
        ("history_until", "histories/{version}/{question}"),
        ("consistency", "consistency/{older}/{newer}"),
        ("growth", "growth/{older}/{newer}"),
        ("past", "past/{older}/{newer}"),
        ("update", "updates/{version}"),
        ("updates", "updates/{first}/{last}"),
        ("notes", "notes/{first}/{last}"),
        ("named", "names/{label}"),
        ("file", "files/{path}"),
        ("value", "values/{key}"),
    ];

    /// Returns the name of this kind of resource, as in [`Resource::TEMPLATES`].
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Head => "head",
            Self::Versions => "versions",
            Self::HeadOf(_) => "head_of_version",
            Self::Heads(..) => "heads",
            Self::Answer(..) => "answer",
            Self::Page(..) => "page",
            Self::History(_) => "history",
            Self::HistoryUntil(..) => "history_until",
            Self::Consistency(..) => "consistency",
            Self::Growth(..) => "growth",
            Self::Past(..) => "past",
            Self::Update(_) => "update",
            Self::Updates(..) => "updates",
            Self::Notes(..) => "notes",
            Self::Named(_) => "named",
            Self::File(_) => "file",
            Self::Value(..) => "value",
        }
    }

    /// Returns the path under the dictionary's address, with the query of [`Resource::Value`].
    pub fn path(&self) -> String {
        match self {
            Self::Public => "public".into(),
            Self::Head => "head".into(),
            Self::Versions => "versions".into(),
            Self::HeadOf(version) => format!("heads/{version}"),
            Self::Heads(first, last) => format!("heads/{first}/{last}"),
            Self::Answer(version, question) => format!("answers/{version}/{}", encoded(question)),
            Self::Page(version, range) => {
                let range = encoded(&Question::Range(range.clone()));
                format!("pages/{version}/{range}")
            }
            Self::History(key) => format!("histories/{}", encoded(&Question::Key(key.clone()))),
            Self::HistoryUntil(version, key) => {
                let key = encoded(&Question::Key(key.clone()));
                format!("histories/{version}/{key}")
            }
            Self::Consistency(older, newer) => format!("consistency/{older}/{newer}"),
            Self::Growth(older, newer) => format!("growth/{older}/{newer}"),
            Self::Past(older, newer) => format!("past/{older}/{newer}"),
            Self::Update(version) => format!("updates/{version}"),
            Self::Updates(first, last) => format!("updates/{first}/{last}"),
            Self::Notes(first, last) => format!("notes/{first}/{last}"),
            Self::Named(name) => format!("names/{}", BASE64_URL_SAFE_NO_PAD.encode(name)),
            Self::File(path) => format!("files/{path}"),
            Self::Value(None, key) => format!("values/{}", percent_encoded(key)),
            Self::Value(Some(version), key) => {
                format!("values/{}?version={version}", percent_encoded(key))
            }
        }
    }

    /// Parses a path under the dictionary's address. Only the path of a value may have a query.
    ///
    /// # Errors
    /// [`UnknownPath`].
    pub fn parse(path: &str) -> Result<Self, UnknownPath> {
        if path.ends_with('/') {
            return Err(UnknownPath::Unknown);
        }
        let (path, query) = match path.split_once('?') {
            Some((path, query)) if path.starts_with(VALUES) => (path, Some(query)),
            _ => (path, None),
        };
        let (kind, rest) = path.split_once('/').unwrap_or((path, ""));
        let pair = |make: fn(Version, Version) -> Self| {
            let (first, second) = rest.split_once('/').ok_or(UnknownPath::Unknown)?;
            Ok(make(version(first)?, version(second)?))
        };
        let asked = || {
            let (at, question) = rest.split_once('/').ok_or(UnknownPath::Unknown)?;
            Ok((version(at)?, decoded(question)?))
        };
        Ok(match (kind, rest) {
            ("public", "") => Self::Public,
            ("head", "") => Self::Head,
            ("versions", "") => Self::Versions,
            ("heads", rest) if rest.contains('/') => pair(Self::Heads)?,
            ("heads", at) => Self::HeadOf(version(at)?),
            ("answers", _) => asked().map(|(at, question)| Self::Answer(at, question))?,
            ("pages", _) => match asked()? {
                (at, Question::Range(range)) => Self::Page(at, range),
                _ => return Err(UnknownPath::Unknown),
            },
            ("histories", rest) if rest.contains('/') => match asked()? {
                (last, Question::Key(key)) => Self::HistoryUntil(last, key),
                _ => return Err(UnknownPath::Unknown),
            },
            ("histories", question) => match decoded(question)? {
                Question::Key(key) => Self::History(key),
                _ => return Err(UnknownPath::Unknown),
            },
            ("consistency", _) => pair(Self::Consistency)?,
            ("growth", _) => pair(Self::Growth)?,
            ("past", _) => pair(Self::Past)?,
            ("updates", rest) if rest.contains('/') => pair(Self::Updates)?,
            ("updates", at) => Self::Update(version(at)?),
            ("notes", _) => pair(Self::Notes)?,
            ("names", name) if !name.is_empty() => Self::Named(label(name)?),
            ("files", path) if is_plain(path) => Self::File(path.to_owned()),
            ("values", key) if !key.is_empty() && !key.contains('/') => Self::Value(
                query.map(version_of_query).transpose()?,
                percent_decoded(key)?,
            ),
            _ => return Err(UnknownPath::Unknown),
        })
    }
}

/// Parses the query of a path of a value: `version=`, and a version.
fn version_of_query(query: &str) -> Result<Version, UnknownPath> {
    let number = query.strip_prefix("version=");
    version(number.ok_or(UnknownPath::Unknown)?)
}

/// Encodes a key as a segment of a path. The segments `.` and `..` are encoded too, because clients
/// remove them.
fn percent_encoded(key: &Key) -> String {
    let bytes = key.as_bytes();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let is_dots = bytes.iter().all(|byte| *byte == b'.');
    let encoded = |byte: &u8| match byte {
        byte if is_plain(*byte) && !is_dots => char::from(*byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    bytes.iter().map(encoded).collect()
}

/// Decodes a segment of a path as a key. Each byte may be encoded.
fn percent_decoded(text: &str) -> Result<Key, UnknownPath> {
    let (mut bytes, mut rest) = (Vec::new(), text.bytes());
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let mut digit = || char::from(rest.next()?).to_digit(16);
            let number = digit().and_then(|high| Some(high << 4 | digit()?));
            let number = number.and_then(|number| u8::try_from(number).ok());
            bytes.push(number.ok_or(UnknownPath::Key)?);
        } else {
            bytes.push(byte);
        }
    }
    Key::new(bytes).map_err(|_| UnknownPath::Key)
}

/// Beginning of the paths of values.
pub const VALUES: &str = "values/";

/// Decodes a version's name in a path.
fn label(text: &str) -> Result<String, UnknownPath> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(text);
    let name = String::from_utf8(bytes.map_err(|_| UnknownPath::Base64)?);
    let name = name.ok().filter(|name| name.len() <= LONGEST_NAME);
    name.ok_or(UnknownPath::Unknown)
}

/// Returns whether the path of a published file stays inside its folder, and names no hidden file.
fn is_plain(path: &str) -> bool {
    let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    path.len() <= LONGEST_FILE_PATH
        && path
            .split('/')
            .all(|part| !part.is_empty() && !part.starts_with('.') && part.bytes().all(is_usual))
}

const LONGEST_FILE_PATH: usize = 1024;

/// Parses a version number in its canonical form, so that each resource has exactly one path.
fn version(text: &str) -> Result<Version, UnknownPath> {
    let is_plain = text == "0" || !text.starts_with(['0', '+']);
    let number = text.parse().ok().filter(|_| is_plain);
    number.map(Version::new).ok_or(UnknownPath::Version)
}

pub(crate) fn encoded(question: &Question) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(question.encode())
}

pub(crate) fn decoded(text: &str) -> Result<Question, UnknownPath> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(text);
    let bytes = bytes.map_err(|_| UnknownPath::Base64)?;
    Question::decode(&bytes).map_err(UnknownPath::Question)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Resource> {
        let (older, newer) = (Version::new(3), Version::new(12));
        let key = Key::try_from("apple/\u{e9}").unwrap();
        let range = KeyRange {
            start: Some(key.clone()),
            end: None,
        };
        vec![
            Resource::Public,
            Resource::Head,
            Resource::Versions,
            Resource::HeadOf(newer),
            Resource::Heads(older, newer),
            Resource::Answer(Version::EMPTY, Question::Key(key.clone())),
            Resource::Page(newer, range),
            Resource::History(key.clone()),
            Resource::HistoryUntil(newer, key),
            Resource::Consistency(older, newer),
            Resource::Growth(older, newer),
            Resource::Past(older, newer),
            Resource::Update(newer),
            Resource::Updates(older, newer),
            Resource::Notes(older, newer),
            Resource::Named("2024-12-11 \u{e9}".into()),
            Resource::File("tile/0/x001/000".into()),
            Resource::Value(None, Key::from(b"a/b c\xff?%..")),
        ]
    }

    #[test]
    fn every_resource_has_one_path() {
        let names: Vec<_> = Resource::TEMPLATES.iter().map(|(name, _)| *name).collect();
        for (resource, (name, template)) in all().iter().zip(Resource::TEMPLATES) {
            let path = resource.path();
            assert_eq!(Resource::parse(&path).as_ref(), Ok(resource), "{path}");
            assert_eq!(resource.name(), name);
            assert_eq!(path.split('/').next(), template.split('/').next());
            assert!(Resource::parse(&format!("{path}/")).is_err(), "{path}/");
        }
        assert_eq!(names.len(), all().len());
    }

    #[test]
    fn nothing_is_at_other_paths() {
        for path in [
            "",
            "/",
            "heads",
            "heads/",
            "heads/01",
            "heads/+1",
            "heads/-1",
            "heads/1/2/3",
            "heads/1/",
            "Public",
            "heads/18446744073709551616",
            "answers/1",
            "answers/1/",
            "answers/1/=",
            "updates/1/2/3",
            "answers/1/UEFE",
            "values",
            "values/",
            "values/a/b",
            "values/%",
            "values/%4",
            "values/%4g",
            "values/%+1",
            "values/a?",
            "values/a?version=",
            "values/a?version=01",
            "values/a?version=1&version=2",
            "values/a?at=1",
            "values/?version=1",
            "head?version=1",
            "pages/1",
            "consistency/1",
            "notes/1",
            "names/",
            "names/=",
            "names/_w",
            "files/",
            "files/../key",
            "files/a//b",
            "files/.hidden",
            "files/a/..",
            "files/a%2fb",
            "histories/",
        ] {
            assert!(Resource::parse(path).is_err(), "{path}");
        }
        // The question in this path is not of the kind that the path requires.
        let range = encoded(&Question::Range(KeyRange::ALL));
        assert!(Resource::parse(&format!("histories/{range}")).is_err());
        assert!(Resource::parse(&format!("histories/3/{range}")).is_err());
        let key = encoded(&Question::Key(Key::default()));
        assert!(Resource::parse(&format!("pages/1/{key}")).is_err());
    }
}
