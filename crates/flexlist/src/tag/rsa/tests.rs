//! Known answers, keys, sums and their errors.

use pad_conformance::published;
use rug::{integer::IsPrime, ops::Pow};
use serde_json::Value;

use super::{super::testing::*, *};

/// The scheme with a small modulus, for speed; the known answers have this size.
type Toy = RsaTags<512>;

/// The `dpdp` section of the vectors.
fn vectors() -> Value {
    let vectors: Value = published::read_instead("FLEXLIST_VECTORS", "files/flexlist");
    vectors["dpdp"].clone()
}

fn integer(value: &Value) -> Integer {
    let digits = value.as_str().unwrap().trim_start_matches("0x");
    Integer::from_str_radix(digits, 16).unwrap()
}

fn strings(value: &Value) -> Vec<Vec<u8>> {
    let values = value.as_array().unwrap().iter();
    values
        .map(|value| hex::decode(value.as_str().unwrap()).unwrap())
        .collect()
}

fn toy() -> RsaOwnerKey<512> {
    let vectors = vectors();
    let [p, q, base] = ["p", "q", "g"].map(|name| integer(&vectors[name]));
    RsaOwnerKey::from_parts([p, q], base).unwrap()
}

fn primes(lines: &str) -> [Integer; 2] {
    let lines = lines.lines().filter(|line| !line.starts_with('#'));
    let primes: Vec<Integer> = lines
        .map(|line| Integer::from_str_radix(line, 16).unwrap())
        .collect();
    primes.try_into().unwrap()
}

const PRIMES_2048: &str = include_str!("../../../../accumulators/tests/keys/rsa-2048.txt");

pub(in crate::tag) fn key_2048() -> RsaOwnerKey<2048> {
    let [p, q] = primes(PRIMES_2048);
    RsaOwnerKey::from_primes(p, q, &Integer::from(123_456_789)).unwrap()
}

pub(in crate::tag) fn key_3072() -> RsaOwnerKey<3072> {
    let [p, q] = primes(include_str!(
        "../../../../accumulators/tests/keys/rsa-3072.txt"
    ));
    RsaOwnerKey::from_primes(p, q, &Integer::from(987_654_321)).unwrap()
}

/// The audit of the vectors.
fn known_audit(vectors: &Value) -> Audit {
    let blocks = strings(&vectors["blocks"]);
    let tags = strings(&vectors["tags"]);
    let challenge = vectors["challenge"].as_array().unwrap();
    let mut audit = Audit {
        blocks: Vec::new(),
        tags: Vec::new(),
        challenged: Vec::new(),
    };
    let mut start = 0;
    for (block, tag) in blocks.into_iter().zip(tags) {
        let length = u64::try_from(block.len()).unwrap();
        let hits = challenge.iter().filter_map(|pair| {
            let offset = pair[0].as_u64().unwrap().checked_sub(start)?;
            let coefficient = integer(&pair[1]).to_u128().unwrap();
            (offset < length).then_some(super::super::Hit {
                offset,
                coefficient,
            })
        });
        let hits: Vec<_> = hits.collect();
        if !hits.is_empty() {
            audit.challenged.push(Challenged {
                start,
                length,
                hits,
            });
            audit.blocks.push(block);
            let (committed, held) = (tag.into(), Vec::new().into());
            audit.tags.push(BlockTag { committed, held });
        }
        start += length;
    }
    audit
}

#[test]
fn known_answers() {
    let vectors = vectors();
    let owner = toy();
    assert_eq!(*owner.public.0.modulus(), integer(&vectors["N"]));
    let (blocks, tags) = (strings(&vectors["blocks"]), strings(&vectors["tags"]));
    assert!(blocks.len() == tags.len() && blocks.len() >= 50);
    for (block, tag) in blocks.iter().zip(&tags) {
        let made = Toy::tag(&owner, write(0), block).unwrap();
        assert_eq!(made.committed.as_ref(), tag);
    }
    let audit = known_audit(&vectors);
    let hits: usize = audit.challenged.iter().map(|block| block.hits.len()).sum();
    assert_eq!(hits, 20);
    let committed: Vec<Vec<u8>> = audit
        .tags
        .iter()
        .map(|tag| tag.committed.0.clone())
        .collect();
    assert_eq!(committed, strings(&vectors["proof_tags"]));
    let proof = audit.prove::<Toy>(&owner).unwrap();
    assert_eq!(read(&proof), integer(&vectors["M"]));
    assert_eq!(audit.verify::<Toy>(&owner, &proof), Ok(()));
}

