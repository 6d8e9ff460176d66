//! A session with one server, whose responses are kept as evidence until they are verified.

use core::cell::RefCell;
use std::{
    io,
    path::{Path, PathBuf},
};

use authdict::{
    Heads, KeyRange, PublicKey, Question, Source, Version, VersionNotes,
    evidence::{MOST_FILES, keep},
    internals::exchange::{decode_history, decode_list},
};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use pad_core::{Key, Untrusted};
use pad_tree::KeyHistory;

use crate::{
    fetch_error::FetchError,
    incident::{Exchange, Fault, Incident, Unusable, keep_record},
    notes::{last_of_page, notes_from_json, versions_from_json},
    remote::{Remote, Versions},
    resource::Resource,
};

/// A series of requests to one server. The server's latest version is requested at most once.
/// Successful responses are kept as evidence of a lie until [`ServerSession::forget`].
#[derive(Debug)]
pub struct ServerSession<'s> {
    server: &'s Remote,
    /// The versions that the server claims to keep; empty if they were not requested.
    versions: Versions,
    said: RefCell<Vec<Exchange>>,
}

impl<'s> ServerSession<'s> {
    /// Creates a session without requesting the latest version.
    pub fn new(server: &'s Remote) -> Self {
        Self {
            server,
            versions: Versions::default(),
            said: RefCell::default(),
        }
    }

    /// Creates a session, and requests the versions that the server keeps.
    ///
    /// # Errors
    /// [`FetchError`].
    pub fn latest(server: &'s Remote) -> Result<Self, FetchError> {
        let versions = server.versions()?;
        let session = Self {
            versions,
            ..Self::new(server)
        };
        let said = session.versions.to_json();
        session.note(&Resource::Versions, said.as_bytes());
        Ok(session)
    }

    /// Returns the latest version that the server claims to keep; [`Version::EMPTY`] if it was not
    /// requested.
    pub const fn latest_version(&self) -> Version {
        self.versions.latest
    }

    /// Returns the versions that the server claims to keep.
    pub const fn versions(&self) -> &Versions {
        &self.versions
    }

