//! Dictionaries in an object store: nodes in immutable segments, and one create-once object for
//! each version.
//!
//! | object | holds |
//! |---|---|
//! | `description` | a random store id, and the first records with the public key; created once |
//! | `heads/<20 digits>` | a version's row; created once, which alone coordinates writers |
//! | `nodes/<16 hexadecimal digits>` | a segment of nodes; created once |
//! | `newest` | a former latest version: an untrusted hint for finding newer versions |
//!
//! A writer first creates its segments, and then the heads in order of versions. So a version
//! exists with all of its nodes or not at all. If two writers try to create the same head, the
//! second attempt fails. A killed writer leaves segments behind that no head refers to.
//! [`collect`](ObjectFolder::collect) removes them.
//!
//! Readers cache segments and heads in memory, because these objects never change.
//!
//! An author's own store is always in files, where its signed heads are recorded before they are
//! handed out. Updates are copied from there to the objects by the author, or by any other party
//! that receives them. An author never signs for a store in objects.

use core::{ops::Range, time::Duration};
#[cfg(feature = "s3")]
use std::env;
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use futures_util::{Stream, StreamExt as _};
use object_store::{
    Error, GetOptions, GetRange, GetResult, ObjectMeta, ObjectStore, ObjectStoreExt as _, PutMode,
    PutPayload, local::LocalFileSystem, path::Path,
};
#[cfg(feature = "s3")]
use object_store::{ObjectStoreScheme, aws::AmazonS3Builder};
use pad_core::Version;
use tokio::runtime::{Builder, Runtime};
use url::Url;

use crate::{store::StoreError, store_log::segments};

#[cfg(feature = "s3")]
mod http;
mod names;
mod object_backend;

use names::{DESCRIPTION, HEADS, NEWEST, NODES};
pub use object_backend::ObjectBackend;

/// The objects of one dictionary below a prefix of an object store.
///
/// Every call blocks until its requests are done. A call panics on a thread that runs asynchronous
/// tasks.
pub struct ObjectFolder {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    /// The asynchronous runtime that performs the requests; `None` only while this value is
    /// dropped.
    runtime: Option<Runtime>,
    requests: AtomicU64,
    /// The number of a version that is known to exist, together with all earlier versions; 0 if
    /// none is known.
    known: AtomicU64,
    /// Whether the object store is known to refuse to create an object whose name exists.
    creates_only: AtomicBool,
    /// The versions to publish next, in ascending order, with the row of each. A row locates the
    /// nodes of its version.
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

/// The maximum length, in bytes, of an object that is not a segment of nodes, such as a row.
const LONGEST_ROW: u64 = 1 << 20;

impl ObjectFolder {
    /// Creates the handle of the objects below `prefix` in a store.
    ///
    /// # Errors
    /// [`StoreError::Io`] if no thread can be started.
    pub fn new(store: Arc<dyn ObjectStore>, prefix: Path) -> Result<Self, StoreError> {
        // Callers block on their own threads. One worker thread drives the connections.
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        Ok(Self {
            store,
            prefix,
            runtime: Some(runtime),
            requests: AtomicU64::new(0),
            known: AtomicU64::new(0),
            creates_only: AtomicBool::new(false),
            staged: Mutex::default(),
        })
    }

