//! Notes on versions: names and times of signing, as given by the operator of the store.
//!
//! Notes are not part of the signed head. An author may sign a note too ([`VersionNote::sign`]);
//! other notes are not proved. A client that looks up a version by name or a date receives the
//! version number, and verifies the answer for this number. Updates contain no notes. Servers
//! receive notes from the author, and mirrors from servers.

use std::collections::BTreeMap;

use pad_core::{Version, codec};
use serde::{Deserialize, Serialize};
pub use transparency_log::utc;

use crate::store::{RecordChange, Store, StoreError};

mod dated;
mod delivery;
mod signed;

pub use dated::{MOST_PAGES, PAGE, last_second, newest_at};
pub use delivery::{MissingNotes, note_count, sign_page, verify_page};
pub use signed::SIGNATURE_BYTES;

/// A note on a version, which its author may have signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionNote {
    /// The name of the version, if it has one.
    pub name: Option<String>,
    /// The time of signing in seconds since 1970, by the author's clock.
    pub seconds: u64,
    /// The number of changes that the author requested for the version.
    pub changes: u64,
    /// The number of entries that the version contains.
    pub entries: u64,
    /// The author's signature, if there is one. It is stored in a record of its own.
    #[serde(skip)]
    pub signature: Option<[u8; SIGNATURE_BYTES]>,
}

/// The maximum length of a version's name in bytes.
pub const LONGEST_NAME: usize = 1 << 12;

impl VersionNote {
    /// Returns the changes that store this note of `version`, to be written with the version. The
    /// note and its signature are found by version number. If the note has a name, the last record
    /// is found by name.
    pub fn records(&self, version: Version) -> impl Iterator<Item = RecordChange> + use<> {
        let number = version.number().to_be_bytes();
        let note = RecordChange::put(GROUP, number, codec::encode_body(self));
        let name = self.name.as_deref().map(|name| named(name, version));
        let name = name.map(|name| RecordChange::put(NAMES_GROUP, name, []));
        let signature = self.signature;
        let signature = signature.map(|bytes| RecordChange::put(SIGNATURES_GROUP, number, bytes));
        [note].into_iter().chain(signature).chain(name)
    }

    /// Reads the note of a version; returns `None` if there is none. Time: O(log n) for n versions.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn of(store: &dyn Store, version: Version) -> Result<Option<Self>, StoreError> {
        let mut notes = VersionNotes::read(store, version, version)?;
        Ok(notes.0.remove(&version))
    }
}

/// Returns the first [`MOST_OF_A_NAME`] versions with this name, in ascending order. Time: O(log n)
/// for n versions, and linear in the number of versions with this name. In a store without records
/// that are found by name, the time is linear in the number of its notes.
///
/// # Errors
/// [`StoreError`].
pub fn versions_of(store: &dyn Store, name: &str) -> Result<Vec<Version>, StoreError> {
    if store.record_count(NAMES_GROUP)? == 0 {
        // The store has no records of names yet.
        let notes = VersionNotes::read(store, Version::EMPTY, Version::new(u64::MAX))?;
        let named = notes.0.into_iter();
        let named = named.filter(|(_, note)| note.name.as_deref() == Some(name));
        return Ok(named
            .map(|(version, _)| version)
            .take(MOST_OF_A_NAME)
            .collect());
    }
    let [first, last] = [Version::EMPTY, Version::new(u64::MAX)].map(|end| named(name, end));
    let found = store.records_between(NAMES_GROUP, &first, &last)?;
    let found = found.into_iter().take(MOST_OF_A_NAME).map(|(name, _)| {
        let number = name.last_chunk().ok_or(UNREADABLE)?;
        Ok(Version::new(u64::from_be_bytes(*number)))
    });
    found.collect()
}

