//! Sizes that depend only on the number of entries: bytes of proofs, and of a light author's state.
//! A light author stores none of the entries.

use std::{convert::Infallible, ops::RangeInclusive};

use block_directory::{
    Changes, EntryId, EntryProof, EntryQuery, LightAuthor,
    internals::{Selection as _, entry_digest, root_digest},
};
use pad_core::{
    Digest, Suite as _, Untrusted,
    codec::{self, Message},
    internals::Domain,
};
use serde::{Deserialize, Serialize};

use super::{
    Bench,
    digests::{S, first_head, object},
    reads,
};
use crate::{line, prelude::*};

/// Powers of ten for which the bytes of a proof are measured, without building a directory of as
/// many entries.
const EXPONENTS: RangeInclusive<u32> = 6..=10;

/// Maximum number of tree digests that a light author stores: one for each set bit of the number of
/// entries.
const MOST_PEAKS: usize = 48;

/// Maximum number of history digests that a light author stores: one for each set bit of the number
/// of versions.
const MOST_HISTORY: usize = 64;

/// Reports the bytes of proofs and of a light author's state.
pub(super) fn run(bench: &mut Bench) -> Outcome<()> {
    for exponent in EXPONENTS {
        let entries = 10_u64.pow(exponent);
        let line = line! {
            experiment: "directory_proof_bytes", entries, proof_bytes: proof_of_first(entries)?,
        };
        bench.measured("merkle", line)?;
    }
    let peaks = bench.report.rounds(20, 10);
    let entries = (1 << peaks) - 1;
    let state_bytes = light_state(entries)?;
    let missing = MOST_PEAKS - peaks + MOST_HISTORY - 1;
    let line = line! {
        experiment: "directory_light_author", entries, memory_bytes: state_bytes,
        // The number of entries and the number of versions may each take 8 bytes more.
        most_bytes: state_bytes + 32 * missing + 16,
    };
    bench.measured("merkle", line)
}

/// Fields of an [`EntryProof`], to build a proof without a directory.
#[derive(Serialize, Deserialize)]
struct Parts {
    registered: u64,
    shown: Vec<Option<Digest<32>>>,
    siblings: Vec<Digest<32>>,
}

impl Message for Parts {
    const KIND: u8 = 160;
    const SUITE: u16 = S::ID.0;
}

/// Builds a valid proof of entry 0 in a directory of `entries` entries, and returns its bytes. The
/// siblings on the path are arbitrary digests.
fn proof_of_first(entries: u64) -> Outcome<usize> {
    let depth = reads::depth(entries, 0);
    let id = EntryId::new(0);
    let siblings: Vec<Digest<32>> = (1..=depth).map(object).collect();
    let entry = entry_digest::<S>(id, Some(&object(0)));
    let fold = |left, right| S::node(Domain::DirectoryNode, &left, right);
    let top = siblings.iter().rev().fold(entry, fold);
    let message = codec::encode(&Parts {
        registered: entries,
        shown: vec![Some(object(0))],
        siblings,
    });
    let root = root_digest::<S>(entries, &top);
    let head = known_head(first_head(block_directory::DIRECTORY, root))?;
    let query = EntryQuery::one(id);
    let proof: EntryProof<S> = codec::decode(&message, query.longest_proof())?;
    Untrusted::new(proof).verify(&head, &query)?;
    let is_counted = message.len() as u64 == reads::proof_bytes(entries, depth);
    ensure(is_counted, "the bytes of a proof are others than counted")?;
    Ok(message.len())
}

/// Returns the bytes that a light author stores after one version with `entries` entries.
fn light_state(entries: u64) -> Outcome<usize> {
    let mut author = LightAuthor::<S>::new("bench", signing_key())?;
    let mut changes = Changes::default();
    for number in 0..entries {
        changes.append(object(number));
    }
    let mut bytes = 0;
    author.publish(&changes, None, |state, _| {
        bytes = codec::encode(state).len();
        Ok::<(), Infallible>(())
    })?;
    Ok(bytes)
}
