//! Node files ([`NodeFile`]) as logs of tree nodes ([`StoreLog`]).

use pad_core::{StoreFault, Version, codec};
use serde::{Deserialize, Serialize};

use super::{NodeFile, OTHER_ROW, owned::Owner};
use crate::{
    store::{RecordChange, Store, StoreError},
    store_log::{AnyLog, StoreLog, SystemError, latest_row, require_latest},
};

/// The record in a store that identifies its current node files. Pruning copies the kept nodes to
/// new files, and writes this record.
#[derive(Default, Serialize, Deserialize)]
struct CopyRecord {
    /// The [`Owner::copy`] of the node files in use.
    copy: u64,
    /// The [`Owner::copy`] of unused files that may still exist: the previous files, or files of an
    /// unfinished copy.
    replaced: Option<u64>,
}

impl CopyRecord {
    /// Reads the record from `store`. Without a record, no pruning has copied the files, and the
    /// result is the default: `copy` is 0.
    fn read(store: &dyn Store) -> Result<Self, StoreError> {
        let records = store.records(GROUP)?;
        let Some((_, value)) = records.first() else {
            return Ok(Self::default());
        };
        codec::decode_body(value)
            .map_err(|_| StoreError::Damaged("unreadable record of the node files"))
    }
}

const GROUP: &str = "nodes";

impl StoreLog for NodeFile {
    fn taken_up(&self, store: &dyn Store) -> Result<AnyLog, StoreError> {
        let owner = Owner {
            store: store.id()?,
            copy: CopyRecord::read(store)?.copy,
        };
        let (latest, row) = latest_row(store)?;
        Ok(Box::new(self.of(owner).up_to(latest, &row)?))
    }

    fn begin(&mut self, store: &dyn Store) -> Result<(), StoreError> {
        let (latest, owner, was_writer) = (self.latest, self.owner, self.is_writer);
        let row = match latest {
            Version::EMPTY => Vec::new(),
            latest => self.row(latest).map_err(|_| OTHER_ROW)?,
        };
        self.begin(|| {
            require_latest(store, latest)?;
            // If another process has moved the version's nodes, they end after the position known
            // here.
            if latest_row(store)?.1 != row && !was_writer {
                return Err(StoreError::Superseded);
            }
            if CopyRecord::read(store)?.copy != owner.copy {
                return Err(StoreError::Superseded);
            }
            Ok(())
        })?;
        if !was_writer {
            // Completes an interrupted pruning. After a failure, the next writer tries again.
            drop(self.remove_replaced(store));
        }
        Ok(())
    }

    fn row(&self, version: Version) -> Result<Vec<u8>, StoreFault> {
        self.row(version)
    }

    fn kept_bytes(&self) -> Result<u64, StoreError> {
        self.file_bytes()
    }

    fn system_error(&self) -> SystemError {
        self.error.clone()
    }

    fn files(&self) -> Option<&Self> {
        Some(self)
    }

    fn close(&mut self) {
        self.is_closed = true;
    }
}

/// A store uses the files of one copy of its nodes at a time. Pruning switches to a new copy.
impl NodeFile {
    /// Creates the handle of another copy for the same store, without files and versions.
    pub(crate) fn new_copy(&self) -> Result<Self, StoreError> {
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
        // The number is random and not 0, which is the number of the first files.
        let copy = u64::from_le_bytes(bytes).max(1);
        Ok(self.of(Owner { copy, ..self.owner }))
    }

    /// Returns a handle of these files that is not opened and contains no versions. It can still
    /// remove the files.
    pub(crate) fn unopened(&self) -> Self {
        self.of(self.owner)
    }

    /// Returns the record change that makes a store use these files instead of `other`. The record
    /// also marks the other files as unused.
    pub(crate) fn replacing(&self, other: &Self) -> RecordChange {
        let copied = CopyRecord {
            copy: self.owner.copy,
            replaced: Some(other.owner.copy),
        };
        RecordChange::put(GROUP, "", codec::encode_body(&copied))
    }

    /// Returns whether `store` still uses these files, and has not switched to another copy.
    pub(crate) fn is_of(&self, store: &dyn Store) -> Result<bool, StoreError> {
        Ok(CopyRecord::read(store)?.copy == self.owner.copy)
    }

    /// Removes the files. Readers that have opened them can still use them.
    ///
    /// # Errors
    /// [`StoreError`] of the medium; [`StoreError::Damaged`] if the files belong to another store.
    pub(crate) fn remove(&self) -> Result<(), StoreError> {
        self.nodes.remove().and(self.rows.remove())
    }

    /// Removes the files that the store has switched from, if they still exist. Called by the
    /// writer.
    ///
    /// # Errors
    /// [`StoreError::NotRemoved`]; [`StoreError`] if the store cannot be read.
    pub(crate) fn remove_replaced(&self, store: &dyn Store) -> Result<(), StoreError> {
        let copied = CopyRecord::read(store)?;
        let is_other = |copy: &u64| copied.copy == self.owner.copy && *copy != copied.copy;
        let Some(copy) = copied.replaced.filter(is_other) else {
            return Ok(());
        };
        let replaced = self.of(Owner { copy, ..self.owner });
        let removed = replaced.remove();
        removed.map_err(|error| StoreError::NotRemoved(Box::new(error)))
    }
}
