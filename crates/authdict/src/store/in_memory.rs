//! A store in memory for tests of keepers. Its published state is durable.

use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, Mutex, MutexGuard},
};

use pad_core::Version;

use super::{Record, RecordChange, Store, StoreError, StoredCheckpoint, redb_store::RedbStore};

/// A test store, whose clones share one state. It can report one failure after a change that was
/// made.
#[derive(Clone, Debug, Default)]
pub(crate) struct TestStore(Arc<Mutex<TestState>>);

#[derive(Clone, Debug, Default)]
pub(crate) struct TestState {
    /// The number of changes before the change that reports a failure; `None` for no failure.
    pub(crate) until_failure: Option<usize>,
    latest: Version,
    oldest: Version,
    /// All updates ever published, including those that a pruning has dropped; or the latest row.
    payloads: BTreeMap<Version, Vec<u8>>,
    /// Whether the store has rows, because its keeper stores the contents itself.
    is_of_rows: bool,
    records: Vec<Record>,
    checkpoint: Option<StoredCheckpoint>,
}

impl TestStore {
    /// A store of a keeper that stores its contents itself.
    pub(crate) fn of_rows() -> Self {
        let store = Self::default();
        store.state().is_of_rows = true;
        store
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, TestState> {
        self.0.lock().unwrap()
    }

    /// An independent copy of the store in its current state.
    pub(crate) fn copied(&self) -> Self {
        Self(Arc::new(Mutex::new(self.state().clone())))
    }

    /// All updates ever published, including those that a pruning has dropped.
    pub(crate) fn updates(&self) -> Vec<Vec<u8>> {
        self.state().payloads.values().cloned().collect()
    }
}

impl TestState {
    /// Changes records, and returns the reported result of a change that was made.
    fn changed(&mut self, records: &[RecordChange]) -> Result<(), StoreError> {
        for record in records {
            let RecordChange::Put { name, value, .. } = record else {
                panic!("nothing is removed");
            };
            self.records = vec![(name.clone(), value.clone())];
        }
        let left = &mut self.until_failure;
        match left {
            Some(0) => {
                *left = None;
                Err(StoreError::Io(io::Error::other("the power is gone")))
            }
            Some(number) => {
                *number -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }
}

impl Store for TestStore {
    fn id(&self) -> Result<[u8; 16], StoreError> {
        Ok([4; 16])
    }

    fn latest(&self) -> Result<Version, StoreError> {
        Ok(self.state().latest)
    }

    fn publish(
        &mut self,
        first: Version,
        updates: &[Vec<u8>],
        records: &[RecordChange],
    ) -> Result<(), StoreError> {
        let mut state = self.state();
        assert!(updates.is_empty() || Some(first) == state.latest.next());
        assert!(
            updates.is_empty() || !state.is_of_rows,
            "it keeps its contents itself"
        );
        for update in updates {
            state.latest = state.latest.next().unwrap();
            let version = state.latest;
            state.payloads.insert(version, update.clone());
        }
        state.changed(records)
    }

    fn publish_row(
        &mut self,
        before: Version,
        latest: Version,
        row: &[u8],
        records: &[RecordChange],
    ) -> Result<(), StoreError> {
        let mut state = self.state();
        assert!(before == state.latest && latest >= before);
        assert!(state.is_of_rows, "its updates are kept");
        state.latest = latest;
        state.payloads = BTreeMap::from([(latest, row.to_vec())]);
        state.changed(records)
    }

    fn update(&self, version: Version) -> Result<Option<Vec<u8>>, StoreError> {
        let state = self.state();
        let kept = version > state.oldest;
        Ok(state.payloads.get(&version).filter(|_| kept).cloned())
    }

    fn put_checkpoint(&mut self, checkpoint: &StoredCheckpoint) -> Result<(), StoreError> {
        let mut state = self.state();
        assert!(!state.is_of_rows, "it keeps its contents itself");
        state.oldest = state.oldest.max(checkpoint.oldest);
        state.checkpoint = Some(checkpoint.clone());
        Ok(())
    }

    fn checkpoint(&self) -> Result<Option<StoredCheckpoint>, StoreError> {
        Ok(self.state().checkpoint.clone())
    }

    fn records(&self, _: &'static str) -> Result<Vec<Record>, StoreError> {
        Ok(self.state().records.clone())
    }

    fn pin(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn unpin(&self) {}

    fn compact(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn file(&self) -> Option<&RedbStore> {
        None
    }

    fn check(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
}
