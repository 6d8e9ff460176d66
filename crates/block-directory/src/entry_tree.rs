//! In-memory directories in the tree of RFC 9162 (strategy 1). They have roots and proofs, but no
//! author or server.

use core::marker::PhantomData;

use pad_core::{ApplyError, InputError, LookupError, Suite, VerifyError};

use crate::{
    blocks::Blocks,
    entry::EntryId,
    hint::MOST_STEP,
    operations::{self, Change, MOST_OPERATIONS, checked},
    proof::DirectoryProof,
    query::{MOST_RANGE, Selection},
};

/// Entries in blocks of `2^step` slots, all in memory. Blocks are hash trees (strategy 1);
/// [`BlockTree`](crate::BlockTree) is the counterpart for other strategies.
///
/// Space: two digests for each entry. The blocks above level 0 add one digest for each
/// `2^(step - 1)` entries.
#[derive(Debug)]
pub struct EntryTree<S: Suite> {
    blocks: Blocks<S>,
}

impl<S: Suite> EntryTree<S> {
    /// Creates a tree without entries, in blocks of `2^step` slots.
    ///
    /// # Errors
    /// [`VerifyError::InvalidQuery`] for a step outside `1..=12`.
    pub fn new(step: u32) -> Result<Self, VerifyError> {
        if !(1..=MOST_STEP).contains(&step) {
            return Err(VerifyError::InvalidQuery);
        }
        let blocks = Blocks::new(step);
        Ok(Self { blocks })
    }

    /// Replaces all entries. `objects` are the digests of the new entries' objects, in the order of
    /// ids. Time: two hashes for each entry.
    ///
    /// # Errors
    /// [`InputError::ReservedDigest`] if an object has the digest of zeros;
    /// [`InputError::CapacityExceeded`] for too many objects. The tree is then unchanged.
    pub fn load(&mut self, objects: impl IntoIterator<Item = S::Digest>) -> Result<(), InputError> {
        self.blocks = Blocks::load(self.blocks.step(), checked::<S>(objects))?;
        Ok(())
    }

    /// Returns the number of entries, deleted ones included.
    pub const fn registered(&self) -> u64 {
        self.blocks.registered()
    }

    /// Returns the root of the tree.
    pub const fn root(&self) -> S::Digest {
        self.blocks.root()
    }

    /// Applies changes, given as pairs of an id and the digest of its new object. Registers or
    /// changes the entry for `Some`, and deletes it for `None`. Ids must be strictly ascending.
    /// Hashes each changing inner node once. Returns the new number of entries.
    ///
    /// # Errors
    /// [`ApplyError`] if the changes break the rules of updates. The tree is then unchanged.
    pub fn apply(&mut self, changes: &[(EntryId, Option<S::Digest>)]) -> Result<u64, ApplyError> {
        if changes.len() > MOST_OPERATIONS {
            return Err(InputError::CapacityExceeded.into());
        }
        let changes: Vec<Change<S>> = changes
            .iter()
            .map(|(id, shown)| Change {
                id: id.number(),
                shown: *shown,
            })
            .collect();
        let before = self.registered();
        let registered = operations::check(&changes, before, |id| self.blocks.shown(id))?;
        let mut plan = self.blocks.plan(changes, registered)?;
        self.blocks.commit(&mut plan)?;
        Ok(registered)
    }

    /// Returns a proof of the states of the entries that `query` asks for.
    ///
    /// # Errors
    /// [`LookupError::InvalidQuery`] for a range of more than [`MOST_RANGE`] registered entries.
    pub fn prove<Q: Selection>(&self, query: &Q) -> Result<DirectoryProof<S, Q>, LookupError> {
        prove(&self.blocks, query)
    }
}

/// Returns a proof of the states of the entries that `query` asks for, from these blocks.
pub(crate) fn prove<S: Suite, Q: Selection>(
    blocks: &Blocks<S>,
    query: &Q,
) -> Result<DirectoryProof<S, Q>, LookupError> {
    let asked = query.below(blocks.registered());
    if asked.len() > MOST_RANGE {
        return Err(LookupError::InvalidQuery);
    }
    let opened = blocks.open(asked)?;
    Ok(DirectoryProof {
        registered: blocks.registered(),
        shown: opened.shown,
        siblings: opened.siblings,
        question: PhantomData,
    })
}
