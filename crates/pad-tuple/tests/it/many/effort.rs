//! The number of hashes that a client computes before it detects that a proof is unsigned.

use std::cell::Cell;

use pad_conformance::{
    pad::{public_key, signing_key},
    tuple::TestSecret,
};
use pad_core::{
    Dictionary, DictionaryId, Digest, KeyRange, Operation, RangeContents, Repository,
    Sha256Ed25519, Suite, SuiteId, Untrusted, VerifyError, internals::Domain,
};
use pad_tuple::{
    ChainSecret, Expectation, ManyProof, RangeProof, TupleAuthor, TupleRepository,
    internals::{
        AggregateDesign, Bls, Ed25519, Lightweight, RangeContent, RangePart, RefreshScheme, Signed,
        chain::{DEFAULT_CHAIN_LENGTH, MAX_CHAIN_LENGTH, MAX_STEPS, STEPS_PER_TUPLE},
    },
};

use super::{key, keys, value};

/// The default suite, with counters of chain steps and of all hashes of the thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct HashCounter;

thread_local! {
    static STEPS: Cell<usize> = const { Cell::new(0) };
    static HASHES: Cell<usize> = const { Cell::new(0) };
}

impl Suite for HashCounter {
    const ID: SuiteId = Sha256Ed25519::ID;
    const NAME: &'static str = Sha256Ed25519::NAME;
    type Digest = Digest<32>;

    fn node(domain: Domain, left: &Digest<32>, right: &Digest<32>) -> Digest<32> {
        if domain == Domain::HashChain {
            STEPS.set(STEPS.get() + 1);
        }
        HASHES.set(HASHES.get() + 1);
        Sha256Ed25519::node(domain, left, right)
    }

    fn hash(domain: Domain, parts: &[&[u8]]) -> Digest<32> {
        HASHES.set(HASHES.get() + 1);
        Sha256Ed25519::hash(domain, parts)
    }
}

/// Returns the result of `work`, its number of chain steps, and its number of hashes.
fn counted<R>(work: impl FnOnce() -> R) -> (R, usize, usize) {
    STEPS.set(0);
    HASHES.set(0);
    let result = work();
    (result, STEPS.get(), HASHES.get())
}

type One<G> = Signed<G, Lightweight, 1>;

/// An honest proof of all tuples of a dictionary, and a client's expectation.
struct Scene<D: AggregateDesign<HashCounter>> {
    proof: RangeProof<HashCounter, D>,
    trusted: Expectation<D::Key>,
    server: TupleRepository<HashCounter, D>,
}

/// A key, ascending with `number`. The first is the empty key, so that there are as many tuples as
/// keys.
fn name(number: usize) -> pad_core::Key {
    if number == 0 {
        return pad_core::Key::default();
    }
    key(format!("{number:05}"))
}

fn scene<D>(tuples: usize, snapshots: u32, secret: D::Secret) -> Scene<D>
where
    D: AggregateDesign<HashCounter>,
{
    let dictionary = DictionaryId::from_name("effort");
    let (public, signer) = (public_key(7), signing_key(7));
    let mut author = TupleAuthor::<HashCounter, D, _>::new(dictionary, public, signer, secret);
    let mut server = TupleRepository::new(author.authority(), author.key());
    let puts = (0..tuples).map(|number| Operation::Put(name(number), value([1])));
    let first = author.snapshot_of(puts.collect()).unwrap();
    server.apply(&first).unwrap();
    for _ in 1..snapshots {
        server.apply(&author.snapshot().unwrap()).unwrap();
    }
    let version = server.latest();
    Scene {
        proof: server.prove_range(version, &KeyRange::ALL).unwrap(),
        trusted: Expectation {
            authority: author.authority(),
            key: author.key(),
            version,
        },
        server,
    }
}

impl<
    D: AggregateDesign<
            HashCounter,
            TupleData = <Lightweight as RefreshScheme<HashCounter>>::TupleData,
        >,
> Scene<D>
{
    fn check(
        &self,
        proof: RangeProof<HashCounter, D>,
    ) -> (Result<RangeContents, VerifyError>, usize, usize) {
        let verify = || Untrusted::new(proof).verify(&self.trusted, &KeyRange::ALL);
        let (result, steps, hashes) = counted(verify);
        (result.map(pad_core::Verified::into_inner), steps, hashes)
    }

    /// Returns the proof with another chain length for the tuples from index `from` on. The proof
    /// covers versions that the client may ask for.
    fn lengthened(&self, from: usize, revealed: u32) -> RangeProof<HashCounter, D> {
        let mut proof = self.proof.clone();
        for part in proof.generations[0].parts.iter_mut().skip(from) {
            part.shown.revealed = revealed;
        }
        proof
    }
}

fn steps(tuples: usize, each: u32) -> usize {
    tuples * usize::try_from(each).unwrap()
}