/// Returns the changes that add records found by name to a store without such records; none for
/// other stores. The first author that writes to the store adds them. Time: linear in the number of
/// notes, once.
///
/// # Errors
/// [`StoreError`].
pub fn missing_names(store: &dyn Store) -> Result<Vec<RecordChange>, StoreError> {
    if store.record_count(NAMES_GROUP)? > 0 {
        return Ok(Vec::new());
    }
    let notes = VersionNotes::read(store, Version::EMPTY, Version::new(u64::MAX))?;
    let names = notes.iter().filter_map(|(version, note)| {
        let name = note.name.as_deref()?;
        Some(named(name, version))
    });
    // An empty record is added, so that the group of names is not empty afterwards.
    let all = names.chain([Vec::new()]);
    Ok(all
        .map(|name| RecordChange::put(NAMES_GROUP, name, []))
        .collect())
}

/// Returns the name of the record by which a version named `name` is found. It consists of the
/// name's length (4 bytes, big-endian), the name, and the version (8 bytes).
fn named(name: &str, version: Version) -> Vec<u8> {
    let length = u32::try_from(name.len()).unwrap_or(u32::MAX);
    let number = version.number().to_be_bytes();
    [&length.to_be_bytes(), name.as_bytes(), &number].concat()
}

/// The notes of a store's versions. A version that was received as an update has a note only if the
/// note was received as well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionNotes(BTreeMap<Version, VersionNote>);

/// Error returned for a name or a date that does not identify one version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// No version has this name.
    #[error("no version has the name '{0}'")]
    Unknown(String),
    /// Several versions have this name, so the name is ambiguous.
    #[error(
        "the name '{name}' is ambiguous: it is the name of versions {}",
        listed(versions)
    )]
    Ambiguous {
        /// The ambiguous name.
        name: String,
        /// At most [`MOST_OF_A_NAME`] versions with this name, in ascending order.
        versions: Vec<Version>,
    },
    /// No version has this name, and no version has a time to compare the date with.
    #[error("no version has the name '{0}', and no version has a date")]
    Undated(String),
    /// No version has this name, and all times are later than the date.
    #[error(
        "no version has the name '{date}', or a date up to {date}: the earliest date is {time}, of \
         version {version}"
    )]
    Before {
        /// The date.
        date: String,
        /// The version with the earliest time.
        version: Version,
        /// The time of this version in UTC.
        time: String,
    },
    /// No version has this name, and the times of the newest versions are later than the date.
    #[error(
        "no version has the name '{0}', or a date up to {0} among the newest {n} versions",
        n = PAGE * MOST_PAGES
    )]
    TooOld(String),
}

fn listed(versions: &[Version]) -> String {
    let all: Vec<_> = versions.iter().map(Version::to_string).collect();
    all.join(", ")
}

impl VersionNotes {
    /// Reads the notes of the versions from `first` to `last`, both included. Time: linear in the
    /// number of these notes.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn read(store: &dyn Store, first: Version, last: Version) -> Result<Self, StoreError> {
        let [first, last] = [first, last].map(|version| version.number().to_be_bytes());
        let version = |name: &[u8]| {
            let number = name.try_into().map_err(|_| UNREADABLE)?;
            Ok::<_, StoreError>(Version::new(u64::from_be_bytes(number)))
        };
        let signatures = || store.records_between(SIGNATURES_GROUP, &first, &last);
        let mut signed = signatures()?;
        let mut records = store.records_between(GROUP, &first, &last)?;
        // Another process may have signed notes in between. A signature replaces a note, and is
        // never removed, so this ends.
        loop {
            let after = signatures()?;
            if after == signed {
                break;
            }
            signed = after;
            records = store.records_between(GROUP, &first, &last)?;
        }
        let mut notes = BTreeMap::<_, VersionNote>::new();
        for (name, value) in records {
            let note = codec::decode_body(&value).map_err(|_| UNREADABLE)?;
            notes.insert(version(&name)?, note);
        }
        for (name, value) in signed {
            let signature = value.as_slice().try_into().map_err(|_| UNREADABLE)?;
            if let Some(note) = notes.get_mut(&version(&name)?) {
                note.signature = Some(signature);
            }
        }
        Ok(Self(notes))
    }

    /// Returns whether this value contains no notes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the note of a version, if there is one.
    pub fn get(&self, version: Version) -> Option<&VersionNote> {
        self.0.get(&version)
    }

    /// Returns the versions that have notes, in ascending order, each with its note.
    pub fn iter(&self) -> impl Iterator<Item = (Version, &VersionNote)> {
        self.0.iter().map(|(version, note)| (*version, note))
    }

    /// Adds the notes of `others`. They replace existing notes of the same versions.
    pub fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }
}

