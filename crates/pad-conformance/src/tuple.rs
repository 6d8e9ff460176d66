//! Tuple PADs for the checks of the general traits [`pad_core::Dictionary`] and
//! [`pad_core::Repository`], and additional checks of tuple PADs.

use core::marker::PhantomData;
#[cfg(any(feature = "bilinear", feature = "rsa"))]
use std::sync::LazyLock;

use ed25519_dalek::SigningKey;
#[cfg(feature = "rsa")]
use pad_accumulators::rsa::{RepresentativeRule, RsaSecretKey};
#[cfg(feature = "bilinear")]
use pad_accumulators::{SecretKey, bilinear::BilinearSecretKey};
use pad_core::{
    Authority, Dictionary, DictionaryId, HeadSigner, Hosts, Key, LookupError, PublicKey,
    Repository, Suite, Version, codec,
};
use pad_tuple::{
    BlsSecretKey, ChainSecret, Expectation, SecretBytes, Tuple, TupleAuthor, TupleProof,
    TupleRepository,
    internals::{Design, MemoryRows, StorableDesign, StoredTupleRepository, TupleAttachment},
};

use crate::{
    Action, Pad,
    operation::{key, value},
    pad::{public_key, signing_key},
    repository::{self, TraceRun},
};

/// A scheme secret that tests can make from a number.
pub trait TestSecret: SecretBytes {
    /// Returns the test secret with the number `number`.
    fn numbered(number: u8) -> Self;
}

impl TestSecret for () {
    fn numbered(_: u8) {}
}

impl TestSecret for ChainSecret {
    /// Returns a secret with a short hash chain, so that checks reach the chain's end.
    fn numbered(number: u8) -> Self {
        Self::from_bytes([number; 32]).with_length(3)
    }
}

impl TestSecret for BlsSecretKey {
    fn numbered(number: u8) -> Self {
        Self::from_seed(&[number; 32])
    }
}

#[cfg(feature = "rsa")]
/// A 2048-bit RSA accumulator key with published factors. Generating or checking a new key would
/// take longer than most tests.
static RSA: LazyLock<RsaSecretKey> = LazyLock::new(|| {
    let lines = include_str!("../keys/rsa-2048.txt").lines();
    let mut primes = lines
        .filter(|line| !line.starts_with('#'))
        .map(|line| rug::Integer::from_str_radix(line.trim(), 16).expect("hexadecimal"));
    let mut next = || primes.next().expect("two primes");
    RsaSecretKey::from_primes(next(), next(), RepresentativeRule::Wide, b"conformance")
        .expect("safe primes")
});

#[cfg(feature = "bilinear")]
/// A bilinear accumulator key. Its capacity suffices for the keys of a trace and the keys that
/// checks add.
static BILINEAR: LazyLock<BilinearSecretKey> = LazyLock::new(|| {
    BilinearSecretKey::generate(64, 1, b"conformance", &pad_core::Workers::sequential())
        .expect("randomness")
});

#[cfg(feature = "rsa")]
impl TestSecret for RsaSecretKey {
    /// Returns the same key, `RSA`, for every number.
    fn numbered(_: u8) -> Self {
        RSA.clone()
    }
}

#[cfg(feature = "bilinear")]
impl TestSecret for BilinearSecretKey {
    /// Returns the same key, `BILINEAR`, for every number.
    fn numbered(_: u8) -> Self {
        BILINEAR.with_label(b"conformance")
    }
}

impl<A: TestSecret, B: TestSecret> TestSecret for (A, B) {
    fn numbered(number: u8) -> Self {
        (A::numbered(number), B::numbered(number))
    }
}

/// The number of the scheme secret ([`TestSecret::numbered`]) of all checked dictionaries.
const SECRET: u8 = 7;

/// A tuple PAD under test, with suite `S`, design `D` and repository `R`, which keeps the tuples in
/// memory by default.
#[derive(Debug)]
pub struct TuplePad<S, D, R = TupleRepository<S, D>>(PhantomData<(S, D, R)>);

/// A tuple PAD under test, with suite `S` and design `D`, whose tuples are stored as rows of a
/// table in memory.
pub type StoredTuplePad<S, D> = TuplePad<S, D, StoredTupleRepository<S, D>>;

