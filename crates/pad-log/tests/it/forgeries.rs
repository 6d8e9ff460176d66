//! Forgeries of servers and dishonest logs, one for each check, with the expected error.
//!
//! The digest of a dishonest log is computed from its message, so hashes alone reject nothing.
//! Evidence forged from polynomials is in the vectors.

use ark_bls12_381::{Fr, G1Affine, g1};
use ark_ff::{BigInteger as _, Field as _, PrimeField as _};
use bls12::point::{self, G1_BYTES};
use pad_accumulators::wire;
use pad_core::{DecodeError, Digest, VerifyError};
use pad_log::{
    AadCounted, AppendOnlyProof, Entries, Entry, Growth, InclusionProof, LogRoot, LookupProof,
    Schedule, internals::hash,
};

use crate::{
    forger::coefficients,
    forgeries_frontier::MISMATCH,
    support::{at, at_size, client_log, distinct, entries, key, log, look_up, pair, put, verify},
};

type Scheme = AadCounted;

/// Offsets in the look-up of an absent key in a log of 16.
mod absent {
    pub(super) const SIZE: usize = 8;
    pub(super) const BLOCKS: usize = 16;
    pub(super) const ACCUMULATOR: usize = 20;
    pub(super) const INNER: usize = 68;
    pub(super) const VALUE: usize = 100;
    pub(super) const QUOTIENT: usize = 132;
    pub(super) const VALUES: usize = 180;
}

/// Offsets in the look-up of a key with one value in the first block of 16.
mod present {
    pub(super) const NUMBER: usize = 20;
    pub(super) const ACCUMULATOR: usize = 24;
    pub(super) const BLOCK: usize = 152;
    pub(super) const ELEMENTS: usize = BLOCK + 48;
    pub(super) const STUB: usize = ELEMENTS + 8 * 64 + 48;
    pub(super) const EVIDENCE: usize = STUB + 80;
    pub(super) const VALUES: usize = EVIDENCE + 128;
}

fn sixteen(dictionary: u8) -> Entries<Scheme> {
    let log = log::<Scheme>(dictionary, 5, Schedule::Eager);
    entries(&log, &distinct(16))
}

fn refusal(proof: &[u8], root: &LogRoot<Scheme>, asked: &str) -> VerifyError {
    verify::<LookupProof<Scheme>>(proof, root, &key(asked)).unwrap_err()
}

fn inclusion_refusal(proof: &[u8], root: &LogRoot<Scheme>, entry: &Entry) -> VerifyError {
    verify::<InclusionProof<Scheme>>(proof, root, entry).unwrap_err()
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().unwrap()
}

/// Returns a log whose only root has the level, accumulator and inner hash that a message shows.
fn as_shown(
    entries: &Entries<Scheme>,
    level: u8,
    accumulator: &[u8; G1_BYTES],
    inner: Digest<32>,
) -> LogRoot<Scheme> {
    let log = client_log(entries.log());
    let root = hash::sealed(level, accumulator, &inner);
    at(&log, 2, hash::digest(log.id(), 1 << level, Some(root)))
}

/// Returns a point that is on the curve, but outside the subgroup.
fn stray() -> [u8; G1_BYTES] {
    let points = (1_u64..100).filter_map(|x| G1Affine::get_point_from_x_unchecked(x.into(), false));
    let mut strays = points.filter(|point| !point.is_in_correct_subgroup_assuming_on_curve());
    point::encode::<g1::Config, G1_BYTES>(&strays.next().unwrap())
}

/// The encoding of the identity of G1.
pub(crate) const IDENTITY: [u8; G1_BYTES] = {
    let mut bytes = [0; G1_BYTES];
    bytes[0] = 0xc0;
    bytes
};

#[test]
fn a_proof_of_one_kind_or_scheme_is_none_of_another() {
    let entries = sixteen(1);
    let root = at_size(&entries, 16);
    let lookup = look_up(&entries, 16, "absent");
    let entry = pair("key 0", "value");
    let (expected, actual) = (130, 129);
    let refused = inclusion_refusal(&lookup, &root, &entry);
    let wrong = DecodeError::WrongKind { expected, actual };
    assert_eq!(refused, VerifyError::Undecodable(wrong));
    let (expected, actual) = (0x0302, 0x0312);
    let refused = refusal(&put(&lookup, 6, &[3, 0x12]), &root, "absent");
    let wrong = DecodeError::WrongSuite { expected, actual };
    assert_eq!(refused, VerifyError::Undecodable(wrong));
}

