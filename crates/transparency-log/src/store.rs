//! A log in a folder (feature `disk`).
//!
//! Entries and hashes are stored in append-only files. Every tile and every bundle of entries, of
//! any width, is a byte range of one file:
//!
//! | file | is |
//! | --- | --- |
//! | `entries` | entries, each prefixed by its length in two bytes |
//! | `ends` | the end offset of each entry in `entries`, 8 bytes, big-endian |
//! | `hashes-0` to `hashes-7` | hashes of the complete subtrees of 256^level entries |
//! | `signed` | the latest note that the log has signed |
//! | `checkpoint` | the published note, with cosignatures |
//! | `lock` | empty; the lock file of the one writing process |
//!
//! Data beyond the size in `signed` is ignored and overwritten.
//!
//! Before the log signs a checkpoint, it makes the entries and hashes durable. Before it returns
//! the signature, it makes `signed` durable. So a crash never leaves a checkpoint with missing
//! entries, and [`LogStore::sign`] never returns two different checkpoints of one size.

use std::sync::Arc;

use pad_disk::layer::{self, FileLayer, LayerFile};

mod error;
mod export;
mod resources;

pub use error::StoreError;
pub use export::export;
pub use resources::LogFiles;

use crate::{
    Checkpoint, Note,
    note::{NoteSigner, VerifierKey},
    tile::{Fetch, TileReader, encode_entry},
    tree::{Edge, HASH_LENGTH, Hash, LEVELS, TreeHead, complete_at},
};

/// A log in a folder, opened for appending and signing.
///
/// After an I/O error of a write, all writes fail. Reopening the log recovers the signed state.
#[derive(Debug)]
pub struct LogStore {
    files: LogFiles,
    key: VerifierKey,
    entries: Arc<dyn LayerFile>,
    ends: Arc<dyn LayerFile>,
    hashes: Vec<Arc<dyn LayerFile>>,
    edge: Edge,
    /// Length of the `entries` file in bytes.
    end: u64,
    /// The latest signed note, and the head in it.
    signed: Option<(Note, TreeHead)>,
    has_failed: bool,
    /// Holds the lock file open.
    _lock: Arc<dyn LayerFile>,
}

impl LogStore {
    /// Opens the log in a folder, or creates a log if the folder contains none. The key's name is
    /// the log's origin.
    ///
    /// Reads the tree's right edge ([`Edge`]), whose size is logarithmic in the size of the log.
    /// Verifies the edge against the signed root. Makes the signed note durable, because the
    /// previous process may have failed to do so.
    ///
    /// # Errors
    /// - [`StoreError::InUse`] if another process holds the lock file.
    /// - [`StoreError::Damaged`] if a file is corrupted.
    /// - [`StoreError::Note`], [`StoreError::Checkpoint`] or [`StoreError::OtherLog`] if the signed
    ///   note is not a checkpoint of this log.
    /// - [`StoreError::Io`], also if a file is missing or `ends` is too short.
    pub fn open(layer: Arc<dyn FileLayer>, key: &VerifierKey) -> Result<Self, StoreError> {
        let Some(lock) = layer::lock(&*layer, "lock")? else {
            return Err(StoreError::InUse(layer.path().to_path_buf()));
        };
        let files = LogFiles::open(layer);
        let folder = files.layer();
        let is_begun = layer::read(folder, SIGNED, LONGEST_SIGNED)?.is_some();
        if !is_begun && layer::read(folder, CHECKPOINT, LONGEST_SIGNED)?.is_some() {
            return Err(StoreError::Damaged("the signed checkpoint is missing"));
        }
        let open = |name: &str| {
            if is_begun {
                folder.open(name)
            } else {
                layer::create_anew(folder, name)
            }
        };
        let (entries, ends) = (open(ENTRIES)?, open(ENDS)?);
        let hashes = (0_u8..).take(LEVELS).map(|level| open(&hashes_name(level)));
        let hashes = hashes.collect::<Result<Vec<_>, _>>()?;
        if !is_begun {
            folder.synchronise()?;
        }
        let mut store = Self {
            key: key.clone(),
            entries,
            ends,
            hashes,
            edge: Edge::empty(),
            end: 0,
            signed: None,
            has_failed: false,
            _lock: lock,
            files,
        };
        store.recover()?;
        Ok(store)
    }

