use pad_accumulators::{
    internals::{Transcript, commitments::Claims},
    wire::Reader,
};
use pad_conformance::soak;

use super::*;
use crate::{
    AadFrontier, AasFrontier, Schedule,
    author::support,
    element::{HALF_BITS, first_half},
    frontier::Evidence,
};
use pad_core::Workers;

const TREE: Address = Address { level: 4, index: 0 };

/// A tree of sixteen elements that are not made by hashing.
fn tree<S: Scheme>(elements: &[Vec<u8>]) -> Forest<S> {
    assert_eq!(elements.len(), 16);
    let log = support::log(7, 4, Schedule::Eager);
    let mut forest = Forest::new(log, Workers::all_cores());
    for element in elements {
        forest.push(element);
    }
    forest.build().unwrap();
    forest
}

/// Returns whether a verifier accepts a server's answer about a key half.
fn holds<S: Scheme>(forest: &Forest<S>, half: [u8; HALF]) -> bool {
    let width = S::element_bytes();
    let elements = (0..).zip(forest.elements_of(TREE).chunks(width));
    let shown = elements.filter(|(_, element)| first_half(element) == half);
    let (positions, shown): (Vec<u64>, Vec<&[u8]>) = shown.unzip();
    let mut bytes = Vec::new();
    let made = forest.append_frontier_evidence(TREE, (&half, &positions), &mut bytes);
    made.unwrap();
    let mut reader = Reader::new(&bytes);
    let evidence = Evidence::read::<S>(&mut reader, &shown).unwrap();
    reader.finish().unwrap();
    let mut claims = Claims::new(Transcript::new(forest.id(), "test"));
    let accumulator = &forest.node(TREE).accumulator;
    let claimed = evidence.claim::<S>(forest.id(), accumulator, &half, &mut claims);
    claimed.unwrap();
    claims.hold(forest.log().setup().parameters())
}

/// A key half and a value half that end with these bytes; all others are `fill`.
fn element(fill: u8, (key, value): (u8, u8)) -> Vec<u8> {
    let mut element = vec![fill; 2 * HALF];
    element[HALF - 1] = key;
    element[2 * HALF - 1] = value;
    element
}

fn half_of(element: &[u8]) -> [u8; HALF] {
    first_half(element)
}

/// Lookups must be right if keys, values, or both differ in their last bits only. The elements are
/// values of one key, one value of each key, or a mixture.
#[test]
fn answers_are_right_whatever_prefixes_are_shared() {
    let bits: &[(u8, u8)] = soak::size(&[(2, 2)][..], &[(4, 0), (0, 4), (2, 2), (3, 1)]);
    for fill in soak::size(&[0xff][..], &[0, 0xff]).iter().copied() {
        for (key_bits, value_bits) in bits.iter().copied() {
            let elements: Vec<Vec<u8>> = (0..16_u8)
                .map(|i| element(fill, (i >> value_bits, i & ((1 << value_bits) - 1))))
                .collect();
            let forest = tree::<AadFrontier>(&elements);
            assert!(holds(&forest, half_of(&elements[0])));
            assert!(holds(&forest, half_of(&elements[15])));
            let mut absent = [half_of(&elements[0]); 3];
            absent[0][HALF - 1] |= 1 << key_bits;
            absent[1][HALF - 1] |= 0x80;
            absent[2][0] ^= 0x80;
            assert!(absent.iter().all(|half| holds(&forest, *half)));
            assert!(holds(&forest, [0x55; HALF]));
        }
    }
}

#[test]
fn members_may_differ_in_their_last_bits_alone() {
    let members = (0..16_u8).map(|i| element(0, (i, 0))[..HALF].to_vec());
    let members: Vec<Vec<u8>> = members.collect();
    let forest = tree::<AasFrontier>(&members);
    for last in [16, 31, 255] {
        assert!(holds(&forest, half_of(&element(0, (last, 0)))));
    }
    assert!(holds(&forest, [0xff; HALF]));
}

/// The absence of a key half must be proved even if the half is the first string of a group,
/// continued by zeros.
#[test]
fn an_absent_half_is_in_the_group_that_begins_with_its_prefix() {
    let elements = (0..16_u8).map(|i| element(i.wrapping_mul(0x3b), (i, i)));
    let elements: Vec<Vec<u8>> = elements.collect();
    let forest = tree::<AadFrontier>(&elements);
    let made = forest.frontier(TREE).unwrap();
    let sorted = made.sorted::<AadFrontier>(forest.elements_of(TREE));
    let frontier = whole::<AadFrontier>(&sorted);
    let last = made.group_of(frontier, &[0xff; 2 * HALF]);
    let first = (0..=last).filter_map(|group| made.strings(frontier, group).next());
    let first = first.map(|string| frontier.bytes(string));
    let upper: Vec<_> = first.filter(|(_, length)| *length <= HALF_BITS).collect();
    assert!(upper.len() > 3);
    for (string, _) in upper {
        assert!(holds(&forest, first_half(&string)));
    }
}
