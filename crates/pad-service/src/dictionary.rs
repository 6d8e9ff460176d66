//! A store that is served, and followed while other processes publish into it.

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use pad::{
    AnyStore, LookupError, NodeCache, NotOffered, PublicKey, RepositoryError, Store as _,
    StoreError, Version,
    dynamic::{AnyRepository, open_repository, open_repository_with},
    selection::SchemeFamily,
};
use pad_client::Versions;

use transparency_log::tile::ResourcePath;

use crate::keep::{CannotKeep, Keep};

mod apply;

pub use apply::{Applied, NotApplied};
use apply::{apply_to, is_next};

use crate::head_log::{HeadLog, LoggedHeads};

/// A dictionary in a store.
///
/// The latest version that is served is one that is durable in the store. Other processes may publish into it
/// ([`Dictionary::follow`] notices), as may clients that bring signed updates ([`Dictionary::apply`]).
#[derive(Debug)]
pub struct Dictionary {
    store: PathBuf,
    /// Memory for its nodes, which outlives each opening.
    cache: NodeCache,
    public: PublicKey,
    /// Where files are that are published beside the dictionary.
    published: Published,
    /// Which versions are kept.
    keep: Keep,
    /// The repository that answers. Whoever asks holds the outer lock for a moment, so that another one can take its
    /// place; the inner one is locked for writing only where contents are in memory.
    current: RwLock<Arc<RwLock<AnyRepository>>>,
    /// One at a time changes what is there.
    changing: Mutex<()>,
}

/// Files that are published beside a dictionary.
#[derive(Debug)]
enum Published {
    Nothing,
    /// Those of a folder, whoever writes them.
    Folder(PathBuf),
    /// Those of the log of its heads, which is kept here.
    Log(Arc<HeadLog>),
}

impl Dictionary {
    /// The dictionary in this store.
    ///
    /// # Errors
    /// [`RepositoryError`].
    pub fn open(store: &Path) -> Result<Self, RepositoryError> {
        Self::open_with(store, NodeCache::default())
    }

    /// The dictionary in this store, with what is read kept in `cache`. Updates are brought by a writer with a cache of its own.
    ///
    /// # Errors
    /// [`RepositoryError`]; [`StoreError::TooLarge`] in it if the latest version was to be in memory and needs more than it may take.
    pub fn open_with(store: &Path, cache: impl Into<NodeCache>) -> Result<Self, RepositoryError> {
        let cache = cache.into();
        let repository = open_repository_with(store, cache.clone())?;
        let public = repository.public_key()?;
        Ok(Self {
            store: store.to_owned(),
            cache,
            public,
            published: Published::Nothing,
            keep: Keep::All,
            current: RwLock::new(Arc::new(RwLock::new(repository))),
            changing: Mutex::new(()),
        })
    }

    /// Publishes the log of heads in `folder` along with the dictionary: its checkpoint, tiles and
    /// bundles of entries. Does not publish other files of the folder, or follow links out of it.
    #[must_use]
    pub fn publishing(self, folder: PathBuf) -> Self {
        Self {
            published: Published::Folder(folder),
            ..self
        }
    }

    /// The same dictionary, of which these versions are kept and no others.
    ///
    /// # Errors
    /// [`CannotKeep`].
    pub fn keeping(self, keep: Keep) -> Result<Self, CannotKeep> {
        if keep.drops() {
            let scheme = self.public.scheme;
            if scheme.family().is_append_only() {
                // Its trees are over all entries.
                let (what, scheme) = ("prunings", scheme.id());
                return Err(CannotKeep::NotPruned(NotOffered { what, scheme }));
            }
            if AnyStore::is_in_objects(&self.store) {
                return Err(CannotKeep::InObjects);
            }
        }
        let oldest = self.read(AnyRepository::oldest);
        match keep.from() {
            // The empty dictionary may be gone.
            Some(wanted) if oldest > wanted.max(Version::new(1)) => {
                Err(CannotKeep::Gone { wanted, oldest })
            }
            _ => Ok(Self { keep, ..self }),
        }
    }

    /// Which versions are kept.
    pub const fn keep(&self) -> Keep {
        self.keep
    }

    /// Which versions are here to be asked about, of the repository as it is now.
    pub(crate) fn versions(&self, repository: &AnyRepository) -> Versions {
        let until = self.keep.until();
        let latest = until.map_or(repository.latest(), |until| repository.latest().min(until));
        let first = self.keep.from().unwrap_or_default();
        // Before the first one is here, the latest is all there is.
        let oldest = repository.oldest().max(first.min(latest));
        Versions {
            oldest: oldest.min(latest),
            latest,
            until,
            keys: None,
        }
    }

    /// Whether the last version that is kept is here.
    pub fn is_complete(&self) -> bool {
        let until = self.keep.until();
        until.is_some_and(|until| self.latest() >= until)
    }

