//! Savings of a batch, in hashes and bytes, on the paper's file of 500 000 blocks.
//!
//! Source: sections 4.2 and 4.3, figures 9 and 10.

use std::cell::Cell;

use pad_core::{Digest, Workers};

use super::super::{Block, FlexList, NodeHash, Operation, Sha256, verify_update};
use crate::level::Level;

thread_local! {
    static HASHES: Cell<u64> = const { Cell::new(0) };
}

/// SHA-256 with a call counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct CountingSha256;

impl NodeHash for CountingSha256 {
    fn hash(bytes: &[u8]) -> Digest<32> {
        HASHES.set(HASHES.get() + 1);
        Sha256::hash(bytes)
    }
}

fn counting<R>(work: impl FnOnce() -> R) -> (R, u64) {
    HASHES.set(0);
    let result = work();
    (result, HASHES.get())
}

/// `SplitMix64`.
fn random(seed: u64) -> u64 {
    let mut word = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

const BLOCKS: u64 = 500_000;
const LENGTH: u64 = 2048;
const UPDATES: u64 = 300;

/// An even mix of modifications, insertions and removals.
fn operations(block_of: impl Fn(u64) -> u64) -> Vec<Operation> {
    (0..UPDATES)
        .map(|number| {
            let index = block_of(number) * LENGTH;
            let tag_digest = Digest([7; 32]);
            match number % 3 {
                0 => Operation::Modify {
                    index,
                    length: LENGTH,
                    tag_digest,
                    label: 0,
                },
                1 => Operation::Insert {
                    index,
                    block: Block {
                        length: LENGTH,
                        tag_digest,
                        level: Level::initial(random(number) | 1 << 62),
                        label: 0,
                    },
                },
                _ => Operation::Remove { index },
            }
        })
        .collect()
}

struct Savings {
    server: f64,
    client: f64,
    witness: usize,
}

fn savings(list: &mut FlexList<CountingSha256>, operations: &[Operation]) -> Savings {
    let old = list.state();
    let (change, server_batch) = counting(|| list.update(operations).unwrap());
    let (next, client_batch) =
        counting(|| verify_update::<CountingSha256>(&change.witness, &old, operations).unwrap());
    assert_eq!(*next.get(), list.state());
    list.undo(change.previous);
    let (mut server, mut client) = (0, 0);
    for operation in operations.chunks(1) {
        let old = list.state();
        let (change, hashes) = counting(|| list.update(operation).unwrap());
        server += hashes;
        let (_, hashes) =
            counting(|| verify_update::<CountingSha256>(&change.witness, &old, operation).unwrap());
        client += hashes;
        list.forget(change.previous);
    }
    assert_eq!(list.state(), *next.get());
    let saved = |batch: u64, singles: u64| {
        1.0 - f64::from(u32::try_from(batch).unwrap()) / f64::from(u32::try_from(singles).unwrap())
    };
    Savings {
        server: saved(server_batch, server),
        client: saved(client_batch, client),
        witness: change.witness.len(),
    }
}

#[test]
fn a_batch_needs_a_fraction_of_the_hashes() {
    let blocks: Vec<Block> = (1..=BLOCKS)
        .map(|position| Block {
            length: LENGTH,
            tag_digest: Digest([position.to_le_bytes()[0]; 32]),
            level: Level::initial(position),
            label: position,
        })
        .collect();
    let (list, hashes) = counting(|| FlexList::build(&blocks, &Workers::sequential()).unwrap());
    let mut list: FlexList<CountingSha256> = list;
    // One hash per node: the leaves, half as many inner nodes, and the sentinels.
    assert!(
        (BLOCKS * 3 / 2..BLOCKS * 3 / 2 + 8).contains(&hashes),
        "{hashes}"
    );

    // After a removal the next operation continues at the same position.
    let consecutive = operations(|number| 200_000 + number - number / 3);
    let saved = savings(&mut list, &consecutive);
    println!(
        "consecutive: server {:.3}, client {:.3}, witness {}",
        saved.server, saved.client, saved.witness
    );
    assert!(saved.server >= 0.90 && saved.client >= 0.90);
    assert!(saved.witness <= 12_500, "{}", saved.witness);

    let anywhere = operations(|number| random(number + 1) % (BLOCKS - UPDATES));
    let saved = savings(&mut list, &anywhere);
    println!(
        "random: server {:.3}, client {:.3}, witness {}",
        saved.server, saved.client, saved.witness
    );
    assert!(saved.server >= 0.40 && saved.client >= 0.40);
}

#[test]
fn a_proof_of_460_challenges_has_at_most_180_kilobytes() {
    let blocks: Vec<Block> = (1..=BLOCKS)
        .map(|position| Block {
            length: LENGTH,
            tag_digest: Digest([0; 32]),
            level: Level::initial(position),
            label: 0,
        })
        .collect();
    let list: FlexList = FlexList::build(&blocks, &Workers::sequential()).unwrap();
    let indices: Vec<u64> = (1..=460)
        .map(|number| random(number) % list.total())
        .collect();
    let proof = list.prove(&indices).unwrap();
    println!("{} bytes", proof.len());
    assert!(proof.len() <= 180_000, "{}", proof.len());
}
