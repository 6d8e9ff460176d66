//! What is compared: every design of tuple dictionaries, and a tree beside them.

use core::marker::PhantomData;

use pad_core::{
    Attachment, Dictionary, DictionaryId, HeadSignature, Key, LookupError, Repository, SignedHead,
    Suite, Untrusted, Update, VerifyError, Version, Workers, codec, head::Authority,
};
use pad_tree::{Lookup, RedBlack, RedBlackCacheEverywhere, TreeAuthor, TreeProof};
use pad_tuple::{
    Design, Expectation, Speculation, TupleAuthor, TupleProof, TupleRepository,
    update::TupleAttachment,
};

use super::{
    instrument::timed,
    secret::{FixedSecret, FixedSigner},
};
use crate::{Outcome, author::new_author, primitives::author_key, server::authority};

/// The three roles of one dictionary, with fixed keys.
pub trait Contender {
    /// Its suite.
    type Suite: Suite;
    /// What its updates carry beside the operations.
    type Attachment: Attachment;
    /// Its author.
    type Author: Dictionary<Suite = Self::Suite, Attachment = Self::Attachment>;
    /// Its server.
    type Repository: Repository<
            Suite = Self::Suite,
            Attachment = Self::Attachment,
            Query = Key,
            Proof: Clone + core::fmt::Debug,
        >;
    /// What a client expects of answers about one version.
    type Expectation;
    /// The number of generations, 1 without speculation.
    const GENERATIONS: usize;
    /// The number of links of a hash chain, if there are any.
    const CHAIN: Option<u32>;

    /// A new author whose signatures are spread over these threads.
    fn author(workers: &Workers) -> Self::Author;
    /// The same author with another rule of merging.
    fn with_speculation(author: Self::Author, speculation: Speculation) -> Self::Author;
    /// The author's next snapshot.
    ///
    /// # Errors
    /// The author's.
    fn snapshot(author: &mut Self::Author) -> Outcome<UpdateOf<Self>>;
    /// An empty repository.
    fn repository() -> Self::Repository;
    /// The generation that an update merges into.
    fn merged(update: &UpdateOf<Self>) -> usize;
    /// The bytes of memory of a repository.
    fn memory_bytes(repository: &Self::Repository) -> usize;
    /// The expectation for a version.
    fn expectation(version: Version) -> Self::Expectation;
    /// Checks an answer, a server's head included where the proof relies on it.
    ///
    /// # Errors
    /// What the check refuses.
    fn check(
        expectation: &Self::Expectation,
        reply: Reply<Self>,
        key: &Key,
    ) -> Result<Lookup, VerifyError>;
    /// The bytes of an answer: proof, and of the head what a client must be sent.
    fn reply_bytes(reply: &Reply<Self>) -> usize;
}

/// An update of a contender.
pub type UpdateOf<C> = Update<<C as Contender>::Suite, <C as Contender>::Attachment>;

/// What a server sends: the head, which only trees rely on, and the proof.
#[derive(Debug)]
pub struct Reply<C: Contender + ?Sized> {
    /// The head of the version asked about.
    pub head: SignedHead<C::Suite>,
    /// The proof.
    pub proof: <C::Repository as Repository>::Proof,
}

impl<C: Contender + ?Sized> Clone for Reply<C> {
    fn clone(&self) -> Self {
        Self {
            head: self.head,
            proof: self.proof.clone(),
        }
    }
}

impl<C: Contender + ?Sized> Reply<C> {
    /// A server's answer.
    ///
    /// # Errors
    /// If the version is unknown.
    pub fn of(
        repository: &C::Repository,
        version: Version,
        key: &Key,
    ) -> Result<Self, LookupError> {
        Ok(Self {
            head: repository.head(version)?,
            proof: repository.prove(version, key)?,
        })
    }
}

/// A tuple dictionary of design `D` under suite `S`, signing with `K`.
#[derive(Debug)]
pub struct TupleContender<S, D, K>(PhantomData<(S, D, K)>);

