//! Settings that identify and configure a program's databases.

use std::path::Path;

use redb::{Builder, ConcurrencyMode, Database, ReadTransaction};

use super::error::EngineError;
use crate::Access;

/// Common properties of a program's databases.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Returns whether a database is of this format, for example by reading an identifying row.
    pub is_ours: fn(&ReadTransaction) -> Result<bool, EngineError>,
    /// Permissions of a new file. If private, an existing file is refused if its group may write it
    /// or others have any access.
    pub access: Access,
    /// Size of the engine's page cache in bytes. Up to half of the cache may be pages to be
    /// written.
    pub cache_bytes: usize,
}

impl Format {
    /// The engine's default for [`Format::cache_bytes`].
    pub const USUAL_CACHE_BYTES: usize = 1 << 30;

    pub(super) fn builder(&self, mode: ConcurrencyMode) -> Builder {
        let mut builder = Database::builder();
        builder.set_cache_size(self.cache_bytes);
        builder.set_concurrency_mode(mode);
        builder
    }

    /// Refuses a database of another program, given the outcome `found` of [`Format::is_ours`].
    pub(super) fn check(path: &Path, found: Result<bool, EngineError>) -> Result<(), EngineError> {
        match found {
            Ok(true) => Ok(()),
            Err(EngineError::Io(error)) => Err(error.into()),
            _ => Err(EngineError::Foreign(path.to_path_buf())),
        }
    }
}
