//! Client-side verification of proofs and witnesses against a known root.

use alloc::vec::Vec;
use core::ops::Range;

use pad_core::{Digest, Proof, Untrusted, Verified};

use super::{
    ListState, Operation,
    arena::NodeId,
    hash::NodeHash,
    operation,
    parse::{self, PartialList},
    search::Found,
    transaction::Transaction,
    view::View,
};
use crate::error::{ProofError, UpdateError};

/// A block of a list, verified against a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProvenBlock {
    /// The index in the file of the block's first byte.
    pub start: u64,
    /// The length of the block in bytes.
    pub length: u64,
    /// The hash of the committed part of the block's tag.
    pub tag_digest: Digest<32>,
}

impl ProvenBlock {
    /// Returns the range of the block's bytes in the file.
    pub const fn range(&self) -> Range<u64> {
        self.start..self.start.saturating_add(self.length)
    }
}

/// Untrusted evidence about a list: the check that returns the statement it proves.
struct Check<F>(F);

impl<T, F: FnOnce(&ListState) -> Result<T, ProofError>> Proof for Check<F> {
    type Commitment = ListState;
    type Query = ();
    type Statement = T;
    type Error = ProofError;

    fn check(self, state: &ListState, (): &()) -> Result<T, ProofError> {
        (self.0)(state)
    }
}

/// Verifies a proof of the blocks that contain the bytes at `indices`; returns the distinct blocks
/// in file order.
///
/// Every query of a state has exactly one valid proof: nodes that no search enters are rejected, as
/// are non-minimal encodings.
///
/// # Errors
/// [`ProofError`] if the proof does not prove the blocks; [`ProofError::Operation`] if `indices` is
/// empty or out of range.
///
/// Source: Esiner et al. 2013, section 2 (`verifyMultiProof`); Deviation: every index is searched
/// for in the proof, instead of trusting the order in which the server sent the blocks.
pub fn verify_indices<H: NodeHash>(
    proof: &[u8],
    state: &ListState,
    indices: &[u64],
) -> Result<Verified<Vec<ProvenBlock>>, ProofError> {
    let check = |state: &ListState| {
        let shown = parse::parse::<H>(proof, state)?;
        shown.blocks(|view, visit| view.search_indices(indices, usize::MAX, visit))
    };
    Untrusted::new(Check(check)).verify(state, &())
}

/// Verifies a proof of every block that overlaps `range`; returns the blocks in file order, without
/// a gap.
///
/// # Errors
/// [`ProofError`] if the proof does not prove the blocks; [`ProofError::Operation`] if the range is
/// empty or out of range.
pub fn verify_range<H: NodeHash>(
    proof: &[u8],
    state: &ListState,
    range: Range<u64>,
) -> Result<Verified<Vec<ProvenBlock>>, ProofError> {
    let check = |state: &ListState| {
        let shown = parse::parse::<H>(proof, state)?;
        shown.blocks(|view, visit| view.search_range(range, usize::MAX, visit))
    };
    Untrusted::new(Check(check)).verify(state, &())
}

/// Verifies a witness by replaying the operations on it; returns the state of the list after them.
///
/// # Errors
/// [`ProofError`] if the witness does not match the state or the operations;
/// [`ProofError::Operation`] if the operations are invalid for this file.
///
/// Source: Esiner et al. 2013, algorithm A.2 (`verifyMultiUpdate`); Deviation: the client computes
/// the result itself, instead of comparing it with the server's result.
pub fn verify_update<H: NodeHash>(
    witness: &[u8],
    state: &ListState,
    operations: &[Operation],
) -> Result<Verified<ListState>, ProofError> {
    let check = |state: &ListState| {
        let mut shown = parse::parse::<H>(witness, state)?;
        let mut transaction = Transaction::new(&mut shown.arena, shown.root);
        operation::apply_all(&mut transaction, operations).map_err(refusal)?;
        if transaction.opened().len() != shown.opened {
            return Err(ProofError::SurplusNode);
        }
        let (root, ..) = transaction.finish();
        let view = View::new(&shown.arena, root);
        let (root, total) = (view.root(), view.total());
        Ok(ListState { root, total })
    };
    Untrusted::new(Check(check)).verify(state, &())
}

impl<H: NodeHash> PartialList<H> {
    /// Returns the blocks that `search` finds. Fails if the search does not visit every node of the
    /// proof.
    fn blocks(
        &self,
        search: impl FnOnce(View<'_, H>, &mut dyn FnMut(NodeId)) -> Result<Vec<Found>, UpdateError>,
    ) -> Result<Vec<ProvenBlock>, ProofError> {
        let view = View::new(&self.arena, self.root);
        let mut visited = 0_usize;
        let found = search(view, &mut |_| visited = visited.saturating_add(1)).map_err(refusal)?;
        // A search visits no node twice.
        if visited == self.opened {
            Ok(found.into_iter().map(ProvenBlock::from).collect())
        } else {
            Err(ProofError::SurplusNode)
        }
    }
}

/// Converts an error of a search or update on a proof. A read outside the proven part is a fault of
/// the proof. Any other error is a fault of the query.
const fn refusal(error: UpdateError) -> ProofError {
    match error {
        UpdateError::Elided => ProofError::Elided,
        other => ProofError::Operation(other),
    }
}

impl From<Found> for ProvenBlock {
    fn from(found: Found) -> Self {
        Self {
            start: found.start,
            length: found.length,
            tag_digest: found.tag_digest,
        }
    }
}
