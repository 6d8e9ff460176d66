//! The interface of a design of tuple PADs for verifiers: name, number, keys and evidence.

use alloc::vec::Vec;
use core::fmt::Debug;

use pad_core::{SchemeId, Suite, VerifyError, Version, head::Authority};
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    statement::Context,
    tuple::{GenerationIndex, MAX_GENERATIONS},
    validity::Validity,
};

/// Expected origin of a proof: one version of one dictionary, by one author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation<Key> {
    /// The trusted author, with the dictionary and the design.
    pub authority: Authority,
    /// Key that verifies the design's statements, in addition to the author's key. Clones share the
    /// large parts of a key.
    pub key: Key,
    /// The version asked about.
    pub version: Version,
}

impl<Key> Expectation<Key> {
    /// Returns the design and dictionary to which the expected statements are bound.
    pub const fn context(&self) -> Context {
        Context::of(&self.authority)
    }
}

/// A claim to check against evidence: the tuple with digest `tuple` existed at `instant`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim<S: Suite> {
    /// The generation that the tuple is in, 0 for the youngest.
    pub generation: GenerationIndex,
    /// The instant: a version for the youngest generation, an epoch for an older one.
    pub instant: u64,
    /// The digest of the tuple.
    pub tuple: S::Digest,
}

/// Instants and chain links that the evidence of a tuple covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attested<S: Suite> {
    /// The instants (versions or epochs) covered. `None` if the evidence covers only the instant
    /// asked about, or is not decoded for display.
    pub validity: Option<Validity>,
    /// The number of revealed links of a hash chain, and the newest link.
    pub chain: Option<(u32, S::Digest)>,
}

impl<S: Suite> Attested<S> {
    /// Evidence that covers only the instant asked about.
    pub const INSTANT: Self = Self {
        validity: None,
        chain: None,
    };

    /// Evidence that covers the instants of `validity`.
    pub const fn during(validity: Validity) -> Self {
        Self {
            validity: Some(validity),
            chain: None,
        }
    }
}

/// A design of tuple PADs, as verifiers see it: name, number and check of evidence. `Design`
/// (feature `std`) adds the part of authors and servers.
///
/// Law: `check` accepts an honest server's evidence for tuples that existed at the claimed
/// instants. It accepts no other evidence, short of a forgery.
///
/// Source: Crosby & Wallach 2010, section 4.
pub trait TupleScheme<S: Suite>: Clone + Debug + Send + Sync + 'static {
    /// The number of generations, 1 without speculation, at most 15.
    const GENERATIONS: usize;
    /// The scheme id of this design, in heads and statements.
    const SCHEME: SchemeId;
    /// The display name of this design, for example `spec-lightweight`.
    const NAME: &'static str;

    /// Public key in addition to the authority, or `()`.
    type Key: Clone + Debug + Send + Sync;
    /// Evidence that a proof contains for each tuple.
    type Evidence: Clone + Debug + Eq + Serialize + DeserializeOwned;
    /// Evidence that a proof contains once.
    type Seal: Clone + Debug + Eq + Serialize + DeserializeOwned;

    /// Returns the root of the head that a seal contains. It must equal the root of the head that
    /// the client has verified. `None` if only the author's key and the version bind a proof.
    fn opened_root(_: &Self::Seal) -> Option<S::Digest> {
        None
    }

    /// Returns the instants that the evidence covers, for display. Nothing is verified. May return
    /// [`Attested::INSTANT`] although the evidence covers more.
    fn attested(evidence: &Self::Evidence) -> Attested<S>;

    /// Checks the evidence for all claims of a proof. `evidence` must have one item for each claim;
    /// not every design checks the number.
    ///
    /// # Errors
    /// The [`VerifyError`] variant of the first condition that does not hold.
    fn check(
        expectation: &Expectation<Self::Key>,
        claims: &[Claim<S>],
        evidence: Vec<Self::Evidence>,
        seal: Self::Seal,
    ) -> Result<(), VerifyError>;
}

/// A design that aggregates the evidence for many tuples. `AggregateDesign` (feature `std`) adds
/// the part of servers.
///
/// Law: `check_all` accepts an honest server's evidence for distinct tuples that existed at the
/// claimed instants, with the claims in the same order. It accepts no other evidence, short of a
/// forgery.
pub trait AggregateScheme<S: Suite>: TupleScheme<S> {
    /// Evidence that a proof contains for each tuple.
    type TupleData: Clone + Debug + Eq + Serialize + DeserializeOwned;
    /// Evidence that a proof contains once for all tuples.
    type Aggregate: Clone + Debug + Eq + Serialize + DeserializeOwned;

    /// Checks the evidence for all claims of a proof, at least one and no two equal.
    ///
    /// # Errors
    /// The [`VerifyError`] variant of the first condition that does not hold;
    /// [`VerifyError::CountMismatch`] if the evidence has another number of tuples.
    fn check_all(
        expectation: &Expectation<Self::Key>,
        claims: &[Claim<S>],
        shown: &[Self::TupleData],
        aggregate: Self::Aggregate,
    ) -> Result<(), VerifyError>;
}

/// Returns the scheme id of a design: `0x0200 | kind << 4 | generations`.
#[allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "evaluated by the compiler"
)]
pub(crate) const fn scheme_id(kind: u16, generations: usize) -> SchemeId {
    const NUMBERS: [u16; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    assert!(generations >= 1 && generations <= MAX_GENERATIONS);
    SchemeId(0x0200 | kind << 4 | NUMBERS[generations])
}