impl<S, D, R> Pad for TuplePad<S, D, R>
where
    S: Suite,
    D: Design<S, Secret: TestSecret>,
    R: Hosts<Family = Tuple<D, S>> + Repository<Query = Key, Proof = TupleProof<S, D>> + Clone,
{
    type Suite = S;
    type Attachment = TupleAttachment<D::Extension>;
    type Family = Tuple<D, S>;
    type Proof = TupleProof<S, D>;
    type Author = TupleAuthor<S, D, SigningKey>;
    type Server = R;

    fn author(dictionary: DictionaryId, signer: u8) -> Self::Author {
        let secret = D::Secret::numbered(SECRET);
        TupleAuthor::new(dictionary, public_key(signer), signing_key(signer), secret)
    }

    fn public(authority: &Authority) -> PublicKey<Tuple<D, S>> {
        let key = D::key(&D::Secret::numbered(SECRET));
        PublicKey::new(authority.author, authority.dictionary, key)
    }

    fn server(authority: Authority) -> R {
        R::create(&Self::public(&authority))
    }
}

fn reopened<S: Suite, D: StorableDesign<S, Secret: TestSecret>>(
    authority: Authority,
    rows: MemoryRows,
) -> StoredTupleRepository<S, D> {
    let key = D::key(&D::Secret::numbered(SECRET));
    StoredTupleRepository::open(authority, key, rows).expect("the rows are whole")
}

/// Checks that stored tuples answer like the oracle and like a repository in memory after equal
/// updates, also after reopening and pruning. An author resumed from the stored tuples must make
/// the same updates as the original author.
pub fn check_stored<S: Suite, D: StorableDesign<S, Secret: TestSecret>>(
    actions: &[Action],
    percent: u64,
) {
    let mut played: TraceRun<StoredTuplePad<S, D>> = repository::play(actions);
    let mut memory = TuplePad::<S, D>::server(played.author.authority());
    for update in &played.updates {
        memory.apply(update).expect("an honest update applies");
    }
    check_as_in_memory(&played, &memory);
    let oldest = played.version_at(percent);
    played.server.prune(oldest).expect("the version is there");
    memory.prune(oldest).expect("the version is there");
    check_as_in_memory(&played, &memory);
    played.server.flush().expect("memory takes all");
    played.server = reopened(played.author.authority(), played.server.rows().clone());
    check_as_in_memory(&played, &memory);
    let signer = HeadSigner::new(signing_key(SECRET));
    let resumed = Hosts::resume(&played.server, signer, D::Secret::numbered(SECRET));
    let mut resumed = resumed.expect("the rows are there");
    played.oracle.discard_pending();
    for action in actions {
        played.oracle.apply(action);
        if let Some(update) = action.apply(&mut resumed) {
            let mut signing = played.server.clone();
            let mut batch = update.operations.clone();
            let (signer, secret) = (signing_key(SECRET), D::Secret::numbered(SECRET));
            let published = signing.publish(&mut batch, &signer, &secret);
            assert_eq!(published.expect("it can be signed"), update);
            assert_eq!(played.server.apply(&update), memory.apply(&update));
            played.updates.push(update);
        }
    }
    check_as_in_memory(&played, &memory);
}

fn check_as_in_memory<S: Suite, D: StorableDesign<S, Secret: TestSecret>>(
    played: &TraceRun<StoredTuplePad<S, D>>,
    memory: &TupleRepository<S, D>,
) {
    let oldest = memory.oldest();
    assert_eq!(played.server.oldest(), oldest);
    repository::check_heads(played);
    repository::check_lookups(played, oldest);
    for version in (oldest.number()..=memory.latest().number()).map(Version::new) {
        for key in played.oracle.interesting_keys() {
            let expected = memory.prove(version, &key);
            let proof = played.server.prove(version, &key);
            let encode = |proof| codec::encode(&proof);
            assert_eq!(proof.map(encode), expected.map(encode));
        }
    }
}

/// Returns the data against which a client of the checked dictionaries verifies a proof about a
/// version.
pub fn expectation<S: Suite, D: Design<S, Secret: TestSecret>>(
    authority: Authority,
    version: Version,
) -> Expectation<D::Key> {
    Expectation {
        authority,
        key: D::key(&D::Secret::numbered(SECRET)),
        version,
    }
}

