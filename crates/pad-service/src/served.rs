//! Dictionaries that a service serves: as a whole or in part.

use std::{io, sync::Arc};

use authdict::{
    LookupError, PublicKey, Question, RepositoryError, Server, StoreError, Version, VersionNotes,
    internals::{
        AnyStore, SchemeFamily, Store,
        version_notes::{note_count, versions_of},
    },
};
use pad_client::{
    Versions,
    internals::{Resource, last_of_page},
};
use pad_web::server::StatusCode;

use crate::{
    dictionary::Dictionary,
    directory::{Directory, by_id_only},
    head_log::HeadLog,
    keep::Keep,
    part::Part,
    refusal::Refusal,
    reply,
};

/// A dictionary of a service: all of its keys, a range of them, or a block directory.
#[derive(Clone, Debug)]
pub enum ServedDictionary {
    /// All keys, in a store.
    Whole(Arc<Dictionary>),
    /// A range of keys, in memory.
    Part(Arc<Part>),
    /// A block directory, in a folder. It is queried by id.
    Directory(Arc<Directory>),
}

impl From<Arc<Dictionary>> for ServedDictionary {
    fn from(dictionary: Arc<Dictionary>) -> Self {
        Self::Whole(dictionary)
    }
}

impl From<Arc<Part>> for ServedDictionary {
    fn from(part: Arc<Part>) -> Self {
        Self::Part(part)
    }
}

impl From<Arc<Directory>> for ServedDictionary {
    fn from(directory: Arc<Directory>) -> Self {
        Self::Directory(directory)
    }
}

impl ServedDictionary {
    /// Returns the dictionary, if all of its keys are served.
    pub const fn whole(&self) -> Option<&Arc<Dictionary>> {
        match self {
            Self::Whole(dictionary) => Some(dictionary),
            Self::Part(_) | Self::Directory(_) => None,
        }
    }

    pub(crate) const fn directory(&self) -> Option<&Arc<Directory>> {
        match self {
            Self::Directory(directory) => Some(directory),
            Self::Whole(_) | Self::Part(_) => None,
        }
    }

    /// Returns the dictionary. Refuses the request if not all keys are served, or the dictionary
    /// has no keys.
    pub(crate) fn all_keys(&self) -> Result<&Arc<Dictionary>, Refusal> {
        match self {
            Self::Whole(dictionary) => Ok(dictionary),
            Self::Part(_) => Err(all_keys_only()),
            Self::Directory(_) => Err(by_id_only()),
        }
    }

    /// Picks up versions that other processes have published. Opens a block directory again that a
    /// failed write has closed. Returns whether the store or directory was reopened.
    pub(crate) fn follow(&self) -> Result<bool, String> {
        match self {
            Self::Whole(dictionary) => dictionary.follow().map_err(|error| error.to_string()),
            Self::Part(_) => Ok(false),
            Self::Directory(directory) => directory.follow().map_err(|error| error.to_string()),
        }
    }

