//! A dictionary served from a store. Other processes may write to the store.

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use authdict::{
    LookupError, NodeCache, NotOffered, PublicKey, RepositoryError, Server, StoreError, Version,
    internals::{AnyStore, SchemeFamily},
};
use pad_client::Versions;

use transparency_log::tile::ResourcePath;

use crate::{
    file_identity::{FileIdentity, identity},
    keep::{CannotKeep, Keep},
};

mod apply;
mod notes;

pub use apply::{ApplySummary, NotApplied};
use apply::{apply_to, is_next};

use crate::head_log::{HeadLog, LoggedHeads};

/// A dictionary served from a store.
///
/// Only versions that are durable in the store are served. [`Dictionary::follow`] picks up versions
/// that other processes have published. [`Dictionary::apply`] applies signed updates from clients.
#[derive(Debug)]
pub struct Dictionary {
    store: PathBuf,
    /// Node cache. Reopening the store reuses it.
    cache: NodeCache,
    public: PublicKey,
    /// Files that are published with the dictionary.
    published: PublishedFiles,
    /// Retention policy for versions.
    keep: Keep,
    /// The opened store, which answers queries.
    ///
    /// Readers hold the outer lock only briefly, so that the opened store can be replaced. The
    /// inner lock is taken for writing only if contents are in memory.
    current: RwLock<Arc<RwLock<Server>>>,
    /// Lock that serialises changes of the store.
    changing: Mutex<()>,
    /// Whether the opened store has written updates, and so blocks other writers until it is
    /// dropped. False if contents are read on demand. Accessed under the lock `changing`.
    is_writer: AtomicBool,
    /// Identity of the opened store's file.
    file: Mutex<FileIdentity>,
    /// Whether the last [`Dictionary::follow`] failed.
    is_lost: AtomicBool,
}

/// The files that are published with a dictionary.
#[derive(Debug)]
enum PublishedFiles {
    Nothing,
    /// Files in a folder that other processes write.
    Folder(PathBuf),
    /// The log of the dictionary's heads, written by this process.
    Log(Arc<HeadLog>),
}

impl Dictionary {
    /// Opens the dictionary in `store` with a default cache.
    ///
    /// # Errors
    /// [`RepositoryError`].
    pub fn open(store: &Path) -> Result<Self, RepositoryError> {
        Self::open_with(store, NodeCache::default())
    }

    /// Opens the dictionary in `store` with a node cache. If contents are read on demand, updates
    /// are applied to the store by a second handle with its own cache.
    ///
    /// # Errors
    /// [`RepositoryError`], with [`StoreError::TooLarge`] if the cache must contain the latest
    /// version and its limit is too low.
    pub fn open_with(store: &Path, cache: impl Into<NodeCache>) -> Result<Self, RepositoryError> {
        let cache = cache.into();
        let file = store_identity(store).unwrap_or_default();
        let repository = Server::of_any_with(store, cache.clone())?;
        let public = repository.public_key()?;
        Ok(Self {
            store: store.to_owned(),
            cache,
            public,
            published: PublishedFiles::Nothing,
            keep: Keep::All,
            current: RwLock::new(Arc::new(RwLock::new(repository))),
            changing: Mutex::new(()),
            is_writer: AtomicBool::new(false),
            file: Mutex::new(file),
            is_lost: AtomicBool::new(false),
        })
    }

    /// Publishes the log of heads in `folder` together with the dictionary: the log's checkpoint,
    /// tiles and bundles of entries. Other files of the folder are not published, and links out of
    /// the folder are not followed.
    #[must_use]
    pub fn publishing(self, folder: PathBuf) -> Self {
        Self {
            published: PublishedFiles::Folder(folder),
            ..self
        }
    }

    /// Sets the retention policy. [`Dictionary::prune`] drops versions before its first version,
    /// and [`Dictionary::apply`] refuses versions after its last.
    ///
    /// # Errors
    /// [`CannotKeep`] if the scheme or the store cannot drop versions, or the first version of
    /// `keep` was already dropped.
    pub fn keeping(self, keep: Keep) -> Result<Self, CannotKeep> {
        if keep.drops() {
            let scheme = self.public.scheme;
            if scheme.family().is_append_only() {
                // A log's trees cover all entries, so no version can be dropped.
                let (what, scheme) = ("prunings", scheme.id());
                return Err(CannotKeep::NotPruned(NotOffered { what, scheme }));
            }
            if AnyStore::is_in_objects(&self.store) {
                return Err(CannotKeep::InObjects);
            }
        }
        let oldest = self.read(|server| server.oldest());
        match keep.from() {
            // The empty version 0 may have been dropped, even if `keep` begins with it.
            Some(wanted) if oldest > wanted.max(Version::new(1)) => {
                Err(CannotKeep::Gone { wanted, oldest })
            }
            _ => Ok(Self { keep, ..self }),
        }
    }

