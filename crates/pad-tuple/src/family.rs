//! Tuple PADs as a family: what clients, authors and servers of `pad-core` need of them.

use core::{fmt, marker::PhantomData};

use pad_core::{
    Answers, Authored, Family, HeadSigner, Hosts, Key, KeyRange, Keys, LookupError, PublicKey,
    Repository, SchemeId, Serves, Sha256Ed25519, Suite, Untrusted, Verified, VerifyError, Version,
    family::VerifiedRoot,
    head::Authority,
    history::{ConsistencyProof, InclusionProof},
    question::Question,
};

use crate::{
    aggregate::AggregateDesign,
    author::TupleAuthor,
    design::{AuthorError, Design, Expectation},
    keys::SecretBytes,
    many::ManyProof,
    proof::TupleProof,
    range::RangeProof,
    repository::TupleRepository,
    update::TupleAttachment,
};

/// The family of tuple PADs of design `D` under suite `S`.
///
/// Every design answers for one key; the signed ones for several keys and for ranges too. A question that
/// a family does not answer does not compile:
///
/// ```compile_fail,E0277
/// use pad_core::{Client, First, Verified, statement::Neighbour};
/// use pad_tuple::{Tuple, designs::SpecLightweight};
///
/// fn first(client: &Client<Tuple<SpecLightweight>>, answer: &[u8]) -> Verified<Neighbour<First>> {
///     client.check(answer, &First).unwrap()
/// }
/// ```
///
/// ```compile_fail,E0277
/// use pad_core::{Client, KeyRange, Verified, statement::RangeContents};
/// use pad_tuple::{Tuple, designs::AccumulatorsRsa};
///
/// fn all(client: &Client<Tuple<AccumulatorsRsa>>, answer: &[u8]) -> Verified<RangeContents> {
///     client.check(answer, &KeyRange::ALL).unwrap()
/// }
/// ```
///
/// which compiles for a signed design:
///
/// ```
/// use pad_core::{Client, KeyRange, Verified, statement::RangeContents};
/// use pad_tuple::{Tuple, designs::SpecLightweight};
///
/// fn all(client: &Client<Tuple<SpecLightweight>>, answer: &[u8]) -> Verified<RangeContents> {
///     client.check(answer, &KeyRange::ALL).unwrap()
/// }
/// ```
pub struct Tuple<D, S = Sha256Ed25519>(PhantomData<fn() -> (D, S)>);

impl<D: Design<S>, S: Suite> fmt::Debug for Tuple<D, S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(D::NAME)
    }
}

impl<D: Design<S>, S: Suite> Family for Tuple<D, S> {
    type Suite = S;
    type Key = D::Key;
    type Error = VerifyError;
    const SCHEME: SchemeId = D::SCHEME;
    const NAME: &'static str = D::NAME;
}

macro_rules! answers {
    ($($question:ty: $design:ident, $proof:ident, $prove:ident;)+) => { $(
        impl<D: $design<S>, S: Suite> Answers<$question> for Tuple<D, S> {
            type Proof = $proof<S, D>;

            fn verify(
                proof: Untrusted<$proof<S, D>>,
                public: &PublicKey<Self>,
                at: &VerifiedRoot<S>,
                question: &$question,
            ) -> Result<Verified<<$question as Question>::Statement>, VerifyError> {
                let opened = proof.as_unverified().opened_root();
                if opened.is_some_and(|root| root != at.root()) {
                    return Err(VerifyError::RootMismatch);
                }
                proof.verify(&expectation(public, at), question)
            }
        }

        impl<D: $design<S, Secret: SecretBytes>, S: Suite> Serves<$question>
            for TupleRepository<S, D>
        {
            fn prove_answer(
                &self,
                version: Version,
                question: &$question,
            ) -> Result<$proof<S, D>, LookupError> {
                self.$prove(version, question)
            }
        }
    )+ };
}

answers! {
    Key: Design, TupleProof, prove;
    Keys: AggregateDesign, ManyProof, prove_keys;
    KeyRange: AggregateDesign, RangeProof, prove_range;
}

/// A proof that may open a head of its own.
trait OpensHead<S: Suite> {
    /// As [`Design::opened_root`].
    fn opened_root(&self) -> Option<S::Digest> {
        None
    }
}

impl<D: Design<S>, S: Suite> OpensHead<S> for TupleProof<S, D> {
    fn opened_root(&self) -> Option<S::Digest> {
        self.seal.as_ref().and_then(D::opened_root)
    }
}

impl<D: AggregateDesign<S>, S: Suite> OpensHead<S> for ManyProof<S, D> {}
impl<D: AggregateDesign<S>, S: Suite> OpensHead<S> for RangeProof<S, D> {}

/// What a client expects of the version whose root is verified.
fn expectation<D: Design<S>, S: Suite>(
    public: &PublicKey<Tuple<D, S>>,
    at: &VerifiedRoot<S>,
) -> Expectation<D::Key> {
    Expectation {
        authority: *public.authority(),
        key: public.key().clone(),
        version: at.version(),
    }
}

impl<D: Design<S, Secret: SecretBytes>, S: Suite> Authored for Tuple<D, S> {
    type Attachment = TupleAttachment<D::Extension>;
    type Secret = D::Secret;
    type AuthorError = AuthorError;
    type Author = TupleAuthor<S, D, HeadSigner>;
    type Repository = TupleRepository<S, D>;

    fn generate_secret() -> Result<D::Secret, AuthorError> {
        D::Secret::generate()
    }

    fn key(secret: &D::Secret) -> D::Key {
        D::key(secret)
    }

    fn author(authority: Authority, signer: HeadSigner, secret: D::Secret) -> Self::Author {
        TupleAuthor::new(authority.dictionary, authority.author, signer, secret)
    }
}

impl<D: Design<S, Secret: SecretBytes>, S: Suite> Hosts for TupleRepository<S, D> {
    type Family = Tuple<D, S>;

    fn create(public: &PublicKey<Self::Family>) -> Self {
        Self::new(*public.authority(), public.key().clone())
    }

    fn resume(
        &self,
        signer: HeadSigner,
        secret: D::Secret,
    ) -> Result<TupleAuthor<S, D, HeadSigner>, AuthorError> {
        TupleAuthor::resume(self, signer, secret)
    }

    fn prove_consistency(
        &self,
        older: Version,
        newer: Version,
    ) -> Result<ConsistencyProof<S>, LookupError> {
        self.prove_consistency(older, newer)
    }

    fn prove_inclusion(
        &self,
        version: Version,
        newer: Version,
    ) -> Result<InclusionProof<S>, LookupError> {
        self.prove_inclusion(version, newer)
    }
}
