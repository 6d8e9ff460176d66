//! The nodes of stored trees, in a file beside their store.
//!
//! The file is only ever appended to. Where it ends for a version is in the row that the store has for the version, so a version is there
//! when the store has published it, and what a crash has left behind is written over. Who writes has the file's lock; readers need none.
//!
//! It begins with a block that says whose nodes these are. A file that says something else is another store's, whatever its name: nothing of it
//! is read, cut off or taken away.

use std::{
    io,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Instant,
};

use disk::{
    Access, PATIENCE,
    layer::{FileLayer, Folder, LayerFile},
};
use pad_core::{StoreFault, Version};
use pad_tree::NodeLog;

use crate::store::StoreError;

/// The nodes of stored trees, in a file beside their store.
#[derive(Debug)]
pub struct NodeFile {
    folder: Arc<dyn FileLayer>,
    /// The name of the store's file.
    store: String,
    owner: Owner,
    /// `None` if nothing was ever written.
    file: Option<Arc<dyn LayerFile>>,
    is_writer: bool,
    /// Whether something was appended that may not be durable.
    is_dirty: bool,
    /// The position of the next byte.
    end: u64,
    rows: Rows,
    /// Whether nobody knows what the store has, until it is opened anew.
    is_closed: bool,
    error: SystemError,
}

/// Whose nodes a file has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Owner {
    /// The store.
    pub store: [u8; 16],
    /// 0 for the first file of a store, and a number that nobody chose for one to which it was copied.
    pub copy: u64,
}

/// What a file begins with, for each of them; then there are zeros up to the end of the block, so that blocks of nodes are blocks of the
/// file.
const TITLE: [u8; 8] = *b"padnodes";
const HEADER_BYTES: u64 = 4096;
const OWNER_BYTES: usize = 32;

impl Owner {
    fn header(&self) -> [u8; OWNER_BYTES] {
        let mut header = [0; OWNER_BYTES];
        let (title, rest) = header.split_at_mut(TITLE.len());
        let (store, copy) = rest.split_at_mut(self.store.len());
        title.copy_from_slice(&TITLE);
        store.copy_from_slice(&self.store);
        copy.copy_from_slice(&self.copy.to_le_bytes());
        header
    }

    /// Refuses a file that is another's.
    fn check(&self, file: &dyn LayerFile) -> Result<(), StoreError> {
        let mut found = [0; OWNER_BYTES];
        match file.read_at(0, &mut found) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Err(CUT_OFF),
            read => read?,
        }
        if found == self.header() {
            Ok(())
        } else {
            Err(FOREIGN)
        }
    }
}

