//! A simulated disk that fills up or fails on demand.

use std::{
    collections::BTreeSet,
    io,
    sync::{Mutex, PoisonError},
};

const PAGE: u64 = 4096;

/// A disk with a limited capacity, for tests. Counts the pages of a database and the bytes of its
/// reserve. The capacity is unlimited until it is set.
#[derive(Debug)]
pub struct SimulatedDisk(Mutex<Usage>);

#[derive(Debug)]
struct Usage {
    capacity: u64,
    pages: BTreeSet<u64>,
    reserve: u64,
    fails: bool,
}

impl Default for SimulatedDisk {
    fn default() -> Self {
        Self(Mutex::new(Usage {
            capacity: u64::MAX,
            pages: BTreeSet::new(),
            reserve: 0,
            fails: false,
        }))
    }
}

impl SimulatedDisk {
    /// Limits the disk to a capacity of `bytes`, including the pages written through this database
    /// value so far. Pages written before are not counted.
    pub fn set_capacity(&self, bytes: u64) {
        self.with(|usage| usage.capacity = bytes);
    }

    /// Makes the next write fail.
    pub fn fail_once(&self) {
        self.with(|usage| usage.fails = true);
    }

    /// Number of bytes in the counted pages and in the reserve.
    pub fn used(&self) -> u64 {
        self.with(|usage| usage.used())
    }

    /// Number of free bytes, if a capacity was set.
    pub(super) fn room(&self) -> Option<u64> {
        self.with(|usage| {
            (usage.capacity < u64::MAX).then(|| usage.capacity.saturating_sub(usage.used()))
        })
    }

    /// Sets the size of the reserve file to `bytes`. Fails if a larger reserve does not fit on the
    /// disk.
    pub(super) fn reserve(&self, bytes: u64) -> io::Result<()> {
        self.with(|usage| {
            let before = core::mem::replace(&mut usage.reserve, bytes);
            if usage.used() > usage.capacity && bytes > before {
                usage.reserve = before;
                return Err(io::ErrorKind::StorageFull.into());
            }
            Ok(())
        })
    }

    pub(super) fn take(&self, offset: u64, length: usize) -> io::Result<()> {
        let end = offset.saturating_add(u64::try_from(length).unwrap_or(u64::MAX));
        self.with(|usage| {
            if core::mem::take(&mut usage.fails) {
                return Err(io::Error::other("a simulated fault"));
            }
            for page in offset / PAGE..end.div_ceil(PAGE) {
                if usage.pages.insert(page) && usage.used() > usage.capacity {
                    usage.pages.remove(&page);
                    return Err(io::ErrorKind::StorageFull.into());
                }
            }
            Ok(())
        })
    }

    pub(super) fn cut(&self, length: u64) {
        self.with(|usage| drop(usage.pages.split_off(&length.div_ceil(PAGE))));
    }

    fn with<T>(&self, act: impl FnOnce(&mut Usage) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Usage {
    fn used(&self) -> u64 {
        let pages = u64::try_from(self.pages.len()).unwrap_or(u64::MAX);
        pages.saturating_mul(PAGE).saturating_add(self.reserve)
    }
}
