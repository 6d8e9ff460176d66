//! The client's side: what a proof or a witness establishes about the list with a known root.

use alloc::vec::Vec;
use core::{marker::PhantomData, ops::Range};

use pad_core::{Digest, Proof, Untrusted, Verified};

use super::{
    Operation,
    arena::NodeId,
    hash::NodeHash,
    operation,
    parse::{self, Shown},
    search::Found,
    state::ListState,
    transaction::Transaction,
    view::View,
};
use crate::error::{ProofError, UpdateError};

/// A block of the list with the known root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProvenBlock {
    /// The index of its first byte.
    pub start: u64,
    /// Its length in bytes.
    pub length: u64,
    /// The hash of what its tag scheme commits.
    pub tag_digest: Digest<32>,
}

impl ProvenBlock {
    /// Its bytes.
    pub const fn range(&self) -> Range<u64> {
        self.start..self.start.saturating_add(self.length)
    }
}

/// The part of a list that shows some bytes' blocks, as it arrived.
#[derive(Clone, Copy, Debug)]
struct IndicesProof<'a, H>(&'a [u8], PhantomData<H>);

/// The part of a list that shows all blocks of a range, as it arrived.
#[derive(Clone, Copy, Debug)]
struct RangeProof<'a, H>(&'a [u8], PhantomData<H>);

/// The part of a list that an update read, as it arrived.
#[derive(Clone, Copy, Debug)]
struct Witness<'a, H>(&'a [u8], PhantomData<H>);

/// The distinct blocks that contain these bytes, in file order.
///
/// One question has one proof: nodes that no search goes into are refused, as are encodings that are
/// not minimal.
///
/// # Errors
/// [`ProofError`]; [`ProofError::Operation`] if there is no index, or no such byte.
///
/// Source: section 2, verifyMultiProof; Deviation: every index is searched for in what the proof shows,
/// instead of trusting the order in which the server sent the blocks.
pub fn verify_indices<H: NodeHash>(
    proof: &[u8],
    state: &ListState,
    indices: &[u64],
) -> Result<Verified<Vec<ProvenBlock>>, ProofError> {
    Untrusted::new(IndicesProof::<H>(proof, PhantomData)).verify(state, indices)
}

/// Every block that overlaps the range, in file order, without a gap.
///
/// # Errors
/// [`ProofError`].
pub fn verify_range<H: NodeHash>(
    proof: &[u8],
    state: &ListState,
    range: Range<u64>,
) -> Result<Verified<Vec<ProvenBlock>>, ProofError> {
    Untrusted::new(RangeProof::<H>(proof, PhantomData)).verify(state, &range)
}

/// The list after these operations, derived from the part of the old one that they read.
///
/// # Errors
/// [`ProofError`]; [`ProofError::Operation`] if the operations cannot be carried out on this file.
///
/// Source: algorithm A.2, verifyMultiUpdate; Deviation: the result is the client's own, not the server's
/// word that it compares with.
pub fn verify_update<H: NodeHash>(
    witness: &[u8],
    state: &ListState,
    operations: &[Operation],
) -> Result<Verified<ListState>, ProofError> {
    Untrusted::new(Witness::<H>(witness, PhantomData)).verify(state, operations)
}

impl<H: NodeHash> Proof for IndicesProof<'_, H> {
    type Commitment = ListState;
    type Query = [u64];
    type Statement = Vec<ProvenBlock>;
    type Error = ProofError;

    fn check(self, state: &ListState, indices: &[u64]) -> Result<Vec<ProvenBlock>, ProofError> {
        let shown = parse::parse::<H>(self.0, state)?;
        shown.blocks(|view, visit| view.search_indices(indices, usize::MAX, visit))
    }
}

impl<H: NodeHash> Proof for RangeProof<'_, H> {
    type Commitment = ListState;
    type Query = Range<u64>;
    type Statement = Vec<ProvenBlock>;
    type Error = ProofError;

    fn check(self, state: &ListState, range: &Range<u64>) -> Result<Vec<ProvenBlock>, ProofError> {
        let shown = parse::parse::<H>(self.0, state)?;
        shown.blocks(|view, visit| view.search_range(range.clone(), usize::MAX, visit))
    }
}

impl<H: NodeHash> Proof for Witness<'_, H> {
    type Commitment = ListState;
    type Query = [Operation];
    type Statement = ListState;
    type Error = ProofError;

    fn check(self, state: &ListState, operations: &[Operation]) -> Result<ListState, ProofError> {
        let mut shown = parse::parse::<H>(self.0, state)?;
        let mut transaction = Transaction::new(&mut shown.arena, shown.root);
        operation::apply_all(&mut transaction, operations).map_err(refusal)?;
        if transaction.opened().len() != shown.opened {
            return Err(ProofError::SurplusNode);
        }
        let (root, ..) = transaction.finish();
        let view = View::new(&shown.arena, root);
        Ok(ListState {
            root: view.root(),
            total: view.total(),
        })
    }
}

impl<H: NodeHash> Shown<H> {
    /// The blocks that a search finds, if it needs every node that is shown.
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

/// Where the shown part ends, the proof does not prove; everything else is wrong with the question.
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
