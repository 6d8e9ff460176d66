//! File contents that are cheap to copy.

use std::{collections::BTreeMap, sync::Arc};

/// Allocation unit of a simulated file, in bytes.
pub(super) const PAGE: u64 = 4096;
const PAGE_BYTES: usize = 4096;

/// Sparse bytes in shared pages. Pages that were never written read as zeros and take no space.
#[derive(Clone, Debug, Default)]
pub(super) struct Contents {
    pages: BTreeMap<u64, Arc<[u8; PAGE_BYTES]>>,
    length: u64,
}

impl Contents {
    pub(super) const fn length(&self) -> u64 {
        self.length
    }

    /// Returns the number of allocated bytes.
    pub(super) fn used(&self) -> u64 {
        size(self.pages.len()) * PAGE
    }

    /// Returns whether the page with the index `page` is allocated.
    pub(super) fn has_page(&self, page: u64) -> bool {
        self.pages.contains_key(&page)
    }

    /// Fills `out` with the bytes from `offset` on. Returns `false` if the file ends earlier.
    pub(super) fn read(&self, offset: u64, out: &mut [u8]) -> bool {
        if out.is_empty() {
            return true;
        }
        if offset
            .checked_add(size(out.len()))
            .is_none_or(|end| end > self.length)
        {
            return false;
        }
        let mut at = offset;
        let mut rest = out;
        while !rest.is_empty() {
            let start = place_on_page(at);
            let (now, later) = rest.split_at_mut(rest.len().min(PAGE_BYTES - start));
            match self.pages.get(&(at / PAGE)) {
                Some(page) => now.copy_from_slice(&page[start..start + now.len()]),
                None => now.fill(0),
            }
            at += size(now.len());
            rest = later;
        }
        true
    }

    /// Writes `bytes` at `offset`, extending the file if needed.
    pub(super) fn write(&mut self, offset: u64, bytes: &[u8]) {
        let mut at = offset;
        let mut rest = bytes;
        while !rest.is_empty() {
            let start = place_on_page(at);
            let (now, later) = rest.split_at(rest.len().min(PAGE_BYTES - start));
            let page = self.pages.entry(at / PAGE);
            let page = Arc::make_mut(page.or_insert_with(|| Arc::new([0; PAGE_BYTES])));
            page[start..start + now.len()].copy_from_slice(now);
            at += size(now.len());
            rest = later;
        }
        self.length = self.length.max(at);
    }

    /// Truncates the file or extends it with zeros.
    pub(super) fn set_length(&mut self, length: u64) {
        if length < self.length {
            drop(self.pages.split_off(&length.div_ceil(PAGE)));
            if let Some(page) = self.pages.get_mut(&(length / PAGE)) {
                Arc::make_mut(page)[place_on_page(length)..].fill(0);
            }
        }
        self.length = length;
    }
}

fn place_on_page(offset: u64) -> usize {
    usize::try_from(offset % PAGE).unwrap_or_default()
}

pub(super) fn size(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
