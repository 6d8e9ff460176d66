//! A lying server of a design with accumulators: values and witnesses in wrong places, each refused
//! with the exact reason. Also tests refusals of servers, and the state of an author after a
//! failure to sign.

use core::{
    ops::Range,
    sync::atomic::{AtomicUsize, Ordering},
};

use pad_accumulators::AccumulateError;
use pad_conformance::pad::Unreliable;
use pad_core::{ApplyError, Author, Client, Operation, Refusal, Response, Server};
use pad_tuple::{
    AuthorError, SecretBytes, Tuple,
    designs::{
        AccumulatorsBilinear, AccumulatorsRsa, AccumulatorsSupersedingBilinear,
        AccumulatorsSupersedingRsa, ChainAccumulatorsBilinear, ChainAccumulatorsRsa,
    },
    internals::{Accumulated, AccumulatedEvidence, Plain, Retention, update},
};

use super::*;

/// Returns the length of a witness's hint: the offset of a prime representative.
fn hint<D: Design<S>>() -> usize {
    if D::NAME.ends_with("rsa") { 2 } else { 0 }
}

/// Returns a foreign witness with the hint of the own witness.
fn transplant<D: Design<S>>(foreign: &[u8], own: &[u8]) -> Vec<u8> {
    let at = own.len() - hint::<D>();
    [&foreign[..at], &own[at..]].concat()
}

/// Tries a witness with every hint; returns the first refusal that is not about the hint itself.
fn under_every_hint<D: Design<S>>(
    witness: &[u8],
    refusal: impl Fn(Vec<u8>) -> Option<VerifyError>,
) -> Option<VerifyError> {
    if hint::<D>() == 0 {
        return refusal(witness.to_vec());
    }
    let residue = &witness[..witness.len() - 2];
    let mut refusals = (0..u16::MAX).map(|offset| {
        let bytes = [residue, &offset.to_be_bytes()].concat();
        refusal(bytes)
    });
    refusals
        .find(|refusal| *refusal != Some(VerifyError::NotAPrimeRepresentative))
        .flatten()
}

const MISMATCH: Option<VerifyError> = Some(VerifyError::WitnessMismatch);

/// Designs with a signed value for each generation.
trait SignedValues: Design<S, Secret: TestSecret, Evidence = AccumulatedEvidence<Self::Rule>> {
    type Rule: Retention;
}

impl<A: pad_accumulators::Dynamic<SecretKey: TestSecret>, R: Retention> SignedValues
    for Accumulated<A, R, 2>
{
    type Rule = R;
}

/// Swaps generations in version 1, in which the clocks of both generations are at 1.
fn of_another_generation<D: SignedValues>() {
    let target = Target::<D>::new();
    let honest = target.prove_at(1, 1, "b");
    assert_eq!(honest.parts.len(), 2);
    assert_eq!(target.refusal(&honest, 1, "b"), None);
    for (to, from) in [(0, 1), (1, 0)] {
        let foreign = honest.parts[from].evidence.clone();
        let mut mixed = honest.clone();
        let snapshot = &mut mixed.parts[to].evidence.snapshot;
        snapshot.clone_from(&foreign.snapshot);
        assert_eq!(target.refusal(&mixed, 1, "b"), INVALID);
        let mut mixed = honest.clone();
        let own = mixed.parts[to].evidence.witness.clone();
        mixed.parts[to].evidence.witness = transplant::<D>(&foreign.witness, &own);
        assert_eq!(target.refusal(&mixed, 1, "b"), MISMATCH);
        let mut mixed = honest.clone();
        mixed.parts[to].evidence = foreign;
        assert_eq!(target.refusal(&mixed, 1, "b"), INVALID);
    }
}

