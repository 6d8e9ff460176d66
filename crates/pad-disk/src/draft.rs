//! Draft files: files that get their name only when they are complete.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use crate::place::{folder, synchronise, target};

/// Permissions of a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Readable and writable by its owner only.
    Private,
    /// Readable and writable by all users as far as the umask permits.
    Usual,
}

impl Access {
    /// The mode of a new file before the umask is applied.
    #[cfg(unix)]
    pub(crate) const fn mode(self) -> u32 {
        match self {
            Self::Private => 0o600,
            Self::Usual => 0o666,
        }
    }
}

/// Creates a new file with `contents`, durable when this returns.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] if `path` exists; the existing file is unchanged. Other I/O
/// errors. If the fsync of the folder fails, the file is removed again on a best-effort basis.
/// After other errors no file is created.
pub fn create(path: &Path, contents: &[u8], access: Access) -> io::Result<()> {
    let mut draft = Draft::new(path, access)?;
    draft.write_all(contents)?;
    draft.keep_new()
}

/// Replaces or creates the file at `path` with `contents`, durable when this returns.
///
/// # Errors
/// I/O errors of the operating system. The file is then unchanged, unless only the fsync of its
/// folder failed.
pub fn replace(path: &Path, contents: &[u8], access: Access) -> io::Result<()> {
    let mut draft = Draft::new(path, access)?;
    draft.write_all(contents)?;
    draft.keep()
}

/// A file that is written before it gets its name.
///
/// On Linux the draft has no name (`O_TMPFILE`) until [`Draft::keep`] gives it a temporary name for
/// an instant and then its final name. A process that is killed before that leaves no file. On
/// other systems, and where `/proc` or `O_TMPFILE` is missing, the draft has a name that starts
/// with a dot. Dropping the draft removes that name.
#[derive(Debug)]
pub struct Draft {
    /// The requested path, used for a new file.
    path: PathBuf,
    /// The file at the end of symbolic links, used for a replacement.
    target: PathBuf,
    access: Access,
    file: DraftFile,
}

/// The file of a draft: without a name, or with a hidden one.
#[derive(Debug)]
enum DraftFile {
    #[cfg(target_os = "linux")]
    Anonymous(File),
    Hidden(NamedTempFile),
}

impl Draft {
    /// Creates an empty draft of the file at `path`, on the same file system.
    ///
    /// # Errors
    /// I/O errors, for example if the folder is missing or not writable.
    pub fn new(path: &Path, access: Access) -> io::Result<Self> {
        let target = target(path)?;
        let file = DraftFile::new(folder(&target), access)?;
        Ok(Self {
            path: path.to_path_buf(),
            target,
            access,
            file,
        })
    }

    /// The open file, for reading and writing.
    pub fn file(&self) -> &File {
        match &self.file {
            #[cfg(target_os = "linux")]
            DraftFile::Anonymous(file) => file,
            DraftFile::Hidden(file) => file.as_file(),
        }
    }

    /// Gives the file its name durably. Fails if the name is taken.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] if the name is taken; other I/O errors. If the fsync of the
    /// folder fails, the name is removed again on a best-effort basis.
    pub fn keep_new(self) -> io::Result<()> {
        self.file().sync_all()?;
        match self.file {
            #[cfg(target_os = "linux")]
            DraftFile::Anonymous(file) => anonymous::link(&file, &self.path)?,
            DraftFile::Hidden(file) => {
                file.persist_noclobber(&self.path)
                    .map_err(|refused| refused.error)?;
            }
        }
        // If the fsync of the folder fails, the file is removed: a later fsync may succeed without
        // having written this name.
        synchronise(folder(&self.path)).inspect_err(|_| drop(fs::remove_file(&self.path)))
    }