#[test]
fn points_and_scalars_must_be_canonical_and_in_the_subgroup() {
    let entries = sixteen(1);
    let root = at_size(&entries, 16);
    let proof = look_up(&entries, 16, "absent");
    let quotient = |bytes: &[u8]| refusal(&put(&proof, absent::QUOTIENT, bytes), &root, "absent");
    let undecodable = VerifyError::Undecodable;
    let uncompressed = [proof[absent::QUOTIENT] & 0x7f];
    let refused = quotient(&uncompressed);
    assert_eq!(refused, undecodable(DecodeError::PointInvalid));
    let refused = quotient(&stray());
    assert_eq!(refused, undecodable(DecodeError::PointOutsideSubgroup));
    // A quotient may be the identity if the equation holds.
    assert_eq!(quotient(&IDENTITY), MISMATCH);

    let inner = Digest(array(&proof, absent::INNER));
    for (accumulator, expected) in [
        (IDENTITY, DecodeError::PointIsIdentity),
        (stray(), DecodeError::PointOutsideSubgroup),
    ] {
        let root = as_shown(&entries, 4, &accumulator, inner);
        let proof = put(&proof, absent::ACCUMULATOR, &accumulator);
        assert_eq!(refusal(&proof, &root, "absent"), undecodable(expected));
    }

    let value: [u8; 32] = array(&proof, absent::VALUE);
    let mut larger = Fr::MODULUS;
    let value = bls12::scalar::decode(&value).unwrap().into_bigint();
    assert!(!larger.add_with_carry(&value));
    let larger = larger.to_bytes_be();
    let refused = refusal(&put(&proof, absent::VALUE, &larger), &root, "absent");
    assert_eq!(refused, undecodable(DecodeError::ScalarOutOfRange));
}

#[test]
fn what_is_hashed_cannot_be_another() {
    let (entries, other) = (sixteen(1), sixteen(2));
    let root = at_size(&entries, 16);
    let present = look_up(&entries, 16, "key 3");
    let mismatch = VerifyError::RootMismatch;
    // Another dictionary with the same contents.
    let elsewhere = at(&client_log(entries.log()), 1, other.digest(16));
    assert_eq!(refusal(&present, &elsewhere, "key 3"), mismatch);
    // Another size with roots of the same number and level.
    let larger = look_up(&entries, 16, "absent");
    let larger = put(&larger, absent::SIZE, &32_u64.to_be_bytes());
    assert_eq!(refusal(&larger, &root, "absent"), mismatch);
    // Accumulators of the tree and of a sibling, made for this answer.
    let generator = point::encode::<g1::Config, G1_BYTES>(&ark_ec::AffineRepr::generator());
    for place in [present::ACCUMULATOR, present::BLOCK, present::STUB] {
        let refused = refusal(&put(&present, place, &generator), &root, "key 3");
        assert_eq!(refused, mismatch);
    }
    // Elements of a block in another order, none of them the key's.
    let mut swapped = present;
    let (left, right) = swapped.split_at_mut(present::ELEMENTS + 64);
    left[present::ELEMENTS..].swap_with_slice(&mut right[..64]);
    assert_eq!(refusal(&swapped, &root, "key 3"), mismatch);
    // A tree is left out, and the bag is the hash of the other tree.
    let two = crate::support::entries(&log::<Scheme>(1, 4, Schedule::Eager), &distinct(32));
    let whole = look_up(&two, 32, "absent");
    let one_tree = [&whole[..absent::VALUES], &[0; 4]].concat();
    let expected = VerifyError::Undecodable(DecodeError::Malformed);
    assert_eq!(refusal(&one_tree, &at_size(&two, 32), "absent"), expected);
    let one_tree = put(&one_tree, absent::SIZE, &16_u64.to_be_bytes());
    assert_eq!(refusal(&one_tree, &at_size(&two, 32), "absent"), mismatch);
}

