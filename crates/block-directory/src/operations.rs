//! The operations that an update makes on a directory's entries, and their rules.
//!
//! In an update, `Put(be64(id), object digest)` registers or changes an entry, and
//! `Remove(be64(id))` deletes one. Ids are strictly ascending. In a directory of `n` entries,
//! operations with ids below `n` must be of live entries. Operations with ids from `n` on must be
//! `Put`, and their ids must be `n, n + 1, ..`.

use pad_core::{
    ApplyError, InputError, Operation, StoreFault, Suite, Value, internals::DigestBytes,
};

use crate::entry::{self, EntryId, EntryState, MOST_ENTRIES};

/// The maximum number of operations of one version.
pub(crate) const MOST_OPERATIONS: usize = 1 << 22;

/// Checked changes of one version.
#[derive(Clone, Debug)]
pub(crate) struct EntryChanges<S: Suite> {
    /// The registered entries that change, in ascending order of ids. Each comes with its new slot
    /// content: the digest of its object, or zeros for a deleted entry.
    pub(crate) changed: Vec<(u64, S::Digest)>,
    /// The objects of new entries, in the order of their ids.
    pub(crate) appended: Vec<S::Digest>,
}

impl<S: Suite> EntryChanges<S> {
    /// Splits checked changes of a directory of `registered` entries.
    pub(crate) fn split(changes: &[Change<S>], registered: u64) -> Self {
        let changed = changes.partition_point(|change| change.id < registered);
        let (changed, appended) = changes.split_at(changed);
        let content = |change: &Change<S>| change.shown.unwrap_or_default();
        Self {
            changed: changed.iter().map(|it| (it.id, content(it))).collect(),
            appended: appended.iter().map(content).collect(),
        }
    }
}

/// A change of one entry: its id, and its state from the next version on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change<S: Suite> {
    pub(crate) id: u64,
    pub(crate) shown: EntryState<S>,
}

impl<S: Suite> Change<S> {
    /// Converts the change to an operation of an update.
    pub(crate) fn to_operation(self) -> Operation {
        let key = EntryId::new(self.id).to_key();
        match self.shown {
            // A digest is within the bounds of values.
            Some(object) => Operation::Put(key, Value::new(object.as_ref()).unwrap_or_default()),
            None => Operation::Remove(key),
        }
    }

    fn from_operation(operation: &Operation) -> Result<Self, ApplyError> {
        let id = EntryId::from_key(operation.key()).ok_or(ApplyError::NotAnEntry)?;
        let shown = match operation {
            Operation::Put(_, object) => {
                let object = S::Digest::from_slice(object.as_bytes());
                Some(object.ok_or(ApplyError::NotAnEntry)?)
            }
            Operation::Remove(_) => None,
        };
        let id = id.number();
        Ok(Self { id, shown })
    }
}

/// Decodes the operations of an update into changes.
///
/// # Errors
/// [`ApplyError::NotAnEntry`] for a key that is not an id or a value that is not a digest;
/// [`InputError::CapacityExceeded`] for more than [`MOST_OPERATIONS`].
pub(crate) fn decode<S: Suite>(operations: &[Operation]) -> Result<Vec<Change<S>>, ApplyError> {
    if operations.len() > MOST_OPERATIONS {
        return Err(InputError::CapacityExceeded.into());
    }
    operations.iter().map(Change::from_operation).collect()
}

/// Checks all changes of a directory of `registered` entries. Returns the new number of entries.
/// `is_live` returns whether a registered entry is live.
///
/// # Errors
/// - [`ApplyError::UnorderedOperations`] if ids are not strictly ascending.
/// - [`ApplyError::DeletedForGood`] for a change of a deleted entry.
/// - [`ApplyError::UnknownId`] for deleting an entry that is not registered.
/// - [`ApplyError::IdGap`] if new entries do not have the next ids.
/// - [`InputError::ReservedDigest`] for an object with the digest of zeros.
/// - [`InputError::CapacityExceeded`] for more than [`MOST_ENTRIES`] entries.
/// - The errors of `is_live`.
pub(crate) fn check<S: Suite>(
    changes: &[Change<S>],
    registered: u64,
    mut is_live: impl FnMut(u64) -> Result<bool, StoreFault>,
) -> Result<u64, ApplyError> {
    if !changes.is_sorted_by(|change, next| change.id < next.id) {
        return Err(ApplyError::UnorderedOperations);
    }
    let mut next = registered;
    for change in changes {
        if change.shown.as_ref().is_some_and(entry::is_reserved) {
            return Err(InputError::ReservedDigest.into());
        }
        if change.id < registered {
            if !is_live(change.id)? {
                return Err(ApplyError::DeletedForGood(change.id));
            }
        } else if change.shown.is_none() {
            return Err(ApplyError::UnknownId(change.id));
        } else if change.id != next {
            let (expected, actual) = (next, change.id);
            return Err(ApplyError::IdGap { expected, actual });
        } else {
            next += 1;
        }
    }
    if next > MOST_ENTRIES {
        return Err(InputError::CapacityExceeded.into());
    }
    Ok(next)
}

/// Checks that each object can be registered, with ids from 0. Yields each digest, or an error.
pub(crate) fn checked<S: Suite>(
    objects: impl IntoIterator<Item = S::Digest>,
) -> impl Iterator<Item = Result<S::Digest, InputError>> {
    (0..).zip(objects).map(|(id, object)| {
        check_new::<S>(&object, id)?;
        Ok(object)
    })
}

/// Checks that an object with this digest can be registered with this new id.
pub(crate) fn check_new<S: Suite>(object: &S::Digest, id: u64) -> Result<(), InputError> {
    if entry::is_reserved(object) {
        return Err(InputError::ReservedDigest);
    }
    if id >= MOST_ENTRIES {
        return Err(InputError::CapacityExceeded);
    }
    Ok(())
}