    /// Gives the file its name durably, replacing any file of that name. A replaced file's
    /// permissions are retained, unless the draft is private.
    ///
    /// # Errors
    /// I/O errors of the operating system.
    pub fn keep(self) -> io::Result<()> {
        if self.access == Access::Usual
            && let Ok(before) = fs::metadata(&self.target)
        {
            self.file().set_permissions(before.permissions())?;
        }
        self.file().sync_all()?;
        match self.file {
            #[cfg(target_os = "linux")]
            DraftFile::Anonymous(file) => anonymous::put_in_place(&file, &self.target)?,
            DraftFile::Hidden(file) => {
                file.persist(&self.target)
                    .map_err(|refused| refused.error)?;
            }
        }
        synchronise(folder(&self.target))
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

impl DraftFile {
    fn new(folder: &Path, access: Access) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(file) = anonymous::open(folder, access)? {
            return Ok(Self::Anonymous(file));
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".draft-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(access.mode()));
        #[cfg(not(unix))]
        let _ = access;
        Ok(Self::Hidden(builder.tempfile_in(folder)?))
    }
}

#[cfg(target_os = "linux")]
mod anonymous {
    //! Unnamed files (`open(2)`, `O_TMPFILE`) and how they get a name (`linkat(2)`).

    use std::{
        ffi::OsString,
        fs::{self, File},
        io,
        os::{fd::AsRawFd, unix::fs::MetadataExt},
        path::{Path, PathBuf},
        time::{Duration, SystemTime},
    };

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, openat};

    use super::{Access, folder};
    use crate::place::found;

    /// Opens a file without a name, or returns `None` if the system does not support it.
    pub(super) fn open(folder: &Path, access: Access) -> io::Result<Option<File>> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        match openat(CWD, folder, flags, Mode::from_raw_mode(access.mode())) {
            Ok(file) => {
                let file = File::from(file);
                // Without `/proc`, the file could never be linked to a name.
                Ok(descriptor_path(&file).exists().then_some(file))
            }
            Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::ISDIR) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Links the file to a new name.
    pub(super) fn link(file: &File, path: &Path) -> io::Result<()> {
        let from = descriptor_path(file);
        Ok(linkat(CWD, &from, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
    }

    /// Links the file to `target`, replacing any file of that name.
    ///
    /// The file first gets a temporary name that starts with a dot and is then renamed. If the
    /// process ends between the two steps, a later call that tries the same temporary name removes
    /// that name once it is older than `LEFT_BEHIND`. Concurrent calls use different temporary
    /// names, since a file that has lost its only name cannot be linked again.
    pub(super) fn put_in_place(file: &File, target: &Path) -> io::Result<()> {
        for number in 0..MOST_DRAFTS {
            let step = draft_path(target, number);
            remove_if_old(&step, SystemTime::now())?;
            match link(file, &step) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
                Ok(()) => {
                    return fs::rename(&step, target).inspect_err(|_| drop(fs::remove_file(&step)));
                }
            }
        }
        Err(io::Error::other("other processes keep replacing the file"))
    }

    /// Removes a temporary name that is older than `LEFT_BEHIND`. Live drafts have their temporary
    /// name only for an instant.
    pub(super) fn remove_if_old(step: &Path, now: SystemTime) -> io::Result<()> {
        let Some(metadata) = found(fs::symlink_metadata(step))? else {
            return Ok(());
        };
        let named = Duration::from_secs(u64::try_from(metadata.ctime()).unwrap_or_default());
        let age = now
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        let age = age.saturating_sub(named);
        if age < LEFT_BEHIND {
            return Ok(());
        }
        found(fs::remove_file(step)).map(drop)
    }

    pub(super) fn draft_path(target: &Path, number: u32) -> PathBuf {
        let mut name = OsString::from(".");
        name.push(target.file_name().unwrap_or_default());
        name.push(format!(".draft-{number}"));
        folder(target).join(name)
    }

    fn descriptor_path(file: &File) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
    }

    /// Number of temporary names for one file. Limits how many calls replace the file at the same
    /// time.
    const MOST_DRAFTS: u32 = 64;
    const LEFT_BEHIND: Duration = Duration::from_mins(1);
}

#[cfg(test)]
mod tests;