    /// Returns the retention policy for versions.
    pub const fn keep(&self) -> Keep {
        self.keep
    }

    /// Returns the range of versions of `repository` that clients can query.
    pub(crate) fn versions(&self, repository: &Server) -> Versions {
        let until = self.keep.until();
        let latest = until.map_or(repository.latest(), |until| repository.latest().min(until));
        let first = self.keep.from().unwrap_or_default();
        // Before the first retained version arrives, only the latest version can be queried.
        let oldest = repository.oldest().max(first.min(latest));
        Versions {
            oldest: oldest.min(latest),
            latest,
            until,
            keys: None,
            notes: None,
        }
    }

    /// Returns whether the last version of the retention policy has arrived. Returns `false` if the
    /// policy has no last version.
    #[doc(hidden)]
    pub fn is_complete(&self) -> bool {
        let until = self.keep.until();
        until.is_some_and(|until| self.latest() >= until)
    }

    /// Drops the versions that the retention policy excludes, if a pruning is due.
    ///
    /// Returns the new oldest version, or `None` if no pruning is due.
    ///
    /// Time: a copy of the retained versions. If contents are in memory, queries wait during this
    /// time.
    ///
    /// # Errors
    /// [`RepositoryError`].
    pub fn prune(&self) -> Result<Option<Version>, RepositoryError> {
        let first =
            || self.read(|repository| self.keep.prune_to(repository.oldest(), repository.latest()));
        if first().is_none() {
            return Ok(None);
        }
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        self.check_file()?;
        let Some(first) = first() else {
            return Ok(None);
        };
        if self.reads_on_demand() {
            let mut writer = Server::of_any(&self.store)?;
            let pruned = writer.prune(first);
            drop(writer);
            // The store is reopened even if some replaced files could not be removed.
            self.reopen(self.latest())?;
            pruned?;
        } else {
            let current = self.current();
            let mut repository = current.write().unwrap_or_else(PoisonError::into_inner);
            repository.prune(first)?;
            self.is_writer.store(true, Relaxed);
        }
        Ok(Some(first))
    }

    /// Publishes the log of heads `log` together with the dictionary. This process writes the log.
    #[must_use]
    pub fn logging(self, log: Arc<HeadLog>) -> Self {
        Self {
            published: PublishedFiles::Log(log),
            ..self
        }
    }

    /// Returns the log of the dictionary's heads, if this process writes it.
    pub const fn log(&self) -> Option<&Arc<HeadLog>> {
        match &self.published {
            PublishedFiles::Log(log) => Some(log),
            _ => None,
        }
    }

    /// Returns the path of the store.
    #[doc(hidden)]
    pub fn store(&self) -> &Path {
        &self.store
    }

    /// Returns the author's public key, as stored in the store.
    pub const fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Returns whether contents are read from the store on demand, and not kept in memory.
    #[doc(hidden)]
    pub fn reads_on_demand(&self) -> bool {
        self.public.scheme.reads_on_demand()
    }

    /// Returns whether a look-up takes less time than a thread switch would.
    ///
    /// Such a look-up waits neither for the network nor for a lock that readers hold. Look-ups of
    /// tuples may wait for such a lock.
    #[doc(hidden)]
    pub fn answers_at_once(&self) -> bool {
        self.public.scheme.family() == SchemeFamily::Tree && !AnyStore::is_in_objects(&self.store)
    }

    /// Calls `work` with the store as it is currently opened, and returns the result of `work`.
    pub fn read<T>(&self, work: impl FnOnce(&Server) -> T) -> T {
        let current = self.current();
        // No code panics while it changes the opened store, so the value in a poisoned lock is
        // intact.
        let repository = current.read().unwrap_or_else(PoisonError::into_inner);
        work(&repository)
    }

    /// Returns the latest version that is served.
    pub fn latest(&self) -> Version {
        self.read(|server| server.latest())
    }

    /// Reopens the store if other processes have published versions, if its file was removed or
    /// replaced, or if it cannot be read. Returns whether it was reopened.
    ///
    /// Time: one read if there is no new version. Otherwise, the time of opening the store.
    ///
    /// # Errors
    /// [`RepositoryError`], with [`StoreError::OtherKey`] if the store of another author is found,
    /// and [`StoreError::OldCopy`] for a store without the latest version served so far. The
    /// previous versions are still served after an error.
    pub fn follow(&self) -> Result<bool, RepositoryError> {
        let followed = self.reopen_if_outdated();
        self.is_lost.store(followed.is_err(), Relaxed);
        followed
    }

    /// Returns whether the last [`Dictionary::follow`] failed. Waits for no lock.
    pub(crate) fn is_lost(&self) -> bool {
        self.is_lost.load(Relaxed)
    }