fn of_another_instant<D: SignedValues>() {
    let target = Target::<D>::new();
    let (older, newer) = (target.prove_at(5, 5, "d"), target.prove_at(6, 6, "d"));
    let (old, new) = (&older.parts[0].evidence, &newer.parts[0].evidence);
    let with = |proof: &TupleProof<S, D>, evidence: AccumulatedEvidence<D::Rule>| {
        let mut mixed = proof.clone();
        mixed.parts[0].evidence = evidence;
        mixed
    };
    assert_eq!(target.refusal(&older, 6, "d"), outside(6, 5, 5));
    // Presents the value of version 5 as the value of version 6: first with the number 6, then
    // with the signature of version 6.
    let mut renamed = old.clone();
    renamed.snapshot[..8].copy_from_slice(&6_u64.to_be_bytes());
    assert_eq!(target.refusal(&with(&older, renamed), 6, "d"), INVALID);
    let mut spliced = new.clone();
    spliced.snapshot[72..].copy_from_slice(&old.snapshot[72..]);
    assert_eq!(target.refusal(&with(&newer, spliced), 6, "d"), INVALID);
    // The witness of another version.
    let mut stale = new.clone();
    stale.witness = transplant::<D>(&old.witness, &new.witness);
    assert_eq!(target.refusal(&with(&newer, stale), 6, "d"), MISMATCH);
    // The tuple of another version with equal epochs, with value and witness of this version.
    let witness = &new.witness;
    let refusal = under_every_hint::<D>(witness, |witness| {
        let evidence = AccumulatedEvidence {
            witness,
            ..new.clone()
        };
        target.refusal(&with(&older, evidence), 6, "d")
    });
    assert_eq!(refusal, MISMATCH);
}

/// Offers evidence of another dictionary, and of a design that differs only in its number.
fn check_places<D: SignedValues, E: SignedValues>(
    convert: fn(&<E::Rule as Retention>::TupleData) -> <D::Rule as Retention>::TupleData,
) {
    let target = Target::<D>::new();
    let elsewhere = Target::<D>::elsewhere();
    let foreign = elsewhere.prove_at(3, 3, "b");
    assert_eq!(target.refusal(&foreign, 3, "b"), INVALID);
    let other = Target::<E>::new().prove_at(1, 1, "b");
    for part in 0..2 {
        let mut mixed = target.prove_at(1, 1, "b");
        let foreign = &other.parts[part].evidence;
        mixed.parts[part].evidence = AccumulatedEvidence {
            shown: convert(&foreign.shown),
            snapshot: foreign.snapshot.clone(),
            witness: foreign.witness.clone(),
        };
        assert_eq!(target.refusal(&mixed, 1, "b"), INVALID);
        let mut mixed = target.prove_at(3, 3, "b");
        mixed.parts[part] = elsewhere.prove_at(3, 3, "b").parts[part].clone();
        assert_eq!(target.refusal(&mixed, 3, "b"), INVALID);
    }
}

/// Checks that a proof is valid at every version from the one it states (`shown`) to the one of its
/// signed value. A changed `shown`, which would extend or reverse this range, must be refused.
fn stretched_ranges<A>()
where
    A: pad_accumulators::Dynamic<SecretKey: TestSecret>,
{
    type Superseded<A> = Accumulated<A, Superseding, 2>;
    let target = Target::<Superseded<A>>::new();
    // In version 6, [d, e) is new.
    let lookup = target.prove_at(6, 6, "d");
    assert_eq!(lookup.parts[0].evidence.shown, 6);
    let mut stretched = lookup.clone();
    stretched.parts[0].evidence.shown = 5;
    let own = stretched.parts[0].evidence.witness.clone();
    let refusal = under_every_hint::<Superseded<A>>(&own, |witness| {
        let mut tried = stretched.clone();
        tried.parts[0].evidence.witness = witness;
        target.refusal(&tried, 5, "d")
    });
    assert_eq!(refusal, MISMATCH);
    assert_eq!(target.refusal(&lookup, 5, "d"), outside(5, 6, 6));
    let mut reversed = lookup;
    reversed.parts[0].evidence.shown = 7;
    assert_eq!(target.refusal(&reversed, 6, "d"), outside(6, 7, 6));
    assert_eq!(target.refusal(&reversed, 7, "d"), outside(7, 7, 6));
    // One witness is valid for every version of its range: [.., d) exists from version 5 to 6.
    let server = &target.servers[6];
    let prove = |version| server.prove(Version::new(version), &key("a")).unwrap();
    let (at_five, at_six) = (prove(5), prove(6));
    assert_eq!(codec::encode(&at_five), codec::encode(&at_six));
    assert_eq!(target.refusal(&at_six, 5, "a"), None);
    assert_eq!(target.refusal(&at_six, 4, "a"), outside(4, 5, 6));
}