#[test]
fn honest_proofs_verify() {
    check_honest::<Toy>(&toy(), 32);
    check_refusals::<Toy>(&toy());
    check_bytes(&toy());
    check_bytes(&toy().public);
    let audit = Audit::typical::<RsaTags<2048>>(&key_2048());
    assert_eq!(audit.audit::<RsaTags<2048>>(&key_2048()), Ok(()));
    check_bytes(&key_2048().public);
    let audit = Audit::new::<RsaTags<3072>>(&key_3072(), &[(2048, &[1, 9])]);
    assert_eq!(audit.audit::<RsaTags<3072>>(&key_3072()), Ok(()));
}

#[test]
fn changes_are_refused() {
    check_mutations::<Toy>(&toy(), 100);
    check_wrong_data::<Toy>(&toy());
}

#[test]
fn powers_are_those_of_the_definition() {
    let owner = toy();
    let Group { residues, base } = &*owner.public.0;
    let [p, q] = owner.factors.primes();
    let half = (p - 1_u32).complete() / 2_u32;
    let order = half.clone() * ((q - 1_u32).complete() / 2_u32);
    let exponents = [
        Integer::from(0),
        Integer::from(1),
        half.clone(),
        half + 1_u32,
        order.clone(),
        order.pow(3) + 5_u32,
    ];
    for exponent in exponents {
        let expected = base.pow_mod_ref(&exponent, residues.modulus()).unwrap();
        let expected = Integer::from(expected);
        assert_eq!(owner.power(exponent), Ok(expected));
    }
}

#[test]
fn faults_have_their_error() {
    let mut owner = toy();
    let public = Arc::new(Group::new(
        (owner.public.0.modulus() + 2_u32).complete(),
        owner.public.0.base.clone(),
    ));
    owner.public = RsaPublicKey(public);
    let tag = Toy::tag(&owner, write(1), b"block");
    assert_eq!(tag, Err(TagError::FaultDetected));
}

#[test]
fn sums_outside_the_range_are_refused() {
    let owner = toy();
    let audit = Audit::new::<Toy>(&owner, &[(100, &[0, 5]), (33, &[32])]);
    let proof = audit.prove::<Toy>(&owner).unwrap();
    let [mut least, mut most] = [Integer::new(), Integer::new()];
    for challenged in &audit.challenged {
        let coefficient = coefficient(challenged);
        let bits = u32::try_from(challenged.length * 8).unwrap();
        least += (Integer::from(1) << bits) * &coefficient;
        most += ((Integer::from(2) << bits) - 1_u32) * &coefficient;
    }
    let verdict = |sum: &Integer| {
        let mut bytes = Vec::new();
        write_fixed(sum, proof.len(), &mut bytes);
        audit.verify::<Toy>(&owner, &bytes)
    };
    let outside = Err(AuditError::SumOutOfRange);
    let inside = Err(AuditError::EquationFails);
    assert_eq!(verdict(&Integer::new()), outside);
    assert_eq!(verdict(&(&least - 1_u32).complete()), outside);
    assert_eq!(verdict(&least), inside);
    assert_eq!(verdict(&most), inside);
    assert_eq!(verdict(&(&most + 1_u32).complete()), outside);
    // The encoding of a negative number.
    let negative = vec![0xff; proof.len()];
    assert_eq!(audit.verify::<Toy>(&owner, &negative), outside);
    // The right sum plus a multiple of the order of g, which only a holder of the factors can
    // create.
    let [p, q] = owner.factors.primes();
    let order = ((p - 1_u32).complete() / 2_u32) * ((q - 1_u32).complete() / 2_u32);
    let shifted = read(&proof) + (order << 20_u32);
    assert_eq!(verdict(&shifted), Ok(()));
}

#[test]
fn tags_outside_the_modulus_are_refused() {
    let owner = toy();
    let audit = Audit::new::<Toy>(&owner, &[(100, &[0]), (33, &[32])]);
    let proof = audit.prove::<Toy>(&owner).unwrap();
    let modulus = owner.public.0.modulus();
    let honest = read(audit.tags[1].committed.as_ref());
    let with_tag = |tag: &Integer| {
        let mut changed = audit.clone();
        changed.tags[1].committed.0.clear();
        write_fixed(tag, 64, &mut changed.tags[1].committed.0);
        changed
    };
    let check = |audit: &Audit| Toy::check_tags(&owner.public, &audit.stored());
    let outside = Err(AuditError::TagOutOfRange { start: 100 });
    for tag in [modulus.clone(), (Integer::from(1) << 512_u32) - 1_u32] {
        assert_eq!(with_tag(&tag).verify::<Toy>(&owner, &proof), outside);
    }
    for tag in [
        Integer::new(),
        Integer::from(1),
        (modulus - 1_u32).complete(),
    ] {
        let verdict = with_tag(&tag).verify::<Toy>(&owner, &proof);
        assert_eq!(verdict, Err(AuditError::EquationFails));
        assert_eq!(check(&with_tag(&tag)), Err(TagError::BlockMismatch));
    }
    // Signs of tags do not matter: neither the audit nor the server's check depends on them.
    let negative = with_tag(&(modulus - &honest).complete());
    assert_eq!(negative.verify::<Toy>(&owner, &proof), Ok(()));
    assert_eq!(check(&negative), Ok(()));
}

