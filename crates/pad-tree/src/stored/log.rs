//! The medium under a stored tree: bytes that are appended and never changed, and a record for each version.

use core::fmt::Debug;

use pad_core::{StoreFault, Version};

use super::cache::LogId;

/// An append-only log of bytes with one record for each version.
///
/// Laws:
/// 1. What is appended is read back from its position on.
/// 2. Versions are published in their order, without gaps. After the next opening a version is there wholly or not at all, and no later
///    one is without it; it is there for certain after [`NodeLog::synchronise`].
/// 3. One writes at a time. A version that another has published meanwhile is not published again.
/// 4. Neither bytes nor records of versions change, but for what [`NodeLog::replace`] does.
pub trait NodeLog: Debug + Send + Sync {
    /// The latest version that is published; 0 if none is.
    fn latest(&self) -> Version;

    /// How many bytes were ever appended: the position of the next one.
    fn end(&self) -> u64;

    /// What no other log has; `None` if what was read in one opening is not known to be the same in the next.
    fn identity(&self) -> Option<LogId> {
        None
    }

    /// Reads the bytes from a position on.
    ///
    /// # Errors
    /// [`StoreFault::Damaged`] if they are not there; [`StoreFault::Medium`].
    fn read(&self, position: u64, bytes: &mut [u8]) -> Result<(), StoreFault>;

    /// The record of a version.
    ///
    /// # Errors
    /// [`StoreFault::Damaged`] if it is not there; [`StoreFault::Medium`].
    fn record(&self, version: Version) -> Result<Vec<u8>, StoreFault>;

    /// Appends bytes. Nobody else sees them before a version is published.
    ///
    /// # Errors
    /// [`StoreFault::Medium`], [`StoreFault::Closed`]: [`NodeLog::discard`] is next.
    fn append(&mut self, bytes: &[u8]) -> Result<(), StoreFault>;

    /// Makes the next version readable, with all that was appended and its record.
    ///
    /// # Errors
    /// [`StoreFault::Damaged`] if another version is the next one; [`StoreFault::Medium`], [`StoreFault::Closed`]: whether the
    /// version is there, only the next opening tells.
    fn publish(&mut self, version: Version, record: &[u8]) -> Result<(), StoreFault>;

    /// Gives the latest version another record, which says the same of it, but of where its nodes are: some of them were appended once more.
    /// The nodes of the next version come behind them.
    ///
    /// # Errors
    /// [`StoreFault::Damaged`] if there is no version; [`StoreFault::Closed`], also of a log that cannot do it.
    fn replace(&mut self, _record: &[u8]) -> Result<(), StoreFault> {
        Err(StoreFault::Closed)
    }

    /// Makes all published versions durable.
    ///
    /// # Errors
    /// [`StoreFault::Medium`], [`StoreFault::Closed`]: which versions are there, only the next opening tells.
    fn synchronise(&mut self) -> Result<(), StoreFault>;

    /// Drops what was appended since the last version.
    fn discard(&mut self);
}

/// A log in memory: for tests, and for what need not last.
#[derive(Clone, Debug, Default)]
pub struct MemoryLog {
    bytes: Vec<u8>,
    /// How many of the bytes belong to versions.
    published: usize,
    records: Vec<Vec<u8>>,
}

impl NodeLog for MemoryLog {
    fn latest(&self) -> Version {
        Version::new(u64::try_from(self.records.len()).unwrap_or(u64::MAX))
    }

    fn end(&self) -> u64 {
        u64::try_from(self.bytes.len()).unwrap_or(u64::MAX)
    }

    fn read(&self, position: u64, bytes: &mut [u8]) -> Result<(), StoreFault> {
        let start = usize::try_from(position).map_err(|_| StoreFault::Damaged)?;
        let found = self
            .bytes
            .get(start..)
            .and_then(|from| from.get(..bytes.len()));
        bytes.copy_from_slice(found.ok_or(StoreFault::Damaged)?);
        Ok(())
    }

    fn record(&self, version: Version) -> Result<Vec<u8>, StoreFault> {
        let place = version
            .previous()
            .and_then(|earlier| usize::try_from(earlier.number()).ok());
        let record = place.and_then(|place| self.records.get(place));
        record.cloned().ok_or(StoreFault::Damaged)
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), StoreFault> {
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn publish(&mut self, version: Version, record: &[u8]) -> Result<(), StoreFault> {
        if Some(version) != self.latest().next() {
            return Err(StoreFault::Damaged);
        }
        self.records.push(record.to_vec());
        self.published = self.bytes.len();
        Ok(())
    }

    fn replace(&mut self, record: &[u8]) -> Result<(), StoreFault> {
        let latest = self.records.last_mut().ok_or(StoreFault::Damaged)?;
        *latest = record.to_vec();
        self.published = self.bytes.len();
        Ok(())
    }

    fn synchronise(&mut self) -> Result<(), StoreFault> {
        Ok(())
    }

    fn discard(&mut self) {
        self.bytes.truncate(self.published);
    }
}
