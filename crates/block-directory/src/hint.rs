//! Path hints: old proofs that are stored next to objects, so that the server reads less for a
//! look-up.
//!
//! A hint is untrusted. From a hint, the client computes the digests of complete (*closed*)
//! subtrees around the entry, from the entry upwards. It sends some of them, the *chain*. The
//! server goes down from the top and stops at the first subtree whose digest is in the chain. It
//! answers with the rest of the path ([`ShortCircuit`]). Hint and answer together are an ordinary
//! proof of the server's version, and are verified as such a proof. A hint has no other use.
//!
//! The chain contains the digests of the path at heights that are multiples of the server's *step*.
//! A server with blocks of `2^step` slots finds these without reading the blocks below.

#![deny(clippy::arithmetic_side_effects)]

use alloc::vec::Vec;
use core::marker::PhantomData;

use pad_core::{Authority, DictionaryId, Suite, Untrusted, VerifyError, Version, codec::Message};
use serde::{Deserialize, Serialize};

use crate::{
    entry::{self, EntryId, EntryState, MOST_ENTRIES, entry_digest},
    proof::EntryProof,
    query::EntryQuery,
    shape,
};

/// The maximum length in bytes of a hint, and of an answer that a hint shortens ([`ShortCircuit`]).
pub const LONGEST_HINT: usize = 2048;

/// The maximum step. The step is the height of a server's blocks, and the difference in height
/// between consecutive digests of a chain.
pub(crate) const MOST_STEP: u32 = 12;

/// A proof of one entry under an older version, in the form stored with the object. Untrusted.
/// Message kind 162.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Hint<S: Suite> {
    dictionary: DictionaryId,
    id: u64,
    version: Version,
    registered: u64,
    shown: EntryState<S>,
    #[serde(deserialize_with = "pad_core::codec::digests")]
    siblings: Vec<S::Digest>,
}

impl<S: Suite> Message for Hint<S> {
    const KIND: u8 = 162;
    const SUITE: u16 = S::ID.0;
}

impl<S: Suite> Hint<S> {
    /// Creates a hint from a proof of one registered entry, which was verified under the root of
    /// `version`. Returns `None` unless the proof contains one entry. Does not check that this
    /// entry is `id`.
    pub fn new(
        dictionary: DictionaryId,
        id: EntryId,
        version: Version,
        proof: &EntryProof<S>,
    ) -> Option<Self> {
        let [shown] = *proof.shown else {
            return None;
        };
        Some(Self {
            dictionary,
            id: id.number(),
            version,
            registered: proof.registered,
            shown,
            siblings: proof.siblings.clone(),
        })
    }

    /// Returns the version of the proof in the hint, as the hint claims. The claim is untrusted: it
    /// is not a reason to keep a hint that did not match.
    pub const fn version(&self) -> Version {
        self.version
    }

    /// Computes the chain of digests to offer to a server with this `step`. `object` is the digest
    /// that the object of the entry `id` should have.
    ///
    /// Time: one hash for each closed subtree above the entry.
    ///
    /// # Errors
    /// [`VerifyError`]; the client then asks without the hint:
    ///
    /// - [`VerifyError::WrongDictionary`] if the hint is of another dictionary.
    /// - [`VerifyError::HintOfAnotherEntry`] if the hint is of another entry, or has an impossible
    ///   id or size.
    /// - [`VerifyError::HintOfAnotherObject`] if the hint is of another object.
    /// - [`VerifyError::InvalidQuery`] for a step outside `1..=12`.
    pub fn offer(
        self,
        authority: &Authority,
        id: EntryId,
        object: &S::Digest,
        step: u32,
    ) -> Result<Offer<S>, VerifyError> {
        if !(1..=MOST_STEP).contains(&step) {
            return Err(VerifyError::InvalidQuery);
        }
        if self.dictionary != authority.dictionary {
            return Err(VerifyError::WrongDictionary);
        }
        if self.id != id.number() || self.id >= self.registered || self.registered > MOST_ENTRIES {
            return Err(VerifyError::HintOfAnotherEntry);
        }
        if self.shown != Some(*object) {
            return Err(VerifyError::HintOfAnotherObject);
        }
        let chain = self.chain(object, step);
        Ok(Offer {
            hint: self,
            step,
            chain,
        })
    }