/// Checks that after pruning, later versions answer as before, earlier versions are refused, and
/// the author can continue.
pub fn check_prune<S: Suite, D: Design<S, Secret: TestSecret>>(actions: &[Action], percent: u64) {
    let mut played = repository::play::<TuplePad<S, D>>(actions);
    let oldest = played.version_at(percent);
    played.server.prune(oldest).expect("the version is there");
    assert_eq!(played.server.oldest(), oldest);
    if let Some(version) = oldest.previous() {
        let pruned = LookupError::Pruned { version, oldest };
        let refused = played.server.prove(version, &Key::default()).err();
        assert_eq!(refused, Some(pruned));
    }
    repository::check_lookups(&played, oldest);
    go_on(&mut played, 5);
    repository::check_lookups(&played, oldest);
}

/// Checks that a repository restored from its checkpoint answers and continues identically, also
/// after pruning. A checkpoint of another authority must be refused.
pub fn check_checkpoint<S: Suite, D: Design<S, Secret: TestSecret>>(actions: &[Action]) {
    let mut played = repository::play::<TuplePad<S, D>>(actions);
    for percent in [0, 50] {
        let oldest = played.version_at(percent);
        played.server.prune(oldest).expect("the version is there");
        let bytes = codec::encode(&played.server.checkpoint());
        let read = || codec::decode(&bytes, bytes.len()).expect("canonical");
        let authority = played.author.authority();
        let other = Authority {
            dictionary: DictionaryId::from_name("another"),
            ..authority
        };
        let key = || D::key(&D::Secret::numbered(SECRET));
        let foreign = TupleRepository::<S, D>::restore(read(), other, key());
        assert!(foreign.is_none(), "another dictionary's");
        played.server = TupleRepository::restore(read(), authority, key()).expect("it fits");
        let contents = played.oracle.at(played.oracle.latest());
        assert_eq!(played.server.len(), contents.len());
        repository::check_heads(&played);
        repository::check_lookups(&played, oldest);
        go_on(&mut played, 4);
        repository::check_lookups(&played, oldest);
    }
}

/// Checks that a repository accepts updates of an author that has resumed from it.
pub fn check_resume<S: Suite, D: Design<S, Secret: TestSecret>>(actions: &[Action]) {
    let mut played = repository::play::<TuplePad<S, D>>(actions);
    let (signer, secret) = (signing_key(SECRET), D::Secret::numbered(SECRET));
    let resumed = TupleAuthor::<S, D, _>::resume(&played.server, signer, secret);
    played.author = resumed.expect("the secret is the same");
    played.oracle.discard_pending();
    assert_eq!(played.author.len(), played.oracle.open().len());
    go_on(&mut played, 7);
    repository::check_heads(&played);
    repository::check_lookups(&played, Version::EMPTY);
}

/// Publishes `snapshots` additional versions, each with one changed key, and applies them to
/// author, server and oracle.
fn go_on<S: Suite, D: Design<S, Secret: TestSecret>>(
    played: &mut TraceRun<TuplePad<S, D>>,
    snapshots: u8,
) {
    for round in 0..snapshots {
        let put = Action::Put(key([b'g', round % 3]), value([round]));
        played.go_on(&[put, Action::Snapshot]);
    }
}

