//! A file as processes see it, and as the medium contains it.

use core::{convert::Infallible, mem};
use std::{collections::BTreeSet, sync::Arc};

use super::{
    operation::SECTOR,
    random::{Fate, Random},
};
use crate::layer::pages::{Page, Pages, size};

/// The visible and the durable state of a file, with the changes between them.
#[derive(Clone, Debug, Default)]
pub(super) struct Versions {
    seen: Pages,
    durable: Pages,
    /// Changes that are not durable yet, in the order in which they were made.
    pending: Vec<Change>,
    /// Numbers of the open handles.
    pub(super) handles: BTreeSet<u64>,
    /// Numbers of the handles whose next synchronisation reports lost data.
    pub(super) untold: BTreeSet<u64>,
    /// Number of the handle that holds the lock.
    pub(super) lock: Option<u64>,
}

#[derive(Clone, Debug)]
enum Change {
    /// A write of whole sectors, with their contents at the time of the write.
    Write {
        offset: u64,
        bytes: Arc<[u8]>,
    },
    Length(u64),
}

impl Versions {
    pub(super) const fn seen(&self) -> &Pages {
        &self.seen
    }

    pub(super) fn write(&mut self, offset: u64, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let end = offset + size(bytes.len());
        if end > self.seen.length() {
            self.pending.push(Change::Length(end));
        }
        let Ok(()) = self.seen.write(offset, bytes, zeros);
        let start = offset / SECTOR * SECTOR;
        let end = end.next_multiple_of(SECTOR).min(self.seen.length());
        let mut sectors = vec![0; usize::try_from(end - start).unwrap_or_default()];
        let Ok(_) = self.seen.read(start, &mut sectors, zeros);
        self.pending.push(Change::Write {
            offset: start,
            bytes: sectors.into(),
        });
    }

    pub(super) fn set_length(&mut self, length: u64) {
        self.seen.set_length(length);
        self.pending.push(Change::Length(length));
    }

    /// Makes all pending changes durable, except those already lost.
    pub(super) fn synchronise(&mut self) {
        self.lose(Fate::Everything, &mut Random::new(0));
    }

    /// Makes some pending changes durable and loses the rest. The next synchronisation of each open
    /// handle reports the loss.
    pub(super) fn fail_write_back(&mut self, random: &mut Random) {
        if self.pending.is_empty() {
            return;
        }
        self.untold.clone_from(&self.handles);
        let fate = Fate::of(self.pending.len(), random);
        self.lose(fate, random);
    }

    fn lose(&mut self, fate: Fate, random: &mut Random) {
        // Taken instead of cloned: a shared page would have to be copied before it changes.
        let durable = mem::take(&mut self.durable);
        self.durable = self.survivor(durable, fate, random);
        self.pending.clear();
    }

    /// State of the file after a power cut.
    pub(super) fn after_power_cut(&self, random: &mut Random) -> Self {
        let fate = Fate::of(self.pending.len(), random);
        let survivor = self.survivor(self.durable.clone(), fate, random);
        Self {
            seen: survivor.clone(),
            durable: survivor,
            ..Self::default()
        }
    }

    /// State of the file after its process is killed: the changes are retained, and no handle is
    /// open.
    pub(super) fn after_kill(&self) -> Self {
        Self {
            seen: self.seen.clone(),
            durable: self.durable.clone(),
            pending: self.pending.clone(),
            ..Self::default()
        }
    }

    /// Pages of the medium after those pending changes that `fate` lets survive.
    fn survivor(&self, durable: Pages, fate: Fate, random: &mut Random) -> Pages {
        let mut medium = durable;
        if matches!(fate, Fate::Everything) {
            for change in &self.pending {
                match change {
                    Change::Length(length) => medium.set_length(*length),
                    Change::Write { offset, bytes } => {
                        let Ok(()) = medium.write(*offset, bytes, zeros);
                    }
                }
            }
            // An earlier length may have been lost. The current one is always written.
            medium.set_length(self.seen.length());
            return medium;
        }
        // File systems store lengths in order, regardless of the data.
        let mut lengths = fate.first_of(self.lengths(), random);
        for (number, change) in self.pending.iter().enumerate() {
            match change {
                Change::Length(length) if lengths > 0 => {
                    lengths -= 1;
                    medium.set_length(*length);
                }
                Change::Write { offset, bytes } if fate.keeps(number, random) => {
                    write_sectors(&mut medium, *offset, bytes, || fate.keeps_sector(random));
                }
                _ => {}
            }
        }
        medium
    }

    fn lengths(&self) -> usize {
        let is_length = |change: &&Change| matches!(change, Change::Length(_));
        self.pending.iter().filter(is_length).count()
    }
}

/// Writes the sectors selected by `is_kept`, up to the length of the file.
fn write_sectors(medium: &mut Pages, offset: u64, bytes: &[u8], mut is_kept: impl FnMut() -> bool) {
    let sector = usize::try_from(SECTOR).unwrap_or_default();
    for (at, bytes) in (offset..).step_by(sector).zip(bytes.chunks(sector)) {
        let room = usize::try_from(medium.length().saturating_sub(at)).unwrap_or(usize::MAX);
        if is_kept() {
            let Ok(()) = medium.write(at, &bytes[..bytes.len().min(room)], zeros);
        }
    }
}

/// Returns a page that was never written.
#[allow(
    clippy::unnecessary_wraps,
    reason = "other files cannot always read it"
)]
pub(super) const fn zeros(_: u64) -> Result<Page, Infallible> {
    Ok([0; size_of::<Page>()])
}
