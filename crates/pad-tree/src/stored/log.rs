//! The storage interface of a stored tree: append-only bytes, and a record for each version.

use core::fmt::Debug;

use pad_core::{StoreFault, Version};

use super::cache::LogId;

/// An append-only log of bytes with one record for each version.
///
/// Laws:
/// 1. Appended bytes can be read back from their position.
/// 2. Versions are published in order, without gaps. When the log is opened again, a version is
///    present completely or not at all, and no later version is present without it. A version is
///    certainly present if [`NodeLog::synchronise`] succeeded after it was published.
/// 3. There is one writer at a time. A version that another writer has published is not published
///    again.
/// 4. Neither bytes nor records of versions change, except by [`NodeLog::replace`].
pub trait NodeLog: Debug + Send + Sync {
    /// The latest published version; 0 if there is none.
    fn latest(&self) -> Version;

    /// The number of bytes in the log, unpublished bytes included. This is the position of the next
    /// byte.
    fn end(&self) -> u64;

    /// A unique identity of the log. `None` if published bytes may differ when the log is opened
    /// again.
    fn identity(&self) -> Option<LogId> {
        None
    }

    /// Fills `bytes` with the bytes from `position` on.
    ///
    /// # Errors
    /// [`StoreFault::Damaged`] if the log ends before the last of these bytes;
    /// [`StoreFault::Medium`] if the medium failed.
    fn read(&self, position: u64, bytes: &mut [u8]) -> Result<(), StoreFault>;

    /// The record of a version.
    ///
    /// # Errors
    /// [`StoreFault::Damaged`] if there is no such record; [`StoreFault::Medium`] if the medium
    /// failed.
    fn record(&self, version: Version) -> Result<Vec<u8>, StoreFault>;

    /// Appends bytes of the next version. Readers do not see them before a version is published.
    ///
    /// # Errors
    /// [`StoreFault::Medium`], [`StoreFault::Closed`], or, if no position is left,
    /// [`StoreFault::Damaged`]. After an error, call [`NodeLog::discard`].
    fn append(&mut self, bytes: &[u8]) -> Result<(), StoreFault>;

    /// Makes the next version readable, with its record and all appended bytes.
    ///
    /// # Errors
    /// [`StoreFault::Damaged`] if `version` is not the next version. After [`StoreFault::Medium`]
    /// or [`StoreFault::Closed`], the version may or may not be published: open the log again to
    /// find out.
    fn publish(&mut self, version: Version, record: &[u8]) -> Result<(), StoreFault>;

    /// Replaces the record of the latest version. Only the address of the root may differ.
    /// Compaction calls this method after it has appended some nodes of the version again. The
    /// nodes of the next version follow them.
    ///
    /// # Errors
    /// [`StoreFault::Damaged`] if there is no version, or if the log finds another difference.
    /// [`StoreFault::Medium`] or [`StoreFault::Closed`]. A log that does not support this method
    /// returns [`StoreFault::Closed`].
    fn replace(&mut self, _record: &[u8]) -> Result<(), StoreFault> {
        Err(StoreFault::Closed)
    }

    /// Makes all published versions durable.
    ///
    /// # Errors
    /// [`StoreFault::Medium`] or [`StoreFault::Closed`]. Open the log again to find out which
    /// versions are present.
    fn synchronise(&mut self) -> Result<(), StoreFault>;

    /// Drops the bytes appended since the last version was published.
    fn discard(&mut self);
}

/// A log in memory, for tests and temporary data.
#[derive(Clone, Debug, Default)]
pub struct MemoryLog {
    bytes: Vec<u8>,
    /// The number of bytes that belong to published versions.
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