#[test]
fn tags_that_do_not_fit_are_found() {
    let owner = toy();
    let mut audit = Audit::typical::<Toy>(&owner);
    audit.blocks[4][200] ^= 1;
    let checked = Toy::check_tags(&owner.public, &audit.stored());
    assert_eq!(checked, Err(TagError::BlockMismatch));
}

#[test]
fn unsuitable_factors_are_refused() {
    let [p, q] = primes(PRIMES_2048);
    let made = |p: &Integer, q: &Integer, root: u32| {
        RsaOwnerKey::<2048>::from_primes(p.clone(), q.clone(), &Integer::from(root)).map(drop)
    };
    assert_eq!(made(&p, &q, 3), Ok(()));
    assert_eq!(made(&q, &p, 3), Ok(()));
    for other in [p.clone(), Integer::from(7), Integer::new()] {
        assert_eq!(made(&p, &other, 3), Err(TagError::UnsuitablePrimes));
    }
    let composite = (&q + 2_u32).complete();
    assert_eq!(made(&p, &composite, 3), Err(TagError::NotSafePrimes));
    // A prime p for which (p - 1) / 2 is composite.
    let mut unsafe_prime = q.clone().next_prime();
    while unsafe_prime.get_bit(1)
        && (&unsafe_prime >> 1_u32).complete().is_probably_prime(30) != IsPrime::No
    {
        unsafe_prime.next_prime_mut();
    }
    assert_eq!(made(&p, &unsafe_prime, 3), Err(TagError::NotSafePrimes));
    for root in [0, 1] {
        assert_eq!(made(&p, &q, root), Err(TagError::UnsuitableBase));
    }
    let root = (&p + 1_u32).complete();
    let refused = RsaOwnerKey::<2048>::from_primes(p.clone(), q.clone(), &root);
    assert_eq!(refused.map(drop), Err(TagError::UnsuitableBase));
    // A length other than the type's.
    let refused = RsaOwnerKey::<3072>::from_primes(p, q, &Integer::from(3));
    assert_eq!(refused.map(drop), Err(TagError::UnsuitablePrimes));
}

#[test]
fn unsuitable_bytes_are_refused() {
    let owner = toy();
    let bytes = owner.to_bytes();
    // q before p, then a base that is not a square: minus one times a square.
    let swapped = [&bytes[32..64], &bytes[..32], &bytes[64..]].concat();
    let refused = |bytes: &[u8]| RsaOwnerKey::<512>::from_bytes(bytes).map(drop);
    assert_eq!(refused(&swapped), Err(DecodeError::NonCanonical.into()));
    let Group { residues, base } = &*owner.public.0;
    let modulus = residues.modulus();
    let mut negative = bytes[..64].to_vec();
    write_fixed(&(modulus - base).complete(), 64, &mut negative);
    assert_eq!(refused(&negative), Err(TagError::UnsuitableBase));
    let public = |modulus: &Integer, base: &Integer| {
        let mut bytes = Vec::new();
        write_fixed(modulus, 64, &mut bytes);
        write_fixed(base, 64, &mut bytes);
        RsaPublicKey::<512>::from_bytes(&bytes).map(drop)
    };
    let invalid = Err(DecodeError::ParametersInvalid.into());
    assert_eq!(public(modulus, base), Ok(()));
    let [p, _] = owner.factors.primes();
    for wrong in [
        Integer::new(),
        Integer::from(1),
        (modulus - 1_u32).complete(),
        modulus.clone(),
        p.clone(),
    ] {
        assert_eq!(public(modulus, &wrong), invalid);
    }
    for wrong in [
        (modulus + 1_u32).complete(),
        (modulus >> 1_u32).complete(),
        p.square_ref().complete(),
        modulus.clone().next_prime(),
    ] {
        assert_eq!(public(&wrong, &Integer::from(4)), invalid);
    }
}

#[test]
fn secrets_do_not_print() {
    let printed = format!("{:?} {:?}", toy(), toy().factors);
    let [p, q] = toy().factors.primes().map(ToString::to_string);
    assert!(!printed.contains(&p) && !printed.contains(&q));
}
