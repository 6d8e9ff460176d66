//! A block directory served from a folder.

use std::{
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError, RwLock, RwLockWriteGuard, TryLockError,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
};

use authdict::{
    ApplyError, LookupError, PublicKey, RepositoryError, Version,
    block_directory::{CacheBudget, MOST_RANGE, RequestError, StoreError},
    internals::directory::{AnyDirectory, log_path, open},
    pad_core::StoreFault,
};
use pad_client::{Versions, internals::Resource};
use pad_web::server::{Limits, StatusCode};

use crate::{
    dictionary::{ApplySummary, NotApplied},
    file_identity::{FileIdentity, identity},
    page::about_heads,
    refusal::Refusal,
    reply::{CacheLifetime, MESSAGE, OBJECT, TEXT},
};

/// A block directory served from a folder.
///
/// This process is the only one that can open the folder, because blocks are changed in place. New
/// versions arrive through [`Directory::apply`]. Requests are answered about the latest version.
///
/// If the folder is removed or replaced, [`Directory::follow`] notices it. Requests are then
/// refused until the folder contains a directory of this author again.
#[derive(Debug)]
pub struct Directory {
    folder: PathBuf,
    public: PublicKey,
    /// Maximum number of entries in the answer to one request for a range.
    most_in_range: u64,
    latest: AtomicU64,
    /// Locked while an update is checked and applied.
    turn: Mutex<()>,
    /// Whether the folder was removed or replaced, and is not opened again yet.
    is_lost: AtomicBool,
    /// The opened directory; `None` while it cannot be opened again after a failed write, or after
    /// its folder was removed.
    opened: RwLock<Option<OpenedDirectory>>,
}

/// A directory, and the identity of its log's file.
#[derive(Debug)]
struct OpenedDirectory {
    directory: Box<dyn AnyDirectory>,
    file: FileIdentity,
}

