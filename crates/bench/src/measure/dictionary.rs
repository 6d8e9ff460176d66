//! Measured dictionaries of any family behind one interface.
//!
//! An author with fixed keys publishes, a server applies and proves, a client checks. A measured
//! dictionary is represented by the type of its repository, which names its family.
//! [`HostedDictionary`] contains its author and its server. A [`Run`] lets them work in turns.

use std::time::Duration;

use pad_core::{
    Answer, Answers, Authored, Client, Dictionary, DictionaryId, HeadSignature, HeadSigner, Hosts,
    Key, Operation, PublicKey, Repository, Response, Serves, SnapshotHead, Suite, Untrusted,
    Update, Verified, Version, codec, internals::ProofOf,
};
use pad_tree::{
    TreeRepository,
    internals::{Authenticated, VersionedStore},
};
use pad_tuple::{Speculation, TupleRepository, internals::Design};
use signature::Signer;

use crate::{
    Outcome,
    cryptography::timed,
    measure::{roles::Roles, run},
    primitives::author_key,
    secret::FixedSecret,
};

/// Server repository of a dictionary that can be measured, with the fixed keys of its author.
pub trait MeasuredRepository: Serves<Key, Family: Answers<Key>> {
    /// Number of generations of tuples; 1 without speculation.
    const GENERATIONS: usize = 1;
    /// Number of links of the author's hash chains; `None` if there are none.
    const CHAIN: Option<u32> = None;
    /// Whether a client needs the signed head of a version to verify a proof. Tuples do not need
    /// it, because they are bound to their version themselves.
    const NEEDS_HEAD: bool;

    /// Returns the author's fixed secret, the same in all measurements.
    fn secret() -> <Self::Family as Authored>::Secret;
    /// Returns the author with another rule for merging generations of tuples. Has no effect on
    /// trees.
    fn with_speculation(author: AuthorOf<Self>, _: Speculation) -> AuthorOf<Self> {
        author
    }
    /// Returns the number of the generation into which an update merges its tuples.
    fn merged(_: &UpdateOf<Self>) -> usize {
        0
    }
    /// Returns the bytes of memory that the repository counts for itself.
    fn memory_bytes(&self) -> usize;
}

/// Author type of the family of the repository `R`.
pub type AuthorOf<R> = <<R as Hosts>::Family as Authored>::Author;

/// Update type of the family of the repository `R`.
pub type UpdateOf<R> = Update<<R as Repository>::Suite, <R as Repository>::Attachment>;

/// Store of a tree's nodes, with digests of the suite `S`.
pub trait Store<S: Suite>: VersionedStore<Annotation = Authenticated<S>> + Send + Sync {}

impl<S: Suite, St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync> Store<S> for St {}

impl<S: Suite, St: Store<S>> MeasuredRepository for TreeRepository<S, St> {
    const NEEDS_HEAD: bool = true;

    fn secret() {}

    fn memory_bytes(&self) -> usize {
        self.memory_bytes()
    }
}

impl<S: Suite, D: Design<S, Secret: FixedSecret>> MeasuredRepository for TupleRepository<S, D> {
    const GENERATIONS: usize = D::GENERATIONS;
    const CHAIN: Option<u32> = D::Secret::CHAIN;
    const NEEDS_HEAD: bool = false;

    fn secret() -> D::Secret {
        D::Secret::fixed()
    }

    fn with_speculation(author: AuthorOf<Self>, speculation: Speculation) -> AuthorOf<Self> {
        author.with_speculation(speculation)
    }

    fn merged(update: &UpdateOf<Self>) -> usize {
        usize::from(update.attachment.merged)
    }

    fn memory_bytes(&self) -> usize {
        self.memory_bytes()
    }
}

/// Returns the public key that clients of every measured dictionary know.
pub fn public_key<R: MeasuredRepository>() -> PublicKey<R::Family> {
    let key = <R::Family as Authored>::key(&R::secret());
    PublicKey::new(author_key(), DictionaryId::from_name("comparison"), key)
}

/// Creates an empty repository for the public key of all measurements.
pub fn new_repository<R: MeasuredRepository>() -> R {
    R::create(&public_key::<R>())
}

/// Creates the author of an empty dictionary, with the fixed keys of all measurements.
pub fn new_author<R: MeasuredRepository>(
    signer: impl Signer<HeadSignature> + Send + Sync + 'static,
) -> AuthorOf<R> {
    let authority = *public_key::<R>().authority();
    R::Family::author(authority, HeadSigner::new(signer), R::secret())
}

/// Stages the changes and takes a snapshot of them. This is the author's work that is timed.
pub fn publish<D: Dictionary>(
    author: &mut D,
    operations: Vec<Operation>,
) -> Result<Update<D::Suite, D::Attachment>, D::Error> {
    for operation in operations {
        match operation {
            Operation::Put(key, value) => author.put(key, value),
            Operation::Remove(key) => _ = author.remove(&key),
        }
    }
    author.snapshot()
}

