//! Tuple dictionaries as a [family](pad_core::Family), for clients.

use core::{fmt, marker::PhantomData};

use pad_core::{
    Answers, Family, Key, KeyRange, Keys, PublicKey, Question, SchemeId, Sha256Ed25519, Suite,
    Untrusted, Verified, VerifiedRoot, VerifyError,
};

use crate::{
    many::ManyProof,
    proof::TupleProof,
    range::RangeProof,
    scheme::{AggregateScheme, Expectation, TupleScheme},
};

/// The family of tuple dictionaries of design `D` under suite `S`.
///
/// Every design answers lookups of one key. The signed designs also answer lookups of several keys
/// and of key ranges. Unsupported queries do not compile:
///
/// ```compile_fail,E0277
/// use pad_core::{Client, First, Verified, Neighbour};
/// use pad_tuple::{Tuple, designs::SpecLightweight};
///
/// fn first(client: &Client<Tuple<SpecLightweight>>, answer: &[u8]) -> Verified<Neighbour<First>> {
///     client.check(answer, &First).unwrap()
/// }
/// ```
///
/// ```compile_fail,E0277
/// use pad_core::{Client, KeyRange, Verified, RangeContents};
/// use pad_tuple::{Tuple, designs::AccumulatorsRsa};
///
/// fn all(client: &Client<Tuple<AccumulatorsRsa>>, answer: &[u8]) -> Verified<RangeContents> {
///     client.check(answer, &KeyRange::ALL).unwrap()
/// }
/// ```
///
/// The second query compiles for a signed design:
///
/// ```
/// use pad_core::{Client, KeyRange, Verified, RangeContents};
/// use pad_tuple::{Tuple, designs::SpecLightweight};
///
/// fn all(client: &Client<Tuple<SpecLightweight>>, answer: &[u8]) -> Verified<RangeContents> {
///     client.check(answer, &KeyRange::ALL).unwrap()
/// }
/// ```
pub struct Tuple<D, S = Sha256Ed25519>(PhantomData<fn() -> (D, S)>);

impl<D: TupleScheme<S>, S: Suite> fmt::Debug for Tuple<D, S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(D::NAME)
    }
}

impl<D: TupleScheme<S>, S: Suite> Family for Tuple<D, S> {
    type Suite = S;
    type Key = D::Key;
    type Error = VerifyError;
    const SCHEME: SchemeId = D::SCHEME;
    const NAME: &'static str = D::NAME;
}

/// Implements [`Answers`]. The expression is the root recomputed from the proof, if the proof
/// contains the inputs of a version's root: see [`TupleScheme::opened_root`].
macro_rules! answers {
    ($($question:ty: $design:ident, $proof:ident, |$shown:ident| $root:expr;)+) => { $(
        impl<D: $design<S>, S: Suite> Answers<$question> for Tuple<D, S> {
            type Proof = $proof<S, D>;

            fn verify(
                proof: Untrusted<$proof<S, D>>,
                public: &PublicKey<Self>,
                at: &VerifiedRoot<S>,
                question: &$question,
            ) -> Result<Verified<<$question as Question>::Statement>, VerifyError> {
                let $shown = proof.as_unverified();
                let opened: Option<S::Digest> = $root;
                if opened.is_some_and(|root| root != at.root()) {
                    return Err(VerifyError::RootMismatch);
                }
                proof.verify(&expectation(public, at), question)
            }
        }
    )+ };
}

answers! {
    Key: TupleScheme, TupleProof, |proof| proof.seal.as_ref().and_then(D::opened_root);
    Keys: AggregateScheme, ManyProof, |_proof| None;
    KeyRange: AggregateScheme, RangeProof, |_proof| None;
}

/// Returns the public key and version that a client expects, for the version of a verified root.
fn expectation<D: TupleScheme<S>, S: Suite>(
    public: &PublicKey<Tuple<D, S>>,
    at: &VerifiedRoot<S>,
) -> Expectation<D::Key> {
    Expectation {
        authority: *public.authority(),
        key: public.key().clone(),
        version: at.version(),
    }
}
