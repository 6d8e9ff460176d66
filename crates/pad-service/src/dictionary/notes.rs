//! Notes on versions that other parties deliver: names, times and numbers of changes.

use std::sync::{PoisonError, atomic::Ordering::Relaxed};

use authdict::{
    RepositoryError, VersionNotes,
    internals::{
        AnyStore, Store,
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
        // Known notes block no reader or writer.
        let found = self.read(|server| notes.missing_in(server.store(), latest))?;
        if found.taken == 0 {
            return Ok(found);
        }
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        self.check_file()?;
        let write = |store: &mut dyn Store| {
            // An empty change makes this process the writer. Notes that other processes or threads
            // have stored until then are known afterwards.
            store.write_records(&[])?;
            let found = notes.missing_in(store, latest)?;
            if found.taken > 0 {
                store.write_records(&found.records)?;
            }
            Ok(found)
        };
        let written = if self.is_writer.load(Relaxed) {
            let current = self.current();
            let mut repository = current.write().unwrap_or_else(PoisonError::into_inner);
            write(repository.store_mut())
        } else {
            // A second handle of the store blocks other writers until it is dropped.
            AnyStore::open(&self.store).and_then(|mut store| write(&mut *store))
        };
        if written.is_err() && !self.reads_on_demand() {
            // The handle that answers queries may be unusable, or may block the second handle.
            self.reopen(self.latest())?;
        }
        Ok(written?)
    }
}
