//! Checks of hostile bytes: one flipped bit in each byte (in every fifth byte for changes),
//! truncations, extensions and random bytes. They are refused, but a mutated change may also decode
//! to another change. Signed snapshots are also presented for another version or label.

use core::fmt::Debug;
use pad_accumulators::{Authority, Change, SecretKey as _, SignedSnapshot, wire, wire::Wire};
use pad_core::{AuthorKey, DecodeError, Proof, Untrusted, VerifyError, Version, Workers};

use super::{Complete, MESSAGE_LIMIT, SecretKey, elements, set_of, signer, verified};
use crate::Random;

/// Checks that mutations of a small set's witnesses and signed snapshot are refused, and that the
/// snapshot is refused for another version or label.
pub fn check_hostile_bytes<A: Complete>(secret: &SecretKey<A>, seed: u64) {
    let key = secret.public_key();
    let alone = Workers::sequential();
    let mut all = elements(7, &mut Random::new(seed));
    all.sort();
    let (members, absent) = all.split_at(6);
    let set = set_of::<A>(key, members);
    let value = A::accumulate(key, &set, &alone).unwrap();
    let current = verified::<A>(key, 8, &value);

    let witness = A::witness(key, &set, &members[2], &alone).unwrap();
    let member = &members[2];
    refuses_mutations(key, &witness, |witness| witness.check(&current, member));
    let witness = A::non_membership_witness(key, &set, &absent[0], &alone).unwrap();
    refuses_mutations(key, &witness, |witness| witness.check(&current, &absent[0]));
    let subset = &members[1..4];
    let witness = A::subset_witness(key, &set, subset, &alone).unwrap();
    refuses_mutations(key, &witness, |witness| witness.check(&current, subset));

    let author = AuthorKey::from_bytes(signer().verifying_key().as_bytes()).unwrap();
    let authority = |key| Authority::<A> { author, key };
    let honest = authority(key.clone());
    let snapshot = current.into_inner();
    let version = snapshot.version;
    let signed = snapshot.clone().sign(&signer()).unwrap();
    let answer = |signed: SignedSnapshot<A>| signed.check(&honest, &version).map(|_| ());
    refuses_mutations(key, &signed, answer);
    let (expected, actual) = (Version::new(9), version);
    let other = signed.clone().check(&honest, &expected).unwrap_err();
    assert_eq!(other, VerifyError::WrongVersion { expected, actual });
    let relabelled = authority(super::relabelled::<A>(secret, b"another accumulator"));
    let refused = signed.check(&relabelled, &version).unwrap_err();
    assert_eq!(refused, VerifyError::WrongAccumulator);
}

/// Checks that the encoding of a change is canonical: mutated bytes decode to a different change,
/// or are refused.
pub fn check_hostile_changes<A: Complete>(secret: &SecretKey<A>, seed: u64) {
    let key = secret.public_key();
    let alone = Workers::sequential();
    let names = elements(5, &mut Random::new(seed));
    let mut set = set_of::<A>(key, &names[..3]);
    let value = A::accumulate(key, &set, &alone).unwrap();
    let change = A::change(key, &mut set, &value, &names[..1], &names[3..], &alone).unwrap();
    let honest = wire::encode(&change);
    for (position, flipped) in flips(&honest).step_by(5) {
        if let Ok(other) = decode::<Change<A>>(key, &flipped) {
            assert_ne!(other, change, "byte {position}");
            assert_eq!(wire::encode(&other), flipped, "byte {position}");
        }
    }
    refuses_other_lengths::<Change<A>>(key, &honest);
}

/// Checks that a flipped bit in any byte, truncations and extensions are refused, by decoding or by
/// verification.
fn refuses_mutations<W, K, S: Debug>(
    key: &K,
    honest: &W,
    check: impl Fn(W) -> Result<S, VerifyError>,
) where
    W: Wire<Context = K> + Clone + Debug,
{
    check(honest.clone()).unwrap();
    let bytes = wire::encode(honest);
    for (position, flipped) in flips(&bytes) {
        if let Ok(object) = decode::<W>(key, &flipped) {
            assert_eq!(wire::encode(&object), flipped, "byte {position}");
            check(object).expect_err("a changed message verifies");
        }
    }
    refuses_other_lengths::<W>(key, &bytes);
}

fn refuses_other_lengths<W: Wire>(key: &W::Context, honest: &[u8]) {
    for length in 0..honest.len() {
        let decoded = decode::<W>(key, &honest[..length]);
        assert!(decoded.is_err(), "{length} bytes");
    }
    for more in [&[0][..], &[0xff; 7], honest] {
        let decoded = decode::<W>(key, &[honest, more].concat());
        assert!(decoded.is_err(), "{more:02x?} more");
    }
    let limit = honest.len() - 1;
    let refused = wire::decode::<W>(key, honest, limit).map(drop);
    assert_eq!(refused, Err(DecodeError::TooLarge { limit }));
}

fn decode<W: Wire>(key: &W::Context, bytes: &[u8]) -> Result<W, DecodeError> {
    wire::decode(key, bytes, MESSAGE_LIMIT).map(Untrusted::into_unverified)
}

/// Returns copies of `bytes`, each with one bit of another byte flipped, and the index of that
/// byte. In the byte with the index `i`, bit `i % 8` is flipped.
fn flips(bytes: &[u8]) -> impl Iterator<Item = (usize, Vec<u8>)> {
    (0..bytes.len()).map(|position| {
        let mut flipped = bytes.to_vec();
        flipped[position] ^= 1 << (position % 8);
        (position, flipped)
    })
}

/// Checks that decoding random bytes as any kind of object never panics.
pub fn check_noise<A: Complete>(secret: &SecretKey<A>, count: u64, seed: u64) {
    let key = secret.public_key();
    let mut random = Random::new(seed);
    for _ in 0..count {
        let length = usize::try_from(random.below(900)).unwrap();
        let noise = random.bytes(length);
        let _ = wire::decode_body::<A::Witness>(key, &noise);
        let _ = wire::decode_body::<A::NonMembershipWitness>(key, &noise);
        let _ = wire::decode_body::<A::SubsetWitness>(key, &noise);
        let _ = wire::decode_body::<A::Value>(key, &noise);
        let _ = wire::decode_body::<A::Element>(key, &noise);
        let _ = wire::decode_body::<Change<A>>(key, &noise);
        let _ = wire::decode_body::<SignedSnapshot<A>>(key, &noise);
    }
}