    /// Returns why the store cannot be followed, or a block directory cannot be opened, for health
    /// checks. Waits for no lock.
    pub(crate) fn failure(&self) -> Option<&'static str> {
        match self {
            Self::Whole(dictionary) => dictionary.is_lost().then_some("a store cannot be followed"),
            Self::Part(_) => None,
            Self::Directory(directory) => directory.failure(),
        }
    }

    /// Returns whether the latest version can be read without a long wait for a lock.
    ///
    /// A writer holds the lock for a long time if contents are in memory.
    pub(crate) fn is_seen_at_once(&self) -> bool {
        match self {
            // The task that writes a log of heads holds the log's lock during writes.
            Self::Whole(dictionary) => dictionary.reads_on_demand() && dictionary.log().is_none(),
            Self::Part(_) => false,
            Self::Directory(_) => true,
        }
    }

    /// Returns the latest version.
    pub fn latest(&self) -> Version {
        match self {
            Self::Whole(dictionary) => dictionary.latest(),
            Self::Part(part) => part.latest(),
            Self::Directory(directory) => directory.latest(),
        }
    }

    /// Returns the range of versions that clients can query.
    pub(crate) fn versions(&self) -> Versions {
        match self {
            Self::Whole(dictionary) => dictionary.read(|server| dictionary.versions(server)),
            Self::Part(part) => part.versions(part.read().as_ref()),
            Self::Directory(directory) => directory.versions(),
        }
    }

    /// Returns the log of the dictionary's heads, if this process writes it.
    pub(crate) fn log(&self) -> Option<&Arc<HeadLog>> {
        self.whole().and_then(|dictionary| dictionary.log())
    }

    /// Returns whether a look-up takes no longer than a thread switch, and waits for no lock that
    /// readers hold.
    pub(crate) fn answers_at_once(&self) -> bool {
        self.whole()
            .is_some_and(|dictionary| dictionary.answers_at_once())
    }

    /// Reads a file of at most `most` bytes that is published with the dictionary. Returns `None`
    /// if the file does not exist.
    pub(crate) fn published(&self, path: &str, most: usize) -> io::Result<Option<Vec<u8>>> {
        match self {
            Self::Whole(dictionary) => dictionary.published(path, most),
            Self::Part(_) | Self::Directory(_) => Ok(None),
        }
    }

    /// Returns the notes on versions `first` to `last` from the store, or as many as one
    /// response covers.
    pub(crate) fn notes(&self, first: Version, last: Version) -> Result<VersionNotes, Refusal> {
        self.said(|store| VersionNotes::read(store, first, last.min(last_of_page(first))))
    }

    /// Returns the versions with the name `name` from the store.
    pub(crate) fn versions_of(&self, name: &str) -> Result<Vec<Version>, Refusal> {
        self.said(|store| versions_of(store, name))
    }

    fn said<T>(
        &self,
        read: impl FnOnce(&dyn Store) -> Result<T, StoreError>,
    ) -> Result<T, Refusal> {
        let dictionary = self.all_keys()?;
        let said = dictionary.read(|repository| read(repository.store()));
        Ok(said.map_err(RepositoryError::from)?)
    }

    /// Returns the total bytes of the store's files.
    ///
    /// Returns `None` for a part, after an error, and for a store in an object store, because
    /// listing objects needs the network.
    pub(crate) fn file_bytes(&self) -> Option<u64> {
        if let Some(directory) = self.directory() {
            return directory.file_bytes();
        }
        let dictionary = self.whole()?;
        let is_listed = AnyStore::is_in_objects(dictionary.store());
        let bytes = || dictionary.read(|repository| repository.file_bytes().ok());
        (!is_listed).then(bytes).flatten()
    }

    /// Calls `work` with the current contents of the dictionary, and returns the result of `work`.
    /// Refuses requests about a block directory, which has no keys.
    pub(crate) fn read<T>(
        &self,
        work: impl FnOnce(&Contents<'_>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        match self {
            Self::Whole(dictionary) => dictionary.read(|repository| {
                work(&Contents {
                    public: dictionary.public(),
                    keep: dictionary.keep(),
                    versions: dictionary.versions(repository),
                    asked: &**repository,
                    whole: Some(repository),
                })
            }),
            Self::Part(served) => {
                let part = served.read();
                work(&Contents {
                    public: served.public(),
                    keep: served.keep(),
                    versions: served.versions(part.as_ref()),
                    asked: part.as_ref(),
                    whole: None,
                })
            }
            Self::Directory(_) => Err(by_id_only()),
        }
    }
}

/// Contents of a dictionary at one point in time, for queries.
pub(crate) struct Contents<'r> {
    pub(crate) public: &'r PublicKey,
    keep: Keep,
    pub(crate) versions: Versions,
    pub(crate) asked: &'r dyn authdict::Dictionary,
    whole: Option<&'r Server>,
}

