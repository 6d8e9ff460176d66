//! Export of a log as static files for any web server.

use std::{fs, io, path::Path};

use pad_disk::{
    Access,
    layer::{FileLayer as _, Folder},
};

use super::{CHECKPOINT, StoreError};
use crate::{
    Checkpoint, Note,
    tile::{Fetch, FetchError, ResourcePath, TileReader, grown},
};

/// Exports a log to a folder with one file per resource, and returns its size.
///
/// Adds to earlier exports and writes the checkpoint last. A process that is killed never leaves a
/// checkpoint whose tiles are missing.
///
/// Every tile and entry is verified against the checkpoint's root before it is written. The entries
/// of an earlier export must be a prefix of the log. The note's signatures are not verified: if the
/// source is untrusted, the caller verifies them first.
///
/// Cost: the new tiles and entries, and the tiles of the right edge.
///
/// # Errors
/// * [`StoreError::Damaged`] if the checkpoint is missing.
/// * [`StoreError::Note`] or [`StoreError::Checkpoint`] if the checkpoint, or the one of an earlier
///   export, cannot be parsed.
/// * [`StoreError::Read`] if another resource cannot be fetched or does not match the checkpoint's
///   root.
/// * [`StoreError::Older`] if the folder contains an export of a larger log.
/// * [`StoreError::Forked`] if the entries of an earlier export are not a prefix of the log.
/// * [`StoreError::Io`] if a file cannot be read or written, or the checkpoint cannot be fetched.
pub fn export(from: &impl Fetch, folder: &Path) -> Result<u64, StoreError> {
    let note = fetched(from, &ResourcePath::Checkpoint)?;
    let checkpoint = of_note(&note)?;
    let mut reader = TileReader::open(from, &checkpoint)?;
    let size = checkpoint.size();
    let published = match fs::read(folder.join(CHECKPOINT)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
        before => {
            let before = of_note(&before?)?;
            let published = before.size();
            if published > size {
                return Err(StoreError::Older { published, size });
            }
            if reader.root_at(published)? != before.root() {
                return Err(StoreError::Forked { published });
            }
            published
        }
    };
    for path in grown(published, size) {
        let bytes = reader.resource(&path)?;
        put(folder, &path, &bytes)?;
    }
    put(folder, &ResourcePath::Checkpoint, &note)?;
    Ok(size)
}

fn fetched(from: &impl Fetch, path: &ResourcePath) -> Result<Vec<u8>, StoreError> {
    from.fetch(path).map_err(|error| match error {
        FetchError::NotFound => StoreError::Damaged("a resource is missing"),
        FetchError::Failed(error) => StoreError::Io(io::Error::other(error)),
    })
}

fn of_note(note: &[u8]) -> Result<Checkpoint, StoreError> {
    let note = Note::parse(note).map_err(StoreError::Note)?;
    Checkpoint::parse(note.unverified_text()).map_err(StoreError::Checkpoint)
}

/// Writes a file atomically, and creates missing parent folders durably.
fn put(folder: &Path, path: &ResourcePath, bytes: &[u8]) -> Result<(), StoreError> {
    let path = path.to_string();
    let mut parent = folder.to_path_buf();
    for (place, _) in path.match_indices('/') {
        parent = folder.join(path.get(..place).unwrap_or_default());
        match fs::create_dir(&parent) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => {
                created?;
                Folder::open(&parent)?.synchronise()?;
            }
        }
    }
    let name = path.rsplit('/').next().unwrap_or_default();
    Ok(pad_disk::replace(&parent.join(name), bytes, Access::Usual)?)
}
