//! Defines all kinds of dictionaries, with author, server and client of each behind one interface.

use core::fmt;
use std::time::{Duration, Instant};

use ed25519_dalek::SigningKey;
use pad_core::{
    Answer, Answers, Author, Authored, Authority, Client, Key, Operation, Server, Serves,
    Sha256Ed25519, VerifyError, Version,
};
use pad_tree::{RedBlack, SkipList, StoredRepository, Treap, TreeScheme, for_each_tree};
use pad_tuple::{
    SecretBytes, TupleRepository, TupleScheme, for_each_accumulated_tuple, for_each_tuple,
};

use crate::{
    lies::{forged, tell},
    measure::measure,
    prices::Prices,
    report::{Lie, Outcome},
};

pub(crate) type S = Sha256Ed25519;
/// The reason why a client rejects an answer.
pub(crate) type Refusal = pad_core::Refusal<S, VerifyError>;

/// A dictionary of any kind, with its author, its server and a client.
pub(crate) trait Dictionary: Send {
    fn authority(&self) -> &Authority;
    /// Signs changes as a version and applies the update to the server. Returns the update's length
    /// in bytes.
    fn apply(&mut self, operations: &[Operation]) -> Outcome<usize>;
    /// Returns the signed head of a version, as the server sends it.
    fn head(&self, version: Version) -> Outcome<Vec<u8>>;
    /// Returns the server's encoded answer about a key in a version.
    fn answer(&self, version: Version, key: &Key) -> Outcome<Vec<u8>>;
    /// Verifies an answer as a client that has only the public key.
    fn check(&self, version: Version, key: &Key, answer: &[u8]) -> Result<Answer, Refusal>;
    /// Offers two heads, one after the other, to a new client. Returns the newest version that the
    /// client has accepted.
    fn follow(&self, heads: [&[u8]; 2]) -> Result<Version, Refusal>;
    fn memory_bytes(&self) -> usize;
}

/// A family of dictionaries that the demonstration publishes with.
trait DemoFamily: Authored<Suite = S, Error = VerifyError> + Answers<Key> {}
impl<F: Authored<Suite = S, Error = VerifyError> + Answers<Key>> DemoFamily for F {}

struct Roles<R: Serves<Key>> {
    author: Author<R::Family>,
    server: Server<R::Family, R>,
    client: Client<R::Family>,
    memory_bytes: fn(&R) -> usize,
}

impl<R: Serves<Key, Family: DemoFamily> + 'static> Roles<R>
where
    Self: Send,
{
    fn boxed(
        seed: u8,
        secret: <R::Family as Authored>::Secret,
        memory_bytes: fn(&R) -> usize,
    ) -> Outcome<Box<dyn Dictionary>> {
        let signer = SigningKey::from_bytes(&[seed; 32]);
        let author = Author::with_secret("demonstration", signer, secret)?;
        Ok(Box::new(Self {
            server: Server::new(author.public()),
            client: Client::new(author.public().clone()),
            author,
            memory_bytes,
        }))
    }
}

impl<R: Serves<Key, Family: DemoFamily>> Dictionary for Roles<R>
where
    Self: Send,
{
    fn authority(&self) -> &Authority {
        self.client.public().authority()
    }

    fn apply(&mut self, operations: &[Operation]) -> Outcome<usize> {
        for operation in operations {
            match operation.clone() {
                Operation::Put(key, value) => self.author.put(key, value)?,
                Operation::Remove(key) => drop(self.author.remove(key)?),
            }
        }
        let update = self.author.snapshot()?;
        self.server.apply(&update)?;
        Ok(update.len())
    }

    fn head(&self, version: Version) -> Outcome<Vec<u8>> {
        Ok(self.server.head(version)?)
    }

    fn answer(&self, version: Version, key: &Key) -> Outcome<Vec<u8>> {
        Ok(self.server.answer(version, key)?)
    }

    fn check(&self, version: Version, key: &Key, answer: &[u8]) -> Result<Answer, Refusal> {
        let lookup = self.client.check_at(version, answer, key)?;
        Ok(lookup.into_inner().answer)
    }

    fn follow(&self, [first, second]: [&[u8]; 2]) -> Result<Version, Refusal> {
        let mut client = self.client.clone();
        client.advance(first, None)?;
        client.advance(second, None)
    }

    fn memory_bytes(&self) -> usize {
        (self.memory_bytes)(self.server.repository())
    }
}