/// A byte string in a proof.
type Field<D> = fn(&mut TupleProof<S, D>) -> &mut Vec<u8>;

/// Truncates and extends every byte string, and flips bits in it.
fn check_bytes<D: Design<S, Secret: TestSecret>>(fields: &[Field<D>], signed: bool) {
    let target = Target::<D>::new();
    let honest = target.prove_at(3, 3, "b");
    assert_eq!(target.refusal(&honest, 3, "b"), None);
    let undecodable = |error| Some(VerifyError::Undecodable(error));
    for (number, field) in fields.iter().enumerate() {
        let length = field(&mut honest.clone()).len();
        let changed = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut mutated = honest.clone();
            change(field(&mut mutated));
            target.refusal(&mutated, 3, "b")
        };
        let bound = signed && number < 2;
        for shorter in (0..length).step_by(31).chain([length - 1]) {
            let refusal = changed(&|bytes| bytes.truncate(shorter));
            let expected = if bound {
                INVALID
            } else {
                undecodable(DecodeError::Malformed)
            };
            assert_eq!(refusal, expected, "{number}: {shorter} of {length}");
        }
        let refusal = changed(&|bytes| bytes.push(0));
        let expected = if bound {
            INVALID
        } else {
            undecodable(DecodeError::TrailingBytes)
        };
        assert_eq!(refusal, expected);
        let bits = 8 * length;
        for bit in (0..bits).step_by(53).chain(bits - 16..bits) {
            let refusal = changed(&|bytes| bytes[bit / 8] ^= 1 << (bit % 8));
            let is_exact = match refusal {
                Some(VerifyError::SignatureInvalid) => number < 2,
                Some(VerifyError::OutsideValidity { .. }) => number < 2 && bit < 64 && !bound,
                Some(
                    VerifyError::WitnessMismatch
                    | VerifyError::NotAPrimeRepresentative
                    | VerifyError::OffsetOutsideWindow,
                ) => number >= 2,
                Some(VerifyError::Undecodable(_)) => !bound,
                _ => false,
            };
            assert!(is_exact, "{number}: bit {bit} of {length}: {refusal:?}");
        }
    }
}

fn spoilt_bytes<D: SignedValues>() {
    check_bytes::<D>(
        &[
            |proof| &mut proof.parts[0].evidence.snapshot,
            |proof| &mut proof.parts[1].evidence.snapshot,
            |proof| &mut proof.parts[0].evidence.witness,
            |proof| &mut proof.parts[1].evidence.witness,
        ],
        false,
    );
}