    fn reopen_if_outdated(&self) -> Result<bool, RepositoryError> {
        if !self.is_outdated()? {
            return Ok(false);
        }
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.is_outdated()? {
            return Ok(false);
        }
        self.reopen(self.latest())?;
        Ok(true)
    }

    /// Opens the store again before a write if its file was removed or replaced, so that nothing is
    /// written into another author's store or an old copy. The caller holds the lock `changing`.
    fn check_file(&self) -> Result<(), RepositoryError> {
        if self.is_replaced() {
            self.reopen(self.latest())?;
        }
        Ok(())
    }

    /// Returns whether the file of the store is another one than the opened file. An error does not
    /// show that it was removed.
    fn is_replaced(&self) -> bool {
        let opened = *self.file.lock().unwrap_or_else(PoisonError::into_inner);
        store_identity(&self.store).is_ok_and(|found| found != opened)
    }

    /// Returns whether the store has new versions, was replaced or cannot be read, and must be
    /// opened again.
    fn is_outdated(&self) -> Result<bool, RepositoryError> {
        if self.is_replaced() {
            return Ok(true);
        }
        self.read(|repository| match repository.store().latest() {
            Ok(latest) => Ok(latest > repository.latest()),
            Err(error) if AnyStore::is_in_objects(&self.store) => Err(error.into()),
            // After a failed read, the storage engine reads nothing until the file is opened again.
            Err(_) => Ok(true),
        })
    }

    /// Verifies encoded updates and applies them durably.
    ///
    /// Updates that are applied already are skipped.
    ///
    /// # Errors
    /// [`NotApplied`] for the first rejected update. The updates before it are applied durably,
    /// unless the store failed.
    pub fn apply(&self, updates: &[Vec<u8>]) -> Result<ApplySummary, NotApplied> {
        // Updates are checked before the lock is taken. Old or unsigned updates therefore block no
        // reader or writer.
        let updates = self.without_applied(updates)?;
        if updates.is_empty() {
            return Ok(self.nothing_applied());
        }
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        self.check_file()?;
        // Another thread may have applied updates before this thread got the lock.
        let updates = self.without_applied(updates)?;
        if updates.is_empty() {
            return Ok(self.nothing_applied());
        }
        let room = self.keep.until().map(|until| {
            let room = until.number().saturating_sub(self.latest().number());
            (until, usize::try_from(room).unwrap_or(usize::MAX))
        });
        match room {
            Some((until, room)) if updates.len() > room => {
                let (kept, _) = updates.split_at_checked(room).unwrap_or((updates, &[]));
                if !kept.is_empty() {
                    self.apply_now(kept)?;
                }
                Err(NotApplied::NotKept { until })
            }
            _ => self.apply_now(updates),
        }
    }

