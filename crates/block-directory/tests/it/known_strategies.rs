//! Known answers of strategies 2 to 6, from elements to roots and proofs.

use block_directory::{
    Entry,
    internals::{
        BlockRoot, BlockTree, OpenedProof,
        strategy::{
            AdHash1600, AdSum1600, BlockDigest, Combination, Expansion, Flat, Least, LtHash,
            LtLanes, MuHash1024, MuHash3072, MuProduct1024, MuProduct3072, expand,
        },
    },
};
use pad_core::{Digest, Sha256Ed25519, Untrusted, codec, internals::Domain};
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

use crate::{
    known_answers::{bytes, digest, each_case, items, number, object, vectors},
    support::{head_of, id},
};

type S = Sha256Ed25519;

/// Calls a generic function with the strategy of a vector.
macro_rules! with_strategy {
    ($case:expr, $function:ident($($argument:expr),*)) => {
        match number(&$case["strategy"]) {
            2 => $function::<Flat>($($argument),*),
            3 => $function::<AdHash1600>($($argument),*),
            4 => $function::<MuHash1024>($($argument),*),
            5 => $function::<MuHash3072>($($argument),*),
            6 => $function::<LtHash>($($argument),*),
            other => panic!("strategy {other}"),
        }
    };
}

/// Calls a generic function with the group of a vector's strategy.
macro_rules! with_group {
    ($case:expr, $function:ident($($argument:expr),*)) => {
        match number(&$case["strategy"]) {
            3 => $function::<AdSum1600>($($argument),*),
            4 => $function::<MuProduct1024>($($argument),*),
            5 => $function::<MuProduct3072>($($argument),*),
            6 => $function::<LtLanes>($($argument),*),
            other => panic!("strategy {other}"),
        }
    };
}

/// Check 21: `1` and `p - 1` must be accepted as summaries, `0` and `p` must not.
#[test]
fn summaries_of_products_are_units() {
    fn check<C: Combination>(case: &Json) {
        let modulus = bytes(&case["modulus"]);
        assert!(!C::is_summary(&modulus));
        let mut below = modulus.clone();
        *below.last_mut().unwrap() -= 1;
        assert!(C::is_summary(&below));
        let mut one = vec![0; modulus.len()];
        assert!(!C::is_summary(&one));
        *one.last_mut().unwrap() = 1;
        assert!(C::is_summary(&one));
        assert!(!C::is_summary(&vec![0xff; modulus.len()]));
        assert!(!C::is_summary(&one[1..]));
        assert_eq!(C::summary::<S>(&C::neutral()), one);
    }
    each_case("primes", |_, case| with_group!(case, check(case)));
}

#[test]
fn small_moduli_miss_and_go_on() {
    for vectors in vectors() {
        let mut missed = 0;
        for case in items(&vectors, "expand") {
            let bits = u32::try_from(number(&case["bits"])).unwrap();
            let length = usize::try_from(bits.div_ceil(8)).unwrap();
            let big_endian = |number: u64| number.to_be_bytes()[8 - length..].to_vec();
            let mut constant = [0; 24];
            let tag = case["tag"].as_str().unwrap();
            constant[..tag.len()].copy_from_slice(tag.as_bytes());
            let modulus = big_endian(number(&case["modulus"]));
            let expansion = Expansion {
                constant,
                bits,
                least: match number(&case["least"]) {
                    0 => Least::Zero,
                    _ => Least::One,
                },
                modulus: Some(&modulus),
            };
            let found = expand(&expansion, &[&bytes(&case["input"])]).unwrap();
            assert_eq!(found.number, big_endian(number(&case["value"])));
            assert_eq!(u64::from(found.missed), number(&case["attempts_missed"]));
            missed += found.missed;
        }
        assert!(missed > 0);
    }
}

/// The search for a number in an empty range must end after all counters.
#[test]
fn attempts_come_to_an_end() {
    let expansion = |bits, modulus| Expansion {
        constant: Domain::BlockMu1024.block(),
        bits,
        least: Least::One,
        modulus: Some(modulus),
    };
    assert_eq!(expand(&expansion(17, &[0, 0, 1]), &[b"x"]), None);
    assert_eq!(expand(&expansion(0, &[]), &[b"x"]), None);
    assert_eq!(expand(&expansion(u32::MAX, &[1]), &[b"x"]), None);
}

#[test]
fn elements_of_one_slot() {
    fn check<C: Combination>(case: &Json) {
        let element = C::element(&[&bytes(&case["input"])]).unwrap();
        if let Some(value) = case["value"].as_str() {
            assert_eq!(hex::encode(C::summary::<S>(&element)), value);
        }
    }
    each_case("elements", |_, case| {
        with_group!(case, check(case));
        if number(&case["strategy"]) == 6 {
            let lanes = LtLanes::element(&[&bytes(&case["input"])]).unwrap();
            let state: Vec<u8> = lanes.iter().flat_map(|lane| lane.to_le_bytes()).collect();
            assert_eq!(state[..64], bytes(&case["first_64_bytes"]));
            let all: [u8; 32] = Sha256::digest(&state).into();
            assert_eq!(Digest(all), digest::<S>(&case["sha256_of_all"]));
        }
    });
}

