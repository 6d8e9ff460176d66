//! Proofs of entries in the tree of RFC 9162 (strategy 1).

use core::marker::PhantomData;

use pad_core::{LookupError, Suite};

use crate::{
    blocks::Blocks,
    proof::DirectoryProof,
    query::{MOST_RANGE, Selection},
};

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
