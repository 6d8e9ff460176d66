//! Contents of a file in memory, in sparse pages that are cheap to copy.

use core::ops::Range;
use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::Arc,
};

/// Bytes of a page: a page of the storage engine, and the allocation unit of simulated files.
pub(crate) const PAGE: u64 = 4096;
const PAGE_BYTES: usize = 4096;

/// One page.
pub(crate) type Page = [u8; PAGE_BYTES];

/// Written pages of a file, and its length. The caller supplies the pages that were never written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pages {
    written: BTreeMap<u64, Arc<Page>>,
    length: u64,
}

impl Pages {
    /// Creates a file of `length` bytes without a written page.
    pub(crate) const fn new(length: u64) -> Self {
        let written = BTreeMap::new();
        Self { written, length }
    }

    pub(crate) const fn length(&self) -> u64 {
        self.length
    }

    /// Returns the number of allocated bytes.
    #[cfg(feature = "simulated-disk")]
    pub(crate) fn used(&self) -> u64 {
        size(self.written.len()).saturating_mul(PAGE)
    }

    /// Returns whether the page with the index `page` is allocated.
    #[cfg(feature = "simulated-disk")]
    pub(crate) fn has_page(&self, page: u64) -> bool {
        self.written.contains_key(&page)
    }

    /// Fills `out` with the bytes from `offset` on. Returns `false` if the file ends earlier.
    /// `missing` returns a page that was never written.
    pub(crate) fn read<E>(
        &self,
        offset: u64,
        out: &mut [u8],
        missing: impl Fn(u64) -> Result<Page, E>,
    ) -> Result<bool, E> {
        let end = offset.saturating_add(size(out.len()));
        if end > self.length && !out.is_empty() {
            return Ok(false);
        }
        for (number, range, place) in parts(offset, out.len()) {
            let copy;
            let page = if let Some(page) = self.written.get(&number) {
                &**page
            } else {
                copy = missing(number)?;
                &copy
            };
            let out = out.get_mut(place).unwrap_or_default();
            out.copy_from_slice(page.get(range).unwrap_or_default());
        }
        Ok(true)
    }

    /// Writes `bytes` at `offset`, extending the file if needed. `missing` returns a page that was
    /// never written.
    pub(crate) fn write<E>(
        &mut self,
        offset: u64,
        bytes: &[u8],
        missing: impl Fn(u64) -> Result<Page, E>,
    ) -> Result<(), E> {
        for (number, range, place) in parts(offset, bytes.len()) {
            let page = match self.written.entry(number) {
                Entry::Occupied(page) => page.into_mut(),
                Entry::Vacant(page) => page.insert(Arc::new(missing(number)?)),
            };
            let page = Arc::make_mut(page).get_mut(range).unwrap_or_default();
            page.copy_from_slice(bytes.get(place).unwrap_or_default());
        }
        if !bytes.is_empty() {
            let end = offset.saturating_add(size(bytes.len()));
            self.length = self.length.max(end);
        }
        Ok(())
    }

    /// Truncates the file or extends it with zeros.
    pub(crate) fn set_length(&mut self, length: u64) {
        if length < self.length {
            drop(self.written.split_off(&length.div_ceil(PAGE)));
            if let Some(page) = self.written.get_mut(&(length / PAGE)) {
                let rest = Arc::make_mut(page).get_mut(place_on_page(length)..);
                rest.unwrap_or_default().fill(0);
            }
        }
        self.length = length;
    }
}

/// Splits the `length` bytes from `offset` on at the boundaries of pages. Each part is the index of
/// its page, its range on the page, and its range in the `length` bytes.
fn parts(offset: u64, length: usize) -> impl Iterator<Item = (u64, Range<usize>, Range<usize>)> {
    let mut done = 0_usize;
    core::iter::from_fn(move || {
        let at = offset.saturating_add(size(done));
        let start = place_on_page(at);
        let count = PAGE_BYTES
            .saturating_sub(start)
            .min(length.saturating_sub(done));
        let place = done..done.saturating_add(count);
        done = place.end;
        (count > 0).then(|| (at / PAGE, start..start.saturating_add(count), place))
    })
}

fn place_on_page(offset: u64) -> usize {
    usize::try_from(offset % PAGE).unwrap_or_default()
}

pub(crate) fn size(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
