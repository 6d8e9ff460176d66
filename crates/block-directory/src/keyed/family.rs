//! Keyed directories as a family: what clients need of them, which is the verifier of `pad-tree`.

use core::{fmt, marker::PhantomData};

use pad_core::{
    Answers, Family, PublicKey, SchemeId, Sha256Ed25519, Suite, Untrusted, Verified, VerifyError,
    family::VerifiedRoot,
};
use pad_tree::{TreeProof, TreeQuery};

use super::BLOCK_TREE;

/// The family of keyed directories under suite `S`. It answers every question that trees answer.
pub struct KeyedBlocks<S = Sha256Ed25519>(PhantomData<fn() -> S>);

impl<S: Suite> fmt::Debug for KeyedBlocks<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(Self::NAME)
    }
}

impl<S: Suite> Family for KeyedBlocks<S> {
    type Suite = S;
    type Key = ();
    type Error = VerifyError;
    const SCHEME: SchemeId = BLOCK_TREE;
    const NAME: &'static str = "block-tree";
}

impl<S: Suite, Q: TreeQuery> Answers<Q> for KeyedBlocks<S> {
    type Proof = TreeProof<S, Q>;

    fn verify(
        proof: Untrusted<TreeProof<S, Q>>,
        _: &PublicKey<Self>,
        at: &VerifiedRoot<S>,
        question: &Q,
    ) -> Result<Verified<Q::Statement>, VerifyError> {
        proof.verify(at, question)
    }
}
