//! The place of a database, and how its file is opened.

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
use crate::{
    layer::{FileLayer, Folder, LayerFile, SystemFile},
    place::{folder, target},
};

/// The place of a database: a path, or the name of a file in a layer of files.
#[derive(Clone, Debug)]
pub enum Place {
    /// A path. The file gets its name when the database is complete.
    Path(PathBuf),
    /// A name in a layer. Until the database is complete, the file is named `<name>.new`. The next
    /// creation replaces a file of that name left by a crash. Callers must not create databases of
    /// one name in one folder concurrently.
    Within(Arc<dyn FileLayer>, String),
}

impl<P: AsRef<Path> + ?Sized> From<&P> for Place {
    fn from(path: &P) -> Self {
        Self::Path(path.as_ref().to_path_buf())
    }
}

impl From<(&Arc<dyn FileLayer>, &str)> for Place {
    fn from((layer, name): (&Arc<dyn FileLayer>, &str)) -> Self {
        Self::Within(Arc::clone(layer), name.to_owned())
    }
}

impl Place {
    /// Returns the path of the file.
    pub fn path(&self) -> PathBuf {
        match self {
            Self::Path(path) => path.clone(),
            Self::Within(layer, name) => layer.path().join(name),
        }
    }

    /// Returns the folder of the file at the end of symbolic links, and the file's name in it. A
    /// name that is not UTF-8 is converted lossily.
    ///
    /// # Errors
    /// I/O errors of the operating system.
    pub fn folder(&self) -> io::Result<(Arc<dyn FileLayer>, String)> {
        let path = match self {
            Self::Path(path) => target(path)?,
            Self::Within(layer, name) => return Ok((Arc::clone(layer), name.clone())),
        };
        let layer: Arc<dyn FileLayer> = Arc::new(Folder::open(folder(&path))?);
        let name = path.file_name().unwrap_or_default();
        Ok((layer, name.to_string_lossy().into_owned()))
    }

    fn file(&self) -> io::Result<Arc<dyn LayerFile>> {
        match self {
            Self::Path(path) => Ok(Arc::new(SystemFile::open(path)?)),
            Self::Within(layer, name) => layer.open(name),
        }
    }
}

/// Concurrency mode of a database that one process owns.
pub(super) const MODE: ConcurrencyMode = ConcurrencyMode::ExclusiveWriter;

/// The file of a database that one process owns.
#[derive(Debug)]
pub(super) struct DatabaseFile {
    pub(super) path: PathBuf,
    file: Arc<dyn LayerFile>,
    format: Format,
}

impl DatabaseFile {
    /// Opens the file at `place`.
    pub(super) fn at(place: &Place, format: Format) -> Result<Self, EngineError> {
        let path = place.path();
        if let Place::Path(path) = place {
            check::refuse_other_files(path, format.access)?;
        }
        let file = match place.file() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(EngineError::Missing(path));
            }
            Err(error) if is_damage(&error) => return Err(EngineError::Foreign(path)),
            file => file?,
        };
        if let Some(file) = file.of_system() {
            check::refuse_exposed(&file.metadata()?, &path, format.access)?;
        }
        Ok(Self { path, file, format })
    }

    pub(super) fn length(&self) -> io::Result<u64> {
        self.file.length()
    }

    /// Opens the database and locks its file until the database is closed.
    pub(super) fn open(&self, health: &Arc<Health>) -> Result<Database, EngineError> {
        if self.length()? == 0 {
            // The engine would create a database in an empty file, so the file is refused.
            return Err(EngineError::Foreign(self.path.clone()));
        }
        // A failed open may leave the file changed, so a copy in memory is opened first. The engine
        // writes on close, and panics on some of the pages that it then reads.
        let copy = self.open_copy()?;
        guarded(|| drop(copy)).ok_or(EngineError::Panicked)?;
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
