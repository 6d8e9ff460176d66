//! The file of a database, and how it is opened.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use redb::{ConcurrencyMode, Database, ReadableDatabase as _};

use super::{
    backend::{Backend, Health},
    check,
    error::{EngineError, is_damage},
    format::Format,
    guard::guarded,
    overlay::Overlay,
};
use crate::layer::{FileLayer, LayerFile, SystemFile};

/// Concurrency mode of a database that one process owns.
pub(super) const MODE: ConcurrencyMode = ConcurrencyMode::ExclusiveWriter;

/// The file of a database that one process owns.
#[derive(Debug)]
pub(super) struct DatabaseFile {
    pub(super) file: Arc<dyn LayerFile>,
    pub(super) path: PathBuf,
    format: Format,
}

impl DatabaseFile {
    /// Opens the file at `path`.
    pub(super) fn at(path: &Path, format: Format) -> Result<Self, EngineError> {
        check::refuse_other_files(path, format.access)?;
        Ok(Self {
            file: Arc::new(SystemFile::open(path)?),
            path: path.to_path_buf(),
            format,
        })
    }

    /// Opens the file `name` of a [`FileLayer`].
    pub(super) fn within(
        layer: &dyn FileLayer,
        name: &str,
        format: Format,
    ) -> Result<Self, EngineError> {
        let path = layer.path().join(name);
        let file = match layer.open(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(EngineError::Missing(path));
            }
            Err(error) if is_damage(&error) => return Err(EngineError::Foreign(path)),
            file => file?,
        };
        if let Some(file) = file.of_system() {
            check::refuse_exposed(&file.metadata()?, &path, format.access)?;
        }
        Ok(Self { file, path, format })
    }

    /// Opens the database and locks its file until the database is closed.
    pub(super) fn open(&self, health: &Arc<Health>) -> Result<Database, EngineError> {
        if self.file.length()? == 0 {
            // The engine would create a database in an empty file, so the file is refused.
            return Err(EngineError::Foreign(self.path.clone()));
        }
        if self.file.of_system().is_some() {
            // A failed open may leave the file changed, so a copy in memory is opened first. The
            // engine writes on close, and panics on some of the pages that it then reads.
            let copy = self.open_copy()?;
            guarded(|| drop(copy)).ok_or(EngineError::Panicked)?;
        }
        self.open_as(Arc::clone(&self.file), Arc::clone(health))
    }

    /// Opens the database through an overlay that keeps writes in memory. Locks the file while
    /// open.
    pub(super) fn open_copy(&self) -> Result<Database, EngineError> {
        let overlay = Overlay::new(Arc::clone(&self.file))?;
        self.open_as(Arc::new(overlay), Arc::default())
    }

    fn open_as(
        &self,
        file: Arc<dyn LayerFile>,
        health: Arc<Health>,
    ) -> Result<Database, EngineError> {
        let database = check::opened(&self.path, || {
            let backend = Backend::new(file, health)?;
            self.format.builder(MODE).create_with_backend(backend)
        })?;
        let is_ours = || (self.format.is_ours)(&database.begin_read().map_err(EngineError::of)?);
        let found = guarded(is_ours).unwrap_or(Err(EngineError::Panicked));
        match Format::check(&self.path, found) {
            Ok(()) => Ok(database),
            Err(error) => {
                let _ = guarded(|| drop(database));
                Err(error)
            }
        }
    }
}