    fn recover(&mut self) -> Result<(), StoreError> {
        let layer = self.files.layer();
        let Some(bytes) = layer::read(layer, SIGNED, LONGEST_SIGNED)? else {
            return Ok(());
        };
        let note = Note::parse(&bytes).map_err(|_| StoreError::Damaged(SIGNED))?;
        let tree = self.own_checkpoint(&note)?.head();
        let reader = TileReader::open_at(self.files.up_to(tree.size), &tree);
        let reader = reader.map_err(|_| {
            StoreError::Damaged("hashes of its right edge are missing or do not match")
        })?;
        self.edge = reader.edge().clone();
        self.end = self.files.end_of(tree.size)?;
        if self.entries.length()? < self.end {
            return Err(StoreError::Damaged(ENTRIES));
        }
        layer::replace(layer, SIGNED, &bytes)?;
        self.signed = Some((note, tree));
        Ok(())
    }

    /// Verifies that the log has signed `note` and returns its checkpoint.
    fn own_checkpoint(&self, note: &Note) -> Result<Checkpoint, StoreError> {
        let opened = note
            .open(core::slice::from_ref(&self.key))
            .map_err(StoreError::Note)?;
        let checkpoint = Checkpoint::parse(opened.text).map_err(StoreError::Checkpoint)?;
        if checkpoint.origin() != self.key.name().as_str() {
            return Err(StoreError::OtherLog(checkpoint.origin().to_owned()));
        }
        Ok(checkpoint)
    }

    /// Returns the published resources, for any number of readers in this process and others.
    #[doc(hidden)]
    pub const fn files(&self) -> &LogFiles {
        &self.files
    }

    /// Returns the number of entries, including unsigned ones.
    pub const fn size(&self) -> u64 {
        self.edge.size()
    }

    /// Returns the number of entries in the latest signed note; 0 before the first signature.
    #[doc(hidden)]
    pub const fn signed_size(&self) -> u64 {
        match &self.signed {
            Some((_, tree)) => tree.size,
            None => 0,
        }
    }

    /// Returns the latest note that the log has signed.
    #[doc(hidden)]
    pub fn signed(&self) -> Option<&Note> {
        self.signed.as_ref().map(|(note, _)| note)
    }

    /// Returns whether a write has failed with an I/O error. If so, the log must be reopened before
    /// it can append, sign or publish.
    #[doc(hidden)]
    pub const fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// Appends an entry, which becomes durable with the next [`LogStore::sign`]. Costs a few
    /// writes, independent of the log's size.
    ///
    /// # Errors
    /// [`StoreError::Entry`] if the entry is too long. [`StoreError::Full`] if the log has reached
    /// its maximum size. [`StoreError::Io`] if a write fails, and [`StoreError::Failed`] if an
    /// earlier write failed.
    pub fn append(&mut self, entry: &[u8]) -> Result<(), StoreError> {
        let bundled = encode_entry(entry).map_err(StoreError::Entry)?;
        self.guarded(|store| store.write_entry(&bundled, Hash::of_leaf(entry)))
    }

    fn write_entry(&mut self, bundled: &[u8], leaf: Hash) -> Result<(), StoreError> {
        let index = self.edge.size();
        let length = u64::try_from(bundled.len()).ok();
        let end = length.and_then(|length| self.end.checked_add(length));
        let end = end.ok_or(StoreError::Full)?;
        if index == u64::MAX {
            return Err(StoreError::Full);
        }
        self.entries.write_at(self.end, bundled)?;
        self.ends
            .write_at(index.saturating_mul(END_LENGTH), &end.to_be_bytes())?;
        let mut hashes = Vec::new();
        self.edge
            .append(leaf, |level, hash| hashes.push((level, hash)));
        for (level, hash) in hashes {
            let place = complete_at(self.edge.size(), level).saturating_sub(1);
            let length = u64::try_from(HASH_LENGTH).unwrap_or_default();
            let file = self
                .hashes
                .get(usize::from(level))
                .ok_or(StoreError::Full)?;
            file.write_at(place.saturating_mul(length), hash.as_bytes())?;
        }
        self.end = end;
        Ok(())
    }

