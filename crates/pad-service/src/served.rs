//! Dictionaries that a service serves: whole or in part.

use std::{io, sync::Arc};

use authdict::{
    AnyStore, LookupError, PublicKey, RepositoryError, Server, StoreError, Version,
    question::Question,
    selection::SchemeFamily,
    version_notes::{VersionNotes, versions_of},
};
use pad_client::{Resource, Versions};
use pad_web::server::StatusCode;

use crate::{
    dictionary::Dictionary, head_log::HeadLog, keep::Keep, part::Part, refusal::Refusal, reply,
};

/// A dictionary of a service: all of it, or some of its keys.
#[derive(Clone, Debug)]
pub enum ServedDictionary {
    /// All keys, in a store.
    Whole(Arc<Dictionary>),
    /// Some of the keys, in memory.
    Part(Arc<Part>),
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

impl ServedDictionary {
    /// Returns the dictionary if all of its keys are served.
    pub const fn whole(&self) -> Option<&Arc<Dictionary>> {
        match self {
            Self::Whole(dictionary) => Some(dictionary),
            Self::Part(_) => None,
        }
    }

    /// Returns the latest version.
    pub fn latest(&self) -> Version {
        match self {
            Self::Whole(dictionary) => dictionary.latest(),
            Self::Part(part) => part.latest(),
        }
    }

    /// Returns the log of its heads, if this process keeps it.
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
    /// if there is none.
    pub(crate) fn published(&self, path: &str, most: usize) -> io::Result<Option<Vec<u8>>> {
        match self {
            Self::Whole(dictionary) => dictionary.published(path, most),
            Self::Part(_) => Ok(None),
        }
    }

    /// Returns the unsigned notes of versions `first` to `last`, as the store reports them.
    pub(crate) fn notes(&self, first: Version, last: Version) -> Result<VersionNotes, Refusal> {
        self.said(|store| VersionNotes::read(store, first, last))
    }

    /// Returns the versions called `name`, as the store reports them.
    pub(crate) fn versions_of(&self, name: &str) -> Result<Vec<Version>, Refusal> {
        self.said(|store| versions_of(store, name))
    }

    fn said<T>(&self, read: impl FnOnce(&AnyStore) -> Result<T, StoreError>) -> Result<T, Refusal> {
        let dictionary = self.whole().ok_or_else(all_keys_only)?;
        let said = dictionary.read(|repository| read(repository.store()));
        Ok(said.map_err(RepositoryError::from)?)
    }

    /// Returns the total bytes of the store's files.
    ///
    /// Returns `None` for a part, on an error, or for an object store, because listing its objects
    /// needs the network.
    pub(crate) fn file_bytes(&self) -> Option<u64> {
        let dictionary = self.whole()?;
        let is_listed = AnyStore::is_in_objects(dictionary.store());
        let bytes = || dictionary.read(|repository| repository.file_bytes().ok());
        (!is_listed).then(bytes).flatten()
    }

    /// Calls `work` with the current contents and returns its result.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Contents<'_>) -> T) -> T {
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
                Err(Refusal::new(StatusCode::NOT_FOUND, "unknown_version", text))
            }
            latest => Ok(latest),
        }
    }

    /// Returns the tag of a look-up in a stored version of a whole tree.
    ///
    /// The signed head and the path determine its answer. A tuple may be sent with a newer
    /// signature, and a server of some keys may lack a neighbour.
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

    /// Refuses the request if this server is configured not to keep the contents of `version`.
    pub(crate) fn check_kept(&self, version: Version) -> Result<(), Refusal> {
        if self.keep != Keep::All && version < self.versions.oldest {
            return Err(Refusal::not_kept(&self.versions));
        }
        self.check_head_kept(version)
    }

    /// Refuses the request if `question` is about a version or keys that are not kept.
    pub(crate) fn check_asked(&self, version: Version, question: &Question) -> Result<(), Refusal> {
        self.check_kept(version)?;
        match &self.versions.keys {
            Some(keys) if !question.lies_in(keys) => Err(LookupError::NotKept.into()),
            _ => Ok(()),
        }
    }

    /// Refuses the request if the head of `version` is not kept. Heads of older versions are always
    /// kept.
    pub(crate) fn check_head_kept(&self, version: Version) -> Result<(), Refusal> {
        match self.keep.until() {
            Some(until) if version > until => Err(Refusal::not_kept(&self.versions)),
            _ => Ok(()),
        }
    }

    /// Returns the repository for the update to `version`, if the update is kept.
    ///
    /// An update is made from the contents of two versions, or dropped with the older version.
    /// Servers of some keys have no updates.
    pub(crate) fn updates_of(&self, version: Version) -> Result<&'r Server, Refusal> {
        self.check_kept(version.previous().unwrap_or_default())?;
        self.check_kept(version)?;
        self.whole.ok_or_else(all_keys_only)
    }
}

/// Refusal of a server of some keys, which neither stores nor accepts updates, and does not know
/// names.
pub(crate) fn all_keys_only() -> Refusal {
    let text = "only some of the keys are kept here: ask a server that keeps all of them";
    Refusal::new(StatusCode::MISDIRECTED_REQUEST, "not_kept", text)
}
