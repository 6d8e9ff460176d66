//! An object store as a [`Store`] of one dictionary.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
};

use pad_core::{Version, codec};
use pad_tree::LogId;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{DESCRIPTION, HEADS, LONGEST_ROW, NEWEST, ObjectFolder, names};
use crate::store::{
    Record, RecordChange, Store, StoreError, StoredCheckpoint, redb_store::RedbStore,
};

/// A store whose versions and nodes are objects of an object store. It contains the records given
/// at its creation. Later, it accepts only versions and no other records.
#[derive(Debug)]
pub struct ObjectBackend {
    folder: Arc<ObjectFolder>,
    description: Description,
    /// While reads are pinned to one state ([`Store::pin`]): the latest version of this state.
    pinned: Mutex<Option<Version>>,
}

/// The contents of the object `description`, which is created first.
#[derive(Debug, Serialize, Deserialize)]
struct Description {
    title: [u8; 8],
    store: [u8; 16],
    /// The records given at the store's creation, each with group, name and value.
    records: Vec<(String, Vec<u8>, Vec<u8>)>,
}

const TITLE: [u8; 8] = *b"padobjs1";

const UNDESCRIBED: StoreError =
    StoreError::Damaged("object 'description' is missing, but heads exist: restore that object");

impl ObjectBackend {
    /// Creates a store in `folder` that contains the records of all [`RecordChange::Put`] in
    /// `records`. `name` is the store's address in error messages.
    ///
    /// # Errors
    /// [`StoreError::Exists`] if there is a store already; [`StoreError`] of the medium.
    pub fn create(
        folder: &ObjectFolder,
        name: &str,
        records: &[RecordChange],
    ) -> Result<(), StoreError> {
        let mut description = Description {
            title: TITLE,
            store: [0; 16],
            records: Vec::new(),
        };
        getrandom::fill(&mut description.store)
            .map_err(|error| io::Error::other(error.to_string()))?;
        for change in records {
            if let RecordChange::Put { group, name, value } = change {
                let record = ((*group).to_owned(), name.clone(), value.clone());
                description.records.push(record);
            }
        }
        if folder.is_behind(HEADS, &names::head(Version::EMPTY))? {
            return Err(match folder.read(DESCRIPTION, 0..1)? {
                Some(_) => StoreError::Exists(name.into()),
                None => UNDESCRIBED,
            });
        }
        let bytes = codec::encode_body(&description);
        if u64::try_from(bytes.len()).map_or(true, |length| length > LONGEST_ROW) {
            return Err(io::Error::other("the description of the store exceeds 1 MiB").into());
        }
        if folder.create_or_find(DESCRIPTION, &bytes)? {
            Ok(folder.require_create_only(DESCRIPTION, &bytes)?)
        } else {
            Err(StoreError::Exists(name.into()))
        }
    }

    /// Opens the store whose objects are in `folder`. `name` is its address in error messages.
    ///
    /// # Errors
    /// [`StoreError::Missing`]; [`StoreError::Foreign`]; [`StoreError`] of the medium.
    pub fn open(folder: ObjectFolder, name: &str) -> Result<Self, StoreError> {
        let bytes = folder.small(DESCRIPTION)?;
        let bytes = bytes.ok_or_else(|| StoreError::Missing(name.into()))?;
        let description = codec::decode_body::<Description>(&bytes)
            .ok()
            .filter(|description| description.title == TITLE)
            .ok_or_else(|| StoreError::Foreign(name.into()))?;
        Ok(Self {
            folder: Arc::new(folder),
            description,
            pinned: Mutex::default(),
        })
    }

    /// Returns the identity of this store's log of nodes. It differs between dictionaries, and
    /// between copies of one dictionary at different addresses.
    pub(crate) fn identity(&self) -> LogId {
        let address = format!("{} {}", self.folder.store, self.folder.prefix);
        let digest = Sha256::new()
            .chain_update(self.description.store)
            .chain_update(address)
            .finalize();
        core::array::from_fn(|place| digest[place])
    }

