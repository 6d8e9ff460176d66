//! Nodes of tree PADs in two append-only files next to the store. `STORE.nodes` contains the nodes
//! of all versions. `STORE.nodes.heads` contains one row per version: signed head, position of the
//! root, end of the nodes. Pruning copies the nodes to new files, whose names begin with
//! `STORE.nodes-` and a random number.
//!
//! The store's own file also contains the row of the latest version. Writing this row in a
//! transaction publishes the version. The next writer truncates bytes after the published end.
//!
//! Writers lock the node file; readers need no lock. Each file begins with a 4096-byte header,
//! which contains the store's 16-byte id and a copy number. Files of another store are refused, and
//! never truncated or removed.

use std::{path::Path, sync::Arc};

use pad_core::{Sha256Ed25519, StoreFault, Version};
use pad_disk::{
    Access,
    layer::{FileLayer, Folder},
};
use pad_tree::{LogId, NodeLog};

use super::{SystemError, rows, rows::RowLengths};
use crate::store::StoreError;

mod log;
mod owned;

use owned::{OwnedFile, Owner};

/// The nodes of a tree PAD and the rows of its versions, in files next to the store.
#[derive(Debug)]
pub(crate) struct NodeFile {
    folder: Arc<dyn FileLayer>,
    /// The file name of the store, without its folder.
    store: String,
    owner: Owner,
    nodes: OwnedFile,
    rows: OwnedFile,
    lengths: RowLengths,
    latest: Version,
    /// The new row of the latest version, if a compaction has rewritten the version's nodes at the
    /// end of the node file. The file of rows still contains the version's previous row.
    moved: Option<Vec<u8>>,
    /// The position in the node file at which the nodes of the latest version end.
    published: u64,
    /// The position in the node file at which the next byte is appended.
    end: u64,
    is_writer: bool,
    /// Whether writes are rejected because the store's state is unknown. Reopening clears this
    /// state.
    is_closed: bool,
    error: SystemError,
}

impl NodeFile {
    /// Creates the handle of the first node files of the store at `path`, as yet without versions
    /// and without an owner.
    ///
    /// # Errors
    /// [`StoreError::Io`], also if the store's name is not UTF-8.
    pub(crate) fn of_store(path: &Path, lengths: RowLengths) -> Result<Self, StoreError> {
        let (folder, store) = Folder::of_file(path)?;
        let folder = Arc::new(folder.with_access(Access::Usual));
        Ok(Self::new(folder, store, lengths))
    }

    /// Creates the handle of the first node files of the store with the file name `store` in a
    /// folder.
    pub(crate) fn new(folder: Arc<dyn FileLayer>, store: String, lengths: RowLengths) -> Self {
        Self::owned(folder, store, lengths, Owner::default())
    }

    /// Creates the handle of the node files with the owner `owner` next to the same store, as yet
    /// without versions.
    fn of(&self, owner: Owner) -> Self {
        let folder = Arc::clone(&self.folder);
        Self::owned(folder, self.store.clone(), self.lengths, owner)
    }

    fn owned(folder: Arc<dyn FileLayer>, store: String, lengths: RowLengths, owner: Owner) -> Self {
        let nodes = match owner.copy {
            0 => format!("{store}.nodes"),
            copy => format!("{store}.nodes-{copy:016x}"),
        };
        let rows = format!("{nodes}.heads");
        Self {
            nodes: OwnedFile::new(&folder, nodes, *b"padnodes", &owner),
            rows: OwnedFile::new(&folder, rows, *b"padheads", &owner),
            folder,
            store,
            owner,
            lengths,
            latest: Version::EMPTY,
            moved: None,
            published: 0,
            end: 0,
            is_writer: false,
            is_closed: false,
            error: SystemError::default(),
        }
    }

