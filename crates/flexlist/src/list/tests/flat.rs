//! The paper's form of proofs: there and back, and what is refused.

use pad_core::Digest;

use super::{
    super::{FlexList, Sha256, verify_indices},
    flat_proof::{Direction, FlatEntry, FlatError, FlatProof, Widths},
    forge::{Random, block, build},
};
use crate::error::{ProofError, UpdateError};

fn flat(list: &FlexList, indices: &[u64]) -> FlatProof {
    let proof = list.prove(indices).unwrap();
    let flat = FlatProof::encode::<Sha256>(&proof, &list.state(), indices).unwrap();
    assert_eq!(flat.decode().unwrap(), proof);
    flat
}

/// A random list of up to so many blocks, and up to six of its bytes.
fn scene(random: &mut Random, most: usize) -> (FlexList, Vec<u64>) {
    let length = 1 + random.index(most);
    let list = build(&random.blocks(length));
    let count = 1 + random.below(6);
    let indices = (0..count).map(|_| random.below(list.total())).collect();
    (list, indices)
}

#[test]
fn there_and_back() {
    let mut random = Random(1);
    for _ in 0..300 {
        let (list, indices) = scene(&mut random, 60);
        let proof = list.prove(&indices).unwrap();
        let flat = flat(&list, &indices);
        let (entries, tags) = (flat.entries.len(), flat.tag_digests.len());
        assert_eq!(flat.size(Widths::LIST), 50 * entries + 32 * tags);
        assert_eq!(flat.size(Widths::PAPER), 42 * entries + 20 * tags);
        assert!(proof.len() < flat.size(Widths::LIST));
    }
}

/// Of each field of each entry another value: refused, here or by the hashes.
#[test]
fn no_changed_entry_is_accepted() {
    let mut random = Random(2);
    let mut tried = 0;
    for _ in 0..120 {
        let (list, indices) = scene(&mut random, 30);
        let honest = flat(&list, &indices);
        let mut refuse = |changed: &FlatProof| {
            if *changed == honest {
                return;
            }
            tried += 1;
            let Ok(proof) = changed.decode() else {
                return;
            };
            let accepted = verify_indices::<Sha256>(&proof, &list.state(), &indices);
            assert!(accepted.is_err(), "{changed:?} for {honest:?}");
        };
        for place in 0..honest.entries.len() {
            for field in 0..7_u8 {
                let mut changed = honest.clone();
                change(&mut changed.entries[place], field, &mut random);
                refuse(&changed);
            }
            let mut changed = honest.clone();
            changed.entries.remove(place);
            refuse(&changed);
            let mut changed = honest.clone();
            changed.entries.insert(place, honest.entries[place]);
            refuse(&changed);
            let mut changed = honest.clone();
            changed.entries.swap(0, place);
            refuse(&changed);
        }
        for place in 0..honest.tag_digests.len() {
            let mut changed = honest.clone();
            changed.tag_digests[place].0[random.index(32)] ^= 1;
            refuse(&changed);
            changed.tag_digests.remove(place);
            refuse(&changed);
        }
    }
    assert!(tried > 5_000, "{tried}");
}

fn change(entry: &mut FlatEntry, field: u8, random: &mut Random) {
    match field {
        0 => entry.level = entry.level.wrapping_add(1 + random.byte() % 3),
        1 => entry.rank = entry.rank.wrapping_add(1 + random.below(9)),
        2 => entry.hash.0[random.index(32)] ^= 1 << random.below(8),
        3 if entry.direction == Direction::Down => entry.direction = Direction::Right,
        3 => entry.direction = Direction::Down,
        4 => entry.is_intersection = !entry.is_intersection,
        5 => entry.is_end = !entry.is_end,
        _ => entry.length = entry.length.wrapping_sub(1 + random.below(9)),
    }
}

/// Three blocks of 10 bytes in a row after the sentinel; the first and the second are asked for.
fn row() -> FlatProof {
    flat(&build(&[block(10, 0, 1); 3]), &[3, 13])
}

#[test]
fn each_refusal_has_its_reason() {
    let honest = row();
    // Root, sentinel, two blocks.
    assert_eq!(honest.entries.len(), 4);
    let refusal = |change: &dyn Fn(&mut FlatProof)| {
        let mut changed = honest.clone();
        change(&mut changed);
        changed.decode().unwrap_err()
    };
    let one = Digest([1; 32]);
    let (truncated, trailing) = (FlatError::Truncated, FlatError::TrailingEntries);
    assert_eq!(refusal(&|it| it.entries.truncate(3)), truncated);
    assert_eq!(refusal(&|it| it.entries.clear()), truncated);
    assert_eq!(refusal(&|it| it.entries.push(it.entries[3])), trailing);
    let rank = FlatError::RankMismatch;
    assert_eq!(refusal(&|it| it.entries[1].rank += 1), rank);
    assert_eq!(refusal(&|it| it.entries[3].rank += 1), rank);
    assert_eq!(refusal(&|it| it.entries[2].length = u64::MAX), rank);
    assert_eq!(refusal(&|it| it.entries[1].length = 1), rank);
    let kind = FlatError::UnknownKind;
    assert_eq!(refusal(&|it| it.entries[0].is_end = true), kind);
    let right = |it: &mut FlatProof| {
        it.entries[0].direction = Direction::Right;
        it.entries[0].is_intersection = true;
    };
    assert_eq!(refusal(&right), kind);
    assert_eq!(refusal(&|it| it.entries[2].is_end = false), kind);
    let down = |it: &mut FlatProof| it.entries[2].direction = Direction::Down;
    assert_eq!(refusal(&down), kind);
    let unused = FlatError::UnusedField;
    assert_eq!(refusal(&|it| it.entries[0].length = 1), unused);
    assert_eq!(refusal(&|it| it.entries[1].hash = one), unused);
    assert_eq!(refusal(&|it| it.entries[2].hash = one), unused);
    assert_eq!(refusal(&|it| it.entries[0].is_intersection = true), unused);
    let missing = FlatError::MissingTag;
    assert_eq!(refusal(&|it| it.tag_digests.truncate(1)), missing);
    let surplus = FlatError::SurplusTag;
    assert_eq!(refusal(&|it| it.tag_digests.push(one)), surplus);
}

#[test]
fn long_vectors_are_refused_in_time() {
    // A chain of passed leaves, of which each is 35 bytes long.
    let count = super::super::MAX_PROOF_BYTES / 35 + 2;
    let mut rank = u64::try_from(count).unwrap();
    let entries = (0..count).map(|_| {
        rank -= 1;
        FlatEntry {
            level: 0,
            rank,
            hash: Digest([1; 32]),
            direction: Direction::Right,
            is_intersection: false,
            is_end: false,
            length: 1,
        }
    });
    let long = FlatProof {
        entries: entries.collect(),
        tag_digests: Vec::new(),
    };
    let limit = super::super::MAX_PROOF_BYTES;
    assert_eq!(long.decode().unwrap_err(), FlatError::TooLarge { limit });
}

#[test]
fn only_what_is_proven_is_encoded() {
    let list = build(&[block(10, 0, 1); 3]);
    let state = list.state();
    let proof = list.prove(&[3]).unwrap();
    let encode = |indices: &[u64]| FlatProof::encode::<Sha256>(&proof, &state, indices);
    assert_eq!(encode(&[13]).unwrap_err(), ProofError::Elided);
    assert_eq!(
        encode(&[]).unwrap_err(),
        ProofError::Operation(UpdateError::EmptyBatch)
    );
}
