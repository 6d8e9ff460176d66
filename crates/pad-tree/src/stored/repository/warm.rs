//! Warming: reads all nodes of the latest version into memory.

use core::sync::atomic::{AtomicU64, Ordering};

use pad_core::{Repository as _, Suite};

use super::StoredRepository;
use crate::{
    balancing::BalancingScheme,
    stored::{
        cache::{CacheSize, WarmError, WarmState, Warming},
        held::PinnedBlocks,
        log::NodeLog,
        view::StoredView,
    },
};

/// The number of subtrees into which the tree is split, so that several workers can read it in
/// parallel.
const SUBTREES: usize = 64;

/// The number of entries between two reports of progress.
const ENTRIES_BETWEEN: u64 = 1 << 14;

impl<S: Suite, B: BalancingScheme, L: NodeLog> StoredRepository<S, B, L> {
    /// Reads all nodes of the latest version into memory and pins them, if the cache size is
    /// [`CacheSize::Warmed`]. Checks that they hash to the version's root and that keys are in
    /// order. Returns the number of bytes in memory; 0 for another cache size.
    ///
    /// A later call reads only the changes of newer versions. This also holds for a log with an
    /// identity that is opened again with the same [`NodeCache`](crate::NodeCache). When most
    /// blocks in memory may belong to superseded versions, everything is read again. During this
    /// reading, old and new blocks are both in memory.
    ///
    /// Time: linear in the number of entries, or of changes since the last call. The workers share
    /// the work.
    ///
    /// # Errors
    /// [`WarmError::Store`] if a node cannot be read. [`WarmError::TooLarge`] with the number of
    /// bytes that the version needs. All blocks are then unpinned. It is not an error if a version
    /// that was within the limit grows beyond it later: the excess is then read on demand.
    pub fn warm(&mut self) -> Result<u64, WarmError> {
        let CacheSize::Warmed { most } = self.nodes.cache.size() else {
            return Ok(0);
        };
        let before = self.kept();
        // After a pruning the log is a new one without warmed blocks. A dictionary that was served
        // before must stay available.
        let was_warmed = &self.nodes.cache.was_warmed;
        let is_first = before.is_none() && !was_warmed.load(Ordering::Relaxed);
        let read = self.read_within(before, most).and_then(|kept| {
            let needed = kept.held.wanted_bytes();
            if needed > most && is_first {
                Err(WarmError::TooLarge { needed, most })
            } else {
                Ok(kept)
            }
        });
        let kept = read.inspect_err(|_| self.nodes.hold_nothing())?;
        let root = self.latest_contents().root.map(|root| root.address);
        let bytes = kept.held.bytes();
        self.nodes.warmed(&kept, root);
        let was_warmed = &self.nodes.cache.was_warmed;
        was_warmed.store(true, Ordering::Relaxed);
        if let Some(log) = self.nodes.log.identity() {
            self.nodes.cache.keep(log, self.latest(), kept);
        }
        Ok(bytes)
    }

    /// The state of the last warming (reading of a whole version) of this log, in this opening or
    /// an earlier one.
    fn kept(&self) -> Option<WarmState> {
        let log = self.nodes.log.identity();
        let earlier = self.nodes.cache.kept(log, self.latest());
        earlier.or_else(|| self.nodes.last_warmed())
    }

    /// Reads and pins the nodes that are new since the warming `before`. Reads all nodes without
    /// `before`, if much of it is stale, or if the new nodes exceed `most`, the limit in bytes.
    fn read_within(
        &mut self,
        before: Option<WarmState>,
        most: u64,
    ) -> Result<WarmState, WarmError> {
        if let Some(kept) = before.filter(|kept| !kept.is_stale()) {
            // If so, an earlier warming already read everything again, and still exceeded the
            // limit.
            let was_larger = kept.held.wanted_bytes() > most;
            let held = self.read(kept.held, kept.end, most)?;
            if was_larger || held.wanted_bytes() <= most {
                return Ok(WarmState {
                    held,
                    end: self.nodes.visible(),
                    whole_bytes: kept.whole_bytes,
                });
            }
        }
        let held = self.read(PinnedBlocks::default(), 0, most)?;
        Ok(WarmState {
            whole_bytes: held.bytes(),
            held,
            end: self.nodes.visible(),
        })
    }

    /// Reads and checks the nodes of the latest version from position `from` on, and pins them in
    /// `held`. `most` is the limit in bytes.
    fn read(
        &mut self,
        held: PinnedBlocks,
        from: u64,
        most: u64,
    ) -> Result<PinnedBlocks, WarmError> {
        let held = self.nodes.with_places(held)?;
        self.nodes.hold(held.clone(), most);
        self.nodes.stay_at(from)?;
        let contents = self.latest_contents();
        let view = StoredView::<S, L>::new(&self.nodes, contents.root);
        let (read, of) = (AtomicU64::new(0), contents.population);
        let note = |entries: u64| {
            let before = read.fetch_add(entries, Ordering::Relaxed);
            let entries = before.saturating_add(entries);
            if before / ENTRIES_BETWEEN != entries / ENTRIES_BETWEEN || entries == of {
                let bytes = held.bytes();
                self.nodes.cache.note(Warming { entries, of, bytes });
            }
        };
        let subtrees = view.hold_top(from, SUBTREES)?;
        let below = |node: &_| view.hold_below(node, from, &note);
        let read = self.workers.map(&subtrees, below);
        read.into_iter().collect::<Result<(), _>>()?;
        Ok(held)
    }
}