    /// Opens these files for reading, with the versions up to `latest`. `row` is the row of version
    /// `latest`, as stored in the store.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if `row` is malformed, or the files do not match it;
    /// [`StoreError::Io`].
    pub(crate) fn up_to(&self, latest: Version, row: &[u8]) -> Result<Self, StoreError> {
        let mut file = self.of(self.owner);
        if latest == Version::EMPTY {
            return Ok(file);
        }
        let (_, end) = rows::parts(latest, row).ok_or(NO_ROW)?;
        file.rows.open_to_read(self.rows_end(latest)?)?;
        file.latest = latest;
        let found = file
            .row(latest)
            .map_err(|fault| match (fault, file.error.take()) {
                (StoreFault::Medium, Some(error)) => StoreError::Io(error),
                _ => OTHER_ROW,
            })?;
        if found != row {
            if !self.lengths.is_moved(latest, row, &found) {
                return Err(OTHER_ROW);
            }
            file.moved = Some(row.to_vec());
        }
        file.nodes.open_to_read(end)?;
        (file.published, file.end) = (end, end);
        Ok(file)
    }

    fn rows_end(&self, latest: Version) -> Result<u64, StoreError> {
        self.lengths.end(latest.number()).ok_or(NO_ROW)
    }

    /// Returns an error if there are node files next to the path of a store to be created. They
    /// belong to another store.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if there are node files; [`StoreError::Io`].
    pub(crate) fn require_none(store: &Path) -> Result<(), StoreError> {
        // No row is read, so the lengths of rows do not matter.
        let lengths = RowLengths::of::<Sha256Ed25519>();
        if Self::of_store(store, lengths)?.file_bytes()? > 0 {
            return Err(FOREIGN);
        }
        Ok(())
    }

    pub(crate) fn file_bytes(&self) -> Result<u64, StoreError> {
        Ok(self.nodes.bytes()?.saturating_add(self.rows.bytes()?))
    }

    /// Returns the row of a version.
    ///
    /// # Errors
    /// [`StoreFault::Damaged`] if the row is missing or its checksum does not match;
    /// [`StoreFault::Medium`].
    pub(crate) fn row(&self, version: Version) -> Result<Vec<u8>, StoreFault> {
        if let Some(moved) = self.moved.as_ref().filter(|_| version == self.latest) {
            return Ok(moved.clone());
        }
        let place = self.lengths.row(version);
        let (position, length) = place
            .filter(|_| version <= self.latest)
            .ok_or(StoreFault::Damaged)?;
        let mut row = vec![0; length];
        let read = self.rows.read(position, &mut row);
        read.map_err(|error| self.error.fault(error))?;
        match rows::parts(version, &row) {
            Some(_) => Ok(row),
            None => Err(StoreFault::Damaged),
        }
    }

    /// Takes the write lock until this value is dropped, and truncates bytes that a killed writer
    /// left behind. Before the truncation, `is_newest` checks under the lock that the store and
    /// these files have the same latest version.
    ///
    /// # Errors
    /// [`StoreError::InUse`], [`StoreError::Superseded`] if the files no longer exist,
    /// [`StoreError::Closed`], [`StoreError::Damaged`], [`StoreError::Io`]; the errors of
    /// `is_newest`.
    pub(crate) fn begin(
        &mut self,
        is_newest: impl FnOnce() -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        if self.is_closed {
            return Err(StoreError::Closed);
        }
        if self.is_writer {
            return Ok(());
        }
        let rows_end = self.rows_end(self.latest)?;
        // Even a version without nodes has a row, so `rows_end` shows whether both files must
        // exist.
        let nodes = self.nodes.opened_to_write(rows_end)?;
        self.nodes.lock(&*nodes)?;
        is_newest()?;
        let rows = self.rows.opened_to_write(rows_end)?;
        // The handle `nodes` holds the lock. Both handles are stored only after both files are
        // ready.
        self.nodes.prepare(&*nodes, self.published)?;
        self.rows.prepare(&*rows, rows_end)?;
        self.nodes.write_to(nodes);
        self.rows.write_to(rows);
        (self.is_writer, self.end) = (true, self.published);
        Ok(())
    }