/// The place in the file of a position among the nodes.
fn place(position: u64) -> io::Result<u64> {
    let place = position.checked_add(HEADER_BYTES);
    place.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

/// What the system said when it last failed.
#[derive(Clone, Debug, Default)]
pub struct SystemError(Arc<Mutex<Option<io::Error>>>);

impl SystemError {
    /// It, once.
    pub fn take(&self) -> Option<io::Error> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn note(&self, error: io::Error) -> StoreFault {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        StoreFault::Medium
    }
}

/// The rows of all versions: each is a record of the version, and where the file ends for it.
#[derive(Debug, Default)]
struct Rows {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

/// The bytes of where the file ends.
const END_BYTES: usize = 8;

impl Rows {
    fn get(&self, version: Version) -> Option<&[u8]> {
        let place = usize::try_from(version.previous()?.number()).ok()?;
        let end = *self.ends.get(place)?;
        let start = match place.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        self.bytes.get(start..end)
    }

    fn add(&mut self, record: &[u8], end: u64) {
        self.bytes.extend_from_slice(record);
        self.bytes.extend_from_slice(&end.to_le_bytes());
        self.ends.push(self.bytes.len());
    }

    fn latest(&self) -> Version {
        Version::new(u64::try_from(self.ends.len()).unwrap_or(u64::MAX))
    }

    /// Where the file ends for the latest version.
    fn end(&self) -> u64 {
        let row = self.get(self.latest()).and_then(split);
        row.map_or(0, |(_, end)| end)
    }
}

/// The record and the end in a row.
fn split(row: &[u8]) -> Option<(&[u8], u64)> {
    let (record, end) = row.split_last_chunk::<END_BYTES>()?;
    Some((record, u64::from_le_bytes(*end)))
}

impl NodeFile {
    /// The first file of the store at this path, with no versions and of nobody yet.
    ///
    /// # Errors
    /// [`StoreError::Io`], also if the store's name is not UTF-8.
    pub fn of_store(path: &Path) -> Result<Self, StoreError> {
        let (folder, store) = Folder::of_file(path)?;
        Ok(Self::new(
            Arc::new(folder.with_access(Access::Usual)),
            store,
        ))
    }

    /// The same of the store of this name in a folder.
    pub fn new(folder: Arc<dyn FileLayer>, store: String) -> Self {
        Self {
            folder,
            store,
            owner: Owner::default(),
            file: None,
            is_writer: false,
            is_dirty: false,
            end: 0,
            rows: Rows::default(),
            is_closed: false,
            error: SystemError::default(),
        }
    }

    /// Another file of the same store, with no versions.
    pub fn of(&self, owner: Owner) -> Self {
        Self {
            owner,
            ..Self::new(Arc::clone(&self.folder), self.store.clone())
        }
    }

    /// Whether [`NodeFile::begin`] has the lock.
    pub const fn is_writer(&self) -> bool {
        self.is_writer
    }

    /// Whose nodes these are.
    pub const fn owner(&self) -> Owner {
        self.owner
    }

    fn name(&self) -> String {
        match self.owner.copy {
            0 => format!("{}.nodes", self.store),
            copy => format!("{}.nodes-{copy:016x}", self.store),
        }
    }

    /// Takes the file away, if it is its owner's. Readers that have it open can still use it.
    ///
    /// # Errors
    /// [`StoreError::Io`], [`StoreError::Damaged`] if it is another's.
    pub fn remove(&self) -> Result<(), StoreError> {
        let file = match self.folder.open_to_read(&self.name()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            opened => opened?,
        };
        if file.length()? > 0 {
            self.owner.check(&*file)?;
        }
        Ok(self.folder.remove(&self.name())?)
    }

    /// The same file, with the versions of these rows.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if these are no rows, or the file does not have what they say; [`StoreError::Io`].
    pub fn with_rows(&self, rows: impl IntoIterator<Item = Vec<u8>>) -> Result<Self, StoreError> {
        let mut file = self.of(self.owner);
        for row in rows {
            let (record, end) = split(&row)
                .filter(|(_, end)| *end >= file.end)
                .ok_or(NO_ROW)?;
            file.rows.add(record, end);
            file.end = end;
        }
        if file.end > 0 {
            let opened = match file.folder.open_to_read(&file.name()) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Err(StoreError::Damaged(MISSING));
                }
                opened => opened?,
            };
            file.owner.check(&*opened)?;
            if opened.length()? < place(file.end)? {
                return Err(CUT_OFF);
            }
            file.file = Some(opened);
        }
        Ok(file)
    }

    /// Refuses a new store where there are nodes already: they are of another one.
    ///
    /// # Errors
    /// [`StoreError::Damaged`]; [`StoreError::Io`].
    pub fn require_none(&self) -> Result<(), StoreError> {
        if self.file_bytes()? > 0 {
            return Err(FOREIGN);
        }
        Ok(())
    }

    /// The bytes of the file; 0 if there is none.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn file_bytes(&self) -> Result<u64, StoreError> {
        match self.folder.open_to_read(&self.name()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
            file => Ok(file?.length()?),
        }
    }

    /// The row of a version, for the store to keep.
    pub fn row(&self, version: Version) -> Option<&[u8]> {
        self.rows.get(version)
    }

    /// Keeps other writers out until this value is dropped. What a writer has left behind that was killed is cut off, if `is_newest` says
    /// that there is no version after the latest one here: it is asked when nobody else can publish any more.
    ///
    /// # Errors
    /// [`StoreError::InUse`], [`StoreError::Damaged`], [`StoreError::Io`]; those of `is_newest`.
    pub fn begin(
        &mut self,
        is_newest: impl FnOnce() -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        if self.is_closed {
            return Err(StoreError::Closed);
        }
        if self.is_writer {
            return Ok(());
        }
        let file = self.opened_to_write()?;
        lock(&*file, &self.folder.path().join(self.name()))?;
        is_newest()?;
        let (length, end) = (file.length()?, self.rows.end());
        if end == 0 && is_unwritten(&*file)? {
            file.write_at(0, &self.owner.header())?;
            self.is_dirty = true;
        }
        self.owner.check(&*file)?;
        if end > 0 && length < place(end)? {
            return Err(CUT_OFF);
        }
        if length != place(end)? {
            file.set_length(place(end)?)?;
            self.is_dirty = true;
        }
        (self.file, self.is_writer, self.end) = (Some(file), true, end);
        Ok(())
    }

    fn opened_to_write(&self) -> Result<Arc<dyn LayerFile>, StoreError> {
        let name = self.name();
        if self.rows.end() > 0 {
            return match self.folder.open(&name) {
                // Somebody has copied what the store keeps meanwhile.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    Err(StoreError::Superseded)
                }
                opened => Ok(opened?),
            };
        }
        let file = match self.folder.create(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.folder.open(&name)?
            }
            created => created?,
        };
        // Whoever has made it may not have come so far.
        self.folder.synchronise_names()?;
        Ok(file)
    }

    /// Takes nothing any more: nobody knows what the store has.
    pub const fn close(&mut self) {
        self.is_closed = true;
    }

    /// What the system says when it fails here, now or later.
    pub fn system_error(&self) -> SystemError {
        self.error.clone()
    }
}