    /// Returns the server.
    pub const fn server(&self) -> &'s Remote {
        self.server
    }

    /// Ends the session, and returns the incident for the fault in `unusable`. Stores evidence
    /// against the author in a file next to `base`. If a response does not verify, also stores the
    /// exchanges in another file.
    ///
    /// If a file cannot be written, the incident states the reason.
    pub fn failed(self, unusable: Unusable, base: Option<&Path>) -> Incident {
        let Unusable { fault, evidence } = unusable;
        let server = self.server.address();
        let is_lost = evidence.is_some() && base.is_none();
        let kept = base.zip(evidence);
        let kept = kept.map(|(base, bytes)| keep(base, ".evidence", &bytes, MOST_FILES));
        let reason = match &fault {
            // A server that is silent or behind may be honest, so no record is kept.
            Fault::Silent(_) | Fault::Behind(_) => None,
            Fault::Lied(reason) | Fault::Fork(reason) => Some(reason.clone()),
            Fault::Unwitnessed(error) if error.is_missing() => None,
            Fault::Unwitnessed(error) => Some(error.to_string()),
        };
        let recorded = base
            .zip(reason)
            .map(|(base, reason)| keep_record(base, &server, &self.said.into_inner(), &reason));
        let mut unkept = is_lost.then(|| NO_EVIDENCE_FILE.to_owned());
        let mut written = |kept: Option<io::Result<PathBuf>>| {
            let failed = |error: io::Error| unkept = Some(error.to_string());
            kept.and_then(|kept| kept.map_err(failed).ok())
        };
        let (evidence, record) = (written(kept), written(recorded));
        Incident {
            server,
            fault,
            evidence,
            record,
            unkept,
        }
    }

    /// Discards the stored exchanges, after the caller has verified them.
    pub fn forget(&self) {
        self.said.borrow_mut().clear();
    }

    fn note(&self, resource: &Resource, response: &[u8]) {
        self.said.borrow_mut().push(Exchange {
            request: self.server.request_line(resource),
            response: response.to_vec(),
        });
    }

    /// Fetches a resource of at most `most` bytes, and stores the request and the response as
    /// evidence.
    pub(crate) fn get(&self, resource: &Resource, most: usize) -> Result<Vec<u8>, FetchError> {
        let bytes = self.server.get(resource, most)?;
        self.note(resource, &bytes);
        Ok(bytes)
    }

    /// Fetches the answer to a question, of at most `most` bytes.
    ///
    /// # Errors
    /// [`FetchError`].
    pub fn answer(
        &self,
        version: Version,
        question: &Question,
        most: usize,
    ) -> Result<Vec<u8>, FetchError> {
        self.get(&Resource::Answer(version, question.clone()), most)
    }

    /// Fetches the answer to the request of a client of a block directory, of at most `most` bytes.
    pub(crate) fn entries(
        &self,
        version: Version,
        request: &[u8],
        most: usize,
    ) -> Result<Vec<u8>, FetchError> {
        let response = self.server.ask(version, request, most)?;
        let (address, body) = (
            self.server.address(),
            BASE64_URL_SAFE_NO_PAD.encode(request),
        );
        self.said.borrow_mut().push(Exchange {
            request: format!("POST {address}/answers/{version}/{body}"),
            response: response.clone(),
        });
        Ok(response)
    }

    /// Fetches the first part of `range` whose contents one page can prove. Rejects a page that is
    /// not the beginning of `range`.
    ///
    /// # Errors
    /// [`Unusable`].
    pub fn page(&self, version: Version, range: &KeyRange) -> Result<KeyRange, Unusable> {
        let resource = Resource::Page(version, range.clone());
        match Question::decode(&self.get(&resource, LONGEST_RANGE)?) {
            Ok(Question::Range(page)) if page.is_beginning_of(range) => Ok(page),
            Ok(Question::Range(_)) => {
                Err(Unusable::lie("the page is not the beginning of the range"))
            }
            _ => Err(FetchError::Unusable("range").into()),
        }
    }

    /// Fetches one page of the versions up to `last` in which a key changed; unverified.
    ///
    /// The page starts at `last`, or at the latest version, and goes back as far as the server
    /// searches in one request.
    ///
    /// # Errors
    /// [`FetchError`].
    pub fn history_page(&self, key: &Key, last: Option<Version>) -> Result<KeyHistory, FetchError> {
        let resource = match last {
            None => Resource::History(key.clone()),
            Some(last) => Resource::HistoryUntil(last, key.clone()),
        };
        let bytes = self.get(&resource, LONGEST_HISTORY)?;
        let page = decode_history(&bytes, LONGEST_HISTORY);
        let page = page.map_err(|_| FetchError::Unusable("history"))?;
        let page = page.into_unverified();
        // No page may go beyond `last`, or the loop over pages might not end.
        let is_before =
            |last| page.since <= last && page.changes.last().is_none_or(|newest| *newest <= last);
        if last.is_some_and(|last| !is_before(last)) {
            return Err(FetchError::Unusable("history of the versions before"));
        }
        Ok(page)
    }

    /// Returns the versions up to `last` in which a key changed, as far back as the server knows
    /// them; unverified. Without `last`, ends at the server's latest version.
    ///
    /// # Errors
    /// [`FetchError`].
    pub fn history(
        &self,
        key: &Key,
        last: Option<Version>,
    ) -> Result<Untrusted<KeyHistory>, FetchError> {
        let mut page = match self.history_page(key, last) {
            // The server is behind `last`, so its history ends at its own latest version.
            Err(error) if last.is_some() && error.is("unknown_version") => {
                self.history_page(key, None)?
            }
            page => page?,
        };
        let mut newest_first = Vec::new();
        for _ in 0..MOST_PAGES {
            let since = page.since;
            newest_first.extend(page.changes.into_iter().rev());
            let is_last = since == Version::EMPTY;
            page = if is_last {
                KeyHistory {
                    since,
                    changes: Vec::new(),
                }
            } else {
                self.history_page(key, Some(since))?
            };
            // The server has no earlier changes.
            if page.since == since {
                newest_first.reverse();
                let changes = newest_first;
                return Ok(Untrusted::new(KeyHistory { since, changes }));
            }
            if newest_first.len() > MOST_CHANGES {
                break;
            }
        }
        Err(FetchError::Unusable("history that comes to an end"))
    }

    /// Fetches the update that produced a version, of at most `most` bytes.
    ///
    /// # Errors
    /// [`FetchError`].
    pub fn update(&self, version: Version, most: usize) -> Result<Vec<u8>, FetchError> {
        self.get(&Resource::Update(version), most)
    }

    /// Fetches the updates that produced versions `first` to `last`, or as many as fit in one
    /// response. Returns at least one update.
    ///
    /// # Errors
    /// [`FetchError`].
    pub fn updates(&self, first: Version, last: Version) -> Result<Vec<Vec<u8>>, FetchError> {
        let bytes = self.get(&Resource::Updates(first, last), LONGEST_UPDATES)?;
        listed(&bytes, LONGEST_UPDATES, LEAST_UPDATE).ok_or(FetchError::Unusable("updates"))
    }
}