/// A log of `size` entries with another entry at `place`, and the accumulator of its tree.
fn with_another_at(place: usize, size: usize) -> (Entries<Scheme>, [u8; G1_BYTES]) {
    let mut others = distinct(size);
    others[place] = pair("somebody else", "value");
    let other = entries(&log::<Scheme>(1, 5, Schedule::Eager), &others);
    let accumulator = other.roots(u64::try_from(size).unwrap())[0].2.unwrap();
    (other, accumulator)
}

/// Proofs must be refused if a block's accumulator covers other elements and its hashes are
/// unchanged.
#[test]
fn a_block_has_the_accumulator_of_its_elements() {
    let entries = sixteen(1);
    let (_, false_accumulator) = with_another_at(5, 8);
    let elements_hash =
        |proof: &[u8], start: usize| hash::of_elements(0, proof[start..start + 8 * 64].chunks(64));

    let proof = look_up(&entries, 8, "key 5");
    let proof = put(&proof, 16, &false_accumulator);
    let root = as_shown(&entries, 3, &false_accumulator, elements_hash(&proof, 64));
    assert_eq!(refusal(&proof, &root, "key 5"), MISMATCH);

    let entry = pair("key 5", "value");
    let proof = wire::encode(&entries.prove_inclusion(8, 5));
    let proof = put(&proof, 32, &false_accumulator);
    assert_eq!(inclusion_refusal(&proof, &root, &entry), MISMATCH);
}

/// Inclusion and growth must not verify if a parent has the accumulator of another tree and
/// unchanged hashes.
#[test]
fn a_parent_has_the_product_of_its_children() {
    let entries = sixteen(1);
    let (other, false_accumulator) = with_another_at(3, 16);
    // The absence can be opened, because the element is no root of the false polynomial.
    let honest = look_up(&entries, 16, "absent");
    let inner = Digest(array(&honest, absent::INNER));
    let root = as_shown(&entries, 4, &false_accumulator, inner);
    let absence = put(&look_up(&other, 16, "key 3"), absent::INNER, &inner.0);
    let absence = verify::<LookupProof<Scheme>>(&absence, &root, &key("key 3")).unwrap();
    assert_eq!(absence.values, []);
    // The inclusion must therefore be refused with any certificate.
    let proof = wire::encode(&entries.prove_inclusion(16, 3));
    let (accumulator_at, certificate_at) = (32, 80);
    let proof = put(&proof, accumulator_at, &false_accumulator);
    let entry = pair("key 3", "value");
    assert_eq!(inclusion_refusal(&proof, &root, &entry), MISMATCH);
    let certificate = wire::encode(&other.prove_inclusion(16, 3));
    let certificate = &certificate[certificate_at..certificate_at + 80];
    let proof = put(&proof, certificate_at, certificate);
    assert_eq!(inclusion_refusal(&proof, &root, &entry), MISMATCH);
    // Growth from the version that showed the element must be refused too.
    let growth = wire::encode(&entries.prove_append_only(8, 16));
    let growth = put(&growth, 24, &false_accumulator);
    let old = at(&client_log(entries.log()), 1, entries.digest(8));
    let roots = Growth::new(old, root).unwrap();
    let refused = verify::<AppendOnlyProof<Scheme>>(&growth, &roots, &());
    assert_eq!(refused, Err(MISMATCH));
}

/// Hashes depend on the contents and challenges on the id. A certificate of another log is refused.
#[test]
fn challenges_depend_on_the_log() {
    let (entries, other) = (sixteen(1), sixteen(2));
    let proof = wire::encode(&other.prove_inclusion(16, 3));
    let entry = pair("key 3", "value");
    let root = at_size(&entries, 16);
    assert_eq!(inclusion_refusal(&proof, &root, &entry), MISMATCH);
    // Evidence of absence has no challenge: the digest names the log.
    let absence = look_up(&other, 16, "absent");
    assert!(verify::<LookupProof<Scheme>>(&absence, &root, &key("absent")).is_ok());
}

