//! Implementations of the `pad-core` traits for authors and servers of tree dictionaries.

use pad_core::{
    Authored, Authority, HeadSigner, Heads, Hosts, LookupError, PublicKey, Serves, Suite, Version,
};

use crate::{
    annotation::Authenticated,
    author::TreeAuthor,
    balancing::BalancingScheme,
    family::Tree,
    proof::TreeProof,
    prover::ProvableQuery,
    repository::TreeRepository,
    store::{VersionedStore, path_copying::PathCopying},
};

impl<B: BalancingScheme, S: Suite> Authored for Tree<B, S> {
    type Attachment = ();
    type Secret = ();
    type AuthorError = signature::Error;
    type Author = TreeAuthor<S, B, HeadSigner>;
    type Repository = TreeRepository<S, PathCopying<Authenticated<S>, B>>;

    fn generate_secret() -> Result<(), signature::Error> {
        Ok(())
    }

    fn key((): &()) {}

    fn author(authority: Authority, signer: HeadSigner, (): ()) -> Self::Author {
        TreeAuthor::new(authority.dictionary, authority.author, signer)
    }
}

impl<S, St> Hosts for TreeRepository<S, St>
where
    S: Suite,
    St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync,
{
    type Family = Tree<St::Scheme, S>;

    fn create(public: &PublicKey<Self::Family>) -> Self {
        Self::new(*public.authority())
    }

    fn resume(
        &self,
        signer: HeadSigner,
        (): (),
    ) -> Result<TreeAuthor<S, St::Scheme, HeadSigner>, signature::Error> {
        Ok(TreeAuthor::resume(self, signer))
    }

    fn heads(&self) -> impl Heads<S> {
        self.heads()
    }
}

impl<S, St, Q> Serves<Q> for TreeRepository<S, St>
where
    S: Suite,
    St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync,
    Q: ProvableQuery,
{
    fn prove_answer(&self, version: Version, question: &Q) -> Result<TreeProof<S, Q>, LookupError> {
        self.prove_query(version, question)
    }
}