impl ServerSession<'_> {
    /// Fetches the notes on versions `first` to `last`, or as many as one response covers. Also
    /// returns the last version that the response covers. Verifies the signatures of notes that
    /// have one.
    ///
    /// # Errors
    /// [`Unusable`].
    pub fn notes(
        &self,
        public: &PublicKey,
        (first, last): (Version, Version),
    ) -> Result<(Version, VersionNotes), Unusable> {
        let last = last.min(last_of_page(first));
        let bytes = self.get(&Resource::Notes(first, last), LONGEST_NOTES)?;
        let notes = notes_from_json(&bytes, first, last).ok_or(FetchError::Unusable("notes"))?;
        let verified = notes.verify(public);
        verified.map_err(|error| Unusable::lie(format!("notes on versions: {error}")))?;
        Ok((last, notes))
    }

    /// Fetches the versions that the server claims to have this name.
    ///
    /// # Errors
    /// [`FetchError`].
    pub fn named(&self, name: &str) -> Result<Vec<Version>, FetchError> {
        let bytes = self.get(&Resource::Named(name.into()), LONGEST_VERSIONS)?;
        versions_from_json(&bytes).ok_or(FetchError::Unusable("list of versions"))
    }

    /// Fetches the heads of versions `first` to `last` as messages, or as many as fit in one
    /// response. Returns at least one head.
    ///
    /// # Errors
    /// [`FetchError`].
    pub fn heads(&self, first: Version, last: Version) -> Result<Vec<Vec<u8>>, FetchError> {
        let bytes = self.get(&Resource::Heads(first, last), LONGEST_HEADS)?;
        listed(&bytes, LONGEST_HEADS, LEAST_HEAD).ok_or(FetchError::Unusable("heads"))
    }
}

/// Decodes a list of at least one message, each of at least `least` bytes. Many shorter messages
/// would need more memory here than in the response.
fn listed(bytes: &[u8], most: usize, least: usize) -> Option<Vec<Vec<u8>>> {
    let messages = decode_list(bytes, most).ok()?;
    let is_valid = !messages.is_empty() && messages.iter().all(|message| message.len() >= least);
    is_valid.then(|| messages.into_iter().map(<[u8]>::to_vec).collect())
}