    /// Creates the handle of the objects at an address: `s3://bucket/prefix` (with the feature
    /// `s3`) or `file:///folder`. Other settings of the object store, such as keys and endpoints,
    /// are read from environment variables (`AWS_ENDPOINT`, ..). Of those for connections, only
    /// `AWS_ALLOW_HTTP`, `AWS_TIMEOUT` and `AWS_CONNECT_TIMEOUT` have an effect. Requests over
    /// HTTPS use the proxy of `ALL_PROXY`, `HTTPS_PROXY` or `HTTP_PROXY`.
    ///
    /// # Errors
    /// [`StoreError::Io`] if `address` is malformed, or this build does not support its scheme.
    pub fn at(address: &str) -> Result<Self, StoreError> {
        let invalid = |error: &dyn core::fmt::Display| {
            let said = format!("{address} is no address of objects: {error}");
            io::Error::new(io::ErrorKind::InvalidInput, said)
        };
        let url = Url::parse(address).map_err(|error| invalid(&error))?;
        if url.query().is_some() || url.fragment().is_some() {
            return Err(invalid(&"it has a query or a fragment").into());
        }
        match url.scheme() {
            "file" if url.has_host() => Err(invalid(&"a folder begins with file:///").into()),
            "file" => {
                let prefix = Path::from_url_path(url.path()).map_err(|error| invalid(&error))?;
                Self::new(Arc::new(LocalFileSystem::new().with_fsync(true)), prefix)
            }
            #[cfg(feature = "s3")]
            "s3" => {
                let (_, prefix) =
                    ObjectStoreScheme::parse(&url).map_err(|error| invalid(&error))?;
                let prefix = Path::parse(prefix).map_err(|error| invalid(&error))?;
                let mut store = AmazonS3Builder::new()
                    .with_url(address)
                    .with_http_connector(http::Connector);
                // Only environment variables with this prefix are settings of the object store.
                for (name, value) in env::vars_os() {
                    let (Ok(name), Ok(value)) = (name.into_string(), value.into_string()) else {
                        continue;
                    };
                    if name.starts_with("AWS_")
                        && let Ok(setting) = name.to_ascii_lowercase().parse()
                    {
                        store = store.with_config(setting, value);
                    }
                }
                let store = store.build().map_err(|error| invalid(&error))?;
                Self::new(Arc::new(store), prefix)
            }
            other => Err(invalid(&format_args!("{other} is not offered")).into()),
        }
    }

    /// Returns the number of requests that this handle has made to the object store.
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    fn path(&self, name: &str) -> Path {
        name.split('/').fold(self.prefix.clone(), Path::join)
    }

    fn wait<T>(&self, request: impl Future<Output = Result<T, Error>>) -> io::Result<T> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        let runtime = self.runtime.as_ref().ok_or(io::ErrorKind::BrokenPipe)?;
        runtime.block_on(request).map_err(system)
    }

    /// Reads an object, or the first [`LONGEST_ROW`] bytes of a longer object. Returns `None` if
    /// the object does not exist.
    fn small(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        self.read(name, 0..LONGEST_ROW)
    }