    /// Returns the digests of the closed subtrees around the entry at the heights `step`, `2 step`,
    /// .., the lowest first.
    fn chain(&self, object: &S::Digest, step: u32) -> Vec<S::Digest> {
        let mut digest = entry_digest::<S>(EntryId::new(self.id), Some(object));
        let mut chain = Vec::new();
        for (height, sibling) in (1_u32..).zip(self.siblings.iter().rev()) {
            if !shape::is_closed(self.id, height, self.registered) {
                break;
            }
            let is_right = self.id.unbounded_shr(height.saturating_sub(1)) & 1 == 1;
            digest = if is_right {
                entry::node::<S>(sibling, &digest)
            } else {
                entry::node::<S>(&digest, sibling)
            };
            if height.is_multiple_of(step) {
                chain.push(digest);
            }
        }
        chain
    }
}

/// A chain of digests offered to the server, with the hint that completes the server's answer to a
/// proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer<S: Suite> {
    hint: Hint<S>,
    step: u32,
    chain: Vec<S::Digest>,
}

impl<S: Suite> Offer<S> {
    /// Returns the chain of digests to send in a request.
    pub fn chain(&self) -> Chain<S> {
        Chain {
            step: self.step,
            digests: self.chain.clone(),
        }
    }

    /// Returns the version that the hint claims.
    pub const fn version(&self) -> Version {
        self.hint.version
    }

    /// Returns the id of the entry.
    pub const fn id(&self) -> EntryId {
        EntryId::new(self.hint.id)
    }

    /// Joins the server's answer and the hint into a proof, to be verified like any other proof.
    ///
    /// # Errors
    /// [`VerifyError::HeightNotOffered`] if the height of the answer's subtree is 0, not a multiple
    /// of the step, or above the chain.
    pub fn complete(
        &self,
        answer: &ShortCircuit<S>,
    ) -> Result<Untrusted<EntryProof<S>>, VerifyError> {
        let height = answer.height;
        let refused = VerifyError::HeightNotOffered { height };
        let place = height.checked_div(self.step).and_then(|j| j.checked_sub(1));
        let place = place.and_then(|place| usize::try_from(place).ok());
        let offered = place.is_some_and(|place| place < self.chain.len());
        if !offered || !height.is_multiple_of(self.step) {
            return Err(refused);
        }
        let below = usize::try_from(height).map_err(|_| refused)?;
        let above = self.hint.siblings.len().checked_sub(below).ok_or(refused)?;
        let below = self.hint.siblings.get(above..).ok_or(refused)?;
        Ok(Untrusted::new(EntryProof {
            registered: answer.registered,
            shown: [self.hint.shown].into(),
            siblings: answer.siblings.iter().chain(below).copied().collect(),
            question: PhantomData::<EntryQuery>,
        }))
    }
}

/// A chain: digests of closed subtrees around one entry, at the heights `step`, `2 step`, .., in a
/// version that the server need not know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Chain<S: Suite> {
    pub(crate) step: u32,
    #[serde(deserialize_with = "pad_core::codec::digests")]
    pub(crate) digests: Vec<S::Digest>,
}

/// The server's answer to a chain that matches: the upper part of the proof of one entry, down to a
/// subtree in the chain. Message kind 163.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct ShortCircuit<S: Suite> {
    pub(crate) registered: u64,
    pub(crate) height: u32,
    #[serde(deserialize_with = "pad_core::codec::digests")]
    pub(crate) siblings: Vec<S::Digest>,
}

impl<S: Suite> Message for ShortCircuit<S> {
    const KIND: u8 = 163;
    const SUITE: u16 = S::ID.0;
    const INJECTIVE: bool = true;
}