/// Checks that the signature is invalid unless the proof contains the chain and head of its
/// version.
fn another_chain<A: pad_accumulators::Dynamic<SecretKey: TestSecret>>() {
    type Chain<A> = pad_tuple::internals::ChainAccumulated<A, 2>;
    type Seal = pad_tuple::internals::ChainSeal<S>;
    let target = Target::<Chain<A>>::new();
    let elsewhere = Target::<Chain<A>>::elsewhere();
    let seal_of = |target: &Target<Chain<A>>, version, name| {
        let proof: TupleProof<S, Chain<A>> = target.prove_at(version, version, name);
        proof.seal.unwrap()
    };
    let refusal = |version: u64, name: &str, change: &dyn Fn(&mut Seal)| {
        let mut proof = target.prove_at(version, version, name);
        change(proof.seal.as_mut().unwrap());
        target.refusal(&proof, version, name)
    };
    // "b" needs both generations in version 3, "d" only the youngest.
    assert_eq!(refusal(3, "b", &|_| {}), None);
    assert_eq!(refusal(3, "d", &|_| {}), None);
    assert_eq!(refusal(3, "b", &|seal| seal.values.swap(0, 1)), INVALID);
    let missing = Some(VerifyError::GenerationMissing);
    let surplus = Some(VerifyError::GenerationSurplus);
    assert_eq!(refusal(3, "b", &|seal| drop(seal.values.pop())), missing);
    assert_eq!(refusal(3, "d", &|seal| seal.values.clear()), missing);
    assert_eq!(refusal(3, "d", &|seal| seal.rest = None), missing);
    let whole = seal_of(&target, 3, "b");
    let rest = seal_of(&target, 3, "d").rest;
    let shown_too_much = |seal: &mut Seal| seal.values.clone_from(&whole.values);
    assert_eq!(refusal(3, "d", &shown_too_much), surplus);
    assert_eq!(refusal(3, "d", &|seal| *seal = whole.clone()), missing);
    assert_eq!(refusal(3, "b", &|seal| seal.rest = rest), surplus);
    let tail = seal_of(&target, 5, "d").rest;
    assert_ne!(tail, rest);
    assert_eq!(refusal(3, "d", &|seal| seal.rest = tail), INVALID);
    for foreign in [seal_of(&target, 2, "b"), seal_of(&elsewhere, 3, "b")] {
        assert_eq!(refusal(3, "b", &|seal| *seal = foreign.clone()), INVALID);
        let other_signature = |seal: &mut Seal| seal.signature = foreign.signature;
        assert_eq!(refusal(3, "b", &other_signature), INVALID);
        let other_history = |seal: &mut Seal| seal.history = foreign.history;
        assert_eq!(refusal(3, "b", &other_history), INVALID);
        let other_operations = |seal: &mut Seal| seal.operations = foreign.operations;
        if foreign.operations != whole.operations {
            assert_eq!(refusal(3, "b", &other_operations), INVALID);
        }
        let spliced = |seal: &mut Seal| seal.values[0].clone_from(&foreign.values[0]);
        assert_eq!(refusal(3, "b", &spliced), INVALID);
    }
    // Witnesses of another version and of the other generation, with the right head.
    let honest = target.prove_at(3, 3, "b");
    let older = target.prove_at(2, 2, "b").parts[0].evidence.clone();
    let [first, second] = [0, 1].map(|part: usize| honest.parts[part].evidence.clone());
    for (part, foreign) in [(0, older), (0, second), (1, first)] {
        let mut mixed = honest.clone();
        let own = &honest.parts[part].evidence;
        mixed.parts[part].evidence = transplant::<Chain<A>>(&foreign, own);
        assert_eq!(target.refusal(&mixed, 3, "b"), MISMATCH);
    }
    check_bytes::<Chain<A>>(
        &[
            |proof| &mut proof.seal.as_mut().unwrap().values[0],
            |proof| &mut proof.seal.as_mut().unwrap().values[1],
            |proof| &mut proof.parts[0].evidence,
            |proof| &mut proof.parts[1].evidence,
        ],
        true,
    );
}

/// Checks that a server refuses an extension that does not match its own values, even if the author
/// signed it.
fn check_updates<D: Design<S, Secret: TestSecret>>(spoil: fn(&mut D::Extension)) {
    let target = Target::<D>::new();
    let resigned = |mut update: Update<S, TupleAttachment<D::Extension>>| {
        let operations = update::operations_digest::<S>(&update.operations);
        let attachment = D::attachment_digest(&update.attachment);
        let mut head = update.head.head;
        head.root = update::root::<S>(&operations, &attachment);
        update.head = head.sign(&signing_key(AUTHOR)).unwrap();
        update
    };
    for (version, merges) in [(3, false), (4, true)] {
        let good = &target.updates[version - 1];
        let mut server = target.servers[version - 1].clone();
        let mut bad = Vec::new();
        for extension in 0..good.attachment.extensions.len() {
            let mut update = good.clone();
            spoil(&mut update.attachment.extensions[extension]);
            bad.push(update);
        }
        let mut update = good.clone();
        update.attachment.extensions.pop();
        bad.push(update);
        let first = &good.attachment.extensions[0];
        let mut update = good.clone();
        update.attachment.extensions.push(first.clone());
        bad.push(update);
        let mut update = good.clone();
        update.attachment.merged ^= 1;
        update.attachment.extensions = vec![first.clone(); 2 - usize::from(merges)];
        bad.push(update);
        for update in bad {
            let refused = server.apply(&resigned(update));
            assert_eq!(refused, Err(ApplyError::AttachmentMismatch));
        }
        // The state is unchanged: the good update and all later ones still apply.
        for update in &target.updates[version - 1..] {
            assert!(server.apply(update).is_ok());
        }
        let proof = server.prove(Version::new(3), &key("b")).unwrap();
        assert_eq!(target.refusal(&proof, 3, "b"), None);
    }
}