/// With a signature for each tuple, a client walks the chains of at most one unsigned batch.
#[test]
fn a_client_stops_at_the_first_batch_that_is_not_signed() {
    let scene = scene::<One<Ed25519>>(300, 2, TestSecret::numbered(7));
    let (honest, honest_steps, _) = scene.check(scene.proof.clone());
    assert!(honest.is_ok());
    assert_eq!(honest_steps, 300);
    for (from, verified) in [(0, 0), (70, 64), (299, 256)] {
        let (refusal, walked, _) = scene.check(scene.lengthened(from, MAX_CHAIN_LENGTH));
        assert_eq!(refusal, Err(VerifyError::SignatureInvalid));
        let most = verified + steps(64, MAX_CHAIN_LENGTH);
        assert!((1..=most).contains(&walked), "{walked} from {from} on");
    }
}

/// With one signature for all tuples, the total number of steps is limited.
#[test]
fn one_signature_for_all_has_a_limit_of_steps() {
    let scene = scene::<One<Bls>>(600, 2, TestSecret::numbered(7));
    let limit = STEPS_PER_TUPLE * 600;
    assert!(limit > MAX_STEPS);
    let too_long = Err(VerifyError::ChainTooLong { limit });
    let beyond = scene.check(scene.lengthened(0, STEPS_PER_TUPLE + 1));
    assert_eq!((&beyond.0, beyond.1), (&too_long, 0));
    // Only tuples and values are hashed: no chain, no point.
    assert_eq!(beyond.2, 1200, "tuples and values");
    let (refusal, walked, _) = scene.check(scene.lengthened(0, STEPS_PER_TUPLE));
    assert_eq!(refusal, Err(VerifyError::SignatureInvalid));
    assert_eq!(walked, steps(600, STEPS_PER_TUPLE));
    let few = self::scene::<One<Bls>>(65, 2, TestSecret::numbered(7));
    let too_long = Err(VerifyError::ChainTooLong { limit: MAX_STEPS });
    let (refusal, walked, _) = few.check(few.lengthened(0, MAX_CHAIN_LENGTH));
    assert_eq!((refusal, walked), (too_long, 0));
}

/// An uncovered instant or an overlong chain is refused before the first step.
#[test]
fn instants_and_lengths_are_compared_before_anything_is_walked() {
    let scene = scene::<One<Ed25519>>(300, 2, TestSecret::numbered(7));
    let limit = MAX_CHAIN_LENGTH;
    let (refusal, walked, _) = scene.check(scene.lengthened(299, limit + 1));
    let too_long = Err(VerifyError::ChainTooLong { limit });
    assert_eq!((refusal, walked), (too_long, 0));
    let (refusal, walked, _) = scene.check(scene.lengthened(299, 0));
    let outside = Err(VerifyError::OutsideValidity {
        instant: 2,
        since: 1,
        until: 1,
    });
    assert_eq!((refusal, walked), (outside, 0));
    let mut proof = scene.proof.clone();
    proof.aggregate.as_mut().unwrap().pop();
    let (refusal, walked, _) = scene.check(proof);
    assert_eq!((refusal, walked), (Err(VerifyError::CountMismatch), 0));
}

/// Honest proofs must be accepted even if they use chains of the default length up to their ends.
#[test]
fn honest_proofs_at_the_end_of_long_chains_are_accepted() {
    let last = DEFAULT_CHAIN_LENGTH + 1;
    let secret = || ChainSecret::from_bytes([7; 32]);
    let scene = scene::<One<Ed25519>>(200, last, ((), secret()));
    let (answer, walked, _) = scene.check(scene.proof.clone());
    assert_eq!(answer.unwrap().entries.len(), 200);
    assert_eq!(walked, steps(200, DEFAULT_CHAIN_LENGTH));
    let scene = self::scene::<One<Bls>>(200, last, (TestSecret::numbered(7), secret()));
    let (answer, walked, _) = scene.check(scene.proof.clone());
    assert_eq!(answer.unwrap().entries.len(), 200);
    assert_eq!(walked, steps(200, DEFAULT_CHAIN_LENGTH));
}

/// Surplus parts are refused before they are hashed.
#[test]
fn surplus_is_refused_before_hashing() {
    let scene = scene::<One<Ed25519>>(100, 1, TestSecret::numbered(7));
    let asked = keys([name(3), name(4)]);
    let mut proof: ManyProof<HashCounter, One<Ed25519>> = scene
        .server
        .prove_keys(scene.trusted.version, &asked)
        .unwrap();
    let again = proof.parts[1].clone();
    proof.parts.push(again);
    let (refusal, _, hashes) = counted(|| Untrusted::new(proof).verify(&scene.trusted, &asked));
    assert_eq!(refusal.err(), Some(VerifyError::GenerationSurplus));
    assert_eq!(hashes, 0);

    let mut proof = scene.proof.clone();
    let again = proof.generations[0].clone();
    proof.generations.push(again);
    let (refusal, _, hashes) = scene.check(proof);
    assert_eq!(refusal, Err(VerifyError::GenerationSurplus));
    assert_eq!(hashes, 0);

    // Only upper ends determine the number of tuples of a range. They are hashed, but nothing else
    // is done.
    let mut proof = scene.proof.clone();
    let last: RangePart<HashCounter, One<Ed25519>> = RangePart {
        upper: None,
        content: RangeContent::Nothing,
        ..proof.generations[0].parts[99].clone()
    };
    proof.generations[0].parts.push(last);
    let (refusal, walked, hashes) = scene.check(proof);
    assert_eq!(refusal, Err(VerifyError::Extraneous));
    assert_eq!((walked, hashes), (0, 200));
}