impl NodeLog for NodeFile {
    fn latest(&self) -> Version {
        self.rows.latest()
    }

    fn end(&self) -> u64 {
        self.end
    }

    fn read(&self, position: u64, bytes: &mut [u8]) -> Result<(), StoreFault> {
        let file = self.file.as_ref().ok_or(StoreFault::Damaged)?;
        let read = place(position).and_then(|place| file.read_at(place, bytes));
        read.map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => StoreFault::Damaged,
            _ => self.error.note(error),
        })
    }

    fn record(&self, version: Version) -> Result<Vec<u8>, StoreFault> {
        let (record, _) = self
            .rows
            .get(version)
            .and_then(split)
            .ok_or(StoreFault::Damaged)?;
        Ok(record.to_vec())
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), StoreFault> {
        let may_write = self.is_writer && !self.is_closed;
        let Some(file) = self.file.as_ref().filter(|_| may_write) else {
            return Err(StoreFault::Closed);
        };
        self.is_dirty = true;
        if let Err(error) = place(self.end).and_then(|place| file.write_at(place, bytes)) {
            return Err(self.error.note(error));
        }
        let length = u64::try_from(bytes.len()).map_err(|_| StoreFault::Damaged)?;
        self.end = self.end.checked_add(length).ok_or(StoreFault::Damaged)?;
        Ok(())
    }

    fn publish(&mut self, version: Version, record: &[u8]) -> Result<(), StoreFault> {
        if Some(version) != self.latest().next() {
            return Err(StoreFault::Damaged);
        }
        self.rows.add(record, self.end);
        Ok(())
    }

    fn synchronise(&mut self) -> Result<(), StoreFault> {
        if let Some(file) = self.file.as_ref().filter(|_| self.is_dirty) {
            if let Err(error) = file.synchronise() {
                return Err(self.error.note(error));
            }
            self.is_dirty = false;
        }
        Ok(())
    }

    fn discard(&mut self) {
        self.end = self.rows.end();
    }
}

/// Whether nobody has said whose a file is: it is new, or a crash came before its first bytes were durable.
fn is_unwritten(file: &dyn LayerFile) -> Result<bool, StoreError> {
    let length = usize::try_from(file.length()?).unwrap_or(usize::MAX);
    let mut begin = vec![0; length.min(OWNER_BYTES)];
    file.read_at(0, &mut begin)?;
    Ok(begin.iter().all(|byte| *byte == 0))
}

/// Locks a file, waiting for whoever has its lock only by accident.
fn lock(file: &dyn LayerFile, path: &Path) -> Result<(), StoreError> {
    let start = Instant::now();
    while !file.try_lock()? {
        if start.elapsed() >= PATIENCE {
            return Err(StoreError::InUse(path.to_path_buf()));
        }
        thread::sleep(PAUSE);
    }
    Ok(())
}

const PAUSE: core::time::Duration = core::time::Duration::from_millis(5);
const NO_ROW: StoreError = StoreError::Damaged("a row of it does not say where a version is");
/// Says that there is no file; somebody may have pruned since the store was read.
pub(crate) const MISSING: &str = "the file of nodes beside it (with .nodes at the end of its name) is missing: copy it with the store";
const FOREIGN: StoreError = StoreError::Damaged(
    "the file of nodes beside it is another store's: bring its own back, or move that one away if the store is new",
);
const CUT_OFF: StoreError = StoreError::Damaged("its file of nodes (.nodes) is cut off");

#[cfg(test)]
mod tests {
    use disk::layer::SimulatedFolder;

    use super::*;

    const ONE: Version = Version::new(1);

