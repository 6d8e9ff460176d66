//! Pending changes: stored durably until their author signs them.
//!
//! Each change is stored with the number of the version that was latest when the change was stored.
//! When the author signs a later version, the changes that are still unsigned move to that version
//! ([`crate::Author::flush`]). A change whose number is older than the latest version therefore
//! shows that the store was an old copy, and that later versions were applied to it. These versions
//! may already include the change.
//!
//! A pending change is applied to the version that signs it, even if another change of the same key
//! was signed in the meantime.

use pad_core::{Key, Operation, Value, Version};

use crate::{
    description::key_of_store,
    store::{RecordChange, Store, StoreError},
};

/// A pending change in a store.
#[derive(Clone, Debug)]
pub struct PendingChange {
    /// The version that was latest when the change was noted, or the later version that the change
    /// moved to.
    pub after: Version,
    /// The change that waits to be signed: a put or a removal.
    pub operation: Operation,
    name: Vec<u8>,
    value: Vec<u8>,
}

impl PendingChange {
    /// Returns the record change that removes this change from the pending changes in the store.
    /// The caller passes it to [`crate::Author::flush`], with the version that signs the change.
    pub fn done(&self) -> RecordChange {
        RecordChange::remove(GROUP, self.name.clone(), self.value.clone())
    }

    fn of_record(name: Vec<u8>, value: Vec<u8>, is_append_only: bool) -> Option<Self> {
        let key = if is_append_only {
            name.split_first_chunk::<NUMBER_BYTES>()?.1
        } else {
            &name
        };
        let key = Key::new(key).ok()?;
        let (after, new) = value.split_first_chunk()?;
        let operation = match new.split_first()? {
            (b'+', new) => Operation::Put(key, Value::new(new).ok()?),
            (b'-', []) => Operation::Remove(key),
            _ => return None,
        };
        Some(Self {
            after: Version::new(u64::from_be_bytes(*after)),
            operation,
            name,
            value,
        })
    }
}

/// Stores a pending change, and returns the number of pending changes. In a dictionary, the change
/// replaces an earlier pending change of its key. In a log, all changes are kept in order.
///
/// # Errors
/// [`StoreError`].
pub fn note(store: &mut dyn Store, operation: &Operation) -> Result<u64, StoreError> {
    let (sign, new) = match operation {
        Operation::Put(_, value) => (b"+", value.as_bytes()),
        Operation::Remove(_) => (b"-", &[][..]),
    };
    let note = RecordChange::PutAtLatest {
        group: GROUP,
        name: operation.key().as_bytes().to_vec(),
        value: [sign, new].concat(),
        is_numbered: key_of_store(store)?.scheme.family().is_append_only(),
    };
    store.write_records(&[note])?;
    count(store)
}

/// Returns the pending changes, in the order in which they will be signed.
///
/// # Errors
/// [`StoreError`].
pub fn changes(store: &dyn Store) -> Result<Vec<PendingChange>, StoreError> {
    let is_append_only = key_of_store(store)?.scheme.family().is_append_only();
    let records = store.records(GROUP)?.into_iter();
    let changes =
        records.map(|(name, value)| PendingChange::of_record(name, value, is_append_only));
    let changes: Option<_> = changes.collect();
    changes.ok_or(StoreError::Damaged("unreadable pending change"))
}

/// Returns the number of pending changes, without reading the changes.
///
/// # Errors
/// [`StoreError`].
pub fn count(store: &dyn Store) -> Result<u64, StoreError> {
    store.record_count(GROUP)
}

/// Returns the record change that replaces the version number `from`, stored with pending changes,
/// by the later version `to`.
pub(crate) fn carried(from: Version, to: Version) -> RecordChange {
    RecordChange::Renumber {
        group: GROUP,
        from: from.number(),
        to: to.number(),
    }
}

/// Group of the records with pending changes. A record's name is the change's key; in logs, a
/// number (8 bytes, big-endian) precedes the key. A record's value is the version (8 bytes,
/// big-endian), `+` or `-`, and the new value.
const GROUP: &str = "pending";
const NUMBER_BYTES: usize = 8;
