//! Which databases a program takes for its own.

use std::path::Path;

use redb::{Builder, ConcurrencyMode, Database, ReadTransaction, ReadableDatabase};

use super::{error::EngineError, guard::guarded};
use crate::Access;

/// What a program's databases have in common.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Whether a database is of this format: reads the row that says so.
    pub is_ours: fn(&ReadTransaction) -> Result<bool, EngineError>,
    /// Who may read a new file. A private one of which others may read or change anything is not opened.
    pub access: Access,
    /// The bytes of the file that the engine keeps in memory; half of them may be pages to be written.
    pub cache_bytes: usize,
}

impl Format {
    /// The engine's own choice of [`Format::cache_bytes`].
    pub const USUAL_CACHE_BYTES: usize = 1 << 30;

    pub(super) fn builder(&self, mode: ConcurrencyMode) -> Builder {
        let mut builder = Database::builder();
        builder.set_cache_size(self.cache_bytes);
        builder.set_concurrency_mode(mode);
        builder
    }

    /// Refuses a database that was made by another program.
    pub(super) fn check(
        &self,
        path: &Path,
        database: &impl ReadableDatabase,
    ) -> Result<(), EngineError> {
        let is_ours = || (self.is_ours)(&database.begin_read().map_err(EngineError::of)?);
        match guarded(is_ours) {
            Some(Ok(true)) => Ok(()),
            Some(Err(EngineError::Io(error))) => Err(error.into()),
            _ => Err(EngineError::Foreign(path.to_path_buf())),
        }
    }
}