/// Defines the tests of one design, with all checks on random traces.
///
/// Usage: `tuple_checks!(name, fewer, shorter, Design);`. `fewer` divides the number of traces, and
/// `shorter` divides their length.
#[macro_export]
macro_rules! tuple_checks {
    ($name:ident, $fewer:literal, $shorter:expr, $($design:tt)+) => {
        mod $name {
            use pad_core::Sha256Ed25519;
            use $crate::{Pad as _, TuplePad, dictionary, pad, repository, traces, tuple};

            type Design = $($design)+;
            type Pad = TuplePad<Sha256Ed25519, Design>;

            #[test]
            fn every_answer_matches_the_oracle_at_every_version() {
                let name = concat!(stringify!($name), "::oracle");
                let check = repository::check_trace::<Pad>;
                traces::check_traces(name, 3 * $fewer, 40 / $shorter, check);
            }

            #[test]
            fn the_author_matches_the_oracle() {
                let name = concat!(stringify!($name), "::dictionary");
                traces::check_traces(name, 9 * $fewer, 30 / $shorter, |actions| {
                    let mut author = Pad::author(pad::dictionary(), 7);
                    dictionary::check_matches_oracle(&mut author, actions);
                });
            }

            #[test]
            fn refused_updates_change_nothing() {
                let name = concat!(stringify!($name), "::refusals");
                repository::check_refusals::<Pad>(&[]);
                let check = repository::check_refusals::<Pad>;
                traces::check_traces(name, 18 * $fewer, 30 / $shorter, check);
            }

            #[test]
            fn pruning_keeps_later_versions() {
                let percents = [30, 100, 0, 60];
                for percent in &percents[..$crate::soak::size(2, 4)] {
                    let name = format!("{}::prune {percent}%", stringify!($name));
                    traces::check_traces(&name, 18 * $fewer, 60 / $shorter, |actions| {
                        tuple::check_prune::<Sha256Ed25519, Design>(actions, *percent);
                    });
                }
            }

            #[test]
            fn an_author_goes_on_from_a_repository() {
                let name = concat!(stringify!($name), "::resume");
                let check = tuple::check_resume::<Sha256Ed25519, Design>;
                traces::check_traces(name, 18 * $fewer, 40 / $shorter, check);
            }

            #[test]
            fn checkpoints_restore_and_go_on() {
                let name = concat!(stringify!($name), "::checkpoint");
                let check = tuple::check_checkpoint::<Sha256Ed25519, Design>;
                traces::check_traces(name, 18 * $fewer, 40 / $shorter, check);
            }
        }
    };
}

/// Defines the test of one design with suites other than SHA-256. Takes the arguments of
/// [`tuple_checks`]. After the word `stored`, it tests a design whose tuples are stored as rows.
#[macro_export]
macro_rules! tuple_suites {
    ($name:ident, $fewer:literal, $shorter:expr, $($design:tt)+) => {
        #[test]
        fn $name() {
            use pad_core::{Blake3Ed25519, Paper2010};
            use $crate::{TuplePad, repository, traces};

            let name = concat!(stringify!($name), "::suites");
            traces::check_traces(name, 30 * $fewer, 40 / $shorter, |actions| {
                repository::check_trace::<TuplePad<Blake3Ed25519, $($design)+>>(actions);
                repository::check_trace::<TuplePad<Paper2010, $($design)+>>(actions);
            });
        }
    };
    (stored $name:ident, $fewer:literal, $shorter:expr, $($design:tt)+) => {
        #[test]
        fn $name() {
            use pad_core::Blake3Ed25519;
            use $crate::{traces, tuple};

            let name = concat!(stringify!($name), "::stored suites");
            traces::check_traces(name, 60 * $fewer, 30 / $shorter, |actions| {
                tuple::check_stored::<Blake3Ed25519, $($design)+>(actions, 30);
            });
        }
    };
}

/// Defines the tests of one design whose tuples are stored as rows, on random traces. Takes the
/// arguments of [`tuple_checks`].
#[macro_export]
macro_rules! stored_tuple_checks {
    ($name:ident, $fewer:literal, $shorter:expr, $($design:tt)+) => {
        mod $name {
            use pad_core::Sha256Ed25519;
            use $crate::{StoredTuplePad, repository, traces, tuple};

            type Design = $($design)+;
            type Pad = StoredTuplePad<Sha256Ed25519, Design>;

            #[test]
            fn every_answer_matches_the_oracle_at_every_version() {
                let name = concat!(stringify!($name), "::stored oracle");
                let check = repository::check_trace::<Pad>;
                traces::check_traces(name, 18 * $fewer, 40 / $shorter, check);
            }

            #[test]
            fn refused_updates_change_nothing() {
                let name = concat!(stringify!($name), "::stored refusals");
                repository::check_refusals::<Pad>(&[]);
                let check = repository::check_refusals::<Pad>;
                traces::check_traces(name, 18 * $fewer, 30 / $shorter, check);
            }

            #[test]
            fn it_is_as_in_memory_reopened_pruned_and_resumed() {
                let percents = [50, 0, 100];
                for percent in &percents[..$crate::soak::size(1, 3)] {
                    let name = format!("{}::stored {percent}%", stringify!($name));
                    traces::check_traces(&name, 30 * $fewer, 30 / $shorter, |actions| {
                        tuple::check_stored::<Sha256Ed25519, Design>(actions, *percent);
                    });
                }
            }
        }
    };
}
