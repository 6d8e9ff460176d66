//! Implementations of the `pad-core` traits for authors and servers of tuple dictionaries.

use pad_core::{
    Authored, Authority, HeadSigner, Heads, Hosts, Key, KeyRange, Keys, LookupError, PublicKey,
    Repository, Serves, Suite, Version,
};

use crate::{
    author::TupleAuthor,
    design::{AggregateDesign, AuthorError, Design},
    family::Tuple,
    keys::{DEFAULT_ENTRIES, SecretBytes},
    many::ManyProof,
    proof::TupleProof,
    range::RangeProof,
    repository::TupleRepository,
    update::TupleAttachment,
};

impl<D: Design<S, Secret: SecretBytes>, S: Suite> Authored for Tuple<D, S> {
    type Attachment = TupleAttachment<D::Extension>;
    type Secret = D::Secret;
    type AuthorError = AuthorError;
    type Author = TupleAuthor<S, D, HeadSigner>;
    type Repository = TupleRepository<S, D>;

    fn generate_secret() -> Result<D::Secret, AuthorError> {
        D::Secret::generate(DEFAULT_ENTRIES)
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

    fn heads(&self) -> impl Heads<S> {
        self.heads()
    }
}

macro_rules! serves {
    ($($question:ty: $design:ident, $proof:ident, $prove:ident;)+) => { $(
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

serves! {
    Key: Design, TupleProof, prove;
    Keys: AggregateDesign, ManyProof, prove_keys;
    KeyRange: AggregateDesign, RangeProof, prove_range;
}