    /// Drops the versions that are not kept, if it is time to; the oldest one that is kept then.
    ///
    /// Time: a copy of what is kept. Where contents are in memory, nobody gets an answer meanwhile.
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
        let Some(first) = first() else {
            return Ok(None);
        };
        if self.reads_on_demand() {
            let mut writer = open_repository(&self.store)?;
            let pruned = writer.prune(first);
            drop(writer);
            // Also if files are left over that it could not remove.
            self.reopen()?;
            pruned?;
        } else {
            let current = self.current();
            let mut repository = current.write().unwrap_or_else(PoisonError::into_inner);
            repository.prune(first)?;
        }
        Ok(Some(first))
    }

    /// The same dictionary with the log of its heads published beside it, which is kept by this process.
    #[must_use]
    pub fn logging(self, log: Arc<HeadLog>) -> Self {
        Self {
            published: Published::Log(log),
            ..self
        }
    }

    /// The log of its heads, if this process keeps it.
    pub const fn log(&self) -> Option<&Arc<HeadLog>> {
        match &self.published {
            Published::Log(log) => Some(log),
            _ => None,
        }
    }

    /// Where the store is.
    pub fn store(&self) -> &Path {
        &self.store
    }

    /// Which dictionary the store says that it holds.
    pub const fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Whether contents are read from a file when they are asked for, and not kept in memory.
    pub fn reads_on_demand(&self) -> bool {
        self.public.scheme.reads_on_demand()
    }

    /// Returns whether a look-up takes less time than a switch of threads, and waits for neither the
    /// network nor a lock that other readers hold, as those of tuples do.
    pub fn answers_at_once(&self) -> bool {
        self.public.scheme.family() == SchemeFamily::Tree && !AnyStore::is_in_objects(&self.store)
    }

    /// What `work` makes of the repository as it is now.
    pub fn read<T>(&self, work: impl FnOnce(&AnyRepository) -> T) -> T {
        let current = self.current();
        // Nothing panics while it changes, so a poisoned one is whole.
        let repository = current.read().unwrap_or_else(PoisonError::into_inner);
        work(&repository)
    }

    /// The latest version.
    pub fn latest(&self) -> Version {
        self.read(AnyRepository::latest)
    }

    /// Serves what other processes have published since; whether they have.
    ///
    /// Time: one read of the store if they have not; opening it if they have.
    ///
    /// # Errors
    /// [`RepositoryError`]: what was served before is served still.
    pub fn follow(&self) -> Result<bool, RepositoryError> {
        let is_behind = || {
            self.read(|repository| {
                Ok::<_, StoreError>(repository.store().latest()? > repository.latest())
            })
        };
        if !is_behind()? {
            return Ok(false);
        }
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_behind()? {
            return Ok(false);
        }
        self.reopen()?;
        Ok(true)
    }

    /// Verifies updates, given as messages, and makes them the latest versions, durably when this returns. Those that are
    /// here already are left out.
    ///
    /// # Errors
    /// [`NotApplied`] with the first that is not taken; those before it are, durably.
    pub fn apply(&self, updates: &[Vec<u8>]) -> Result<Applied, NotApplied> {
        let mut updates = updates;
        // Whoever brings what is here already, or what nobody has signed, keeps nobody from reading or writing.
        while let Some((first, rest)) = updates.split_first() {
            if self.read(|repository| is_next(repository, first))? {
                break;
            }
            updates = rest;
        }
        if updates.is_empty() {
            return Ok(Applied {
                taken: 0,
                latest: self.latest(),
            });
        }
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
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

    /// Makes updates the latest versions, while nobody else changes anything.
    fn apply_now(&self, updates: &[Vec<u8>]) -> Result<Applied, NotApplied> {
        if self.reads_on_demand() {
            // By a repository of its own, dropped when it is done: it keeps other writers out while it is there.
            let mut writer = open_repository(&self.store)?;
            let applied = apply_to(&mut writer, updates);
            let taken = writer.latest() > self.latest();
            drop(writer);
            if taken && let Err(error) = self.reopen() {
                // What was taken is durable all the same, and whoever brought it is told so.
                tracing::error!(%error, "the store cannot be followed");
            }
            return applied;
        }
        let current = self.current();
        let applied = {
            let mut repository = current.write().unwrap_or_else(PoisonError::into_inner);
            apply_to(&mut repository, updates)
        };
        if let Err(NotApplied::Repository(RepositoryError::Store(_))) = &applied {
            // What is in memory may be ahead of the store, or behind it.
            self.reopen()?;
        }
        applied
    }

    /// A file that is published beside the dictionary, of at most so many bytes; `None` if there is none.
    ///
    /// # Errors
    /// The operating system's; [`io::ErrorKind::FileTooLarge`].
    pub fn published(&self, path: &str, most: usize) -> io::Result<Option<Vec<u8>>> {
        let folder = match &self.published {
            Published::Nothing => return Ok(None),
            Published::Folder(folder) => folder,
            Published::Log(log) => {
                let file = log.file(path)?;
                if file.as_ref().is_some_and(|bytes| bytes.len() > most) {
                    return Err(io::ErrorKind::FileTooLarge.into());
                }
                return Ok(file);
            }
        };
        // A folder may have other files, and keys among them.
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

    fn current(&self) -> Arc<RwLock<AnyRepository>> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&current)
    }

    /// Puts the store as it is now in the place of what was read of it.
    fn reopen(&self) -> Result<(), RepositoryError> {
        let opened = open_repository_with(&self.store, self.cache.clone())?;
        let opened = Arc::new(RwLock::new(opened));
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        let old = core::mem::replace(&mut *current, opened);
        drop(current);
        // It may be large; nobody waits for it now.
        drop(old);
        Ok(())
    }
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

/// Returns whether a file is in a folder once all links are resolved.
fn is_inside(place: &Path, folder: &Path) -> bool {
    match (place.canonicalize(), folder.canonicalize()) {
        (Ok(place), Ok(folder)) => place.starts_with(folder),
        // It is absent, or cannot be read: opening it says which.
        _ => true,
    }
}

fn is_absent(error: &io::Error) -> bool {
    use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory | IsADirectory)
}
