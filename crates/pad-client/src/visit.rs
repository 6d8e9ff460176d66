//! What a server shows in one go, remembered until it is verified.

use core::cell::RefCell;
use std::{
    io,
    path::{Path, PathBuf},
};

use pad::{
    KeyRange, Version,
    client_view::Heads,
    evidence::{MOST_FILES, keep},
    exchange::{decode_history, decode_list},
    question::Question,
    version_notes::VersionNotes,
};
use pad_core::{Key, Untrusted};
use pad_tree::KeyHistory;

use crate::{
    fetch_error::FetchError,
    incident::{Exchange, Fault, Incident, Unusable, keep_record},
    notes::{last_of_page, notes_from_json, versions_from_json},
    resource::Resource,
    server::{Server, Versions},
};

/// A visit to a server: its latest head is asked for once, and all it says is remembered, so that a lie can be kept.
#[derive(Debug)]
pub struct Visit<'s> {
    server: &'s Server,
    /// What it has said that it has; nothing, if it was not asked.
    versions: Versions,
    said: RefCell<Vec<Exchange>>,
}

impl<'s> Visit<'s> {
    /// A visit at which no latest version is asked for.
    pub const fn new(server: &'s Server) -> Self {
        Self {
            server,
            versions: Versions {
                oldest: Version::EMPTY,
                latest: Version::EMPTY,
                until: None,
                keys: None,
            },
            said: RefCell::new(Vec::new()),
        }
    }

    /// A visit at which the server says which version is its latest.
    ///
    /// # Errors
    /// [`FetchError`].
    pub fn latest(server: &'s Server) -> Result<Self, FetchError> {
        let versions = server.versions()?;
        let visit = Self {
            versions,
            ..Self::new(server)
        };
        let said = visit.versions.to_json();
        visit.note(&Resource::Versions, said.as_bytes());
        Ok(visit)
    }

    /// The version that the server says is its latest.
    pub const fn latest_version(&self) -> Version {
        self.versions.latest
    }

    /// What the server has said that it has.
    pub const fn versions(&self) -> &Versions {
        &self.versions
    }

