//! Folders of the operating system.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use super::{FileLayer, LayerFile, file::SystemFile};
use crate::{
    Access,
    place::{folder, synchronise, target},
};

/// A folder of the operating system. New files are [`Access::Private`], unless set by
/// [`Folder::with_access`].
///
/// Symbolic links are followed: a replacement replaces the file at the end of the links.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    access: Access,
}

impl Folder {
    /// Creates a folder, or opens an empty one. The folder's name is durable after
    /// [`FileLayer::synchronise`].
    ///
    /// # Errors
    /// [`io::ErrorKind::DirectoryNotEmpty`] if the folder contains files.
    /// [`io::ErrorKind::NotADirectory`] if `path` is not a folder. Other I/O errors, for example if
    /// the parent folder is missing.
    pub fn create(path: &Path) -> io::Result<Self> {
        match fs::create_dir(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if fs::read_dir(path)?.next().transpose()?.is_some() {
                    return Err(io::ErrorKind::DirectoryNotEmpty.into());
                }
            }
            created => created?,
        }
        Self::open(path)
    }

    /// Opens the folder at `path`.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] if there is no folder at `path`.
    /// [`io::ErrorKind::NotADirectory`] if `path` is not a folder. Other I/O errors.
    pub fn open(path: &Path) -> io::Result<Self> {
        if !path.metadata()?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self {
            path: path.to_path_buf(),
            access: Access::Private,
        })
    }

    /// Sets the permissions of files created from now on.
    #[must_use]
    pub fn with_access(self, access: Access) -> Self {
        Self { access, ..self }
    }

    /// Opens the folder of the file that `path` resolves to, and returns the file's name in it.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] if the path has no file name in UTF-8; errors of
    /// [`Folder::open`].
    pub fn of_file(path: &Path) -> io::Result<(Self, String)> {
        let target = target(path)?;
        let name = target.file_name().and_then(|name| name.to_str());
        let not_text = || io::Error::new(io::ErrorKind::InvalidInput, "its name is not UTF-8");
        let name = name.ok_or_else(not_text)?.to_owned();
        Ok((Self::open(folder(&target))?, name))
    }

    /// Path of the file `name`.
    fn file(&self, name: &str) -> io::Result<PathBuf> {
        check_name(name)?;
        Ok(self.path.join(name))
    }
}

impl FileLayer for Folder {
    fn path(&self) -> &Path {
        &self.path
    }

    fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            if !entry.file_type()?.is_dir() {
                names.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
        Ok(names)
    }

    fn open(&self, name: &str) -> io::Result<Arc<dyn LayerFile>> {
        Ok(Arc::new(SystemFile::open(&self.file(name)?)?))
    }

    fn open_to_read(&self, name: &str) -> io::Result<Arc<dyn LayerFile>> {
        Ok(Arc::new(SystemFile::open_to_read(&self.file(name)?)?))
    }

    fn create(&self, name: &str) -> io::Result<Arc<dyn LayerFile>> {
        Ok(Arc::new(SystemFile::create(
            &self.file(name)?,
            self.access,
        )?))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let to = target(&self.file(to)?)?;
        fs::rename(self.file(from)?, &to)?;
        if folder(&to) == self.path {
            return Ok(());
        }
        // A link led to another folder, which the caller will not synchronise.
        synchronise(folder(&to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.file(name)?)
    }

    fn synchronise_names(&self) -> io::Result<()> {
        synchronise(&self.path)
    }

    #[cfg(unix)]
    fn room(&self) -> Option<u64> {
        let disk = rustix::fs::statvfs(self.path.as_path()).ok()?;
        Some(disk.f_bavail.saturating_mul(disk.f_frsize))
    }

    #[cfg(not(unix))]
    fn room(&self) -> Option<u64> {
        None
    }

    fn synchronise(&self) -> io::Result<()> {
        synchronise(&self.path)?;
        synchronise(folder(&target(&self.path)?))
    }
}

/// Rejects a name that is not a single component of a path.
pub(super) fn check_name(name: &str) -> io::Result<()> {
    let mut components = Path::new(name).components();
    match (components.next(), components.next()) {
        (Some(Component::Normal(component)), None) if component == name => Ok(()),
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{name:?} is not the name of a file"),
        )),
    }
}
