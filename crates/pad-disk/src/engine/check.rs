//! Checks before the storage engine redb opens a file, and the engine's checks of its pages.

use std::{
    fs::{File, Metadata},
    io::Read,
    path::Path,
    thread,
    time::Duration,
};

use redb::{Database, DatabaseError, StorageError};

use super::{
    error::{EngineError, is_damage},
    guard::guarded,
};
use crate::{Access, place::found};

/// Refuses a missing file, a path that is not a regular file, and files that [`refuse_exposed`]
/// refuses.
pub(super) fn refuse_other_files(path: &Path, access: Access) -> Result<(), EngineError> {
    let metadata = found(path.metadata())?;
    let metadata = metadata.ok_or_else(|| EngineError::Missing(path.to_path_buf()))?;
    if !metadata.is_file() {
        return Err(EngineError::Foreign(path.to_path_buf()));
    }
    refuse_exposed(&metadata, path, access)
}

/// Refuses a private file that its group may write, or to which others have any access.
pub(super) fn refuse_exposed(
    metadata: &Metadata,
    path: &Path,
    access: Access,
) -> Result<(), EngineError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = metadata.permissions().mode() & 0o777;
        if access == Access::Private && mode & 0o027 != 0 {
            let path = path.to_path_buf();
            return Err(EngineError::Exposed { path, mode });
        }
    }
    #[cfg(not(unix))]
    let _ = (metadata, path, access);
    Ok(())
}

/// Refuses a file that is shorter than its header states.
///
/// The storage engine refuses such a file only when it opens the file for writing. It accepts a
/// truncated file for reading, because a writer may be changing the length.
pub(super) fn refuse_cut(path: &Path) -> Result<(), EngineError> {
    let mut header = [0; 32];
    for attempt in 0..LENGTH_ATTEMPTS {
        if attempt > 0 {
            thread::sleep(PAUSE);
        }
        let mut file = File::open(path)?;
        match file.read_exact(&mut header) {
            Err(error) if is_damage(&error) => continue,
            read => read?,
        }
        // A writer extends the file before it updates the header, and truncates the file
        // afterwards.
        if stated_length(&header)
            .is_none_or(|stated| file.metadata().is_ok_and(|found| stated <= found.len()))
        {
            return Ok(());
        }
    }
    Err(EngineError::Foreign(path.to_path_buf()))
}

/// Computes the file length from a header of the engine's file format (version 3): one page, then
/// regions.
///
/// Does not check that `header` is such a header: the engine refuses other headers. Returns `None`
/// if the length overflows, or if the file was not closed. After a crash the counts may be torn,
/// and the engine uses the actual length.
fn stated_length(header: &[u8; 32]) -> Option<u64> {
    const NOT_CLOSED: u8 = 2;
    if header.get(9)? & NOT_CLOSED != 0 {
        return None;
    }
    let field = |place: usize| {
        let bytes = header.get(place..)?.first_chunk()?;
        Some(u64::from(u32::from_le_bytes(*bytes)))
    };
    let (page, own, most) = (field(12)?, field(16)?, field(20)?);
    let (full, trailing) = (field(24)?, field(28)?);
    let rest = if trailing > 0 {
        own.checked_add(trailing)?
    } else {
        0
    };
    let pages = own
        .checked_add(most)?
        .checked_mul(full)?
        .checked_add(rest)?;
    pages.checked_add(1)?.checked_mul(page)
}

/// Calls `open`, which opens a database at `path`, and converts its error. A panic becomes
/// [`EngineError::Foreign`]: the engine reports most damage as errors, but panics on some damaged
/// headers.
pub(super) fn opened<T>(
    path: &Path,
    open: impl FnOnce() -> Result<T, DatabaseError>,
) -> Result<T, EngineError> {
    let foreign = || EngineError::Foreign(path.to_path_buf());
    guarded(open)
        .ok_or_else(foreign)?
        .map_err(|error| match error {
            DatabaseError::DatabaseAlreadyOpen => EngineError::InUse(path.to_path_buf()),
            DatabaseError::RepairAborted => EngineError::RepairNeeded(path.to_path_buf()),
            DatabaseError::Storage(StorageError::Io(error)) if !is_damage(&error) => {
                EngineError::Io(error)
            }
            _ => foreign(),
        })
}

/// Runs the engine's check of every page. Returns whether the engine's list of free pages was
/// right. A wrong list is repaired.
pub(super) fn check_pages(database: &mut Database) -> Result<bool, EngineError> {
    database.check_integrity().map_err(|error| match error {
        DatabaseError::Storage(StorageError::Io(error)) => EngineError::Io(error),
        _ => EngineError::NotIntact,
    })
}

/// Returns whether a write transaction can begin. After some errors the engine refuses all writes.
pub(super) fn can_write(database: &Database) -> bool {
    let begin_nothing = || {
        let transaction = database.begin_write().map_err(EngineError::of)?;
        transaction.abort().map_err(EngineError::of)
    };
    matches!(guarded(begin_nothing), Some(Ok(())))
}

/// Maximum number of attempts to read a file's stated length, which a writer may be changing.
const LENGTH_ATTEMPTS: u32 = 20;
pub(super) const PAUSE: Duration = Duration::from_millis(5);
