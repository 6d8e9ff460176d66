//! The entries of a directory of strategy 1 in memory: roots and proofs, without author or server.

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

/// Entries in blocks of `2^step` slots, all in memory: the counterpart of
/// [`BlockTree`](crate::BlockTree) for strategy 1.
///
/// Space: two digests for each entry, and one for each `2^(step - 1)` entries above them.
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

    /// Replaces all entries by `objects`. Time: two hashes for each.
    ///
    /// # Errors
    /// [`InputError::ReservedDigest`] if an object has the digest of zeros;
    /// [`InputError::CapacityExceeded`] for too many objects. The tree is then unchanged.
    pub fn load(&mut self, objects: impl IntoIterator<Item = S::Digest>) -> Result<(), InputError> {
        self.blocks = Blocks::load(self.blocks.step(), checked::<S>(objects))?;
        Ok(())
    }

    /// The number of entries, deleted ones included.
    pub const fn registered(&self) -> u64 {
        self.blocks.registered()
    }

    /// The root.
    pub const fn root(&self) -> S::Digest {
        self.blocks.root()
    }

    /// Registers objects, changes entries (`Some`) and deletes them (`None`). Ids must be strictly
    /// ascending. Hashes each inner node once. Returns the new number of entries.
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

    /// Proves the entries of `query`.
    ///
    /// # Errors
    /// [`LookupError::InvalidQuery`] for a range of more than [`MOST_RANGE`] registered entries.
    pub fn prove<Q: Selection>(&self, query: &Q) -> Result<DirectoryProof<S, Q>, LookupError> {
        prove(&self.blocks, query)
    }
}

/// Proves the entries of `query`.
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