    const fn may_write(&self) -> bool {
        self.is_writer && !self.is_closed
    }
}

impl NodeLog for NodeFile {
    fn latest(&self) -> Version {
        self.latest
    }

    fn end(&self) -> u64 {
        self.end
    }

    /// Returns the unique id of this log; `None` for a writer, because its nodes may never be
    /// published.
    fn identity(&self) -> Option<LogId> {
        (!self.is_writer).then(|| self.owner.bytes())
    }

    fn read(&self, position: u64, bytes: &mut [u8]) -> Result<(), StoreFault> {
        let read = self.nodes.read(position, bytes);
        read.map_err(|error| self.error.fault(error))
    }

    fn record(&self, version: Version) -> Result<Vec<u8>, StoreFault> {
        let mut row = self.row(version)?;
        let (record, _) = rows::parts(version, &row).ok_or(StoreFault::Damaged)?;
        row.truncate(record.len());
        Ok(row)
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), StoreFault> {
        if !self.may_write() {
            return Err(StoreFault::Closed);
        }
        let length = u64::try_from(bytes.len()).map_err(|_| StoreFault::Damaged)?;
        let end = self.end.checked_add(length).ok_or(StoreFault::Damaged)?;
        let written = self.nodes.write(self.end, bytes);
        written.map_err(|error| self.error.note(error))?;
        self.end = end;
        Ok(())
    }

    fn publish(&mut self, version: Version, record: &[u8]) -> Result<(), StoreFault> {
        if Some(version) != self.latest.next() {
            return Err(StoreFault::Damaged);
        }
        if !self.may_write() {
            return Err(StoreFault::Closed);
        }
        let row = rows::row(version, record, self.end);
        let place = self.lengths.row(version);
        let (position, _) = place
            .filter(|(_, length)| *length == row.len())
            .ok_or(StoreFault::Damaged)?;
        let written = self.rows.write(position, &row);
        written.map_err(|error| self.error.note(error))?;
        (self.latest, self.published) = (version, self.end);
        self.moved = None;
        Ok(())
    }

    /// Replaces the row of the latest version in memory, to be written to the store. The file of
    /// rows keeps the old row.
    fn replace(&mut self, record: &[u8]) -> Result<(), StoreFault> {
        if !self.may_write() {
            return Err(StoreFault::Closed);
        }
        let row = rows::row(self.latest, record, self.end);
        if !self
            .lengths
            .is_moved(self.latest, &row, &self.row(self.latest)?)
        {
            return Err(StoreFault::Damaged);
        }
        self.published = self.end;
        self.moved = Some(row);
        Ok(())
    }

    fn synchronise(&mut self) -> Result<(), StoreFault> {
        if self.is_closed {
            return Err(StoreFault::Closed);
        }
        let synchronised = self.nodes.synchronise().and(self.rows.synchronise());
        synchronised.map_err(|error| self.error.note(error))
    }

    fn discard(&mut self) {
        self.end = self.published;
    }
}

const NO_ROW: StoreError = StoreError::Damaged("malformed row in the version index");
const OTHER_ROW: StoreError = StoreError::Damaged(
    "version index (.nodes.heads) does not match the latest version: restore the file that was \
     copied with the store",
);
/// The error message for a missing node file. A pruning may have replaced the file since the store
/// was read.
pub(crate) const MISSING: &str =
    "node file (.nodes or .nodes.heads) is missing: copy both files with the store";
const FOREIGN: StoreError = StoreError::Damaged(
    "node file (.nodes or .nodes.heads) belongs to another store: restore this store's own file, \
     or move it away if the store is new",
);
const CUT_OFF: StoreError = StoreError::Damaged(
    "node file (.nodes or .nodes.heads) is truncated: restore all files of the store from one \
     backup, or mirror a server that has its versions (pad mirror)",
);

#[cfg(test)]
mod tests;