impl Directory {
    /// Opens the directory in `folder`. Responses are limited by `limits`, the limits of the server
    /// that runs the service.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn open(folder: &Path, limits: &Limits) -> Result<Self, StoreError> {
        let room = limits.response_bytes.saturating_sub(LONGEST_REST);
        let most_in_range = room.checked_div(ENTRY_BYTES).unwrap_or(0);
        let most_in_range =
            u64::try_from(most_in_range).map_or(MOST_RANGE, |most| most.min(MOST_RANGE));
        let (public, opened) = opened(folder, most_in_range)?;
        Ok(Self {
            folder: folder.to_owned(),
            public,
            most_in_range,
            latest: AtomicU64::new(latest_of(&*opened.directory).number()),
            turn: Mutex::new(()),
            is_lost: AtomicBool::new(false),
            opened: RwLock::new(Some(opened)),
        })
    }

    /// Returns the author's public key, as stored in the folder.
    pub const fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Returns the latest version. Waits for no lock.
    pub fn latest(&self) -> Version {
        Version::new(self.latest.load(Relaxed))
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Verifies an encoded update and applies it durably. Skips an update that is applied already.
    ///
    /// # Errors
    /// [`NotApplied`].
    pub fn apply(&self, update: &[u8]) -> Result<ApplySummary, NotApplied> {
        let summary = |taken, latest| Ok(ApplySummary { taken, latest });
        // Old and false updates wait for no other update.
        if !self.read(|directory| directory.check_head(update).map_err(not_applied))? {
            return summary(0, self.latest());
        }
        // A checked update takes several times its length in memory, so there is one at a time.
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        // The update is checked before the lock is taken for writing, so readers do not wait.
        let checked = self.read(|directory| directory.check_update(update).map_err(not_applied))?;
        let Some(mut checked) = checked else {
            return summary(0, self.latest());
        };
        // A removed file takes writes, but loses them.
        if self.is_replaced() {
            return Err(NotApplied::FolderLost);
        }
        let mut opened = self.write();
        // A panic drops the directory, of which a part may be changed. It is then opened again.
        let mut changing = opened.take().ok_or_else(|| self.closed())?;
        let applied = match changing.directory.apply_checked(&mut checked) {
            Ok(latest) => {
                self.latest.store(latest.number(), Relaxed);
                summary(1, latest)
            }
            // The folder was opened again in the meantime, at another version.
            Err(RepositoryError::Refused(ApplyError::VersionGap { .. })) => {
                let known = changing.directory.check_head(update);
                known
                    .map_err(not_applied)
                    .and_then(|_| summary(0, self.latest()))
            }
            Err(error) => Err(not_applied(error)),
        };
        *opened = Some(changing);
        applied
    }

    /// Opens the directory again if a failed write has closed it, or if its folder was removed or
    /// replaced. Returns whether it was reopened.
    ///
    /// Opening may take minutes after a crash or failed write. Requests are refused meanwhile, and
    /// do not wait.
    ///
    /// # Errors
    /// [`StoreError`]. The next call tries again.
    pub fn follow(&self) -> Result<bool, StoreError> {
        self.follow_with(|| opened(&self.folder, self.most_in_range))
    }

    /// Calls `reopen` for a closed directory, without the lock that requests wait for.
    fn follow_with(
        &self,
        reopen: impl FnOnce() -> Result<(PublicKey, OpenedDirectory), StoreError>,
    ) -> Result<bool, StoreError> {
        let is_closed =
            |directory: &dyn AnyDirectory| Ok::<_, DirectoryClosed>(directory.is_closed());
        let is_replaced = self.is_replaced();
        if !is_replaced && self.read(is_closed).is_ok_and(|is_closed| !is_closed) {
            return Ok(false);
        }
        if is_replaced {
            self.is_lost.store(true, Relaxed);
            let folder = self.folder.display();
            tracing::error!(%folder, "the folder of the directory was removed or replaced");
        }
        // Dropping the closed directory releases its files before they are opened again.
        let closed = self
            .write()
            .take_if(|opened| is_replaced || opened.directory.is_closed());
        if let Some(error) = closed.and_then(|closed| closed.directory.take_store_error()) {
            tracing::error!(folder = %self.folder.display(), %error, "the directory was closed");
        }
        let (public, opened) = reopen()?;
        if public != self.public {
            return Err(StoreError::OtherFormat {
                folder: self.folder.clone(),
                found: "the directory of another author".to_owned(),
            });
        }
        let mut current = self.write();
        let latest = latest_of(&*opened.directory);
        self.latest.store(latest.number(), Relaxed);
        self.is_lost.store(false, Relaxed);
        *current = Some(opened);
        Ok(true)
    }

    /// Returns whether the log in the folder is not the opened one. Holds no lock while it asks the
    /// file system.
    fn is_replaced(&self) -> bool {
        let opened = self.opened.read().unwrap_or_else(PoisonError::into_inner);
        let Some(file) = opened.as_ref().map(|opened| opened.file) else {
            return false;
        };
        drop(opened);
        // An error does not show that the folder was removed.
        identity(&log_path(&self.folder)).is_ok_and(|found| found != file)
    }

    /// Returns whether the folder was removed or replaced, and is not opened again yet. Waits for
    /// no lock.
    pub(crate) fn is_lost(&self) -> bool {
        self.is_lost.load(Relaxed)
    }

    fn closed(&self) -> DirectoryClosed {
        let is_lost = self.is_lost();
        DirectoryClosed { is_lost }
    }

    /// Returns whether the directory was closed and cannot be opened again. Waits for no lock.
    pub(crate) fn has_failed(&self) -> bool {
        match self.opened.try_read() {
            Ok(opened) => opened.is_none(),
            Err(TryLockError::Poisoned(opened)) => opened.into_inner().is_none(),
            Err(TryLockError::WouldBlock) => false,
        }
    }

    /// Returns why requests are refused, for health checks. Waits for no lock.
    pub(crate) fn failure(&self) -> Option<&'static str> {
        if self.is_lost() {
            return Some("the folder of a block directory was removed or replaced");
        }
        let has_failed = self.has_failed();
        has_failed.then_some("the folder of a block directory cannot be opened again")
    }

    fn write(&self) -> RwLockWriteGuard<'_, Option<OpenedDirectory>> {
        self.opened.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `work` with the opened directory.
    fn read<T, E: From<DirectoryClosed>>(
        &self,
        work: impl FnOnce(&dyn AnyDirectory) -> Result<T, E>,
    ) -> Result<T, E> {
        // A panic leaves the whole directory or none, so a poisoned lock can be used.
        let opened = self.opened.read().unwrap_or_else(PoisonError::into_inner);
        let opened = opened.as_ref().ok_or_else(|| self.closed())?;
        work(&*opened.directory)
    }

    /// Returns the total bytes of the directory's files, unless they cannot be read.
    pub(crate) fn file_bytes(&self) -> Option<u64> {
        let bytes =
            |directory: &dyn AnyDirectory| Ok::<_, DirectoryClosed>(directory.file_bytes().ok());
        self.read(bytes).ok().flatten()
    }

    /// Returns the range of versions that clients can query: the latest one.
    pub(crate) fn versions(&self) -> Versions {
        let latest = self.latest();
        Versions {
            oldest: latest,
            latest,
            ..Versions::default()
        }
    }

    /// Answers a request message about `version`, which must be the latest version.
    pub(crate) fn answer(&self, version: Version, request: &[u8]) -> Result<Vec<u8>, Refusal> {
        self.read(|directory| {
            let latest = directory.offered()?;
            if version == Version::EMPTY || version > latest {
                return Err(LookupError::UnknownVersion { version, latest }.into());
            }
            if version < latest {
                let oldest = latest;
                return Err(LookupError::Pruned { version, oldest }.into());
            }
            directory.answer(request).map_err(|error| match error {
                RequestError::Lookup(LookupError::InvalidQuery) => {
                    let text = format!(
                        "the range has more than {} registered entries: request less at a time",
                        self.most_in_range
                    );
                    Refusal::unprocessable("too_long", text)
                }
                RequestError::Lookup(error) => {
                    if let Some(error) = directory.take_store_error() {
                        let folder = self.folder.display();
                        tracing::error!(%folder, %error, "the directory cannot be read");
                    }
                    error.into()
                }
                error => Refusal::bad_request("unreadable_question", error),
            })
        })
    }

    /// Returns the content type and body of a resource, and how long a cache may keep it. `most` is
    /// the maximum length of a response.
    pub(crate) fn body(
        &self,
        resource: &Resource,
        most: usize,
    ) -> Result<(&'static str, Vec<u8>, CacheLifetime), Refusal> {
        let forever = |body| Ok((MESSAGE, body, CacheLifetime::Forever));
        let moment = |kind, body| Ok((kind, body, CacheLifetime::Moment));
        self.read(|directory| match resource {
            Resource::Public => moment(TEXT, self.public.to_text().into_bytes()),
            Resource::Versions => moment(OBJECT, self.versions().to_json().into_bytes()),
            Resource::Head => moment(MESSAGE, directory.head_message(directory.offered()?)?),
            // A directory has no names and dates of versions.
            Resource::Notes(..) | Resource::Named(_) => moment(OBJECT, b"[]".into()),
            Resource::Update(version) => forever(update_of(directory, *version)?),
            resource => {
                let body = about_heads(directory, resource, |_| Ok(()), most)?;
                forever(body.ok_or_else(by_id_only)?)
            }
        })
    }
}

