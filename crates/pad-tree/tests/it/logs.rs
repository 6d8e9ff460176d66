//! Variants of an in-memory log that each differ in one respect.

use core::fmt::Debug;

use pad_core::{StoreFault, Version};
use pad_tree::{LogId, MemoryLog, NodeLog};

/// A difference from an in-memory log. No such log can replace a record: [`NodeLog::replace`] is
/// refused.
pub(crate) trait Twist: Debug + Send + Sync {
    fn identity(&self) -> Option<LogId> {
        None
    }
    fn end(&self, log: &MemoryLog) -> u64 {
        log.end()
    }
    fn read(&self, log: &MemoryLog, position: u64, bytes: &mut [u8]) -> Result<(), StoreFault> {
        log.read(position, bytes)
    }
    fn record(&self, log: &MemoryLog, version: Version) -> Result<Vec<u8>, StoreFault> {
        log.record(version)
    }
    fn append(&mut self, log: &mut MemoryLog, bytes: &[u8]) -> Result<(), StoreFault> {
        log.append(bytes)
    }
    fn publish(
        &mut self,
        log: &mut MemoryLog,
        version: Version,
        record: &[u8],
    ) -> Result<(), StoreFault> {
        log.publish(version, record)
    }
}

/// An in-memory log with the difference `T`.
#[derive(Clone, Debug, Default)]
pub(crate) struct TwistedLog<T>(pub(crate) MemoryLog, pub(crate) T);

impl<T: Twist> NodeLog for TwistedLog<T> {
    fn latest(&self) -> Version {
        self.0.latest()
    }
    fn end(&self) -> u64 {
        self.1.end(&self.0)
    }
    fn identity(&self) -> Option<LogId> {
        self.1.identity()
    }
    fn read(&self, position: u64, bytes: &mut [u8]) -> Result<(), StoreFault> {
        self.1.read(&self.0, position, bytes)
    }
    fn record(&self, version: Version) -> Result<Vec<u8>, StoreFault> {
        self.1.record(&self.0, version)
    }
    fn append(&mut self, bytes: &[u8]) -> Result<(), StoreFault> {
        self.1.append(&mut self.0, bytes)
    }
    fn publish(&mut self, version: Version, record: &[u8]) -> Result<(), StoreFault> {
        self.1.publish(&mut self.0, version, record)
    }
    fn synchronise(&mut self) -> Result<(), StoreFault> {
        self.0.synchronise()
    }
    fn discard(&mut self) {
        self.0.discard();
    }
}

/// A log with one byte changed: of the nodes, or of a version's record.
#[derive(Clone, Debug)]
pub(crate) struct FlippedByte {
    pub(crate) position: u64,
    pub(crate) bits: u8,
    pub(crate) in_record: Option<Version>,
}

impl FlippedByte {
    /// Changes the byte if it is in `bytes`, which were read from `position` on.
    fn flip(&self, position: u64, bytes: &mut [u8]) {
        let place = self.position.checked_sub(position);
        let place = place.and_then(|place| usize::try_from(place).ok());
        if let Some(byte) = place.and_then(|place| bytes.get_mut(place)) {
            *byte ^= self.bits;
        }
    }
}

impl Twist for FlippedByte {
    fn read(&self, log: &MemoryLog, position: u64, bytes: &mut [u8]) -> Result<(), StoreFault> {
        log.read(position, bytes)?;
        if self.in_record.is_none() {
            self.flip(position, bytes);
        }
        Ok(())
    }

    fn record(&self, log: &MemoryLog, version: Version) -> Result<Vec<u8>, StoreFault> {
        let mut record = log.record(version)?;
        if self.in_record == Some(version) {
            self.flip(0, &mut record);
        }
        Ok(record)
    }
}