    /// The server.
    pub const fn server(&self) -> &'s Server {
        self.server
    }

    /// How the server failed, with what is kept of it in files beside this one: evidence that convinces others, and what
    /// the server said. What cannot be kept is said all the same.
    pub fn failed(self, unusable: Unusable, beside: Option<&Path>) -> Incident {
        let Unusable { fault, evidence } = unusable;
        let server = self.server.address();
        let is_lost = evidence.is_some() && beside.is_none();
        let kept = beside.zip(evidence);
        let kept = kept.map(|(beside, bytes)| keep(beside, ".evidence", &bytes, MOST_FILES));
        let reason = match &fault {
            // A server that is late may be honest.
            Fault::Silent(_) | Fault::Behind(_) => None,
            Fault::Lied(reason) | Fault::Fork(reason) => Some(reason.clone()),
            Fault::Unwitnessed(error) if error.is_missing() => None,
            Fault::Unwitnessed(error) => Some(error.to_string()),
        };
        let recorded = beside
            .zip(reason)
            .map(|(beside, reason)| keep_record(beside, &server, &self.said.into_inner(), &reason));
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

    /// Forgets what the server has said: it was verified.
    pub fn forget(&self) {
        self.said.borrow_mut().clear();
    }

    fn note(&self, resource: &Resource, response: &[u8]) {
        let address = self.server.address();
        self.said.borrow_mut().push(Exchange {
            request: format!("GET {address}/{}", resource.path()),
            response: response.to_vec(),
        });
    }

    /// The bytes of a resource, at most so many, remembered.
    pub(crate) fn get(&self, resource: &Resource, most: usize) -> Result<Vec<u8>, FetchError> {
        let bytes = self.server.get(resource, most)?;
        self.note(resource, &bytes);
        Ok(bytes)
    }

    /// The answer to a question, of at most so many bytes.
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

    /// The beginning of a range of which a page can be proved.
    ///
    /// # Errors
    /// [`FetchError`].
    pub fn page(&self, version: Version, range: &KeyRange) -> Result<KeyRange, FetchError> {
        let resource = Resource::Page(version, range.clone());
        match Question::decode(&self.get(&resource, LONGEST_RANGE)?) {
            Ok(Question::Range(page)) => Ok(page),
            _ => Err(FetchError::Unusable("range")),
        }
    }

    /// The versions in which a key changed, unproved: of those up to `last`, if there is one, as many from the last one back as the
    /// server looks for at once.
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
        // One that goes forth would never come to an end.
        let is_before =
            |last| page.since <= last && page.changes.last().is_none_or(|newest| *newest <= last);
        if last.is_some_and(|last| !is_before(last)) {
            return Err(FetchError::Unusable("history of the versions before"));
        }
        Ok(page)
    }

    /// Returns the versions up to `last` in which a key changed, unproved, as far back as the server
    /// has them. Without `last`, ends at the server's latest version.
    ///
    /// # Errors
    /// [`FetchError`].
    pub fn history(
        &self,
        key: &Key,
        last: Option<Version>,
    ) -> Result<Untrusted<KeyHistory>, FetchError> {
        let mut page = match self.history_page(key, last) {
            // The server is behind: what it knows is up to its own latest version.
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
            // It has nothing older.
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

    /// The update that led to a version, if it has at most so many bytes.
    ///
    /// # Errors
    /// [`FetchError`].
    pub fn update(&self, version: Version, most: usize) -> Result<Vec<u8>, FetchError> {
        self.get(&Resource::Update(version), most)
    }

    /// The updates that led to some versions, from the first on as many as the server sends at once; at least one.
    ///
    /// # Errors
    /// [`FetchError`].
    pub fn updates(&self, first: Version, last: Version) -> Result<Vec<Vec<u8>>, FetchError> {
        let bytes = self.get(&Resource::Updates(first, last), LONGEST_UPDATES)?;
        let updates = decode_list(&bytes, LONGEST_UPDATES);
        let updates = updates.map_err(|_| FetchError::Unusable("list of updates"))?;
        // Very short ones would take more memory here than they took there.
        if updates.is_empty() || updates.iter().any(|update| update.len() < LEAST_UPDATE) {
            return Err(FetchError::Unusable("update"));
        }
        Ok(updates.into_iter().map(<[u8]>::to_vec).collect())
    }
}

impl Visit<'_> {
    /// What the server says of some versions beside what is signed, from the first on as many as it speaks of at once; and of which last one.
    ///
    /// # Errors
    /// [`FetchError`].
    pub fn notes(
        &self,
        first: Version,
        last: Version,
    ) -> Result<(Version, VersionNotes), FetchError> {
        let last = last.min(last_of_page(first));
        let bytes = self.get(&Resource::Notes(first, last), LONGEST_NOTES)?;
        let notes = notes_from_json(&bytes, first, last).ok_or(FetchError::Unusable("notes"))?;
        Ok((last, notes))
    }

    /// The versions that the server says have a name.
    ///
    /// # Errors
    /// [`FetchError`].
    pub fn named(&self, name: &str) -> Result<Vec<Version>, FetchError> {
        let bytes = self.get(&Resource::Named(name.into()), LONGEST_VERSIONS)?;
        versions_from_json(&bytes).ok_or(FetchError::Unusable("list of versions"))
    }

    /// The heads of some versions, as messages, from the first on as many as the server sends at once; at least one.
    ///
    /// # Errors
    /// [`FetchError`].
    pub fn heads(&self, first: Version, last: Version) -> Result<Vec<Vec<u8>>, FetchError> {
        let bytes = self.get(&Resource::Heads(first, last), LONGEST_HEADS)?;
        let heads = decode_list(&bytes, LONGEST_HEADS);
        let heads = heads.map_err(|_| FetchError::Unusable("list of heads"))?;
        if heads.is_empty() || heads.iter().any(|head| head.len() < LEAST_HEAD) {
            return Err(FetchError::Unusable("head"));
        }
        Ok(heads.into_iter().map(<[u8]>::to_vec).collect())
    }
}

impl Heads for Visit<'_> {
    type Error = FetchError;

    fn latest(&self) -> Version {
        self.versions.latest
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
            // Whether it has to be there is the view's to say.
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

/// Error text when evidence has no file to be stored in.
const NO_EVIDENCE_FILE: &str = "neither a view nor an evidence file is given";

/// The longest head that is read, in bytes; the longest there is has 191.
const LONGEST_HEAD: usize = 1 << 10;
/// The longest proof about heads that is read, in bytes; those of logs have two digests for each of 64 levels, some
/// times over.
const LONGEST_PROOF: usize = 1 << 20;
/// A range is two keys.
const LONGEST_RANGE: usize = 1 << 14;
const LONGEST_HISTORY: usize = 16 << 20;
/// More pages, and more changes, of one history are not read.
const MOST_PAGES: u32 = 1 << 16;
const MOST_CHANGES: usize = 1 << 22;
/// The longest list of updates that is read, in bytes: one update may be as long.
const LONGEST_UPDATES: usize = 1 << 30;
/// There is a signed head in each update.
const LEAST_UPDATE: usize = LEAST_HEAD;
/// A head has two digests and a signature.
const LEAST_HEAD: usize = 100;
/// The longest notes that are read, in bytes: a thousand with names of 4 KiB.
const LONGEST_NOTES: usize = 5 << 20;
const LONGEST_VERSIONS: usize = 1 << 12;
/// The longest list of heads that is read, in bytes.
const LONGEST_HEADS: usize = 4 << 20;
