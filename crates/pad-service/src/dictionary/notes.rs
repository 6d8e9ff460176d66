//! Unsigned notes on versions that other parties deliver: names, times and numbers of changes.

use std::sync::PoisonError;

use authdict::{
    RepositoryError, Server, VersionNotes,
    internals::{
        AnyStore, Store as _,
        version_notes::{MissingNotes, note_count},
    },
};

use super::Dictionary;

impl Dictionary {
    /// Returns the number of versions with notes in the store; `None` if the store takes no notes,
    /// as in an object store.
    pub(crate) fn note_count(&self) -> Result<Option<u64>, RepositoryError> {
        if AnyStore::is_in_objects(&self.store) {
            return Ok(None);
        }
        Ok(Some(self.read(|server| note_count(server.store()))?))
    }

    /// Stores the notes that the store lacks, durably. Notes on versions that do not exist are
    /// ignored, and notes that the store has already are kept. A store in objects takes no notes.
    ///
    /// # Errors
    /// [`RepositoryError`].
    pub(crate) fn take_notes(&self, notes: &VersionNotes) -> Result<MissingNotes, RepositoryError> {
        if AnyStore::is_in_objects(&self.store) {
            return Ok(MissingNotes::default());
        }
        let latest = self.latest();
        let missing = |server: &Server| notes.missing_in(server.store(), latest);
        // Known notes block no reader or writer.
        let found = self.read(missing)?;
        if found.taken == 0 {
            return Ok(found);
        }
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have stored notes before this thread got the lock.
        let found = self.read(missing)?;
        if self.reads_on_demand() {
            let mut store = AnyStore::open(&self.store)?;
            store.write_records(&found.records)?;
        } else {
            let current = self.current();
            let mut repository = current.write().unwrap_or_else(PoisonError::into_inner);
            repository.store_mut().write_records(&found.records)?;
        }
        Ok(found)
    }
}