/// Looks up a key in a version. Verifies the encoded answer like a client that knows only the
/// public key.
pub fn checked_answer<R: MeasuredRepository>(
    repository: &R,
    version: Version,
    key: &Key,
) -> Outcome<Answer> {
    let proof = repository.prove_answer(version, key)?;
    let answer = codec::encode(&Response::new(repository, version, proof)?);
    let client = Client::new(public_key::<R>());
    Ok(client.check_at(version, &answer, key)?.into_inner().answer)
}

/// Author and server of a dictionary in memory.
pub struct HostedDictionary<R: MeasuredRepository> {
    /// Author of the dictionary.
    pub author: AuthorOf<R>,
    /// Repository of the server.
    pub repository: R,
    public: PublicKey<R::Family>,
}

/// Run of one dictionary in which author and server take turns, with the times of their work.
pub type Run<R> = run::Run<HostedDictionary<R>>;

impl<R: MeasuredRepository> Run<R> {
    /// Starts a run of an empty dictionary that stops after the time `limit`.
    pub fn new(
        signer: impl Signer<HeadSignature> + Send + Sync + 'static,
        limit: Duration,
    ) -> Self {
        Self::of(HostedDictionary::new(signer), limit)
    }
}

impl<R: MeasuredRepository> HostedDictionary<R> {
    /// Creates author and server of an empty dictionary.
    pub fn new(signer: impl Signer<HeadSignature> + Send + Sync + 'static) -> Self {
        Self {
            author: new_author::<R>(signer),
            repository: new_repository(),
            public: public_key::<R>(),
        }
    }
}

/// Returns the bytes of a signed head that a client cannot know beforehand: two digests and the
/// signature.
pub const fn head_bytes<S: Suite>() -> usize {
    2 * size_of::<S::Digest>() + size_of::<HeadSignature>()
}

/// Returns the bytes of [`head_bytes`] if proofs of the repository need the head; otherwise 0.
pub const fn needed_head_bytes<R: MeasuredRepository>() -> usize {
    if R::NEEDS_HEAD {
        head_bytes::<R::Suite>()
    } else {
        0
    }
}

impl<R: MeasuredRepository> Roles for HostedDictionary<R> {
    type Changes = Vec<Operation>;
    type Update = UpdateOf<R>;
    type Question = Key;
    type Head = Verified<SnapshotHead<R::Suite>>;
    type Proof = ProofOf<R, Key>;
    const NEEDS_HEAD: bool = R::NEEDS_HEAD;

    fn prepare(&mut self, operations: Vec<Operation>) -> Outcome<Vec<Operation>> {
        Ok(operations)
    }

    fn publish(&mut self, changes: Vec<Operation>) -> Outcome<UpdateOf<R>> {
        Ok(publish(&mut self.author, changes)?)
    }

    fn update_bytes(&self, update: &UpdateOf<R>) -> usize {
        codec::encode(update).len()
    }

    fn apply(&mut self, update: &UpdateOf<R>) -> Outcome<()> {
        self.repository.apply(update)?;
        Ok(())
    }

    fn latest(&self) -> Version {
        self.repository.latest()
    }

    fn question(&self, key: &Key) -> Key {
        key.clone()
    }

    fn head(&self, version: Version) -> Outcome<Self::Head> {
        let head = Untrusted::new(self.repository.head(version)?);
        Ok(timed(1, || head.verify(self.public.authority(), &version))?)
    }

    fn prove(&self, version: Version, question: &Key) -> Outcome<Self::Proof> {
        Ok(self.repository.prove_answer(version, question)?)
    }

    /// Counts the proof without its message envelope.
    fn proof_bytes(&self, proof: &Self::Proof) -> usize {
        codec::encode_body(proof).len() + needed_head_bytes::<R>()
    }

    fn verify(&self, head: &Self::Head, proof: Self::Proof, question: &Key) -> Outcome<Answer> {
        let proof = Untrusted::new(proof);
        let lookup = <R::Family as Answers<Key>>::verify(proof, &self.public, head, question)?;
        Ok(lookup.into_inner().answer)
    }

    fn check(&self, version: Version, key: &Key) -> Outcome<Answer> {
        checked_answer(&self.repository, version, key)
    }

    fn memory_bytes(&self) -> Option<usize> {
        Some(self.repository.memory_bytes())
    }

    fn ends_cycle(&self, snapshot: u64, update: &UpdateOf<R>) -> bool {
        ends_cycle::<R>(snapshot, update)
    }

    fn has_longer_chains(&self, cycles: u64) -> bool {
        has_longer_chains::<R>(cycles)
    }
}

/// Reports whether an epoch or a hash chain ends with this update, as [`Roles::ends_cycle`].
pub fn ends_cycle<R: MeasuredRepository>(snapshot: u64, update: &UpdateOf<R>) -> bool {
    match (R::GENERATIONS, R::CHAIN) {
        (1, None) => true,
        (1, Some(length)) => snapshot.is_multiple_of(u64::from(length) + 1),
        (generations, _) => R::merged(update) + 1 == generations,
    }
}

/// Reports whether a hash chain lasts longer than `cycles` cycles, as
/// [`Roles::has_longer_chains`].
pub fn has_longer_chains<R: MeasuredRepository>(cycles: u64) -> bool {
    let is_within = |length| R::GENERATIONS == 1 || cycles > u64::from(length);
    !R::CHAIN.is_none_or(is_within)
}
