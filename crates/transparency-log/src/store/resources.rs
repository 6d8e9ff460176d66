//! Resources of a log as byte ranges of its files.

use std::{io, sync::Arc};

use pad_disk::layer::{self, FileLayer};

use super::{CHECKPOINT, END_LENGTH, ENDS, ENTRIES, LONGEST_SIGNED, StoreError, hashes_name};
use crate::{
    Checkpoint, Note,
    tile::{Fetch, FetchError, ResourcePath},
    tree::{HASH_LENGTH, complete_at},
};

/// The published resources of a log in a folder, up to the published checkpoint.
///
/// Any number of processes may read them while one writes. Clones share the folder.
#[derive(Clone, Debug)]
pub struct LogFiles {
    layer: Arc<dyn FileLayer>,
    /// The number of entries up to which resources are fetched; `None` for the published ones.
    size: Option<u64>,
}

impl LogFiles {
    /// Opens the resources of the log in this folder. Reads nothing yet.
    pub const fn open(layer: Arc<dyn FileLayer>) -> Self {
        let size = None;
        Self { layer, size }
    }

    pub(super) fn layer(&self) -> &dyn FileLayer {
        &*self.layer
    }

    pub(super) fn up_to(&self, size: u64) -> Self {
        let layer = Arc::clone(&self.layer);
        let size = Some(size);
        Self { layer, size }
    }

    /// Returns the size of the published checkpoint; 0 if none is published.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the published note is malformed, [`StoreError::Checkpoint`] if it
    /// is not a checkpoint, [`StoreError::Io`] if it cannot be read.
    pub fn published_size(&self) -> Result<u64, StoreError> {
        let Some(bytes) = self.checkpoint()? else {
            return Ok(0);
        };
        let note = Note::parse(&bytes).map_err(|_| StoreError::Damaged(CHECKPOINT))?;
        let checkpoint = Checkpoint::parse(note.unverified_text());
        Ok(checkpoint.map_err(StoreError::Checkpoint)?.size())
    }

    fn checkpoint(&self) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(layer::read(&*self.layer, CHECKPOINT, LONGEST_SIGNED)?)
    }

    /// Returns the offset in the file `entries` at which the first `size` entries end.
    pub(super) fn end_of(&self, size: u64) -> Result<u64, StoreError> {
        let Some(last) = size.checked_sub(1) else {
            return Ok(0);
        };
        let bytes = self.range(ENDS, last.saturating_mul(END_LENGTH), 8)?;
        let end = <[u8; 8]>::try_from(bytes).map_err(|_| StoreError::Damaged(ENDS))?;
        Ok(u64::from_be_bytes(end))
    }

    fn range(&self, name: &str, offset: u64, length: usize) -> Result<Vec<u8>, StoreError> {
        let mut bytes = vec![0; length];
        self.layer.open_to_read(name)?.read_at(offset, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads the checkpoint, or a tile or a bundle of the log with `size` entries. Returns `None`
    /// if the log has no resource at `path`.
    fn resource(&self, path: &ResourcePath, size: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let (level, index, width) = match path {
            ResourcePath::Checkpoint => return self.checkpoint(),
            ResourcePath::Tile {
                level,
                index,
                width,
            } => (*level, *index, *width),
            ResourcePath::Entries { index, width } => (0, *index, *width),
        };
        let first = index.checked_mul(256);
        let end = first.and_then(|first| first.checked_add(width.number().into()));
        let Some((first, end)) = first
            .zip(end)
            .filter(|(_, end)| *end <= complete_at(size, level))
        else {
            return Ok(None);
        };
        let bytes = if matches!(path, ResourcePath::Tile { .. }) {
            let length = u64::try_from(HASH_LENGTH).unwrap_or_default();
            self.range(
                &hashes_name(level),
                first.saturating_mul(length),
                path.longest(),
            )?
        } else {
            let (begin, end) = (self.end_of(first)?, self.end_of(end)?);
            let length = end
                .checked_sub(begin)
                .and_then(|length| usize::try_from(length).ok());
            let length = length.filter(|length| *length <= path.longest());
            self.range(ENTRIES, begin, length.ok_or(StoreError::Damaged(ENDS))?)?
        };
        Ok(Some(bytes))
    }
}

impl Fetch for LogFiles {
    fn fetch(&self, path: &ResourcePath) -> Result<Vec<u8>, FetchError> {
        let size = self.size.map_or_else(|| self.published_size(), Ok);
        match self.resource(path, size.map_err(failed)?) {
            Ok(Some(bytes)) => Ok(bytes),
            Ok(None) => Err(FetchError::NotFound),
            // A missing file means that the resource is missing. A file that is too short is
            // damaged.
            Err(StoreError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                Err(FetchError::NotFound)
            }
            Err(error) => Err(failed(error)),
        }
    }
}

fn failed(error: StoreError) -> FetchError {
    FetchError::Failed(Box::new(error))
}
