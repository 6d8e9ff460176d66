//! Files without a name, until they are complete.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use crate::place::{folder, synchronise, target};

/// Who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Its owner only.
    Private,
    /// Whoever may read what this user makes (the umask says).
    Usual,
}

impl Access {
    /// The permissions that a new file asks for; the umask takes from them.
    #[cfg(unix)]
    pub(crate) const fn mode(self) -> u32 {
        match self {
            Self::Private => 0o600,
            Self::Usual => 0o666,
        }
    }
}

/// Makes a new file with these contents, durable when this returns.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] if there is something of this name, which stays as it is; the
/// operating system's. Then there is no such file.
pub fn create(path: &Path, contents: &[u8], access: Access) -> io::Result<()> {
    let mut draft = Draft::new(path, access)?;
    draft.write_all(contents)?;
    draft.keep_new()
}

/// Puts these contents in the place of a file, or makes it, durably when this returns.
///
/// # Errors
/// The operating system's. The file is then as it was, unless only its folder could not be
/// synchronised.
pub fn replace(path: &Path, contents: &[u8], access: Access) -> io::Result<()> {
    let mut draft = Draft::new(path, access)?;
    draft.write_all(contents)?;
    draft.keep()
}

/// A file that is written before it gets its name.
///
/// On Linux it has no name at all until then (`O_TMPFILE`), so a process that is killed leaves
/// nothing behind. Elsewhere, and on file systems that cannot do this, it has a name that starts
/// with a dot, which is removed when the draft is dropped.
#[derive(Debug)]
pub struct Draft {
    /// The name asked for, which a new file gets.
    path: PathBuf,
    /// The file that it leads to, which is replaced.
    target: PathBuf,
    access: Access,
    file: Unnamed,
}

#[derive(Debug)]
enum Unnamed {
    #[cfg(target_os = "linux")]
    Anonymous(File),
    Hidden(NamedTempFile),
}

impl Draft {
    /// An empty draft of the file at this path, on the same file system.
    ///
    /// # Errors
    /// The operating system's, for example if the folder is missing or cannot be written to.
    pub fn new(path: &Path, access: Access) -> io::Result<Self> {
        let target = target(path)?;
        let file = Unnamed::new(folder(&target), access)?;
        Ok(Self {
            path: path.to_path_buf(),
            target,
            access,
            file,
        })
    }

    /// The file, to be written and read.
    pub fn file(&self) -> &File {
        match &self.file {
            #[cfg(target_os = "linux")]
            Unnamed::Anonymous(file) => file,
            Unnamed::Hidden(file) => file.as_file(),
        }
    }

    /// Gives the file its name, durably, if there is nothing of that name.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`]; the operating system's: the name is then taken away again, if that can be done.
    pub fn keep_new(self) -> io::Result<()> {
        self.file().sync_all()?;
        match self.file {
            #[cfg(target_os = "linux")]
            Unnamed::Anonymous(file) => anonymous::link(&file, &self.path)?,
            Unnamed::Hidden(file) => {
                file.persist_noclobber(&self.path)
                    .map_err(|refused| refused.error)?;
            }
        }
        // What a later call makes durable need not have what this one failed to.
        synchronise(folder(&self.path)).inspect_err(|_| drop(fs::remove_file(&self.path)))
    }

    /// Puts the file in the place of whatever has its name, durably. Permissions of a file that is
    /// replaced stay, unless the draft is private.
    ///
    /// # Errors
    /// The operating system's.
    pub fn keep(self) -> io::Result<()> {
        if self.access == Access::Usual
            && let Ok(before) = fs::metadata(&self.target)
        {
            self.file().set_permissions(before.permissions())?;
        }
        self.file().sync_all()?;
        match self.file {
            #[cfg(target_os = "linux")]
            Unnamed::Anonymous(file) => anonymous::put_in_place(&file, &self.target)?,
            Unnamed::Hidden(file) => {
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

impl Unnamed {
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
    //! Files that have no name (`open(2)`, `O_TMPFILE`), and how they get one (`linkat(2)`).

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

    /// A file without a name, or `None` where there is no such thing.
    pub(super) fn open(folder: &Path, access: Access) -> io::Result<Option<File>> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        match openat(CWD, folder, flags, Mode::from_raw_mode(access.mode())) {
            Ok(file) => {
                let file = File::from(file);
                // Without the process file system there is no way to a name.
                Ok(descriptor_path(&file).exists().then_some(file))
            }
            Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::ISDIR) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives the file a name that nothing has.
    pub(super) fn link(file: &File, path: &Path) -> io::Result<()> {
        let from = descriptor_path(file);
        Ok(linkat(CWD, &from, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
    }

    /// Gives the file a name that something may have. Between the two steps it has a name with a dot;
    /// if the process ends there, the next one that comes this way takes the name away.
    ///
    /// A file that has lost its only name cannot get another, so processes do not share these names.
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

    /// A draft has its own name for an instant; one that has it for long was left behind.
    pub(super) fn remove_if_old(step: &Path, now: SystemTime) -> io::Result<()> {
        let found = match fs::symlink_metadata(step) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            found => found?,
        };
        let named = Duration::from_secs(u64::try_from(found.ctime()).unwrap_or_default());
        let age = now
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        let age = age.saturating_sub(named);
        if age < LEFT_BEHIND {
            return Ok(());
        }
        match fs::remove_file(step) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
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

    /// Processes that replace one file in one instant.
    const MOST_DRAFTS: u32 = 64;
    const LEFT_BEHIND: Duration = Duration::from_mins(1);
}

#[cfg(test)]
mod tests;