impl Heads for ServerSession<'_> {
    type Error = FetchError;

    fn offered(&self) -> Result<Version, FetchError> {
        Ok(self.versions.latest)
    }

    fn head_message(&self, version: Version) -> Result<Vec<u8>, FetchError> {
        self.get(&Resource::HeadOf(version), LONGEST_HEAD)
    }

    fn consistency_message(&self, older: Version, newer: Version) -> Result<Vec<u8>, FetchError> {
        self.get(&Resource::Consistency(older, newer), LONGEST_PROOF)
    }

    fn append_only_message(
        &self,
        older: Version,
        newer: Version,
    ) -> Result<Option<Vec<u8>>, FetchError> {
        match self.get(&Resource::Growth(older, newer), LONGEST_PROOF) {
            Ok(proof) => Ok(Some(proof)),
            // The caller's view decides whether this proof is required.
            Err(error) if error.is("not_offered") => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn past_messages(&self, older: Version, newer: Version) -> Result<Vec<Vec<u8>>, FetchError> {
        let bytes = self.get(&Resource::Past(older, newer), LONGEST_PROOF)?;
        let past = decode_list(&bytes, LONGEST_PROOF);
        let past = past.map_err(|_| FetchError::Unusable("list of proofs"))?;
        Ok(past.into_iter().map(<[u8]>::to_vec).collect())
    }
}

/// Requests without a [`ServerSession`]. No responses are stored as evidence.
impl Heads for Remote {
    type Error = FetchError;

    fn offered(&self) -> Result<Version, FetchError> {
        Ok(self.versions()?.latest)
    }

    fn head_message(&self, version: Version) -> Result<Vec<u8>, FetchError> {
        ServerSession::new(self).head_message(version)
    }

    fn consistency_message(&self, older: Version, newer: Version) -> Result<Vec<u8>, FetchError> {
        ServerSession::new(self).consistency_message(older, newer)
    }

    fn append_only_message(
        &self,
        older: Version,
        newer: Version,
    ) -> Result<Option<Vec<u8>>, FetchError> {
        ServerSession::new(self).append_only_message(older, newer)
    }

    fn past_messages(&self, older: Version, newer: Version) -> Result<Vec<Vec<u8>>, FetchError> {
        ServerSession::new(self).past_messages(older, newer)
    }
}

impl Source for Remote {
    fn answer_message(
        &self,
        version: Version,
        question: &Question,
        most: usize,
    ) -> Result<Vec<u8>, FetchError> {
        self.get(&Resource::Answer(version, question.clone()), most)
    }
}

/// Message for evidence that cannot be stored, because no file for it is given.
const NO_EVIDENCE_FILE: &str = "neither a view nor an evidence file is given";

/// Maximum length of a head in bytes. The longest existing head has 191 bytes.
const LONGEST_HEAD: usize = 1 << 10;
/// Maximum length of a proof about heads, in bytes. An append-only proof of a log contains a few
/// digests for each of at most 64 levels.
const LONGEST_PROOF: usize = 1 << 20;
/// Maximum length in bytes of an encoded range. A range has at most two keys.
const LONGEST_RANGE: usize = 1 << 14;
const LONGEST_HISTORY: usize = 16 << 20;
/// Maximum number of pages of one history, and of changes in it.
const MOST_PAGES: u32 = 1 << 16;
const MOST_CHANGES: usize = 1 << 22;
/// Maximum length of a list of updates in bytes. A single update may have this length.
const LONGEST_UPDATES: usize = 1 << 30;
/// Minimum length of an update in bytes; an update contains a signed head.
const LEAST_UPDATE: usize = LEAST_HEAD;
/// Minimum length of a head in bytes; a head contains two digests and a signature.
const LEAST_HEAD: usize = 100;
/// Maximum length of notes in bytes: a thousand notes with names of 4 KiB. JSON needs up to six
/// bytes for each byte of a name.
const LONGEST_NOTES: usize = 24 << 20;
const LONGEST_VERSIONS: usize = 1 << 12;
/// Maximum length of a list of heads in bytes.
const LONGEST_HEADS: usize = 4 << 20;