#[test]
fn a_present_key_does_not_open_to_zero() {
    let entries = sixteen(1);
    let root = at_size(&entries, 16);
    let present = look_up(&entries, 16, "key 3");
    let absent = look_up(&entries, 16, "absent");
    // A / (X - k), which the look-up shows, satisfies the equation with the value 0.
    let quotient: [u8; G1_BYTES] = array(&present, present::EVIDENCE);
    let forged = put(&absent, absent::VALUE, &[0; 32]);
    let forged = put(&forged, absent::QUOTIENT, &quotient);
    assert_eq!(refusal(&forged, &root, "key 3"), VerifyError::ZeroOpening);
    // Another value does not satisfy it.
    let forged = put(&forged, absent::VALUE + 31, &[1]);
    assert_eq!(refusal(&forged, &root, "key 3"), MISMATCH);
    // Neither does another key.
    assert_eq!(refusal(&absent, &root, "key 3"), MISMATCH);
}

#[test]
fn blocks_are_ascending_in_range_and_hold_the_key() {
    let mut all = distinct(16);
    all[12] = pair("key 3", "another value");
    let entries = entries(&log::<Scheme>(1, 5, Schedule::Eager), &all);
    let root = at_size(&entries, 16);
    let proof = look_up(&entries, 16, "key 3");
    let found = array::<12>(&proof, absent::BLOCKS);
    assert_eq!(found, [0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1]);
    for numbers in [[0, 0], [1, 0], [0, 2], [0, u32::MAX]] {
        let numbers = numbers.map(u32::to_be_bytes).concat();
        let refused = refusal(&put(&proof, present::NUMBER, &numbers), &root, "key 3");
        assert_eq!(refused, VerifyError::UnorderedLeaves);
    }
    assert_eq!(refusal(&proof, &root, "key 4"), VerifyError::Extraneous);
}

#[test]
fn values_are_those_of_the_elements() {
    let mut all = distinct(16);
    all[5] = all[3].clone();
    let entries = entries(&log::<Scheme>(1, 5, Schedule::Eager), &all);
    let root = at_size(&entries, 16);
    let proof = look_up(&entries, 16, "key 3");
    let values = proof.len() - 4 - 2 * (4 + 5);
    assert_eq!(proof[values + 3], 2);
    let withheld = put(&proof[..proof.len() - 9], values + 3, &[1]);
    let result = refusal(&withheld, &root, "key 3");
    assert_eq!(result, VerifyError::CountMismatch);
    let another = put(&proof, values + 8, b"V");
    let result = refusal(&another, &root, "key 3");
    assert_eq!(result, VerifyError::ValueMismatch);
    let found = array::<4>(&look_up(&entries, 16, "key 4"), present::VALUES);
    assert_eq!(found, [0, 0, 0, 1]);

    // Inclusion with another occurrence, occurrence 0, and a position beyond the log.
    let proof = wire::encode(&entries.prove_inclusion(16, 5));
    let occurrence = 24;
    assert_eq!(array(&proof, occurrence), 2_u64.to_be_bytes());
    for other in [0_u64, 1, 3] {
        let changed = put(&proof, occurrence, &other.to_be_bytes());
        let refused = inclusion_refusal(&changed, &root, &all[5]);
        assert_eq!(refused, VerifyError::ValueMismatch);
    }
    for position in [16_u64, 17, u64::MAX] {
        let changed = put(&proof, 16, &position.to_be_bytes());
        let refused = inclusion_refusal(&changed, &root, &all[5]);
        assert_eq!(refused, VerifyError::SizeOutOfRange);
    }
    let refused = inclusion_refusal(&proof, &root, &pair("key 3", "another value"));
    assert_eq!(refused, VerifyError::ValueMismatch);
}

