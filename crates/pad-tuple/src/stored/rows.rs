//! The interface of the storage for tuples: an ordered map of rows.

use core::{
    fmt::Debug,
    ops::{Bound, Range},
};
use std::collections::BTreeMap;

use pad_core::StoreFault;

/// An ordered map of rows, each a key and a value of bytes.
///
/// Laws:
/// 1. Isolation: a read sees one state, regardless of concurrent writes.
/// 2. Atomicity: a write takes effect wholly or not at all.
/// 3. Integrity: a read returns the written value. A corrupted row is [`StoreFault::Damaged`],
///    never another value.
///
/// Both bounds of each range that a caller passes begin with the same byte.
pub trait Rows: Debug + Send + Sync {
    /// Calls `work` with a view of one state of the rows, which writes do not change.
    ///
    /// # Errors
    /// The error of `work`. [`StoreFault::Medium`] or [`StoreFault::Damaged`] if the rows cannot be
    /// read.
    fn read<T, E: From<StoreFault>>(
        &self,
        work: impl FnOnce(&dyn RowView) -> Result<T, E>,
    ) -> Result<T, E>;

    /// Removes all rows with keys in the ranges `removed`, then inserts or overwrites `rows`, all
    /// or nothing. Writes only if the row with the key `known.0` still has the value `known.1`;
    /// `None` means that there is no such row.
    ///
    /// # Errors
    /// [`StoreFault::Closed`] if another writer has changed this row; nothing is then written.
    /// Other [`StoreFault`]s if the medium fails: read again to find out the resulting state.
    fn write(
        &mut self,
        known: (&[u8], Option<&[u8]>),
        removed: &[Range<Vec<u8>>],
        rows: &BTreeMap<Vec<u8>, Vec<u8>>,
    ) -> Result<(), StoreFault>;
}

/// A row: its key and its value.
pub type Row = (Vec<u8>, Vec<u8>);

/// A read view of one state of an ordered map of rows.
pub trait RowView {
    /// Returns the value of the row with this key; `None` if there is no such row.
    ///
    /// # Errors
    /// [`StoreFault::Medium`] or [`StoreFault::Damaged`] if the row cannot be read.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreFault>;

    /// Returns the row with the greatest key that is at least `from` and at most `to`; `None` if
    /// there is none.
    ///
    /// # Errors
    /// [`StoreFault::Medium`] or [`StoreFault::Damaged`] if the row cannot be read.
    fn last(&self, from: &[u8], to: &[u8]) -> Result<Option<Row>, StoreFault>;

    /// Calls `visit` with key and value of each row whose key is at least `from` and below `to`, in
    /// ascending order.
    ///
    /// # Errors
    /// [`StoreFault::Medium`] or [`StoreFault::Damaged`] if the rows cannot be read. The error of
    /// `visit`, which ends the scan.
    #[allow(
        clippy::type_complexity,
        reason = "what is done with a key and a value"
    )]
    fn scan(
        &self,
        from: &[u8],
        to: &[u8],
        visit: &mut dyn FnMut(&[u8], &[u8]) -> Result<(), StoreFault>,
    ) -> Result<(), StoreFault>;
}

/// Rows in memory, for tests and temporary data.
#[derive(Clone, Debug, Default)]
pub struct MemoryRows(BTreeMap<Vec<u8>, Vec<u8>>);

impl MemoryRows {
    /// Returns the map of rows, so that tests can inspect or damage it.
    pub const fn rows_mut(&mut self) -> &mut BTreeMap<Vec<u8>, Vec<u8>> {
        &mut self.0
    }
}

impl Rows for MemoryRows {
    fn read<T, E: From<StoreFault>>(
        &self,
        work: impl FnOnce(&dyn RowView) -> Result<T, E>,
    ) -> Result<T, E> {
        work(&self.0)
    }

    fn write(
        &mut self,
        (key, known): (&[u8], Option<&[u8]>),
        removed: &[Range<Vec<u8>>],
        rows: &BTreeMap<Vec<u8>, Vec<u8>>,
    ) -> Result<(), StoreFault> {
        if self.0.get(key).map(Vec::as_slice) != known {
            return Err(StoreFault::Closed);
        }
        for range in removed {
            self.0.retain(|key, _| !range.contains(key));
        }
        let written = rows.iter().map(|(key, value)| (key.clone(), value.clone()));
        self.0.extend(written);
        Ok(())
    }
}

impl RowView for BTreeMap<Vec<u8>, Vec<u8>> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreFault> {
        Ok(Self::get(self, key).cloned())
    }

    fn last(&self, from: &[u8], to: &[u8]) -> Result<Option<Row>, StoreFault> {
        if from > to {
            return Ok(None);
        }
        let between = (Bound::Included(from), Bound::Included(to));
        let last = self.range::<[u8], _>(between).next_back();
        Ok(last.map(|(key, value)| (key.clone(), value.clone())))
    }

    fn scan(
        &self,
        from: &[u8],
        to: &[u8],
        visit: &mut dyn FnMut(&[u8], &[u8]) -> Result<(), StoreFault>,
    ) -> Result<(), StoreFault> {
        if from >= to {
            return Ok(());
        }
        let between = (Bound::Included(from), Bound::Excluded(to));
        let mut rows = self.range::<[u8], _>(between);
        rows.try_for_each(|(key, value)| visit(key, value))
    }
}

/// A read view in which staged rows override the written rows below.
pub(super) struct RowOverlay<'v> {
    pub(super) rows: &'v BTreeMap<Vec<u8>, Vec<u8>>,
    pub(super) below: &'v dyn RowView,
}

impl RowView for RowOverlay<'_> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreFault> {
        match self.rows.get(key) {
            Some(value) => Ok(Some(value.clone())),
            None => self.below.get(key),
        }
    }

    fn last(&self, from: &[u8], to: &[u8]) -> Result<Option<Row>, StoreFault> {
        let (staged, below) = (self.rows.last(from, to)?, self.below.last(from, to)?);
        Ok(match (staged, below) {
            (Some(staged), Some(below)) if staged.0 < below.0 => Some(below),
            (Some(staged), _) => Some(staged),
            (None, below) => below,
        })
    }

    fn scan(
        &self,
        from: &[u8],
        to: &[u8],
        visit: &mut dyn FnMut(&[u8], &[u8]) -> Result<(), StoreFault>,
    ) -> Result<(), StoreFault> {
        if from >= to {
            return Ok(());
        }
        let between = (Bound::Included(from), Bound::Excluded(to));
        let mut staged = self.rows.range::<[u8], _>(between).peekable();
        self.below.scan(from, to, &mut |key, value| {
            while let Some((earlier, staged)) = staged.next_if(|(staged, _)| ***staged < *key) {
                visit(earlier, staged)?;
            }
            match staged.next_if(|(staged, _)| ***staged == *key) {
                Some((_, staged)) => visit(key, staged),
                None => visit(key, value),
            }
        })?;
        staged.try_for_each(|(key, value)| visit(key, value))
    }
}
