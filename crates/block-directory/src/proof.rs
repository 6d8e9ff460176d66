//! Proofs of entries for a query of a [`Selection`] type, as messages of kinds 160 and 161.

#![deny(clippy::arithmetic_side_effects)]

use alloc::vec::Vec;
use core::{iter::Copied, marker::PhantomData, ops::Range, slice::Iter};

use pad_core::{
    Proof, Suite, VerifiedRoot, VerifyError,
    codec::Message,
    internals::{at_most, merkle},
};
use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    entry::{self, EntryId, EntryState, MOST_ENTRIES, entry_digest, root_digest},
    query::{EntryQuery, EntryRange, MOST_RANGE, Selection},
    shape::{self, RequestedIds},
    statement::Entries,
};

/// Proof of the states of entries with certain ids, which may also be unassigned. Message kind 160.
pub type EntryProof<S> = DirectoryProof<S, EntryQuery>;

/// Proof of the states of all entries of a range of ids. Message kind 161.
pub type RangeProof<S> = DirectoryProof<S, EntryRange>;

/// Proof of the states of the entries that a query asks for: these entries, and the digests of the
/// subtrees next to them.
///
/// Verified against a verified root, for a query of type `Q`. The verified statement is
/// [`Entries`]. A query has exactly one valid proof under a root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "Q: Selection")]
pub struct DirectoryProof<S: Suite, Q> {
    pub(crate) registered: u64,
    #[serde(deserialize_with = "read_shown::<S, Q, _>")]
    pub(crate) shown: Vec<EntryState<S>>,
    #[serde(deserialize_with = "pad_core::codec::digests")]
    pub(crate) siblings: Vec<S::Digest>,
    #[serde(skip)]
    pub(crate) question: PhantomData<Q>,
}

impl<S: Suite, Q: Selection> Message for DirectoryProof<S, Q> {
    const KIND: u8 = Q::KIND;
    const SUITE: u16 = S::ID.0;
    const INJECTIVE: bool = true;
}

impl<S: Suite, Q: Selection> DirectoryProof<S, Q> {
    /// Checks the form of this proof for `query`, and returns the root that it hashes to.
    ///
    /// # Errors
    /// The errors of [`Proof::check`], without [`VerifyError::RootMismatch`].
    pub(crate) fn root(&self, query: &Q) -> Result<S::Digest, VerifyError> {
        if self.registered > MOST_ENTRIES {
            return Err(VerifyError::SizeOutOfRange);
        }
        let asked = query.below(self.registered);
        if asked.len() > MOST_RANGE {
            let limit = usize::try_from(MOST_RANGE).unwrap_or(usize::MAX);
            return Err(VerifyError::TooManyElements { limit });
        }
        if u64::try_from(self.shown.len()) != Ok(asked.len()) {
            return Err(VerifyError::CountMismatch);
        }
        if self.shown.iter().flatten().any(entry::is_reserved) {
            return Err(VerifyError::ReservedDigest);
        }
        let top = match (&asked, self.shown.as_slice()) {
            (RequestedIds::Ids([id]), [shown]) => {
                self.climbed(EntryId::new(*id), shown.as_ref())?
            }
            _ => self.folded(asked)?,
        };
        Ok(root_digest::<S>(self.registered, &top))
    }

    /// Returns the digest of the tree that the proof of a single entry hashes to. The siblings of
    /// one entry are the path to it, from the top down.
    ///
    /// Time: less than half of [`Self::folded`].
    fn climbed(&self, id: EntryId, shown: Option<&S::Digest>) -> Result<S::Digest, VerifyError> {
        let leaf = entry_digest::<S>(id, shown);
        let path = self.siblings.iter().rev();
        merkle::included(entry::node::<S>, (id.number(), self.registered), leaf, path)
            .map_err(|_| VerifyError::MalformedShape)
    }

    /// Returns the digest of the tree that the proof of the entries `asked` hashes to.
    fn folded(&self, asked: RequestedIds<'_>) -> Result<S::Digest, VerifyError> {
        let mut folded = ProofFold::<S>::new(&self.shown, &self.siblings);
        let top = if self.registered == 0 {
            S::Digest::default()
        } else {
            shape::walk(self.registered, asked, &mut folded)?
        };
        if folded.siblings.next().is_some() {
            return Err(VerifyError::MalformedShape);
        }
        Ok(top)
    }
}

impl<S: Suite, Q: Selection> Proof for DirectoryProof<S, Q> {
    type Commitment = VerifiedRoot<S>;
    type Query = Q;
    type Statement = Entries<S, Q>;
    type Error = VerifyError;

    /// Verifies the proof. Time: for each id, at most as many node hashes as the number of entries
    /// has bits, and one step for each sibling.
    ///
    /// # Errors
    /// - [`VerifyError::SizeOutOfRange`] for more than [`MOST_ENTRIES`] entries.
    /// - [`VerifyError::TooManyElements`] for a range with more than [`MOST_RANGE`] registered
    ///   entries.
    /// - [`VerifyError::CountMismatch`] unless the proof contains one entry for each registered id
    ///   of the query.
    /// - [`VerifyError::ReservedDigest`] for a live entry with the digest of deleted ones.
    /// - [`VerifyError::MalformedShape`] for missing or surplus siblings.
    /// - [`VerifyError::RootMismatch`] if the proof does not hash to the verified root.
    fn check(self, root: &VerifiedRoot<S>, query: &Q) -> Result<Entries<S, Q>, VerifyError> {
        if self.root(query)? != root.root() {
            return Err(VerifyError::RootMismatch);
        }
        Ok(Entries {
            version: root.version(),
            registered: self.registered,
            query: query.clone(),
            shown: self.shown,
        })
    }
}

/// Decodes a list of entries, at most as many as any query of this type has. The length of a
/// message is not a sufficient bound, because a deleted entry takes a single byte.
fn read_shown<'de, S: Suite, Q: Selection, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<EntryState<S>>, D::Error> {
    at_most(Q::MOST_ENTRIES, deserializer)
}

/// Hashes the entries and siblings of a proof into the digest of the tree, as a [`shape::Visitor`].
pub(crate) struct ProofFold<'a, S: Suite> {
    shown: Copied<Iter<'a, EntryState<S>>>,
    siblings: Copied<Iter<'a, S::Digest>>,
}

impl<'a, S: Suite> ProofFold<'a, S> {
    pub(crate) fn new(shown: &'a [EntryState<S>], siblings: &'a [S::Digest]) -> Self {
        Self {
            shown: shown.iter().copied(),
            siblings: siblings.iter().copied(),
        }
    }
}

impl<S: Suite> shape::Visitor for ProofFold<'_, S> {
    type Digest = S::Digest;
    type Error = VerifyError;

    fn elided(&mut self, _: &Range<u64>) -> Result<S::Digest, VerifyError> {
        self.siblings.next().ok_or(VerifyError::MalformedShape)
    }

    fn entry(&mut self, id: u64) -> Result<S::Digest, VerifyError> {
        let shown = self.shown.next().ok_or(VerifyError::CountMismatch)?;
        Ok(entry_digest::<S>(EntryId::new(id), shown.as_ref()))
    }

    fn joined(&mut self, _: &Range<u64>, left: S::Digest, right: S::Digest) -> S::Digest {
        entry::node::<S>(&left, &right)
    }
}
