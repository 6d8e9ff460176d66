//! Dictionaries of any family, measured alike: an author with fixed keys publishes, a server applies and
//! proves, a client checks.
//!
//! A measured dictionary is the type of its repository, which names its family. [`Run`] takes any work to
//! it, [`crate::lookups`] asks it; which work that is decides the experiment.

use std::time::{Duration, Instant};

use pad_core::{
    Answer, Answers, Authored, Client, Dictionary, DictionaryId, Family, HeadSignature, HeadSigner,
    Hosts, Key, Operation, PublicKey, Repository, Response, Serves, Suite, Update, Version, codec,
};
use pad_tree::{Authenticated, TreeRepository, VersionedStore};
use pad_tuple::{Design, Speculation, TupleRepository};
use signature::Signer;

use crate::{
    Outcome, cryptography::Cryptography, memory, primitives::author_key, secret::FixedSecret,
    timing::stopwatch,
};

/// What measuring needs of a repository beside its family.
pub trait Measured: Serves<Key, Family: Answers<Key>> {
    /// The number of generations, 1 without speculation.
    const GENERATIONS: usize = 1;
    /// The number of links of a hash chain, if there are any.
    const CHAIN: Option<u32> = None;
    /// Whether a proof is nothing without its version's head. Tuples are bound to their version themselves.
    const NEEDS_HEAD: bool;

    /// The secret of every measurement.
    fn secret() -> <Self::Family as Authored>::Secret;
    /// The same author with another rule of merging.
    fn with_speculation(author: AuthorOf<Self>, _: Speculation) -> AuthorOf<Self> {
        author
    }
    /// The generation that an update merges into.
    fn merged(_: &UpdateOf<Self>) -> usize {
        0
    }
    /// The bytes of memory of a repository, as it counts them itself.
    fn memory_bytes(&self) -> usize;
}

/// The author of a repository's family.
pub type AuthorOf<R> = <<R as Hosts>::Family as Authored>::Author;

/// The updates of a repository's family.
pub type UpdateOf<R> = Update<<R as Repository>::Suite, <R as Repository>::Attachment>;

/// What trees are stored in under a suite.
pub trait Store<S: Suite>: VersionedStore<Annotation = Authenticated<S>> + Send + Sync {}

impl<S: Suite, St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync> Store<S> for St {}

impl<S: Suite, St: Store<S>> Measured for TreeRepository<S, St> {
    const NEEDS_HEAD: bool = true;

    fn secret() {}

    fn memory_bytes(&self) -> usize {
        self.memory_bytes()
    }
}

impl<S: Suite, D: Design<S, Secret: FixedSecret>> Measured for TupleRepository<S, D> {
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

/// What clients of every measured dictionary know.
pub fn public_key<R: Measured>() -> PublicKey<R::Family> {
    let key = <R::Family as Authored>::key(&R::secret());
    PublicKey::new(author_key(), DictionaryId::from_name("bench"), key)
}

/// An empty repository.
pub fn new_repository<R: Measured>() -> R {
    R::create(&public_key::<R>())
}

/// An author without contents.
pub fn new_author<R: Measured>(
    signer: impl Signer<HeadSignature> + Send + Sync + 'static,
) -> AuthorOf<R> {
    let authority = *public_key::<R>().authority();
    R::Family::author(authority, HeadSigner::new(signer), R::secret())
}

/// Puts and removes, then takes the snapshot: the work that is timed.
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

/// Checks answers as a client does that knows nothing but the public key.
pub fn check_answers<R: Measured>(
    repository: &R,
    expected: impl IntoIterator<Item = (Version, Key, Answer)>,
) -> Outcome<()> {
    let client = Client::new(public_key::<R>());
    for (version, key, expected) in expected {
        let proof = repository.prove_answer(version, &key)?;
        let answer = codec::encode(&Response::new(repository, version, proof)?);
        let lookup = client.check_at(version, &answer, &key)?.into_inner();
        if lookup.answer != expected {
            let name = <R::Family as Family>::NAME;
            return Err(format!("{name}: version {version}: the wrong answer for {key}").into());
        }
    }
    Ok(())
}

/// What one snapshot took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample {
    /// The author: puts, removals and the snapshot, in microseconds.
    pub author_us: f64,
    /// The server, in microseconds.
    pub apply_us: f64,
    /// Of `apply_us` what accumulators take.
    pub accumulator_us: f64,
    /// The encoded update.
    pub update_bytes: f64,
}

