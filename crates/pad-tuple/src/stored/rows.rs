//! The medium under stored tuples: an ordered map of rows.

use core::{
    fmt::Debug,
    ops::{Bound, Range},
};
use std::collections::BTreeMap;

use pad_core::StoreFault;

/// An ordered map of rows, each a key and a value of bytes.
///
/// Laws:
/// 1. A reading sees one state, whatever is written meanwhile.
/// 2. A writing is there wholly or not at all.
/// 3. What is read is what was written: an accident to a row is [`StoreFault::Damaged`], never another value.
///
/// Those who write and read keep to this: the keys between two that are named together begin with the byte with which both begin.
pub trait Rows: Debug + Send + Sync {
    /// Reads in one state.
    ///
    /// # Errors
    /// Those of `work`; [`StoreFault::Medium`], [`StoreFault::Damaged`].
    fn read<T, E: From<StoreFault>>(
        &self,
        work: impl FnOnce(&dyn RowView) -> Result<T, E>,
    ) -> Result<T, E>;

    /// Takes ranges of keys away, then writes rows in the place of what has their keys, all or nothing; but only if a row is there still, or is
    /// not there, as the writer knows it.
    ///
    /// # Errors
    /// [`StoreFault::Closed`] if somebody else has changed that row: nothing is changed. [`StoreFault`] of the medium: what is there, only the
    /// next reading tells.
    fn write(
        &mut self,
        known: (&[u8], Option<&[u8]>),
        removed: &[Range<Vec<u8>>],
        rows: &BTreeMap<Vec<u8>, Vec<u8>>,
    ) -> Result<(), StoreFault>;
}

/// A row that was found: its key and its value.
pub type Row = (Vec<u8>, Vec<u8>);

/// One state of an ordered map of rows.
pub trait RowView {
    /// The value of the row with this key.
    ///
    /// # Errors
    /// [`StoreFault::Medium`], [`StoreFault::Damaged`].
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreFault>;

    /// The last row whose key is neither below the first of these nor above the second.
    ///
    /// # Errors
    /// [`StoreFault::Medium`], [`StoreFault::Damaged`].
    fn last(&self, from: &[u8], to: &[u8]) -> Result<Option<Row>, StoreFault>;

    /// Shows the rows from the first of these keys on, below the second, in ascending order.
    ///
    /// # Errors
    /// [`StoreFault::Medium`], [`StoreFault::Damaged`]; those of `visit`, which end it.
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

/// Rows in memory: for tests, and for what need not last.
#[derive(Clone, Debug, Default)]
pub struct MemoryRows(BTreeMap<Vec<u8>, Vec<u8>>);

impl MemoryRows {
    /// The rows, to be looked at or, in tests, damaged.
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

/// Rows that are to be written, over those that are.
pub(super) struct Staged<'v> {
    pub(super) rows: &'v BTreeMap<Vec<u8>, Vec<u8>>,
    pub(super) below: &'v dyn RowView,
}

impl RowView for Staged<'_> {
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
