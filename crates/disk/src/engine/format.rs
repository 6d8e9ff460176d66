//! Which databases a program takes for its own.

use std::path::Path;

use redb::{Builder, ConcurrencyMode, Database, ReadTransaction};

use super::error::EngineError;
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

    /// Refuses a database that was made by another program, by what [`Format::is_ours`] has found.
    pub(super) fn check(path: &Path, found: Result<bool, EngineError>) -> Result<(), EngineError> {
        match found {
            Ok(true) => Ok(()),
            Err(EngineError::Io(error)) => Err(error.into()),
            _ => Err(EngineError::Foreign(path.to_path_buf())),
        }
    }
}