#[test]
fn a_growth_starts_from_the_old_version() {
    let honest = sixteen(1);
    let forked = |place: usize| {
        let mut all = distinct(16);
        all[place] = pair("somebody else", "value");
        entries(honest.log(), &all)
    };
    let refused = |grown: &Entries<Scheme>, from: u64, old: &LogRoot<Scheme>| {
        let proof = wire::encode(&grown.prove_append_only(from, 16));
        let roots = Growth::new(old.clone(), at_size(grown, 16)).unwrap();
        verify::<AppendOnlyProof<Scheme>>(&proof, &roots, &()).err()
    };
    // An element of an old block, of an old tail that became a block, and of neither.
    let result = refused(&forked(3), 9, &at_size(&honest, 9));
    assert_eq!(result, Some(VerifyError::OldRootMismatch));
    let result = refused(&forked(8), 9, &at_size(&honest, 9));
    assert_eq!(result, Some(VerifyError::OldRootMismatch));
    assert_eq!(refused(&forked(9), 9, &at_size(&honest, 9)), None);
    // Two orders of appending.
    let mut swapped = distinct(16);
    swapped.swap(0, 1);
    let swapped = entries(honest.log(), &swapped);
    for from in 2..16 {
        let refused = refused(&swapped, from, &at_size(&honest, from));
        assert_eq!(refused, Some(VerifyError::OldRootMismatch));
    }
    // Growth from size 0 is from the empty log only. Growth by nothing needs equal digests.
    for from in [0, 16] {
        let refused = refused(&honest, from, &at_size(&honest, 9));
        assert_eq!(refused, Some(VerifyError::OldRootMismatch));
    }
    // Backwards.
    let proof = wire::encode(&honest.prove_append_only(9, 16));
    let proof = put(&proof, 8, &17_u64.to_be_bytes());
    let log = client_log(honest.log());
    let (larger, smaller) = (honest.digest(16), honest.digest(9));
    let roots = Growth::new(at(&log, 1, larger), at(&log, 2, smaller)).unwrap();
    let refused = verify::<AppendOnlyProof<Scheme>>(&proof, &roots, &());
    assert_eq!(refused, Err(VerifyError::SizeOutOfRange));
    // Two logs.
    let roots = Growth::new(at_size(&honest, 9), at_size(&sixteen(2), 16));
    assert_eq!(roots.unwrap_err(), VerifyError::WrongDictionary);
}

/// Bytes that do not match the digest are refused before a point is decoded.
#[test]
fn points_are_decoded_once_the_digest_is_right() {
    let entries = sixteen(1);
    let proof = look_up(&entries, 16, "absent");
    let proof = put(&proof, absent::QUOTIENT, &[0; G1_BYTES]);
    let other = at(&client_log(entries.log()), 1, sixteen(2).digest(16));
    assert_eq!(refusal(&proof, &other, "absent"), VerifyError::RootMismatch);
}

/// A key with a value in each of two trees is shown as absent. The errors of the two openings
/// cancel under coefficients that are known in advance. These are drawn without the message, or
/// from the message before the errors were added.
#[test]
fn errors_of_two_claims_do_not_cancel() {
    let log = log::<Scheme>(9, 4, Schedule::Eager);
    let mut all = distinct(32);
    (all[0], all[16]) = (pair("victim", "1"), pair("victim", "2"));
    let held = entries(&log, &all);
    let root = at_size(&held, 32);
    let (present, absent) = (look_up(&held, 32, "victim"), look_up(&held, 32, "absent"));
    // With value 0 and these quotients both equations hold.
    let rests = [840, 840 + 952].map(|at| present[at..at + 48].to_vec());
    let forged = |values: [Fr; 2]| {
        let mut forged = absent.clone();
        for (tree, (value, rest)) in values.iter().zip(&rests).enumerate() {
            let at = 16 + tree * 164 + 84;
            forged[at..at + 32].copy_from_slice(&bls12::scalar::encode(value));
            forged[at + 32..at + 80].copy_from_slice(rest);
        }
        forged
    };
    let zero = verify::<LookupProof<Scheme>>(&forged([Fr::from(0_u64); 2]), &root, &key("victim"));
    assert_eq!(zero, Err(VerifyError::ZeroOpening));
    let coefficients = |body| coefficients(log.id(), &root, b"victim", body);
    let before = forged([Fr::ONE, Fr::ONE]);
    for [first, second] in [coefficients(None), coefficients(Some(&before[8..]))] {
        let values = [Fr::ONE, -first * second.inverse().unwrap()];
        let refused = verify::<LookupProof<Scheme>>(&forged(values), &root, &key("victim"));
        assert_eq!(refused, Err(MISMATCH));
    }
}