impl<'r> Contents<'r> {
    /// Returns the latest version. Refuses the request if the dictionary has no version yet.
    pub(crate) fn existing(&self) -> Result<Version, Refusal> {
        match self.versions.latest {
            Version::EMPTY => {
                let text = "the dictionary has no version yet";
                Err(Refusal::not_found("unknown_version", text))
            }
            latest => Ok(latest),
        }
    }

    /// Returns the entity tag for a look-up in a stored version of a whole tree PAD; `None` for
    /// other requests, and for version 0.
    ///
    /// The signed head and the path determine the answer of a whole tree. They do not determine it
    /// for tuples, which may be sent with a newer signature. Nor do they for a part, which may lack
    /// a neighbouring key.
    pub(crate) fn tag(&self, resource: &Resource) -> Result<Option<String>, Refusal> {
        let Resource::Answer(version, question @ Question::Key(_)) = resource else {
            return Ok(None);
        };
        if self.whole.is_none() || self.public.scheme.family() != SchemeFamily::Tree {
            return Ok(None);
        }
        self.check_asked(*version, question)?;
        if *version < self.versions.oldest {
            return Ok(None);
        }
        // Version 0 can be queried, but has no signed head.
        let Ok(head) = self.asked.head_message(*version) else {
            return Ok(None);
        };
        Ok(Some(reply::tag(&[&head, resource.path().as_bytes()])))
    }

    /// Returns the versions that this server keeps, with the number of notes in its store. The
    /// number is omitted if the notes cannot be read.
    pub(crate) fn described(&self) -> Versions {
        let store = self.whole.map(|server| server.store());
        // A store in objects takes no notes.
        let store = store.filter(|store| store.file().is_some());
        let notes = store.and_then(|store| {
            note_count(store)
                .inspect_err(|error| tracing::error!(%error, "the notes cannot be counted"))
                .ok()
        });
        Versions {
            notes,
            ..self.versions.clone()
        }
    }

    /// Refuses a version whose contents the retention policy excludes.
    pub(crate) fn check_kept(&self, version: Version) -> Result<(), Refusal> {
        if self.keep != Keep::All && version < self.versions.oldest {
            return Err(Refusal::not_kept(&self.versions));
        }
        self.check_head_kept(version)
    }

    /// Refuses `question` if it is about a version or about keys that this server does not keep.
    pub(crate) fn check_asked(&self, version: Version, question: &Question) -> Result<(), Refusal> {
        self.check_kept(version)?;
        match &self.versions.keys {
            Some(keys) if !question.lies_in(keys) => Err(LookupError::NotKept.into()),
            _ => Ok(()),
        }
    }

    /// Refuses a `version` after the last one of the retention policy. The heads of all versions up
    /// to that one are kept.
    pub(crate) fn check_head_kept(&self, version: Version) -> Result<(), Refusal> {
        match self.keep.until() {
            Some(until) if version > until => Err(Refusal::not_kept(&self.versions)),
            _ => Ok(()),
        }
    }

    /// Returns the opened store, if this server keeps the update to `version`.
    ///
    /// The server must keep the contents of `version` and of the version before. The update is
    /// rebuilt from both, or is dropped with the older one. Parts have no updates.
    pub(crate) fn updates_of(&self, version: Version) -> Result<&'r Server, Refusal> {
        self.check_kept(version.previous().unwrap_or_default())?;
        self.check_kept(version)?;
        self.whole.ok_or_else(all_keys_only)
    }
}

/// Refusal of a request that requires all keys. A part neither stores nor accepts updates or notes,
/// and knows no version names.
pub(crate) fn all_keys_only() -> Refusal {
    let text = "only some of the keys are kept here: ask a server that keeps all of them";
    Refusal::new(StatusCode::MISDIRECTED_REQUEST, "not_kept", text)
}
