//! Tree PADs as a family: what clients, authors and servers of `pad-core` need of them.

use core::{fmt, marker::PhantomData};

use pad_core::{
    Answers, Authored, Family, HeadSigner, Hosts, LookupError, PublicKey, SchemeId, Serves,
    Sha256Ed25519, Suite, Untrusted, Verified, VerifyError, Version, family::VerifiedRoot,
    head::Authority, history::ConsistencyProof,
};

use crate::{
    annotation::Authenticated,
    author::TreeAuthor,
    balancing::BalancingScheme,
    proof::TreeProof,
    prover::ProvableQuery,
    query::TreeQuery,
    repository::TreeRepository,
    store::{VersionedStore, path_copying::PathCopying},
};

/// The family of tree PADs of balancing scheme `B` under suite `S`. It answers every question.
///
/// The store is not part of it: all four give the same roots and proofs. A server that names none has
/// [`PathCopying`].
///
/// ```
/// use ed25519_dalek::SigningKey;
/// use pad_core::{Answer, Author, Client, Key, Server, Value};
/// use pad_tree::{RedBlack, Tree};
///
/// type Prices = Tree<RedBlack>;
///
/// let mut author = Author::<Prices>::new("fruit prices", SigningKey::from_bytes(&[7; 32]))?;
/// let mut server = Server::<Prices>::new(author.public());
/// let mut client = Client::<Prices>::new(author.public().clone());
///
/// author.put("apple", "1.20")?;
/// let version = server.apply(&author.snapshot()?)?;
///
/// client.advance(&server.head(version)?, None)?;
/// let key = Key::try_from("apple")?;
/// let lookup = client.check(&server.answer(version, &key)?, &key)?;
/// assert_eq!(lookup.get().answer, Answer::Present(Value::try_from("1.20")?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Tree<B, S = Sha256Ed25519>(PhantomData<fn() -> (B, S)>);

impl<B: BalancingScheme, S: Suite> fmt::Debug for Tree<B, S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(B::NAME)
    }
}

impl<B: BalancingScheme, S: Suite> Family for Tree<B, S> {
    type Suite = S;
    type Key = ();
    type Error = VerifyError;
    const SCHEME: SchemeId = B::ID;
    const NAME: &'static str = B::NAME;
}

impl<B: BalancingScheme, S: Suite, Q: TreeQuery> Answers<Q> for Tree<B, S> {
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

    fn prove_consistency(
        &self,
        older: Version,
        newer: Version,
    ) -> Result<ConsistencyProof<S>, LookupError> {
        self.prove_consistency(older, newer)
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
