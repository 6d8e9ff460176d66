//! The server's accounts: the storage used by each owner, and records of removed files.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use flexlist::FileId;

use super::{Limits, refuse};
use crate::{
    count,
    message::Refusal,
    store::records::{Head, RemovalRecord},
};

/// Bytes charged for a block in addition to its contents. Covers its tag, and its entries in tables
/// and lists.
const BLOCK_COST: u64 = 512;

/// Bytes charged for a list operation in a file's journal.
const OPERATION_COST: u64 = 64;

/// Bytes charged for a file, in addition to its contents.
const FILE_COST: u64 = 4096;

/// The resources that one file uses, charged to its owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Charge {
    /// Approximate number of bytes of the file in the store. An overestimate rather than an
    /// underestimate.
    pub(super) bytes: u64,
    /// The number of blocks of the file.
    pub(super) blocks: u64,
    /// For an unfinished upload: time of its last part, or of its begin, in seconds since 1970.
    /// `None` for a finished file.
    pub(super) unfinished_since: Option<u64>,
}

impl Charge {
    pub(super) fn new(parameters: u64, head: &Head) -> Self {
        let bytes = [
            FILE_COST,
            parameters,
            head.total,
            head.blocks.saturating_mul(BLOCK_COST),
            head.superseded_bytes,
            count(head.superseded.len()).saturating_mul(BLOCK_COST),
            head.journalled.saturating_mul(OPERATION_COST),
            head.answer_bytes,
        ];
        Self {
            blocks: head.blocks,
            bytes: bytes.into_iter().fold(0, u64::saturating_add),
            unfinished_since: (head.version == 0).then_some(head.touched),
        }
    }
}

/// The totals of one owner's files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Totals {
    files: usize,
    unfinished: usize,
    bytes: u64,
    removed: usize,
}

/// The accounts of all owners.
#[derive(Debug, Default)]
pub(super) struct Accounts(Mutex<Books>);

#[derive(Debug, Default)]
struct Books {
    owners: HashMap<[u8; 32], Totals>,
    files: HashMap<FileId, ([u8; 32], Charge)>,
    removed: HashMap<FileId, RemovalRecord>,
}

impl Accounts {
    /// Records `charge` as the current charge of a file, or the file's removal for `None`. Checks
    /// no limits.
    pub(super) fn enter(&self, file: FileId, owner: &[u8; 32], charge: Option<Charge>) {
        self.books().enter(file, owner, charge);
    }

    /// Checks that the owner may begin another file. The limits are files of one owner, unfinished
    /// uploads of one owner, and files in the store.
    pub(super) fn check_room(&self, owner: &[u8; 32], limits: &Limits) -> Result<(), Refusal> {
        let books = self.books();
        let all = books.files.len().saturating_add(books.removed.len());
        refuse::above("files", all.saturating_add(1), limits.files)?;
        let totals = books.owners.get(owner).copied().unwrap_or_default();
        let files = totals.files.saturating_add(totals.removed);
        let files = files.saturating_add(1);
        refuse::above("files of an owner", files, limits.files_per_owner)?;
        refuse::above(
            "unfinished uploads of an owner",
            totals.unfinished.saturating_add(1),
            limits.unfinished_per_owner,
        )
    }

    /// Records `charge` as the future charge of a file, if the owner stays within its limit of
    /// bytes.
    pub(super) fn reserve(
        &self,
        file: FileId,
        owner: &[u8; 32],
        charge: Charge,
        limits: &Limits,
    ) -> Result<(), Refusal> {
        let mut books = self.books();
        let before = books.files.get(&file).map_or(0, |(_, charge)| charge.bytes);
        let bytes = books.owners.get(owner).map_or(0, |totals| totals.bytes);
        let bytes = bytes.saturating_sub(before).saturating_add(charge.bytes);
        // Shrinking a file is always allowed, also for an owner above a lowered limit.
        if charge.bytes > before {
            refuse::above("bytes of an owner", bytes, limits.bytes_per_owner)?;
        }
        books.enter(file, owner, Some(charge));
        Ok(())
    }

    /// Returns the unfinished uploads that got no part since the time `since` (seconds since 1970).
    pub(super) fn abandoned(&self, since: u64) -> Vec<FileId> {
        let books = self.books();
        let is_old = |charge: &Charge| charge.unfinished_since.is_some_and(|last| last < since);
        let files = books.files.iter();
        files
            .filter_map(|(file, (_, charge))| is_old(charge).then_some(*file))
            .collect()
    }

    /// Returns the number of blocks of a file; 0 if the file is unknown.
    pub(super) fn blocks(&self, file: FileId) -> u64 {
        let books = self.books();
        books
            .files
            .get(&file)
            .map_or(0, |(_, charge)| charge.blocks)
    }

    /// Stores the record of a removed file, and counts it for the owner.
    pub(super) fn remember(&self, file: FileId, removed: RemovalRecord) {
        let mut books = self.books();
        let totals = books.owners.entry(removed.owner).or_default();
        totals.removed = totals.removed.saturating_add(1);
        books.removed.insert(file, removed);
    }

    /// Returns the record of a removed file, if the server still has one.
    pub(super) fn removed(&self, file: FileId) -> Option<RemovalRecord> {
        self.books().removed.get(&file).copied()
    }

    /// Returns the removed files whose records have expired at the time `now` (seconds since 1970).
    pub(super) fn forgettable(&self, now: u64) -> Vec<FileId> {
        let books = self.books();
        let removed = books.removed.iter();
        removed
            .filter_map(|(file, removed)| (removed.until < now).then_some(*file))
            .collect()
    }

    /// Deletes the record of a removed file, if there is one.
    pub(super) fn forget(&self, file: FileId) {
        let mut books = self.books();
        let Some(removed) = books.removed.remove(&file) else {
            return;
        };
        if let Some(totals) = books.owners.get_mut(&removed.owner) {
            totals.removed = totals.removed.saturating_sub(1);
        }
        books.drop_if_idle(&removed.owner);
    }

    /// Returns the approximate number of bytes of all files in the store.
    pub(super) fn bytes(&self) -> u64 {
        let books = self.books();
        let owners = books.owners.values().map(|totals| totals.bytes);
        owners.fold(0, u64::saturating_add)
    }

    // No code panics while it changes the books, so poisoned books are consistent.
    fn books(&self) -> MutexGuard<'_, Books> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Books {
    fn enter(&mut self, file: FileId, owner: &[u8; 32], charge: Option<Charge>) {
        let before = match charge {
            Some(charge) => self.files.insert(file, (*owner, charge)),
            None => self.files.remove(&file),
        };
        let totals = self.owners.entry(*owner).or_default();
        if let Some((_, before)) = before {
            totals.files = totals.files.saturating_sub(1);
            totals.bytes = totals.bytes.saturating_sub(before.bytes);
            let unfinished = usize::from(before.unfinished_since.is_some());
            totals.unfinished = totals.unfinished.saturating_sub(unfinished);
        }
        if let Some(charge) = charge {
            totals.files = totals.files.saturating_add(1);
            totals.bytes = totals.bytes.saturating_add(charge.bytes);
            let unfinished = usize::from(charge.unfinished_since.is_some());
            totals.unfinished = totals.unfinished.saturating_add(unfinished);
        }
        self.drop_if_idle(owner);
    }

    /// Drops the totals of an owner without files. Otherwise requests of unknown owners could fill
    /// the memory.
    fn drop_if_idle(&mut self, owner: &[u8; 32]) {
        if self.owners.get(owner) == Some(&Totals::default()) {
            self.owners.remove(owner);
        }
    }
}