/// Returns the update that produced a version.
fn update_of(directory: &dyn AnyDirectory, version: Version) -> Result<Vec<u8>, Refusal> {
    let update = directory.update_message(version).map_err(|error| {
        tracing::error!(%error, "an update cannot be read");
        Refusal::failed()
    })?;
    let latest = directory.offered()?;
    update.ok_or_else(|| {
        if version == Version::EMPTY || version > latest {
            LookupError::UnknownVersion { version, latest }.into()
        } else {
            let text = "the directory no longer has the update to this version";
            Refusal::new(StatusCode::GONE, "pruned", text)
        }
    })
}

/// Opens the directory in `folder`, and sets its limit of ranges.
fn opened(folder: &Path, most_in_range: u64) -> Result<(PublicKey, OpenedDirectory), StoreError> {
    // The identity is read first: if the folder is replaced at this moment, the next check sees it.
    let file = identity(&log_path(folder)).unwrap_or_default();
    let (public, mut directory) = open(folder, CacheBudget::default())?;
    directory.limit_ranges(most_in_range);
    Ok((public, OpenedDirectory { directory, file }))
}

fn latest_of(directory: &dyn AnyDirectory) -> Version {
    // Heads are in memory, so this cannot fail.
    directory.offered().unwrap_or_default()
}

/// Error for a directory that a failed write has closed, or whose folder was removed, and that is
/// not open again yet.
struct DirectoryClosed {
    is_lost: bool,
}

impl From<DirectoryClosed> for NotApplied {
    fn from(closed: DirectoryClosed) -> Self {
        if closed.is_lost {
            return Self::FolderLost;
        }
        RepositoryError::from(LookupError::Store(StoreFault::Closed)).into()
    }
}

impl From<DirectoryClosed> for Refusal {
    /// Logs nothing, because the failure was logged when it closed the directory. Clients could
    /// otherwise fill the log.
    fn from(closed: DirectoryClosed) -> Self {
        if closed.is_lost {
            return Self::folder_lost();
        }
        Self::failed()
    }
}

fn not_applied(error: RepositoryError) -> NotApplied {
    match error {
        RepositoryError::Refused(ApplyError::VersionGap { expected, actual }) => {
            if actual < expected {
                NotApplied::Other(Version::new(actual.number().saturating_add(1)))
            } else {
                let (base, latest) = (actual, expected);
                NotApplied::Gap { base, latest }
            }
        }
        error => error.into(),
    }
}