/// Checks that an author whose signer fails occasionally publishes the same dictionary.
fn a_signer_that_fails<D: Design<S, Secret: TestSecret>>() {
    let target = Target::<D>::new();
    // Every fourth signature fails; a merge needs three.
    let calls = AtomicUsize::new(0);
    let signer = Unreliable::new(AUTHOR, || calls.fetch_add(1, Ordering::Relaxed) % 4 == 3);
    let secret = D::Secret::numbered(AUTHOR);
    let mut author: TupleAuthor<S, D, _> =
        TupleAuthor::new(dictionary(), public_key(AUTHOR), signer, secret)
            .with_speculation(Speculation::Size(NonZeroUsize::new(4).unwrap()));
    let mut refusals = 0;
    let mut updates = target.updates.iter();
    for action in actions() {
        match action {
            Action::Put(key, value) => author.put(key, value),
            Action::Remove(key) => drop(author.remove(&key)),
            Action::Snapshot => loop {
                match author.snapshot() {
                    Ok(update) => {
                        assert_eq!(Some(&update), updates.next());
                        break;
                    }
                    Err(error) => {
                        assert!(matches!(error, AuthorError::Signing(_)));
                        refusals += 1;
                    }
                }
            },
        }
    }
    assert!(refusals > 1);
}

fn new_author<D: Design<S, Secret: TestSecret>>() -> TupleAuthor<S, D, SigningKey> {
    let (signer, secret) = (signing_key(AUTHOR), D::Secret::numbered(AUTHOR));
    TupleAuthor::new(dictionary(), public_key(AUTHOR), signer, secret)
}

/// Checks that a set above the public key's capacity stops the author, without a loss of changes.
fn check_capacity<D: Design<S, Secret: TestSecret>>() {
    let mut author = new_author::<D>();
    let batch = (0..64_u8).map(|byte| Operation::Put(key([byte, 1]), value([byte])));
    for _ in 0..2 {
        let refused = author.snapshot_of(batch.clone().collect()).err();
        let capacity = AccumulateError::CapacityExceeded { capacity: 64 };
        let Some(AuthorError::Accumulate(error)) = refused else {
            panic!("an accumulator's refusal: {refused:?}");
        };
        assert_eq!(error, capacity);
        assert!(!author.has_unsigned() && author.head().is_none());
        assert_eq!((author.len(), author.get(&[63, 1])), (64, Some(&[63][..])));
    }
    // The batch is pending, and a smaller one fits: 63 keys and the start of the key space.
    assert!(author.remove(&key([63, 1])));
    assert_eq!(author.snapshot().expect("it fits").operations.len(), 63);
    assert_eq!((author.len(), author.get(&[63, 1])), (63, None));
}

/// Checks that a snapshot refused for capacity does not affect later ones.
fn check_refused_snapshot<D: Design<S, Secret: TestSecret>>() {
    let puts = |keys: Range<u8>| -> Vec<_> {
        let puts = keys.map(|byte| Operation::Put(key([byte, 1]), value([byte])));
        puts.collect()
    };
    let (mut refused, mut other) = (new_author::<D>(), new_author::<D>());
    for author in [&mut refused, &mut other] {
        author.snapshot_of(puts(0..10)).expect("it fits");
    }
    let error = refused.snapshot_of(puts(10..80)).err();
    let is_full = matches!(error, Some(AuthorError::Accumulate(_)));
    assert!(is_full, "{error:?}");
    // The first six are still pending.
    for byte in 16..80 {
        assert!(refused.remove(&key([byte, 1])));
    }
    for batch in [10..16, 16..22, 22..28] {
        let pending = if batch.start == 10 {
            Vec::new()
        } else {
            puts(batch.clone())
        };
        let expected = other.snapshot_of(puts(batch)).expect("it fits");
        assert_eq!(refused.snapshot_of(pending).expect("it fits"), expected);
    }
}