impl<S: Suite, D: Design<S, Secret: FixedSecret>, K> TupleContender<S, D, K> {
    fn authority() -> Authority {
        Authority {
            author: author_key(),
            dictionary: DictionaryId::from_name("bench"),
            scheme: D::SCHEME,
        }
    }
}

impl<S: Suite, D: Design<S, Secret: FixedSecret>, K: FixedSigner> Contender
    for TupleContender<S, D, K>
{
    type Suite = S;
    type Attachment = TupleAttachment<D::Extension>;
    type Author = TupleAuthor<S, D, K>;
    type Repository = TupleRepository<S, D>;
    type Expectation = Expectation<D::Key>;
    const GENERATIONS: usize = D::GENERATIONS;
    const CHAIN: Option<u32> = D::Secret::CHAIN;

    fn author(workers: &Workers) -> Self::Author {
        let dictionary = DictionaryId::from_name("bench");
        let secret = D::Secret::fixed();
        TupleAuthor::new(dictionary, author_key(), K::fixed(), secret).with_workers(workers.clone())
    }

    fn with_speculation(author: Self::Author, speculation: Speculation) -> Self::Author {
        author.with_speculation(speculation)
    }

    fn snapshot(author: &mut Self::Author) -> Outcome<UpdateOf<Self>> {
        Ok(author.snapshot()?)
    }

    fn repository() -> Self::Repository {
        TupleRepository::new(Self::authority(), D::key(&D::Secret::fixed()))
    }

    fn merged(update: &UpdateOf<Self>) -> usize {
        usize::from(update.attachment.merged)
    }

    fn memory_bytes(repository: &Self::Repository) -> usize {
        repository.memory_bytes()
    }

    fn expectation(version: Version) -> Self::Expectation {
        Expectation {
            authority: Self::authority(),
            key: D::key(&D::Secret::fixed()),
            version,
        }
    }

    fn check(
        expectation: &Self::Expectation,
        reply: Reply<Self>,
        key: &Key,
    ) -> Result<Lookup, VerifyError> {
        let proof: TupleProof<S, D> = reply.proof;
        let lookup = Untrusted::new(proof).verify(expectation, key)?;
        Ok(lookup.into_inner())
    }

    fn reply_bytes(reply: &Reply<Self>) -> usize {
        codec::encode_body(&reply.proof).len()
    }
}

/// A red-black tree, caching digests everywhere: what the paper puts beside its tuples.
#[derive(Debug)]
pub struct TreeContender<S, K>(PhantomData<(S, K)>);

impl<S: Suite, K: FixedSigner> Contender for TreeContender<S, K> {
    type Suite = S;
    type Attachment = ();
    type Author = TreeAuthor<S, RedBlack, K>;
    type Repository = RedBlackCacheEverywhere<S>;
    type Expectation = (Authority, Version);
    const GENERATIONS: usize = 1;
    const CHAIN: Option<u32> = None;

    fn author(_: &Workers) -> Self::Author {
        new_author(K::fixed())
    }

    fn with_speculation(author: Self::Author, _: Speculation) -> Self::Author {
        author
    }

    fn snapshot(author: &mut Self::Author) -> Outcome<UpdateOf<Self>> {
        Ok(author.snapshot()?)
    }

    fn repository() -> Self::Repository {
        RedBlackCacheEverywhere::new(authority::<S, RedBlack>())
    }

    fn merged(_: &UpdateOf<Self>) -> usize {
        0
    }

    fn memory_bytes(repository: &Self::Repository) -> usize {
        repository.memory_bytes()
    }

    fn expectation(version: Version) -> Self::Expectation {
        (authority::<S, RedBlack>(), version)
    }

    fn check(
        (authority, version): &Self::Expectation,
        reply: Reply<Self>,
        key: &Key,
    ) -> Result<Lookup, VerifyError> {
        let head = timed(1, || Untrusted::new(reply.head).verify(authority, version))?;
        let proof: TreeProof<S, Key> = reply.proof;
        Ok(Untrusted::new(proof).verify(&head, key)?.into_inner())
    }

    fn reply_bytes(reply: &Reply<Self>) -> usize {
        let head = 2 * size_of::<S::Digest>() + size_of::<HeadSignature>();
        reply.proof.body_length() + head
    }
}
