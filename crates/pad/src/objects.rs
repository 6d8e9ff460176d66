//! Dictionaries in an object store: nodes in immutable segments, and an object for each version that can be created once.
//!
//! | object | holds |
//! |---|---|
//! | `description` | what the dictionary is, a number that nobody chose, and the records of its beginning; created once |
//! | `heads/<20 digits>` | the row of this version; created once, which is all the coordination there is |
//! | `nodes/<16 hexadecimal digits>` | a segment of nodes; created once |
//! | `newest` | a version that was the latest once: where to begin to look for newer ones; believed in nothing |
//!
//! Whoever writes puts its segments first and then the heads, one after the other. So a version is there with all of its nodes or not at
//! all, and of two writers one finds that the head is there already. What a writer has left behind that was killed are segments of numbers
//! that no head speaks of: [`collect`](ObjectFolder::collect) takes them away.
//!
//! Readers keep nothing but what they have read. A segment and a head never change, so caches never forget for a reason.

use std::{
    collections::BTreeSet,
    env, io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use futures_util::{StreamExt as _, TryStreamExt as _};
use object_store::{
    Error, GetOptions, GetRange, ObjectStore, ObjectStoreExt as _, PutMode, PutPayload,
    local::LocalFileSystem, path::Path,
};
use pad_core::Version;
use tokio::runtime::{Builder, Runtime};
use url::Url;

use crate::{kept_log::segments, store::StoreError};

mod names;
mod object_backend;

use names::{DESCRIPTION, HEADS, NEWEST, NODES};
pub use object_backend::ObjectBackend;

/// The objects of one dictionary.
pub struct ObjectFolder {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    runtime: Runtime,
    requests: AtomicU64,
    /// A version that is there, and so are all before it.
    known: AtomicU64,
    /// The rows of versions that are to be published next, in their order.
    staged: Mutex<Vec<(Version, Vec<u8>)>>,
}

impl core::fmt::Debug for ObjectFolder {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter
            .debug_struct("ObjectFolder")
            .field("store", &self.store.to_string())
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

/// No object but a segment is longer.
const LONGEST_ROW: u64 = 1 << 20;

impl ObjectFolder {
    /// The objects below a prefix of a store.
    ///
    /// # Errors
    /// [`StoreError::Io`] if no thread can be started.
    pub fn new(store: Arc<dyn ObjectStore>, prefix: Path) -> Result<Self, StoreError> {
        // Requests are made by threads that wait for them; one more drives the connections.
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        Ok(Self {
            store,
            prefix,
            runtime,
            requests: AtomicU64::new(0),
            known: AtomicU64::new(0),
            staged: Mutex::default(),
        })
    }

    /// The objects at an address: `s3://bucket/prefix` (with the feature `s3`), `file:///folder`. What else a kind of store has to know, such as
    /// keys and end points, is taken from the environment (`AWS_ENDPOINT`, ..).
    ///
    /// # Errors
    /// [`StoreError::Io`] if it is no address of a kind that is built in.
    pub fn at(address: &str) -> Result<Self, StoreError> {
        let invalid = |error: &dyn core::fmt::Display| {
            let said = format!("{address} is no address of objects: {error}");
            io::Error::new(io::ErrorKind::InvalidInput, said)
        };
        let url = Url::parse(address).map_err(|error| invalid(&error))?;
        if url.scheme() == "file" {
            let prefix = Path::from_url_path(url.path()).map_err(|error| invalid(&error))?;
            return Self::new(Arc::new(LocalFileSystem::new().with_fsync(true)), prefix);
        }
        let options = env::vars().map(|(name, value)| (name.to_ascii_lowercase(), value));
        let parsed = object_store::parse_url_opts(&url, options);
        let (store, prefix) = parsed.map_err(|error| invalid(&error))?;
        Self::new(Arc::from(store), prefix)
    }

    /// How many requests were made.
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    fn path(&self, name: &str) -> Path {
        name.split('/').fold(self.prefix.clone(), Path::join)
    }

    fn wait<T>(&self, request: impl Future<Output = Result<T, Error>>) -> io::Result<T> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.runtime.block_on(request).map_err(system)
    }

    /// A small object; `None` if there is none.
    fn small(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        self.beginning(name, LONGEST_ROW)
    }

    /// The first bytes of an object; `None` if there is none.
    fn beginning(&self, name: &str, most: u64) -> io::Result<Option<Vec<u8>>> {
        let path = self.path(name);
        let options = GetOptions {
            range: Some(GetRange::Bounded(0..most)),
            ..GetOptions::default()
        };
        let read = self.wait(async {
            let found = self.store.get_opts(&path, options).await?;
            found.bytes().await
        });
        match read {
            Ok(bytes) => Ok(Some(bytes.into())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// A part of a segment.
    pub(crate) fn nodes(&self, number: u64, start: u64, bytes: &mut [u8]) -> io::Result<()> {
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let path = self.path(&names::nodes(number));
        let read = self.wait(
            self.store
                .get_range(&path, start..start.saturating_add(length)),
        );
        let read = read.map_err(|error| match error.kind() {
            // It was there when its version was published.
            io::ErrorKind::NotFound => io::ErrorKind::UnexpectedEof.into(),
            _ => error,
        })?;
        if read.len() != bytes.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.copy_from_slice(&read);
        Ok(())
    }

    /// Creates an object; `false` if there is one of this name.
    fn create(&self, name: &str, bytes: Vec<u8>) -> io::Result<bool> {
        let path = self.path(name);
        let put = self.wait(self.store.put_opts(
            &path,
            PutPayload::from(bytes),
            PutMode::Create.into(),
        ));
        match put {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Creates an object, which may be there already if it is this very one: an attempt whose answer was lost is made again.
    fn create_or_find(&self, name: &str, bytes: &[u8]) -> io::Result<bool> {
        if self.create(name, bytes.to_vec())? {
            return Ok(true);
        }
        let most = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let found = self.beginning(name, most.saturating_add(1))?;
        Ok(found.as_deref() == Some(bytes))
    }

    /// Creates a segment.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] if somebody else has created one of this number since it was free.
    pub(crate) fn create_nodes(&self, number: u64, bytes: &[u8]) -> io::Result<()> {
        if self.create_or_find(&names::nodes(number), bytes)? {
            return Ok(());
        }
        let said = "another process is publishing into these objects";
        Err(io::Error::new(io::ErrorKind::AlreadyExists, said))
    }

    /// Makes an object, in the place of one that is there.
    fn replace(&self, name: &str, bytes: Vec<u8>) -> io::Result<()> {
        let path = self.path(name);
        let put = self.store.put(&path, PutPayload::from(bytes));
        self.wait(put).map(drop)
    }

    /// The bytes of all segments.
    pub(crate) fn nodes_bytes(&self) -> io::Result<u64> {
        let folder = self.path(NODES);
        let listed = self.store.list(Some(&folder));
        self.wait(listed.try_fold(0_u64, |sum, found| async move {
            Ok(sum.saturating_add(found.size))
        }))
    }

    /// The names of the objects of a kind behind this one, in ascending order.
    fn behind(&self, kind: &str, name: &str) -> io::Result<Vec<String>> {
        let (folder, offset) = (self.path(kind), self.path(name));
        let listed = self.wait(
            self.store
                .list_with_offset(Some(&folder), &offset)
                .map_ok(|found| found.location.filename().unwrap_or_default().to_owned())
                .try_collect::<Vec<_>>(),
        );
        let mut names = listed?;
        names.sort_unstable();
        Ok(names)
    }

    /// Whether an object of a kind is behind this one.
    fn is_behind(&self, kind: &str, name: &str) -> io::Result<bool> {
        let (folder, offset) = (self.path(kind), self.path(name));
        self.wait(async {
            let mut listed = self.store.list_with_offset(Some(&folder), &offset);
            listed.next().await.transpose().map(|first| first.is_some())
        })
    }

    /// The latest version.
    ///
    /// Time: one listing from a version on that was the latest once. Without that one a listing for each doubling of the number of versions.
    fn latest(&self) -> Result<Version, StoreError> {
        let mut known = self.known.load(Ordering::Relaxed);
        if known == 0 {
            known = self.begin_of_search()?;
        }
        let names = self.behind(HEADS, &names::head(Version::new(known)))?;
        for name in names {
            let next = known.checked_add(1);
            if names::number_of(&name) != next {
                return Err(StoreError::Damaged("a head is missing among its objects"));
            }
            known = next.unwrap_or(known);
        }
        self.known.store(known, Ordering::Relaxed);
        Ok(Version::new(known))
    }

    /// A version that is there, not long before the latest; 0 if there is none.
    fn begin_of_search(&self) -> Result<u64, StoreError> {
        let hint = self.small(NEWEST)?;
        let hint = hint.and_then(|hint| names::number_of(core::str::from_utf8(&hint).ok()?));
        let is_there = |number: u64| -> io::Result<bool> {
            Ok(self.small(&names::head(Version::new(number)))?.is_some())
        };
        if let Some(hint) = hint
            && hint > 0
            && is_there(hint)?
        {
            return Ok(hint);
        }
        // It was never written, or is not of these objects: the latest is between the powers of two that it lies between.
        let mut begin = 0;
        for power in (0..u64::BITS).map(|power| 1_u64 << power) {
            if !self.is_behind(HEADS, &names::head(Version::new(power)))? {
                break;
            }
            begin = power;
        }
        if begin > 0 && !is_there(begin)? {
            return Err(StoreError::Damaged("a head is missing among its objects"));
        }
        Ok(begin)
    }

    /// The row of a version; `None` if it is not there.
    pub(crate) fn row(&self, version: Version) -> io::Result<Option<Vec<u8>>> {
        self.small(&names::head(version))
    }

    /// The first number above this one from which on there are no segments.
    pub(crate) fn next_nodes(&self, number: u64) -> io::Result<u64> {
        let names = self.behind(NODES, &names::nodes(number))?;
        let last = names.iter().filter_map(|name| names::nodes_of(name)).max();
        Ok(last.unwrap_or(number).max(number).saturating_add(1))
    }

    /// Has a row published next, behind those before it.
    pub(crate) fn stage(&self, version: Version, row: Vec<u8>) {
        self.staged().push((version, row));
    }

    /// A row that is to be published.
    pub(crate) fn staged_row(&self, version: Version) -> Option<Vec<u8>> {
        let staged = self.staged();
        let found = staged.iter().find(|(number, _)| *number == version);
        found.map(|(_, row)| row.clone())
    }

    fn staged(&self) -> MutexGuard<'_, Vec<(Version, Vec<u8>)>> {
        // Nothing panics while it is locked.
        self.staged.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes segments away that no version has: what writers have left behind that were killed. Those behind the latest version may be of one who
    /// is writing, and stay. Returns how many went.
    ///
    /// Time: one listing, and a row for each version.
    ///
    /// # Errors
    /// [`StoreError`] of the medium; [`StoreError::Damaged`] if a row is not what was written.
    pub fn collect(&self) -> Result<u64, StoreError> {
        let latest = self.latest()?;
        let (mut used, mut before) = (BTreeSet::new(), 0);
        for version in (1..=latest.number()).map(Version::new) {
            let row = self.row(version)?.ok_or(MISSING)?;
            let segments = segments(version, &row).ok_or(MISSING)?;
            before = before.max(*segments.end());
            used.extend(segments);
        }
        let mut gone = 0;
        for name in self.behind(NODES, &names::nodes(0))? {
            let Some(number) = names::nodes_of(&name) else {
                continue;
            };
            if number < before && !used.contains(&number) {
                let path = self.path(&names::nodes(number));
                self.wait(self.store.delete(&path))?;
                gone += 1;
            }
        }
        Ok(gone)
    }
}

const MISSING: StoreError = StoreError::Damaged("a head among its objects is not what was written");

/// An error of an object store as one of the system.
fn system(error: Error) -> io::Error {
    let kind = match error {
        Error::NotFound { .. } => io::ErrorKind::NotFound,
        Error::AlreadyExists { .. } | Error::Precondition { .. } => io::ErrorKind::AlreadyExists,
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
            io::ErrorKind::PermissionDenied
        }
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, error)
}
