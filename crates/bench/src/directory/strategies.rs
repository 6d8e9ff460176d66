//! Strategies 2 to 6 of [`block_directory::internals::strategy`]. Measures a change of one block
//! next to its primitives, and proofs that contain all slots of the blocks on a path.

use block_directory::{
    EntryId,
    internals::{
        BlockRoot, BlockTree, OpenedProof,
        strategy::{AdHash1600, BlockDigest, Flat, LtHash, MuHash1024, MuHash3072, Place},
    },
};
use pad_core::{Untrusted, codec};

use super::{
    Bench,
    contender::{Contender as _, SlotUpdate},
    digests::{Digests, MeasuredDigest, S, first_head, object, width},
    operations::proof_times,
};
use crate::{line, prelude::*};

/// Number of slots of the paper's blocks.
const CAPACITY: u32 = 68;

/// Number of entries for which the bytes of proofs are computed without making proofs.
const COUNTED: u64 = 1_000_000_000;

/// Measures all strategies.
pub(super) fn run(bench: &mut Bench) -> Outcome<()> {
    one::<Flat>(bench)?;
    one::<AdHash1600>(bench)?;
    one::<MuHash1024>(bench)?;
    one::<MuHash3072>(bench)?;
    one::<LtHash>(bench)
}

fn one<B: MeasuredDigest>(bench: &mut Bench) -> Outcome<()> {
    let name = B::name();
    bench.report.announce(format!("{name}: change, proofs"));
    for level in [0, 1] {
        let update_us = change_us::<B>(level, &bench.report)?;
        let update = SlotUpdate {
            level: u32::from(level),
            slots: u64::from(CAPACITY),
            is_new: false,
        };
        let limit_us = B::limit_ns(update, &bench.primitives) / 1e3;
        let line = line! {
            experiment: "directory_change", update_us, update_limit_us: limit_us,
            update_ratio: update_us / limit_us, level, capacity: CAPACITY,
        };
        bench.measured(name, line)?;
    }
    proofs::<B>(bench)?;
    let line = line! {
        experiment: "directory_opened_bytes", entries: COUNTED,
        proof_bytes: opened_bytes::<B>(COUNTED), capacity: CAPACITY,
    };
    bench.measured(name, line)
}

/// Returns the median microseconds of replacing the content of one slot, and computing the block's
/// summary after it.
fn change_us<B: MeasuredDigest>(level: u8, report: &Report) -> Outcome<f64> {
    let place = Place { level, block: 3 };
    let mut random = Random::new(u64::from(level));
    let mut byte = |_| random.next() as u8;
    let mut content = || -> Vec<u8> { (0..width::<B>(level)).map(&mut byte).collect() };
    let filled = |contents: &[Vec<u8>]| -> Outcome<_> {
        let mut block = Digests::<B>::open(place, CAPACITY.into())?;
        for (position, content) in (place.block * u64::from(CAPACITY)..).zip(contents) {
            Digests::<B>::write(&mut block, position, content)?;
        }
        Ok(block)
    };
    let mut contents: Vec<Vec<u8>> = (0..CAPACITY).map(|_| content()).collect();
    let mut block = filled(&contents)?;
    let mut slots = Random::new(1);
    let change = || (slots.below(CAPACITY.into()), content());
    let timings = report.effort().repeat_each(50, change, |(slot, new)| {
        let position = place.block * u64::from(CAPACITY) + slot;
        // A failed write shows in the comparison of summaries below.
        _ = Digests::<B>::write(&mut block, position, &new);
        contents[slot as usize] = new;
        Digests::<B>::summary(&mut block)
    });
    let expected = Digests::<B>::summary(&mut filled(&contents)?);
    if Digests::<B>::summary(&mut block) != expected {
        return Err(format!("{}: changes lead to another summary", B::NAME).into());
    }
    Ok(timings.median_us())
}

/// Measures proofs that contain all slots of the blocks on the path to an entry. Also measures
/// their verification by a client that knows the root from a signed head.
fn proofs<B: MeasuredDigest>(bench: &mut Bench) -> Outcome<()> {
    let entries = bench.report.rounds(10_000, 500) as u64;
    let mut tree = BlockTree::<S, B>::new(CAPACITY)?;
    for number in 0..entries {
        tree.append(object(number))?;
    }
    let head = known_head(first_head(B::SCHEME, tree.root()))?;
    let root = BlockRoot::new(&head, CAPACITY)?;
    let prove = |id| Ok(tree.prove(id));
    let verify = |id, message: &[u8]| {
        let longest = OpenedProof::<S, B>::longest(CAPACITY);
        let proof: OpenedProof<S, B> = codec::decode(message, longest)?;
        let verified = Untrusted::new(proof).verify(&root, &id)?;
        Ok(verified.get().of(id))
    };
    let (ids, effort) = ((Random::new(entries), entries), bench.report.effort());
    let times = proof_times(&effort, ids, [5, 50, 5], object, prove, verify);
    let [prove_us, verify_us] = times.map_err(|error| format!("{}: {error}", B::NAME))?;
    let line = line! {
        experiment: "directory_opened", entries, prove_us, verify_us,
        proof_bytes: codec::encode(&tree.prove(EntryId::new(0))).len(), capacity: CAPACITY,
    };
    bench.measured(B::name(), line)
}

/// Returns the bytes of all slots of the blocks on the path to entry 0, in a directory of `entries`
/// entries.
fn opened_bytes<B: BlockDigest<S>>(entries: u64) -> u64 {
    let capacity = u64::from(CAPACITY);
    let (mut slots, mut bytes) = (entries, 0);
    for level in 0.. {
        bytes += slots.min(capacity) * width::<B>(level) as u64;
        if slots <= capacity {
            break;
        }
        slots = slots.div_ceil(capacity);
    }
    bytes
}