    /// Removes updates at the beginning of the list that are already applied.
    ///
    /// # Errors
    /// [`NotApplied`] if an update differs from the applied update to the same version, or is not
    /// signed by the author. A gap before the first remaining update is not detected here.
    fn without_applied<'u>(&self, updates: &'u [Vec<u8>]) -> Result<&'u [Vec<u8>], NotApplied> {
        let mut rest = updates;
        while let Some((first, others)) = rest.split_first() {
            if self.read(|repository| is_next(repository, first))? {
                break;
            }
            rest = others;
        }
        Ok(rest)
    }

    fn nothing_applied(&self) -> ApplySummary {
        ApplySummary {
            taken: 0,
            latest: self.latest(),
        }
    }

    /// Applies updates. The caller holds the lock `changing`.
    fn apply_now(&self, updates: &[Vec<u8>]) -> Result<ApplySummary, NotApplied> {
        if self.reads_on_demand() {
            // A second handle of the store blocks other writers until it is dropped.
            let mut writer = Server::of_any(&self.store)?;
            let applied = apply_to(&mut writer, updates);
            let written = writer.latest();
            drop(writer);
            match self.reopen_after(written) {
                Ok(()) => {}
                // The store was replaced meanwhile, so the updates may be in a removed file.
                Err(
                    error @ RepositoryError::Store(
                        StoreError::OldCopy { .. } | StoreError::OtherKey,
                    ),
                ) => {
                    return Err(error.into());
                }
                // The applied updates are durable despite this error, so the client receives a
                // success.
                Err(error) => tracing::error!(%error, "the store cannot be followed"),
            }
            return applied;
        }
        let current = self.current();
        let (before, applied) = {
            let mut repository = current.write().unwrap_or_else(PoisonError::into_inner);
            let before = repository.latest();
            let applied = apply_to(&mut repository, updates);
            if repository.latest() > before {
                self.is_writer.store(true, Relaxed);
            }
            (before, applied)
        };
        if let Err(NotApplied::Repository(RepositoryError::Store(_))) = &applied {
            // After an error, the contents in memory may differ from the store, so they are read
            // again.
            self.reopen(before)?;
        }
        applied
    }

    /// Reads a file of at most `most` bytes that is published with the dictionary. Returns `None`
    /// if the file does not exist.
    ///
    /// # Errors
    /// I/O errors of the operating system; [`io::ErrorKind::Other`] if the log of heads cannot be
    /// read; [`io::ErrorKind::FileTooLarge`] if the file has more than `most` bytes.
    #[doc(hidden)]
    pub fn published(&self, path: &str, most: usize) -> io::Result<Option<Vec<u8>>> {
        let folder = match &self.published {
            PublishedFiles::Nothing => return Ok(None),
            PublishedFiles::Folder(folder) => folder,
            PublishedFiles::Log(log) => {
                let file = log.file(path)?;
                if file.as_ref().is_some_and(|bytes| bytes.len() > most) {
                    return Err(io::ErrorKind::FileTooLarge.into());
                }
                return Ok(file);
            }
        };
        // The folder may also contain private files, such as keys. So only the paths of a log's
        // resources are served.
        let Ok(resource) = path.parse::<ResourcePath>() else {
            return Ok(None);
        };
        let place = folder.join(resource.to_string());
        if !is_inside(&place, folder) {
            return Ok(None);
        }
        let file = match File::open(place) {
            Ok(file) if file.metadata()?.is_file() => file,
            Ok(_) => return Ok(None),
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut bytes = Vec::new();
        let limit = u64::try_from(most).unwrap_or(u64::MAX);
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() > most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(Some(bytes))
    }

    /// Opens the store again if version `written`, which another handle has written, is new.
    ///
    /// # Errors
    /// The errors of [`Dictionary::reopen`]; [`StoreError::OldCopy`] also for a store without the
    /// version.
    fn reopen_after(&self, written: Version) -> Result<(), RepositoryError> {
        let served = self.latest();
        if written <= served {
            return Ok(());
        }
        self.reopen(served)?;
        let found = self.latest();
        if found < written {
            let served = written;
            return Err(StoreError::OldCopy { found, served }.into());
        }
        Ok(())
    }

    fn current(&self) -> Arc<RwLock<Server>> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&current)
    }

    /// Opens the store again, if it has at least version `served`, which was answered about.
    /// Queries are then answered by the new handle.
    ///
    /// # Errors
    /// [`StoreError::OldCopy`] for an older store; [`StoreError::OtherKey`] for the store of
    /// another author, or with another head of version `served`.
    fn reopen(&self, served: Version) -> Result<(), RepositoryError> {
        // The identity is read first: if the file is replaced at this moment, the next check sees
        // it.
        let file = store_identity(&self.store).unwrap_or_default();
        let opened = Server::of_any_with(&self.store, self.cache.clone())?;
        if opened.public_key()? != self.public {
            return Err(StoreError::OtherKey.into());
        }
        let found = opened.latest();
        if found < served {
            return Err(StoreError::OldCopy { found, served }.into());
        }
        // A handle of a damaged or truncated file may not read its head any more.
        let head = |server: &Server| server.head_message(served);
        if let Ok(before) = self.read(head)
            && opened.head_message(served)? != before
        {
            return Err(StoreError::OtherKey.into());
        }
        let opened = Arc::new(RwLock::new(opened));
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        let old = core::mem::replace(&mut *current, opened);
        drop(current);
        *self.file.lock().unwrap_or_else(PoisonError::into_inner) = file;
        self.is_writer.store(false, Relaxed);
        // Dropping the old handle may take long, so it is dropped after the lock is released.
        drop(old);
        Ok(())
    }
}

/// Returns the identity of the store's file. A store in objects has none.
fn store_identity(store: &Path) -> io::Result<FileIdentity> {
    if AnyStore::is_in_objects(store) {
        return Ok(None);
    }
    identity(store)
}

impl LoggedHeads for Dictionary {
    fn public(&self) -> &PublicKey {
        &self.public
    }

    fn latest(&self) -> Version {
        Self::latest(self)
    }

    fn head(&self, version: Version) -> Result<Vec<u8>, LookupError> {
        self.read(|repository| repository.head_message(version))
    }
}

/// Returns whether a file is inside a folder after all links are resolved.
fn is_inside(place: &Path, folder: &Path) -> bool {
    match (place.canonicalize(), folder.canonicalize()) {
        (Ok(place), Ok(folder)) => place.starts_with(folder),
        // The file is absent or unreadable. Opening it will report the reason.
        _ => true,
    }
}

fn is_absent(error: &io::Error) -> bool {
    use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory | IsADirectory)
}