impl FromIterator<(Version, VersionNote)> for VersionNotes {
    fn from_iter<I: IntoIterator<Item = (Version, VersionNote)>>(notes: I) -> Self {
        Self(notes.into_iter().collect())
    }
}

/// Returns the only version in `versions`, the versions with the name `name`.
///
/// # Errors
/// [`NameError`] unless `versions` contains exactly one version.
pub fn only_version(name: &str, versions: Vec<Version>) -> Result<Version, NameError> {
    match versions.as_slice() {
        [] => Err(NameError::Unknown(name.into())),
        [version] => Ok(*version),
        _ => Err(NameError::Ambiguous {
            name: name.into(),
            versions,
        }),
    }
}

/// The maximum number of versions that [`versions_of`] returns for one name.
pub const MOST_OF_A_NAME: usize = 10;
const GROUP: &str = "version-notes";
const NAMES_GROUP: &str = "version-names";
const SIGNATURES_GROUP: &str = "version-signatures";
const UNREADABLE: StoreError = StoreError::Damaged("unreadable note on a version");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::redb_store::RedbStore;

    pub(super) fn note(name: Option<&str>) -> VersionNote {
        VersionNote {
            name: name.map(Into::into),
            seconds: 1_700_000_000,
            changes: 3,
            entries: 2,
            signature: None,
        }
    }

    #[test]
    fn a_name_is_that_of_one_version() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let names = [Some("a"), None, Some("b"), Some("a")];
        let records: Vec<_> = (1..)
            .zip(names)
            .flat_map(|(version, name)| note(name).records(Version::new(version)).take(1))
            .collect();
        let mut store = RedbStore::create(&path, &records).unwrap();
        let before: Vec<_> = ["a", "b", "c"]
            .map(|name| versions_of(&store, name).unwrap())
            .into();
        store
            .write_records(&missing_names(&store).unwrap())
            .unwrap();
        assert!(missing_names(&store).unwrap().is_empty());
        let after: Vec<_> = ["a", "b", "c"]
            .map(|name| versions_of(&store, name).unwrap())
            .into();
        assert_eq!(before, after);
        let find = |name| only_version(name, versions_of(&store, name).unwrap());
        assert_eq!(find("b"), Ok(Version::new(3)));
        assert_eq!(find("c"), Err(NameError::Unknown("c".into())));
        assert_eq!(find("ab"), Err(NameError::Unknown("ab".into())));
        let notes = VersionNotes::read(&store, Version::new(2), Version::new(3)).unwrap();
        let between: Vec<_> = notes.iter().map(|(version, _)| version).collect();
        assert_eq!(between, [2, 3].map(Version::new));
        let versions = vec![Version::new(1), Version::new(4)];
        let name = "a".into();
        assert_eq!(find("a"), Err(NameError::Ambiguous { name, versions }));
        let of = |version| VersionNote::of(&store, Version::new(version)).unwrap();
        assert_eq!(of(2), Some(note(None)));
        assert_eq!(of(5), None);
    }

    #[test]
    fn damaged_notes_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let good = codec::encode_body(&note(Some("a")));
        let bad = [
            RecordChange::put(GROUP, [0; 9], good.clone()),
            RecordChange::put(GROUP, [0; 8], &good[1..]),
            RecordChange::put(GROUP, [0; 8], [&good[..], &[0]].concat()),
            RecordChange::put(SIGNATURES_GROUP, [0; 8], [0; SIGNATURE_BYTES - 1]),
            RecordChange::put(SIGNATURES_GROUP, [0; 9], [0; SIGNATURE_BYTES]),
        ];
        for (number, record) in bad.into_iter().enumerate() {
            let path = folder.path().join(number.to_string());
            let store = RedbStore::create(&path, &[record]).unwrap();
            let read = VersionNotes::read(&store, Version::EMPTY, Version::new(9));
            assert!(
                matches!(read, Err(StoreError::Damaged(_))),
                "{number}: {read:?}"
            );
        }
    }
}
