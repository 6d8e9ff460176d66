//! The interface that each design of tuple dictionaries implements for verifiers: name, number,
//! keys and evidence.

use alloc::vec::Vec;
use core::fmt::Debug;

use pad_core::{Authority, SchemeId, Suite, VerifyError, Version};
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    statement::{Context, TupleStatement},
    tuple::{GenerationIndex, MAX_GENERATIONS, generation_index},
    validity::Validity,
};

/// The version, dictionary and author that a client expects a proof to be about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation<Key> {
    /// The trusted author, with the dictionary and the scheme id of the design.
    pub authority: Authority,
    /// The public key of the design, needed in addition to the author's key. Clones share the large
    /// parts of a key.
    pub key: Key,
    /// The version that the client requested.
    pub version: Version,
}

impl<Key> Expectation<Key> {
    /// Returns the design and dictionary for which the expected signed statements are valid.
    pub const fn context(&self) -> Context {
        Context::of(&self.authority)
    }
}

/// A claim to check against evidence: the tuple with digest `tuple` existed at `instant`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim<S: Suite> {
    /// The generation of the tuple, 0 for the youngest.
    pub generation: GenerationIndex,
    /// The instant: a version for the youngest generation, an epoch for an older one.
    pub instant: u64,
    /// The digest of the tuple.
    pub tuple: S::Digest,
}

impl<S: Suite> Claim<S> {
    pub(crate) fn new(generation: usize, instant: u64, tuple: S::Digest) -> Self {
        let generation = generation_index(generation);
        Self {
            generation,
            instant,
            tuple,
        }
    }

    /// Returns the statement that the author signs if the tuple exists from `since` to `until`.
    pub(crate) fn statement(
        &self,
        since: u64,
        until: u64,
        anchor: Option<S::Digest>,
    ) -> TupleStatement<S> {
        TupleStatement {
            generation: self.generation,
            since,
            until,
            tuple: self.tuple,
            anchor,
        }
    }
}

/// The instants and hash chain links that the evidence of a tuple covers, for display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attested<S: Suite> {
    /// The instants (versions or epochs) that the evidence covers. `None` if it covers only the
    /// requested instant, or is not decoded.
    pub validity: Option<Validity>,
    /// The number of revealed links of a hash chain, and the newest link: the anchor if no link is
    /// revealed. `None` for evidence without a hash chain.
    pub chain: Option<(u32, S::Digest)>,
}

impl<S: Suite> Attested<S> {
    /// Evidence that covers only the requested instant.
    pub const INSTANT: Self = Self {
        validity: None,
        chain: None,
    };
}

/// A design of tuple dictionaries, as verifiers see it: name, number and check of evidence.
/// `Design` (feature `std`) adds the part of authors and servers.
///
/// Law: `check` accepts an honest server's evidence for tuples that existed at the claimed
/// instants. It accepts no other evidence, short of a forgery.
///
/// Source: Crosby & Wallach 2010, section 4.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a design of tuple dictionaries",
    label = "not a design",
    note = "designs are types such as `Base` and `SpecLightweight`"
)]
pub trait TupleScheme<S: Suite>: Clone + Debug + Send + Sync + 'static {
    /// The number of generations, at most 15. Designs without speculation have one.
    const GENERATIONS: usize;
    /// The scheme id of this design in heads and signed statements.
    const SCHEME: SchemeId;
    /// The display name of this design, for example `spec-lightweight`.
    const NAME: &'static str;

    /// The public key of the design, in addition to the author's key; `()` if there is none.
    type Key: Clone + Debug + Send + Sync;
    /// The evidence that a proof for one key contains for each of its tuples.
    type Evidence: Clone + Debug + Eq + Serialize + DeserializeOwned;
    /// The evidence that a proof for one key contains once, for all its tuples.
    type Seal: Clone + Debug + Eq + Serialize + DeserializeOwned;

    /// Returns the root of the head, recomputed from the parts that a seal contains. The client
    /// must compare it with the root that it has verified. `None` if seals of this design contain
    /// no parts of a head.
    fn opened_root(_: &Self::Seal) -> Option<S::Digest> {
        None
    }

    /// Returns the instants and hash chain links that the evidence covers, for display. Nothing is
    /// verified. May return [`Attested::INSTANT`] although the evidence covers more.
    fn attested(evidence: &Self::Evidence) -> Attested<S>;

    /// Checks that `evidence` and `seal` prove all claims of a proof. The caller must pass one item
    /// of `evidence` for each claim: not every design checks the number.
    ///
    /// # Errors
    /// The [`VerifyError`] of the first check that fails.
    fn check(
        expectation: &Expectation<Self::Key>,
        claims: &[Claim<S>],
        evidence: Vec<Self::Evidence>,
        seal: Self::Seal,
    ) -> Result<(), VerifyError>;
}

/// A design that aggregates the evidence for many tuples, so that it supports proofs for several
/// keys and for ranges. `AggregateDesign` (feature `std`) adds the part of servers.
///
/// Law: `check_all` accepts an honest server's evidence for distinct tuples that existed at the
/// claimed instants, with the claims in the same order. It accepts no other evidence, short of a
/// forgery.
pub trait AggregateScheme<S: Suite>: TupleScheme<S> {
    /// The evidence that a proof with aggregated evidence contains for each of its tuples.
    type TupleData: Clone + Debug + Eq + Serialize + DeserializeOwned;
    /// The evidence that a proof with aggregated evidence contains once, for all its tuples.
    type Aggregate: Clone + Debug + Eq + Serialize + DeserializeOwned;

    /// Checks that `shown` (one item for each claim) and `aggregate` prove all claims. There is at
    /// least one claim, and no two are equal.
    ///
    /// # Errors
    /// The [`VerifyError`] of the first check that fails. [`VerifyError::CountMismatch`] if the
    /// evidence is for another number of tuples.
    fn check_all(
        expectation: &Expectation<Self::Key>,
        claims: &[Claim<S>],
        shown: &[Self::TupleData],
        aggregate: Self::Aggregate,
    ) -> Result<(), VerifyError>;
}

/// Returns the scheme id of a design, from its kind (how tuples are authenticated) and number of
/// generations: `0x0200 | kind << 4 | generations`.
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