    /// Reads the bytes of an object in `range`, or as many of them as it has. Returns `None` if the
    /// object does not exist.
    fn read(&self, name: &str, range: Range<u64>) -> io::Result<Option<Vec<u8>>> {
        let (path, most) = (self.path(name), range.end.saturating_sub(range.start));
        let options = GetOptions {
            range: Some(GetRange::Bounded(range)),
            ..GetOptions::default()
        };
        let read = self.wait(async {
            let found = self.store.get_opts(&path, options).await?;
            bounded(found, most).await
        });
        match read {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Fills `bytes` from segment `number`, starting at the byte offset `start`.
    pub(crate) fn nodes(&self, number: u64, start: u64, bytes: &mut [u8]) -> io::Result<()> {
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let range = start..start.saturating_add(length);
        match self.read(&names::nodes(number), range)? {
            Some(read) if read.len() == bytes.len() => {
                bytes.copy_from_slice(&read);
                Ok(())
            }
            // The segment existed when its version was published, so it is damaged.
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Creates the object `name`. Returns `false` if an object of this name exists.
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

    /// Creates an object, or finds an existing object with equal bytes. Returns `false` if an
    /// existing object differs. Equal bytes count as created, because the response to a successful
    /// attempt may be lost. Tries again if the object can neither be created nor found.
    fn create_or_find(&self, name: &str, bytes: &[u8]) -> io::Result<bool> {
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                // The service may refuse both of two concurrent attempts, so each of them waits
                // before it tries again.
                std::thread::sleep(PAUSE.saturating_mul(1 << attempt));
            }
            if self.create(name, bytes.to_vec())? {
                return Ok(true);
            }
            let most = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
            if let Some(found) = self.read(name, 0..most.saturating_add(1))? {
                return Ok(found == bytes);
            }
        }
        let said = format!("{name} can neither be created nor read");
        Err(io::Error::other(said))
    }

    /// Checks that the object store refuses to create the object `name`, which exists with contents
    /// `bytes`. If it replaced the object instead, two writers could both succeed, and one version
    /// would be lost.
    fn require_create_only(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        if !self.create(name, bytes.to_vec())? {
            return Ok(());
        }
        let said = "these objects are replaced where they are to be created only, so that two \
            writers would lose versions: the service \
                    must heed the header If-None-Match";
        Err(io::Error::new(io::ErrorKind::Unsupported, said))
    }

    /// Calls [`Self::require_create_only`] on the object that is created first in every store. Does
    /// so only once for this handle, before other objects are created.
    fn require_create_only_once(&self) -> io::Result<()> {
        if self.creates_only.load(Ordering::Relaxed) {
            return Ok(());
        }
        if let Some(description) = self.small(DESCRIPTION)? {
            self.require_create_only(DESCRIPTION, &description)?;
        }
        self.creates_only.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Creates the segment of nodes with the number `number` and the contents `bytes`.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] if another writer has created a different segment with this
    /// number meanwhile.
    pub(crate) fn create_nodes(&self, number: u64, bytes: &[u8]) -> io::Result<()> {
        self.require_create_only_once()?;
        if self.create_or_find(&names::nodes(number), bytes)? {
            return Ok(());
        }
        let said = "another process is publishing into these objects";
        Err(io::Error::new(io::ErrorKind::AlreadyExists, said))
    }

    fn replace(&self, name: &str, bytes: Vec<u8>) -> io::Result<()> {
        let path = self.path(name);
        let put = self.store.put(&path, PutPayload::from(bytes));
        self.wait(put).map(drop)
    }

    pub(crate) fn nodes_bytes(&self) -> io::Result<u64> {
        let folder = self.path(NODES);
        let (listed, mut sum) = (self.store.list(Some(&folder)), 0_u64);
        self.wait(each_of(listed, LISTING, |found| {
            sum = sum.saturating_add(found.size);
            Ok(true)
        }))?;
        Ok(sum)
    }

    /// Lists the objects in the folder `kind` (heads or segments) whose names come after `name`, in
    /// no particular order. Calls `take` with the number of each, until `take` returns `false`.
    /// Skips objects whose names are not numbers, and fails if there are more than [`MOST_STRAYS`]
    /// of them.
    fn behind(&self, kind: &str, name: &str, mut take: impl FnMut(u64) -> bool) -> io::Result<()> {
        let number_of = if kind == NODES {
            names::nodes_of
        } else {
            names::number_of
        };
        let (folder, offset) = (self.path(kind), self.path(name));
        let listed = self.store.list_with_offset(Some(&folder), &offset);
        let mut strays = 0_usize;
        self.wait(each_of(listed, LISTING, |found| {
            let name = found.location.filename().unwrap_or_default();
            if let Some(number) = number_of(name) {
                return Ok(take(number));
            }
            strays = strays.saturating_add(1);
            if strays > MOST_STRAYS {
                return Err(generic("there are too many objects of other names"));
            }
            Ok(true)
        }))
    }

    /// Returns whether an object in the folder `kind` (heads or segments) has a name after `name`.
    /// Objects whose names are not numbers do not count.
    fn is_behind(&self, kind: &str, name: &str) -> io::Result<bool> {
        let mut is_found = false;
        self.behind(kind, name, |_| {
            is_found = true;
            false
        })?;
        Ok(is_found)
    }

    /// Returns the latest version.
    ///
    /// Time: one listing, which starts at a former latest version. This handle knows such a
    /// version, or the object `newest` names one. Without it, a few listings for each doubling of
    /// the number of versions.
    fn latest(&self) -> Result<Version, StoreError> {
        let mut known = self.known.load(Ordering::Relaxed);
        if known == 0 {
            known = self.begin_of_search()?;
        }
        // Folders are listed in no particular order. A head is kept in `waiting` until all earlier
        // heads are listed.
        let (mut waiting, mut is_whole) = (BTreeSet::new(), true);
        self.behind(HEADS, &names::head(Version::new(known)), |number| {
            is_whole = number > known && waiting.insert(number);
            while waiting
                .first()
                .is_some_and(|next| Some(*next) == known.checked_add(1))
            {
                known = waiting.pop_first().unwrap_or(known);
            }
            is_whole && waiting.len() <= MOST_WAITING
        })?;
        if !is_whole {
            return Err(HEAD_MISSING);
        }
        // New heads may be added during the listing of a folder. So an earlier head may be missing
        // in a list that contains a later head.
        while waiting.last().is_some_and(|last| *last > known) {
            let next = Version::new(known.checked_add(1).ok_or(HEAD_MISSING)?);
            if self.row(next)?.is_none() {
                return Err(HEAD_MISSING);
            }
            known = next.number();
        }
        self.known.store(known, Ordering::Relaxed);
        Ok(Version::new(known))
    }

    /// Returns the number of an existing version, from which a listing finds the latest version.
    /// Returns 0 if no such version is found.
    fn begin_of_search(&self) -> Result<u64, StoreError> {
        // The object is only a hint, so an unreadable or empty object is ignored.
        let hint = self.small(NEWEST).unwrap_or_default();
        let hint = hint.and_then(|hint| names::number_of(core::str::from_utf8(&hint).ok()?));
        let is_there =
            |number: u64| -> io::Result<bool> { Ok(self.row(Version::new(number))?.is_some()) };
        if let Some(hint) = hint
            && hint > 0
            && is_there(hint)?
        {
            return Ok(hint);
        }
        // Without a usable hint, bounds of the latest version are found by doubling and bisection.
        let is_behind = |number: u64| self.is_behind(HEADS, &names::head(Version::new(number)));
        let mut bounds = 0..1;
        while is_behind(bounds.end)? {
            let further = bounds.end.checked_mul(2);
            bounds = bounds.end..further.ok_or(HEAD_MISSING)?;
        }
        while bounds.end - bounds.start > FEW {
            let middle = bounds.start.midpoint(bounds.end);
            if is_behind(middle)? {
                bounds.start = middle;
            } else {
                bounds.end = middle;
            }
        }
        if bounds.start > 0 && !is_there(bounds.start)? {
            return Err(HEAD_MISSING);
        }
        Ok(bounds.start)
    }

    pub(crate) fn row(&self, version: Version) -> io::Result<Option<Vec<u8>>> {
        self.small(&names::head(version))
    }

    /// Returns a segment number greater than `number` and greater than the number of every existing
    /// segment.
    pub(crate) fn next_nodes(&self, number: u64) -> io::Result<u64> {
        let mut last = number;
        self.behind(NODES, &names::nodes(number), |found| {
            last = last.max(found);
            true
        })?;
        Ok(last.saturating_add(1))
    }

    /// Stages the row of a version to be published later, after all rows that were staged before.
    pub(crate) fn stage(&self, version: Version, row: Vec<u8>) {
        self.staged().push((version, row));
    }

    pub(crate) fn staged_row(&self, version: Version) -> Option<Vec<u8>> {
        let staged = self.staged();
        let found = staged.iter().find(|(number, _)| *number == version);
        found.map(|(_, row)| row.clone())
    }

    fn staged(&self) -> MutexGuard<'_, Vec<(Version, Vec<u8>)>> {
        // No code panics while the lock is held.
        self.staged.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes segments that no version refers to, such as segments of killed writers. Segments
    /// with higher numbers than the latest version's segments may belong to a running writer, and
    /// are kept. Returns the number of removed segments.
    ///
    /// Time: one listing, and the read of one row per version.
    ///
    /// # Errors
    /// [`StoreError`] of the medium; [`StoreError::Damaged`] if a row is missing or malformed.
    pub fn collect(&self) -> Result<u64, StoreError> {
        let latest = self.latest()?;
        let (mut used, mut before) = (BTreeMap::new(), 0);
        for version in (1..=latest.number()).map(Version::new) {
            let row = self.row(version)?.ok_or(MISSING)?;
            let segments = segments(version, &row).ok_or(MISSING)?;
            before = before.max(*segments.end());
            used.insert(*segments.start(), *segments.end());
        }
        let is_used = |number: u64| {
            let from = used.range(..=number).next_back();
            from.is_some_and(|(_, end)| number <= *end)
        };
        let mut useless = Vec::new();
        self.behind(NODES, &names::nodes(0), |number| {
            useless.extend(Some(number).filter(|number| *number < before && !is_used(*number)));
            true
        })?;
        let mut gone = 0;
        for number in useless {
            let path = self.path(&names::nodes(number));
            match self.wait(self.store.delete(&path)) {
                // Another process is removing segments too.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                deleted => {
                    deleted?;
                    gone += 1;
                }
            }
        }
        Ok(gone)
    }
}

/// Calls `take` with each object of a list, until `take` returns `false`. `patience` is the maximum
/// time without a further object, and `most` the maximum number of objects: a hostile list may have
/// no end.
///
/// # Errors
/// The errors of the list and of `take`; [`Error::Generic`] if a maximum is exceeded.
async fn each_of(
    mut list: impl Stream<Item = Result<ObjectMeta, Error>> + Unpin,
    (patience, most): (Duration, u64),
    mut take: impl FnMut(ObjectMeta) -> Result<bool, Error>,
) -> Result<(), Error> {
    for _ in 0..=most {
        let next = tokio::time::timeout(patience, list.next()).await;
        let next = next.map_err(|_| generic("a list of objects does not go on"))?;
        let Some(found) = next.transpose()? else {
            return Ok(());
        };
        if !take(found)? {
            return Ok(());
        }
    }
    Err(generic("a list has too many objects"))
}

fn generic(source: impl Into<Box<dyn core::error::Error + Send + Sync>>) -> Error {
    Error::Generic {
        store: "objects",
        source: source.into(),
    }
}

/// Maximum time without a further object in a list, and maximum number of objects in it.
const LISTING: (Duration, u64) = (Duration::from_mins(1), 1 << 24);

/// Shuts the runtime down in the background, because dropping it inside another runtime would
/// block.
impl Drop for ObjectFolder {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Reads the bytes in a response to a read request. Fails if there are more than `most` bytes.
async fn bounded(found: GetResult, most: u64) -> Result<Vec<u8>, Error> {
    let (mut pieces, mut bytes) = (found.into_stream(), Vec::new());
    while let Some(piece) = pieces.next().await.transpose()? {
        bytes.extend_from_slice(&piece);
        if u64::try_from(bytes.len()).is_ok_and(|length| length > most) {
            return Err(generic("an object is longer than was asked for"));
        }
    }
    Ok(bytes)
}

/// The number of attempts to create an object, or to find an existing object with equal bytes,
/// before the call fails.
const ATTEMPTS: u32 = 5;
/// Half of the pause before the second attempt to create an object. The pause doubles for each
/// further attempt.
const PAUSE: Duration = Duration::from_millis(10);
/// Maximum number of objects in one listing whose names are not numbers. A listing with more of
/// them fails.
const MOST_STRAYS: usize = 1 << 10;
const HEAD_MISSING: StoreError = StoreError::Damaged("the object of a signed head is missing");
/// The number of versions at which a search for the latest version stops bisecting a range, and
/// lists the rest.
const FEW: u64 = 500;
/// The maximum number of listed heads kept in memory during a listing, because an earlier head is
/// not listed yet.
const MOST_WAITING: usize = 1 << 20;
const MISSING: StoreError =
    StoreError::Damaged("the object of a signed head is missing or malformed");

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

#[cfg(test)]
mod tests {
    use futures_util::stream;
    use object_store::memory::InMemory;

    use super::*;

    #[test]
    fn lists_without_end_are_refused() {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let limits = (Duration::from_millis(20), 1000);
        let (store, path) = (InMemory::new(), Path::from("heads/1"));
        runtime.block_on(store.put(&path, "".into())).unwrap();
        let object = runtime.block_on(store.head(&path)).unwrap();
        // Returns whether the list is accepted, and how many objects were taken.
        let taken = |list: stream::BoxStream<'static, _>, until: u64| {
            let mut taken = 0;
            let listed = runtime.block_on(each_of(list, limits, |_| {
                taken += 1;
                Ok(taken < until)
            }));
            (listed.is_ok(), taken)
        };
        let endless = || {
            let object = object.clone();
            stream::repeat_with(move || Ok(object.clone()))
        };
        assert_eq!(taken(stream::pending().boxed(), 1), (false, 0));
        let stops = endless().take(5).chain(stream::pending());
        assert_eq!(taken(stops.boxed(), u64::MAX), (false, 5));
        assert_eq!(taken(endless().boxed(), u64::MAX), (false, 1001));
        assert_eq!(taken(endless().boxed(), 7), (true, 7));
        assert_eq!(taken(endless().take(1000).boxed(), u64::MAX), (true, 1000));
    }
}