    fn new(folder: &SimulatedFolder) -> NodeFile {
        let owner = Owner {
            store: [8; 16],
            copy: 0,
        };
        NodeFile::new(folder.layer(), "store".into()).of(owner)
    }

    fn written(folder: &SimulatedFolder) -> NodeFile {
        let mut file = new(folder);
        file.begin(|| Ok(())).unwrap();
        file.append(b"nodes of one").unwrap();
        file.publish(ONE, b"record of one").unwrap();
        file.synchronise().unwrap();
        file
    }

    fn reopened(folder: &SimulatedFolder, rows: &[&[u8]]) -> Result<NodeFile, StoreError> {
        new(folder).with_rows(rows.iter().map(|row| row.to_vec()))
    }

    #[test]
    fn what_was_published_is_there_and_what_was_left_behind_is_not() {
        let folder = SimulatedFolder::new("nodes");
        let mut file = written(&folder);
        let row = file.row(ONE).unwrap().to_vec();
        file.append(b"left behind").unwrap();
        drop(file);
        let mut file = reopened(&folder, &[&row]).unwrap();
        assert_eq!((file.latest(), file.end()), (ONE, 12));
        assert_eq!(file.record(ONE).unwrap(), b"record of one");
        assert_eq!(file.append(b"unlocked"), Err(StoreFault::Closed));
        file.begin(|| Ok(())).unwrap();
        assert_eq!(file.read(12, &mut [0; 4]), Err(StoreFault::Damaged));
        let mut bytes = [0; 12];
        file.read(0, &mut bytes).unwrap();
        assert_eq!(&bytes, b"nodes of one");
    }

    #[test]
    fn one_writes_at_a_time_and_only_after_the_newest_version() {
        let folder = SimulatedFolder::new("nodes");
        let file = written(&folder);
        let row = file.row(ONE).unwrap().to_vec();
        let mut other = reopened(&folder, &[&row]).unwrap();
        assert!(matches!(other.begin(|| Ok(())), Err(StoreError::InUse(_))));
        drop(file);
        let superseded = || Err(StoreError::Superseded);
        assert!(matches!(
            other.begin(superseded),
            Err(StoreError::Superseded)
        ));
        // The lock was not kept.
        assert!(reopened(&folder, &[&row]).unwrap().begin(|| Ok(())).is_ok());
    }

    #[test]
    fn files_that_do_not_have_what_the_rows_say_are_refused() {
        let folder = SimulatedFolder::new("nodes");
        let row = written(&folder).row(ONE).unwrap().to_vec();
        let elsewhere = SimulatedFolder::new("empty");
        for (folder, rows) in [
            (&elsewhere, &[&row[..]][..]),
            (&folder, &[&row[..7]]),
            (&folder, &[&row, &[0; 8]]),
            (
                &folder,
                &[&[&row[..13], &[13, 0, 0, 0, 0, 0, 0, 0]].concat()],
            ),
        ] {
            let refused = reopened(folder, rows).unwrap_err();
            assert!(matches!(refused, StoreError::Damaged(_)), "{refused}");
        }
    }

    /// Names are not what tells whose a file is.
    #[test]
    fn files_of_other_stores_are_left_as_they_are() {
        let folder = SimulatedFolder::new("nodes");
        let row = written(&folder).row(ONE).unwrap().to_vec();
        let other = Owner {
            store: [9; 16],
            copy: 0,
        };
        let mut foreign = new(&folder).of(other);
        assert!(foreign.begin(|| Ok(())).is_err());
        assert!(foreign.with_rows([row.clone()]).is_err());
        assert!(foreign.remove().is_err());
        let mut whole = [0; 12];
        reopened(&folder, &[&row])
            .unwrap()
            .read(0, &mut whole)
            .unwrap();
        assert_eq!(&whole, b"nodes of one");
        new(&folder).remove().unwrap();
        assert!(reopened(&folder, &[&row]).is_err());
    }

    #[test]
    fn a_full_disk_says_so_and_leaves_what_was_there() {
        let folder = SimulatedFolder::new("nodes");
        let mut file = written(&folder);
        folder.set_capacity(folder.used());
        assert_eq!(file.append(&[1; 10_000]), Err(StoreFault::Medium));
        file.discard();
        let error = file.system_error().take().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert_eq!(file.end(), 12);
        folder.set_capacity(u64::MAX);
        file.append(b"again").unwrap();
        let mut bytes = [0; 5];
        file.read(12, &mut bytes).unwrap();
        assert_eq!(&bytes, b"again");
    }
}