    /// Signs the log with all entries so far. Entries, hashes and the note are durable on return.
    ///
    /// If nothing was appended since the last signature, returns the latest signed note.
    ///
    /// # Errors
    /// [`StoreError::OtherKey`] if `signer` is not the log's key; [`StoreError::Io`];
    /// [`StoreError::Failed`].
    pub fn sign(&mut self, signer: &NoteSigner) -> Result<Note, StoreError> {
        if signer.verifier() != self.key {
            return Err(StoreError::OtherKey);
        }
        self.guarded(|store| store.write_signed(signer))
    }

    fn write_signed(&mut self, signer: &NoteSigner) -> Result<Note, StoreError> {
        if let Some((signed, tree)) = &self.signed
            && tree.size == self.size()
        {
            return Ok(signed.clone());
        }
        let files = [&self.entries, &self.ends].into_iter().chain(&self.hashes);
        for file in files {
            file.synchronise()?;
        }
        let tree = self.edge.head();
        let origin = self.key.name().as_str();
        let checkpoint =
            Checkpoint::new(origin, tree.size, tree.root).map_err(StoreError::Checkpoint)?;
        let note = checkpoint.sign(signer);
        layer::replace(self.files.layer(), SIGNED, note.encode().as_bytes())?;
        self.signed = Some((note.clone(), tree));
        Ok(note)
    }

    /// Publishes a checkpoint that the log has signed, with its cosignatures, to all readers. Does
    /// not verify the cosignatures. Does not replace a newer published checkpoint.
    ///
    /// # Errors
    /// - [`StoreError::Note`], [`StoreError::Checkpoint`] or [`StoreError::OtherLog`] if the log
    ///   has not signed the note.
    /// - [`StoreError::NotSigned`] if the note does not match this log's signed entries.
    /// - [`StoreError::Older`] if a larger checkpoint is published. [`StoreError::Damaged`],
    ///   [`StoreError::Io`] and [`StoreError::Failed`] as for other operations.
    pub fn publish(&mut self, note: &Note) -> Result<(), StoreError> {
        let checkpoint = self.own_checkpoint(note)?;
        let size = checkpoint.size();
        if size > self.signed_size() {
            return Err(StoreError::NotSigned);
        }
        let root = self.signed_reader()?.root_at(size);
        if root.map_err(|_| StoreError::Damaged("hashes are missing or do not match"))?
            != checkpoint.root()
        {
            return Err(StoreError::NotSigned);
        }
        let published = self.files.published_size()?;
        if published > size {
            return Err(StoreError::Older { published, size });
        }
        self.guarded(|store| {
            layer::replace(store.files.layer(), CHECKPOINT, note.encode().as_bytes())?;
            Ok(())
        })
    }

    /// Returns a reader of the log up to the latest signed size, published or not. Used to generate
    /// proofs for witnesses.
    ///
    /// # Errors
    /// [`StoreError::NotSigned`] before the first signature; [`StoreError::Damaged`].
    #[doc(hidden)]
    pub fn signed_reader(&self) -> Result<TileReader<impl Fetch + '_>, StoreError> {
        let (_, signed) = self.signed.as_ref().ok_or(StoreError::NotSigned)?;
        let reader = TileReader::open_at(self.files.up_to(signed.size), signed);
        reader.map_err(|_| StoreError::Damaged("hashes are missing or do not match"))
    }

    /// Runs `act` unless an I/O error has occurred before, and records an I/O error of this run.
    fn guarded<T>(
        &mut self,
        act: impl FnOnce(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if self.has_failed {
            return Err(StoreError::Failed);
        }
        let done = act(self);
        self.has_failed = matches!(done, Err(StoreError::Io(_)));
        done
    }
}

fn hashes_name(level: u8) -> String {
    format!("hashes-{level}")
}

const ENTRIES: &str = "entries";
const ENDS: &str = "ends";
const SIGNED: &str = "signed";
const CHECKPOINT: &str = "checkpoint";
const END_LENGTH: u64 = 8;
/// Maximum length of the files `signed` and `checkpoint`. It equals
/// [`LONGEST_NOTE`](crate::note::LONGEST_NOTE).
const LONGEST_SIGNED: u64 = 1 << 20;