    /// Returns the handle of the dictionary's objects.
    pub const fn folder(&self) -> &Arc<ObjectFolder> {
        &self.folder
    }

    fn pinned(&self) -> std::sync::MutexGuard<'_, Option<Version>> {
        // No code panics while the lock is held.
        self.pinned.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The error message for changes of records. Only a store in files accepts them.
const ONLY_VERSIONS: &str = "objects take versions only: changes wait in a store in files";

fn only_versions() -> StoreError {
    io::Error::new(io::ErrorKind::Unsupported, ONLY_VERSIONS).into()
}

fn require_no_records(records: &[RecordChange]) -> Result<(), StoreError> {
    if records.is_empty() {
        Ok(())
    } else {
        Err(only_versions())
    }
}

impl Store for ObjectBackend {
    fn id(&self) -> Result<[u8; 16], StoreError> {
        Ok(self.description.store)
    }

    fn latest(&self) -> Result<Version, StoreError> {
        match *self.pinned() {
            Some(version) => Ok(version),
            None => self.folder.latest(),
        }
    }

    fn publish(
        &mut self,
        _: Version,
        updates: &[Vec<u8>],
        records: &[RecordChange],
    ) -> Result<(), StoreError> {
        if !updates.is_empty() {
            return Err(StoreError::OnlyTrees);
        }
        require_no_records(records)
    }

    fn publish_row(
        &mut self,
        before: Version,
        latest: Version,
        row: &[u8],
        records: &[RecordChange],
    ) -> Result<(), StoreError> {
        require_no_records(records)?;
        let staged = self.folder.staged().clone();
        let follow = (before.number()..latest.number())
            .zip(&staged)
            .all(|(before, (version, _))| version.previous() == Some(Version::new(before)));
        if !follow || staged.last().map(|(_, row)| row.as_slice()) != Some(row) {
            return Err(StoreError::Damaged("the version to publish is not staged"));
        }
        self.folder.require_create_only_once()?;
        for (version, row) in &staged {
            if !self.folder.create_or_find(&names::head(*version), row)? {
                let next = Version::new(version.number().saturating_add(1));
                return Err(StoreError::Gap {
                    expected: next,
                    actual: *version,
                });
            }
        }
        self.folder.staged().clear();
        // The object is a hint for finding the latest version, so a failed write is ignored.
        let newest = names::digits(latest).into_bytes();
        drop(self.folder.replace(NEWEST, newest));
        Ok(())
    }

    fn update(&self, version: Version) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.folder.row(version)?)
    }

    fn put_checkpoint(&mut self, _: &StoredCheckpoint) -> Result<(), StoreError> {
        Err(only_versions())
    }

    fn checkpoint(&self) -> Result<Option<StoredCheckpoint>, StoreError> {
        Ok(None)
    }

    fn records(&self, group: &'static str) -> Result<Vec<Record>, StoreError> {
        let records = self.description.records.iter();
        let of_group = records.filter(|(found, ..)| found == group);
        let mut found: Vec<_> = of_group
            .map(|(_, name, value)| (name.clone(), value.clone()))
            .collect();
        found.sort_unstable();
        Ok(found)
    }

    fn pin(&self) -> Result<(), StoreError> {
        let latest = self.folder.latest()?;
        *self.pinned() = Some(latest);
        Ok(())
    }

    fn unpin(&self) {
        *self.pinned() = None;
    }

    /// Removes segments of nodes that no version refers to; killed writers leave such segments
    /// behind.
    fn compact(&mut self) -> Result<(), StoreError> {
        self.folder.collect().map(drop)
    }

    fn file(&self) -> Option<&RedbStore> {
        None
    }

    fn check(&mut self) -> Result<(), StoreError> {
        self.folder.latest().map(drop)
    }
}
