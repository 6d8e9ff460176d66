//! The hash chain over the accumulator values of all generations, and the parts of it that a proof
//! contains.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use pad_accumulators::{Dynamic, PublicKey, Snapshot};
use pad_core::{
    Digest, HeadSignature, Proof, SignedHead, SnapshotHead, Suite, Untrusted, Verified,
    VerifyError, internals::Domain,
};
use serde::{Deserialize, Serialize};

use crate::{
    accumulated::{collection::label, evidence::decode},
    scheme::{Claim, Expectation},
    tuple::{GenerationIndex, length_of},
    update,
};

/// Returns the digest that chains a generation's accumulator value to `older`, the chain over all
/// older generations. For the oldest generation, `older` is `None`.
///
/// The chain is `H(tuple-chain, value's length (4 bytes, big-endian) ‖ value ‖ older chain)`.
///
/// Source: Crosby & Wallach 2010, section 4.3, `B(v)`.
pub(crate) fn link<S: Suite>(value: &[u8], older: Option<&S::Digest>) -> S::Digest {
    let older: &[u8] = older.map_or(&[], AsRef::as_ref);
    S::hash(Domain::TupleChain, &[&length_of(value), value, older])
}

/// Returns the digest through which the signed root commits to a chain: `H(tuple-attachment, merged
/// (1) ‖ chain)`. `merged` is the generation into which the younger generations were merged. The
/// hashed bytes differ in length from the encoding of every list of this design's extensions.
pub(super) fn bound<S: Suite>(merged: GenerationIndex, chain: &S::Digest) -> S::Digest {
    S::hash(Domain::TupleAttachment, &[&[merged], chain.as_ref()])
}

/// Parts of a version's head that a proof contains: the signature, the history and the inputs of
/// the root. A client recomputes the root, assembles the head and verifies the signature. `values`
/// contains the accumulator values of the generations that the proof uses. `rest` is the chain over
/// the values of the other generations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct ChainSeal<S: Suite> {
    /// The author's signature on the head.
    pub signature: Digest<64>,
    /// The history root in the head.
    pub history: S::Digest,
    /// The digest of the operations that produced the version.
    pub operations: S::Digest,
    /// The generation into which the version's update merged the younger generations.
    pub merged: GenerationIndex,
    /// The encoded accumulator values of the generations that the proof uses, youngest first.
    pub values: Vec<Vec<u8>>,
    /// The chain over the accumulator values of the other generations; `None` if the proof uses all
    /// generations.
    pub rest: Option<S::Digest>,
}

impl<S: Suite> ChainSeal<S> {
    /// Computes the root of the version from the digest of the operations, `merged` and the chain.
    pub(super) fn root(&self) -> S::Digest {
        let mut chain = self.rest;
        for value in self.values.iter().rev() {
            chain = Some(link::<S>(value, chain.as_ref()));
        }
        let empty = || S::hash(Domain::TupleChain, &[]);
        let chain = chain.unwrap_or_else(empty);
        update::root::<S>(&self.operations, &bound::<S>(self.merged, &chain))
    }

    /// Assembles the head of the version in `expectation`, and verifies its signature.
    ///
    /// # Errors
    /// [`VerifyError::SignatureInvalid`] if the author did not sign the head. Other errors of head
    /// verification.
    fn head<K>(
        &self,
        expectation: &Expectation<K>,
    ) -> Result<Verified<SnapshotHead<S>>, VerifyError> {
        let head = SnapshotHead {
            scheme: expectation.authority.scheme,
            dictionary: expectation.authority.dictionary,
            version: expectation.version,
            root: self.root(),
            history: self.history,
        };
        let signature = HeadSignature::from_bytes(&self.signature.0);
        Untrusted::new(SignedHead { head, signature })
            .verify(&expectation.authority, &expectation.version)
    }

    /// Rejects a seal that does not contain exactly the values of the `shown` youngest of
    /// `generations` generations.
    fn require_shown(&self, shown: usize, generations: usize) -> Result<(), VerifyError> {
        if self.values.len() < shown || (self.rest.is_none() && shown < generations) {
            return Err(VerifyError::GenerationMissing);
        }
        if self.values.len() > shown || (self.rest.is_some() && shown >= generations) {
            return Err(VerifyError::GenerationSurplus);
        }
        Ok(())
    }
}

/// The accumulator value of one generation, as evidence in an opened chain.
struct OpenedValue<'a, S: Suite, A: Dynamic> {
    seal: &'a ChainSeal<S>,
    generation: GenerationIndex,
    accumulator: core::marker::PhantomData<A>,
}

/// Verified against the verified head of a version, with the public key of the generation's
/// accumulator as the query. The statement is the generation's accumulator value in this version.
impl<S: Suite, A: Dynamic> Proof for OpenedValue<'_, S, A> {
    type Commitment = Verified<SnapshotHead<S>>;
    type Query = A::PublicKey;
    type Statement = Snapshot<A>;
    type Error = VerifyError;

    fn check(
        self,
        head: &Verified<SnapshotHead<S>>,
        key: &A::PublicKey,
    ) -> Result<Snapshot<A>, VerifyError> {
        if self.seal.root() != head.get().root {
            return Err(VerifyError::RootMismatch);
        }
        let value = self.seal.values.get(usize::from(self.generation));
        Ok(Snapshot {
            key: key.clone(),
            version: head.get().version,
            value: decode(key, value.ok_or(VerifyError::GenerationMissing)?)?,
        })
    }
}

/// Checks the witness of each claimed tuple against the accumulator values to which the signed root
/// commits.
///
/// The head is that of the requested version, and commits to the values of all generations in this
/// version. Instants need no check: the epochs in the youngest tuple belong to this version.
///
/// # Errors
/// [`VerifyError::GenerationMissing`], [`VerifyError::GenerationSurplus`],
/// [`VerifyError::CountMismatch`] or [`VerifyError::Undecodable`].
/// [`VerifyError::SignatureInvalid`] if the author did not sign the assembled head. The errors of
/// the accumulator if a witness does not verify.
pub(super) fn check<S: Suite, A: Dynamic>(
    expectation: &Expectation<A::PublicKey>,
    claims: &[Claim<S>],
    witnesses: &[Vec<u8>],
    (seal, generations): (&ChainSeal<S>, usize),
) -> Result<(), VerifyError> {
    if claims.len() != witnesses.len() {
        return Err(VerifyError::CountMismatch);
    }
    seal.require_shown(claims.len(), generations)?;
    let head = seal.head(expectation)?;
    for (claim, witness) in claims.iter().zip(witnesses) {
        let label = label::<S>(expectation.context(), claim.generation);
        let key = expectation.key.with_label(&label);
        let witness: A::Witness = decode(&key, witness)?;
        let opened = OpenedValue::<S, A> {
            seal,
            generation: claim.generation,
            accumulator: core::marker::PhantomData,
        };
        let snapshot = Untrusted::new(opened).verify(&head, &key)?;
        Untrusted::new(witness).verify(&snapshot, claim.tuple.as_ref())?;
    }
    Ok(())
}