/// A kind of dictionary: a scheme that authenticates contents, and a repository in which the server
/// stores versions.
pub(crate) struct Kind {
    pub(crate) scheme: String,
    pub(crate) repository: String,
    /// Creates an empty dictionary for the keys of the prices, with a signing key from a seed.
    create: fn(&Prices, u8) -> Outcome<Box<dyn Dictionary>>,
}

/// A dictionary with all snapshots published.
pub(crate) struct Publication<'a> {
    pub(crate) kind: Kind,
    pub(crate) dictionary: Box<dyn Dictionary>,
    /// The contents of the dictionary.
    pub(crate) prices: &'a Prices,
    /// The time in seconds to sign all snapshots and apply them to the server.
    pub(crate) time: f64,
    /// The total length of all encoded updates, in bytes.
    pub(crate) update_bytes: usize,
    /// The figures of [`crate::measure`].
    pub(crate) figures: [f64; 8],
    /// False answers that the client rejected.
    pub(crate) lies: Vec<Lie>,
}

impl Kind {
    pub(crate) fn publish(self, prices: &Prices, budget: Duration) -> Outcome<Publication<'_>> {
        let mut dictionary = (self.create)(prices, 7)?;
        let (start, mut update_bytes) = (Instant::now(), 0);
        for (_, operations) in &prices.snapshots {
            update_bytes += dictionary.apply(operations)?;
        }
        let time = start.elapsed().as_secs_f64();
        let mut liar = (self.create)(prices, 66)?;
        liar.apply(&forged(prices))?;
        let lies = tell(&*dictionary, &*liar, prices);
        let lies = lies.map_err(|error| format!("{self}: {error}"))?;
        let mut published = Publication {
            kind: self,
            dictionary,
            prices,
            time,
            update_bytes,
            figures: Default::default(),
            lies,
        };
        published.figures = measure(&published, budget)?;
        Ok(published)
    }

    pub(crate) fn is_tree(&self) -> bool {
        self.repository != TUPLES
    }

    /// Returns whether operations take milliseconds instead of microseconds, as in designs with BLS
    /// or accumulators.
    pub(crate) fn is_slow(&self) -> bool {
        self.scheme.ends_with("-bls") || self.scheme.contains("accumulators")
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&format!("{} over {}", self.scheme, self.repository))
    }
}

/// The name of the repository of tuple dictionaries.
const TUPLES: &str = "versioned-index";

type StoredTreap<S> = StoredRepository<S, Treap>;
type StoredRedBlack<S> = StoredRepository<S, RedBlack>;
type StoredSkipList<S> = StoredRepository<S, SkipList>;

/// Returns every scheme with each of its repositories.
pub(crate) fn kinds() -> Vec<Kind> {
    let mut kinds: Vec<Kind> = Vec::new();
    macro_rules! tree {
        ($name:ident, $scheme:ty, $($repository:tt)+) => {
            let scheme = <$scheme as TreeScheme>::NAME.to_owned();
            kinds.push(Kind {
                // The repository is the rest of the name, after the scheme.
                repository: stringify!($name).replace('_', "-").split_off(scheme.len() + 1),
                scheme,
                create: |_, seed| Roles::boxed(seed, (), <$($repository)+<S>>::memory_bytes),
            });
        };
    }
    macro_rules! tuple {
        ($name:ident, $design:ty) => {
            kinds.push(Kind {
                scheme: format!("tuple-{}", <$design as TupleScheme<S>>::NAME),
                repository: TUPLES.into(),
                create: |prices, seed| {
                    let secret = secret(prices, <$design as TupleScheme<S>>::NAME)?;
                    Roles::boxed(seed, secret, TupleRepository::<S, $design>::memory_bytes)
                },
            });
        };
    }
    for_each_tree!(tree);
    tree!(treap_stored, Treap, StoredTreap);
    tree!(red_black_stored, RedBlack, StoredRedBlack);
    tree!(skip_list_stored, SkipList, StoredSkipList);
    kinds.sort_by(|one, other| one.scheme.cmp(&other.scheme));
    for_each_tuple!(tuple);
    for_each_accumulated_tuple!(tuple);
    kinds
}

/// Returns a new secret for a tuple design. For RSA, returns a published key, because a search for
/// a new key takes minutes.
fn secret<D: SecretBytes>(prices: &Prices, design: &str) -> Outcome<D> {
    if !design.ends_with("-rsa") {
        return Ok(D::generate(prices.last().len())?);
    }
    let file = include_str!("../../../data/keys-for-tests/rsa-2048.txt");
    let digits = file.lines().find(|line| !line.starts_with('#'));
    let bytes = hex::decode(digits.unwrap_or_default())?;
    Ok(D::from_slice(&bytes).ok_or("the RSA key is malformed")?)
}