macro_rules! attacks {
    ($name:ident, $accumulator:ty, $plain:ty, $superseding:ty, $chain:ty) => {
        mod $name {
            use super::*;

            tests_of! {
                of_another_generation: $plain, $superseding;
                of_another_instant: $plain, $superseding;
                stretched_ranges: $accumulator;
                spoilt_bytes: $plain, $superseding;
                another_chain: $accumulator;
                a_signer_that_fails: $plain, $superseding, $chain;
            }

            #[test]
            fn of_another_dictionary_or_design() {
                check_places::<$plain, $superseding>(|_| ());
                check_places::<$superseding, $plain>(|()| 1);
            }

            #[test]
            fn updates_with_other_values() {
                check_updates::<$plain>(|extension| extension.signature.0[0] ^= 1);
                check_updates::<$superseding>(|extension| extension.signature.0[63] ^= 1);
                check_updates::<$chain>(|extension| {
                    let mut chain = extension.chain.unwrap_or_default();
                    chain.0[0] ^= 1;
                    extension.chain = Some(chain);
                });
            }
        }
    };
}

attacks!(
    rsa,
    pad_accumulators::rsa::Rsa,
    AccumulatorsRsa,
    AccumulatorsSupersedingRsa,
    ChainAccumulatorsRsa
);
attacks!(
    bilinear,
    pad_accumulators::bilinear::Bilinear,
    AccumulatorsBilinear,
    AccumulatorsSupersedingBilinear,
    ChainAccumulatorsBilinear
);

#[test]
fn too_many_keys_for_the_public_key() {
    with_each!(check_capacity:
        AccumulatorsBilinear, AccumulatorsSupersedingBilinear, ChainAccumulatorsBilinear
    );
    with_each!(check_refused_snapshot:
        AccumulatorsBilinear, AccumulatorsSupersedingBilinear, ChainAccumulatorsBilinear
    );
}

/// Plain designs accept a signed value only for its own instant.
#[test]
fn plain_values_vouch_for_one_instant() {
    for instant in [0, 3, 5] {
        assert_eq!(Plain::validity((), instant).require(instant), Ok(()));
        assert!(Plain::validity((), instant).require(instant + 1).is_err());
    }
    assert_ne!(Superseding::validity(3, 5), Superseding::validity(5, 5));
}

/// Checks that answers of a fork are refused. The author signs two contents for one version, and
/// the chain of one does not match the head of the other.
fn check_other_fork<D: Design<S, Secret: TestSecret + SecretBytes>>() {
    let published = |contents: &[u8]| {
        let secret = D::Secret::numbered(AUTHOR);
        let signer = signing_key(AUTHOR);
        let mut author = Author::<Tuple<D>>::with_secret("forked", signer, secret).unwrap();
        author.put(key(b"apple"), value(contents)).unwrap();
        let mut server = Server::<Tuple<D>>::new(author.public());
        let version = server.apply(&author.snapshot().unwrap()).unwrap();
        let answer = server.answer(version, &key(b"apple")).unwrap();
        let head = server.head(version).unwrap();
        (author.public().clone(), head, answer)
    };
    let ((public, head, genuine), (_, _, fork)) = (published(b"1"), published(b"2"));
    let mut client = Client::<Tuple<D>>::new(public);
    client.advance(&head, None).unwrap();
    client.check(&genuine, &key(b"apple")).unwrap();
    let read = |bytes: &[u8]| -> Response<S, TupleProof<S, D>> {
        codec::decode(bytes, bytes.len()).unwrap()
    };
    let mut spliced = read(&genuine);
    spliced.proof = read(&fork).proof;
    let refused = client.check(&codec::encode(&spliced), &key(b"apple"));
    let mismatch = Refusal::Proof(VerifyError::RootMismatch);
    assert_eq!(refused.unwrap_err(), mismatch);
}

#[test]
fn a_chain_of_another_fork_is_refused() {
    check_other_fork::<ChainAccumulatorsBilinear>();
    check_other_fork::<ChainAccumulatorsRsa>();
}
