//! What a verifier knows of a design of tuple PADs: its name and number, its keys and its evidence.

use alloc::vec::Vec;
use core::fmt::Debug;

use pad_core::{SchemeId, Suite, VerifyError, Version, head::Authority};
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    statement::Context,
    tuple::{GenerationIndex, MAX_GENERATIONS},
    validity::Validity,
};

/// What a client expects to be told about: one version of one dictionary, by one author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation<Key> {
    /// Whose word is taken, for which dictionary and design.
    pub authority: Authority,
    /// What the design's statements are verified with beyond the author's key, if anything. The keys of
    /// all designs share what is large in them between their clones.
    pub key: Key,
    /// The version asked about.
    pub version: Version,
}

impl<Key> Expectation<Key> {
    /// The place that statements must have been made for.
    pub const fn context(&self) -> Context {
        Context::of(&self.authority)
    }
}

/// One tuple that a proof shows, and the instant at which it must have been there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim<S: Suite> {
    /// The generation that the tuple is in, 0 for the youngest.
    pub generation: GenerationIndex,
    /// The instant on the generation's clock.
    pub instant: u64,
    /// The digest of the tuple.
    pub tuple: S::Digest,
}

/// What the evidence of a tuple says of its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attested<S: Suite> {
    /// The instants that it covers; `None` if it is for the one asked about alone.
    pub validity: Option<Validity>,
    /// The links of a hash chain that were revealed, and the newest of them.
    pub chain: Option<(u32, S::Digest)>,
}

impl<S: Suite> Attested<S> {
    /// For the instant asked about alone.
    pub const INSTANT: Self = Self {
        validity: None,
        chain: None,
    };

    /// For these instants.
    pub const fn during(validity: Validity) -> Self {
        Self {
            validity: Some(validity),
            chain: None,
        }
    }
}

/// The name and number of a design of tuple PADs, and how its evidence is checked. Authors and servers know
/// more of it (`Design`, with the feature `std`).
///
/// Law: `check` accepts the evidence that an honest server has for tuples which were there at those
/// instants, and accepts nothing else short of a forgery.
///
/// Source: Crosby & Wallach 2010, section 4.
pub trait TupleScheme<S: Suite>: Clone + Debug + Send + Sync + 'static {
    /// The number of generations, 1 without speculation, at most 15.
    const GENERATIONS: usize;
    /// The number of this design in heads and statements.
    const SCHEME: SchemeId;
    /// The name of this design for people, for example `spec-lightweight`.
    const NAME: &'static str;

    /// What clients and servers must know beyond the authority: a public key, or nothing.
    type Key: Clone + Debug + Send + Sync;
    /// What a proof shows of each tuple.
    type Evidence: Clone + Debug + Eq + Serialize + DeserializeOwned;
    /// What a proof shows once.
    type Seal: Clone + Debug + Eq + Serialize + DeserializeOwned;

    /// The root of the head that a seal opens, if it opens one: it must be that of the head which a client
    /// has verified. `None` where a proof is bound to the author's key and the version alone.
    fn opened_root(_: &Self::Seal) -> Option<S::Digest> {
        None
    }

    /// What the evidence of a tuple says of its time, for people; nothing of it is checked.
    fn attested(evidence: &Self::Evidence) -> Attested<S>;

    /// Checks the evidence for all claims of a proof.
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

/// A design whose evidence for many tuples has a part that stands once for all of them. Servers know how
/// to make it (`AggregateDesign`, with the feature `std`).
///
/// Law: `check_all` accepts the evidence that an honest server has for tuples which were there at those
/// instants, with their claims in the same order, none of them twice; and nothing else short of a forgery.
pub trait AggregateScheme<S: Suite>: TupleScheme<S> {
    /// What a proof shows of each tuple.
    type Shown: Clone + Debug + Eq + Serialize + DeserializeOwned;
    /// What a proof shows once for all tuples.
    type Aggregate: Clone + Debug + Eq + Serialize + DeserializeOwned;

    /// Checks the evidence for all claims of a proof, at least one and no two equal.
    ///
    /// # Errors
    /// The [`VerifyError`] variant of the first condition that does not hold;
    /// [`VerifyError::CountMismatch`] if the evidence is not for as many tuples.
    fn check_all(
        expectation: &Expectation<Self::Key>,
        claims: &[Claim<S>],
        shown: &[Self::Shown],
        aggregate: Self::Aggregate,
    ) -> Result<(), VerifyError>;
}

/// The number of a design: `0x0200 | kind << 4 | generations`.
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