impl Sample {
    /// The sums over samples.
    pub fn sum(samples: &[Self]) -> Self {
        Self::sum_divided(samples, 1.0)
    }

    /// The means over samples.
    pub fn mean(samples: &[Self]) -> Self {
        Self::sum_divided(samples, samples.len().max(1) as f64)
    }

    fn sum_divided(samples: &[Self], by: f64) -> Self {
        let part = |figure: fn(&Self) -> f64| samples.iter().map(figure).sum::<f64>() / by;
        Self {
            author_us: part(|sample| sample.author_us),
            apply_us: part(|sample| sample.apply_us),
            accumulator_us: part(|sample| sample.accumulator_us),
            update_bytes: part(|sample| sample.update_bytes),
        }
    }
}

/// Author and server of one dictionary, who take turns, and what that took.
pub struct Run<R: Measured> {
    /// The author.
    pub author: AuthorOf<R>,
    /// The server.
    pub repository: R,
    /// What each snapshot took.
    pub samples: Vec<Sample>,
    /// What cryptography took of the author's time; only under a suite and with a signer that note it.
    pub cryptography: Cryptography,
    /// Why the run ended: `finished`, `time` or `memory`.
    pub stopped: &'static str,
    start: Instant,
    limit: Duration,
}

impl<R: Measured> Run<R> {
    /// A run from empty that may take so long.
    pub fn new(
        signer: impl Signer<HeadSignature> + Send + Sync + 'static,
        limit: Duration,
    ) -> Self {
        Self {
            author: new_author::<R>(signer),
            repository: new_repository(),
            samples: Vec::new(),
            cryptography: Cryptography::default(),
            stopped: "finished",
            start: Instant::now(),
            limit,
        }
    }

    /// Publishes and applies one snapshot.
    pub fn publish(&mut self, operations: Vec<Operation>) -> Outcome<UpdateOf<R>> {
        let (author_us, (own, update)) =
            stopwatch(|| Cryptography::of(|| publish(&mut self.author, operations)));
        let update = update?;
        let update_bytes = codec::encode(&update).len() as f64;
        let (apply_us, (cryptography, applied)) =
            stopwatch(|| Cryptography::of(|| self.repository.apply(&update)));
        applied?;
        self.cryptography += own;
        self.samples.push(Sample {
            author_us,
            apply_us,
            accumulator_us: cryptography.accumulator_us,
            update_bytes,
        });
        Ok(update)
    }

    /// Publishes every snapshot of the work, unless time or memory run out before.
    pub fn follow(&mut self, work: impl IntoIterator<Item = Vec<Operation>>) -> Outcome<()> {
        for operations in work {
            if !self.samples.is_empty() && self.is_over() {
                break;
            }
            self.publish(operations)?;
        }
        Ok(())
    }

    /// Whether time or memory have run out.
    pub fn is_over(&mut self) -> bool {
        if self.start.elapsed() >= self.limit {
            self.stopped = "time";
        } else if memory::resident_bytes() > MOST_MEMORY {
            self.stopped = "memory";
        }
        self.stopped != "finished"
    }

    /// Leaves out what was measured so far, and gives the run its whole time again.
    pub fn restart(&mut self) {
        self.samples.clear();
        self.cryptography = Cryptography::default();
        self.start = Instant::now();
    }
}

/// A dictionary that makes the process larger than this is stopped.
const MOST_MEMORY: u64 = 6 << 30;