/// Refusal of a request about keys, or of notes on versions. A directory has neither.
pub(crate) fn by_id_only() -> Refusal {
    let text = "not available for a block directory: look up entries by id";
    Refusal::unprocessable("not_offered", text)
}

/// Maximum bytes of an answer about a range without its entries.
const LONGEST_REST: usize = 16 << 10;
/// Maximum bytes of an entry in an answer.
const ENTRY_BYTES: usize = 33;

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use authdict::{
        SchemeName, SecretKey, Sha256Ed25519, SuiteName, block_directory::BlockDirectory,
    };

    use super::*;

    fn secret_key() -> SecretKey {
        let (suite, scheme) = (SuiteName::Sha256Ed25519, SchemeName::Directory);
        SecretKey::generate_with(None, suite, scheme, None).unwrap()
    }

    /// Creates an empty directory of the author with this key.
    fn create(folder: &Path, key: &SecretKey) {
        let (authority, budget) = (key.public().authority, CacheBudget::default());
        let made = BlockDirectory::<Sha256Ed25519>::create(folder, authority, 7, budget);
        drop(made.unwrap());
    }

    #[test]
    fn a_closed_directory_refuses_requests_until_it_is_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        create(folder.path(), &secret_key());
        let directory = Directory::open(folder.path(), &Limits::default()).unwrap();
        assert!(!directory.follow().unwrap() && !directory.has_failed());
        *directory.opened.write().unwrap() = None;
        let refused = directory.body(&Resource::Versions, 1 << 20).unwrap_err();
        assert_eq!(refused, Refusal::failed());
        assert!(directory.apply(b"").is_err());
        assert!(directory.has_failed() && directory.file_bytes().is_none());
        let other = tempfile::tempdir().unwrap();
        create(other.path(), &secret_key());
        let replaced = directory.follow_with(|| opened(other.path(), directory.most_in_range));
        assert!(matches!(replaced, Err(StoreError::OtherFormat { .. })));
        assert!(directory.has_failed());
        let reopened = directory.follow_with(|| {
            // Requests and health checks do not wait until the directory is open.
            assert!(directory.has_failed());
            opened(folder.path(), directory.most_in_range)
        });
        assert!(reopened.unwrap());
        assert!(directory.body(&Resource::Versions, 1 << 20).is_ok());
    }

    /// A panic during an update leaves no directory that is changed in part.
    #[test]
    fn a_directory_is_opened_again_after_a_panic() {
        use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

        let folder = tempfile::tempdir().unwrap();
        create(folder.path(), &secret_key());
        let directory = Directory::open(folder.path(), &Limits::default()).unwrap();
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let mut opened = directory.write();
            let _changing = opened.take();
            resume_unwind(Box::new("a panic"));
        }));
        assert!(panicked.is_err() && directory.opened.is_poisoned());
        assert!(directory.has_failed());
        let refused = directory.body(&Resource::Versions, 1 << 20).unwrap_err();
        assert_eq!(refused, Refusal::failed());
        assert!(directory.follow().unwrap());
        assert!(!directory.has_failed() && !directory.follow().unwrap());
        assert!(directory.body(&Resource::Versions, 1 << 20).is_ok());
    }

    /// Open files can be renamed on Unix only.
    #[cfg(unix)]
    #[test]
    fn a_folder_that_is_removed_or_replaced_is_not_served() {
        let (key, folder) = (secret_key(), tempfile::tempdir().unwrap());
        let [served, moved, other] = ["d", "moved", "other"].map(|name| folder.path().join(name));
        for path in [&served, &other] {
            create(path, &key);
        }
        let directory = Directory::open(&served, &Limits::default()).unwrap();
        let versions = || directory.body(&Resource::Versions, 1 << 20);
        assert!(!directory.follow().unwrap() && !directory.is_lost());
        std::fs::rename(&served, &moved).unwrap();
        for _ in 0..2 {
            let missing = directory.follow();
            assert!(matches!(missing, Err(StoreError::Missing(_))));
            assert!(directory.is_lost() && directory.has_failed());
            assert_eq!(versions().unwrap_err(), Refusal::folder_lost());
            let refused = directory.apply(b"").unwrap_err();
            assert!(matches!(refused, NotApplied::FolderLost), "{refused}");
        }
        std::fs::rename(&moved, &served).unwrap();
        assert!(directory.follow().unwrap() && !directory.is_lost());
        versions().unwrap();
        assert!(!directory.follow().unwrap());
        // Another directory of the author is opened in its place.
        std::fs::rename(&served, &moved).unwrap();
        std::fs::rename(&other, &served).unwrap();
        assert!(directory.follow().unwrap() && !directory.is_lost());
        versions().unwrap();
        drop(open(&moved, CacheBudget::default()).unwrap());
    }
}