/// Known answers for sets, their parts, a replacement and a removal must be reproduced. The
/// elements have keys, which only tests use.
#[test]
fn sets_are_combined_and_divided() {
    fn check<C: Combination>(vectors: &Json, case: &Json) {
        let element = |key: &str, content: u64| {
            let length = u32::try_from(key.len()).unwrap().to_be_bytes();
            let content = object::<S>(vectors, content);
            C::element(&[&[0], &length, key.as_bytes(), content.as_ref()]).unwrap()
        };
        let keys = items(case, "keys").iter().map(|key| key.as_str().unwrap());
        let keys: Vec<&str> = keys.collect();
        let elements = (0..).zip(&keys).map(|(place, key)| element(key, place));
        let elements: Vec<C::Value> = elements.collect();
        let of = |elements: &[C::Value]| {
            let mut value = C::neutral();
            for element in elements {
                C::combine(&mut value, element);
            }
            value
        };
        let is = |value: &C::Value, name: &str| {
            assert_eq!(C::summary::<S>(value), bytes(&case[name]), "{name}");
        };
        let (left, right) = elements.split_at(usize::try_from(number(&case["cut"])).unwrap());
        let (whole, left, right) = (of(&elements), of(left), of(right));
        is(&C::neutral(), "empty");
        is(&whole, "whole");
        is(&left, "left");
        is(&right, "right");
        let mut joined = left.clone();
        C::combine(&mut joined, &right);
        assert_eq!(joined, whole);
        C::remove(&mut joined, &right);
        assert_eq!(joined, left);
        let mut replaced = whole.clone();
        C::remove(&mut replaced, &elements[1]);
        C::combine(&mut replaced, &element(keys[1], 99));
        is(&replaced, "replaced_1_by_99");
        let mut removed = whole;
        C::remove(&mut removed, &elements[2]);
        is(&removed, "removed_2");
    }
    each_case("algebra", |vectors, case| {
        with_group!(case, check(vectors, case));
    });
}

#[test]
fn roots_and_opened_blocks() {
    each_case("strategies", |vectors, case| {
        assert_eq!(number(&case["suite"]), 1);
        with_strategy!(case, check_strategy(vectors, case));
    });
}

fn check_strategy<B: BlockDigest<S>>(vectors: &Json, case: &Json) {
    let capacity = u32::try_from(number(&case["b"])).unwrap();
    let mut tree = BlockTree::<S, B>::new(capacity).unwrap();
    let mut steps = items(case, "steps").iter().peekable();
    for number_of in 0..number(&case["n"]) {
        tree.append(object::<S>(vectors, number_of)).unwrap();
        if number_of % 5 == 4 {
            // A deleted entry stays deleted.
            let changed = id((7 * number_of) % number_of);
            let _refused = tree.update(changed, object::<S>(vectors, 500 + number_of));
        }
        if number_of % 9 == 8 {
            let _refused = tree.delete(id(number_of / 2));
        }
        if let Some(step) = steps.next_if(|step| number(&step["n"]) == number_of + 1) {
            assert_eq!(tree.top(), bytes(&step["top"]));
            assert_eq!(tree.root(), digest::<S>(&step["root"]));
        }
    }
    assert!(steps.next().is_none());
    for proof in items(case, "proofs") {
        check_opened(&tree, capacity, proof);
    }
}

fn check_opened<B: BlockDigest<S>>(tree: &BlockTree<S, B>, capacity: u32, case: &Json) {
    let asked = id(number(&case["id"]));
    let message = codec::encode(&tree.prove(asked));
    if let Some(proof) = case["proof"].as_str() {
        assert_eq!(hex::encode(&message), proof);
    } else {
        let length = u64::try_from(message.len()).unwrap();
        assert_eq!(length, number(&case["proof_bytes"]));
        let hashed: [u8; 32] = Sha256::digest(&message).into();
        assert_eq!(Digest(hashed), digest::<S>(&case["proof_sha256"]));
    }
    let longest = OpenedProof::<S, B>::longest(capacity);
    let proof = Untrusted::<OpenedProof<S, B>>::decode(&message, longest).unwrap();
    let root = BlockRoot::new(&head_of::<S>(tree.root()), capacity).unwrap();
    let entries = proof.verify(&root, &asked).unwrap().into_inner();
    let expected = match case["answer"].as_str().unwrap() {
        "deleted" => Entry::Deleted,
        "unassigned" => Entry::Unassigned,
        _ => Entry::Live(digest::<S>(&case["answer"])),
    };
    assert_eq!(entries.of(asked), Some(expected));
}
