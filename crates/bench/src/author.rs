//! The author's pass: builds every update, times it, counts its hashes, and writes it to a file.

use std::path::Path;

use pad_core::{Dictionary, DictionaryId, HeadSignature, Operation, Suite, Update};
use pad_tree::{BalancingScheme, TreeAuthor};
use signature::Signer;

use crate::{
    Outcome,
    counting::{Counted, HashCounts, NoSignature},
    memory,
    primitives::{Primitives, author_key, signing_key},
    record::{AuthorFigures, AuthorPass},
    timing::{Effort, Timings, rounded},
    update_file::UpdateWriter,
    workload::Workload,
};

/// The number of snapshots that are timed together.
pub const CHUNK: usize = 64;

/// An author under any suite and scheme, without contents.
pub fn new_author<S: Suite, B: BalancingScheme, K: Signer<HeadSignature>>(
    signer: K,
) -> TreeAuthor<S, B, K> {
    TreeAuthor::new(DictionaryId::from_name("bench"), author_key(), signer)
}

/// Puts and removes, then takes the snapshot: the work that is timed.
///
/// # Errors
/// The signer's.
pub fn publish<S: Suite, B: BalancingScheme, K: Signer<HeadSignature>>(
    author: &mut TreeAuthor<S, B, K>,
    operations: Vec<Operation>,
) -> Result<Update<S>, signature::Error> {
    put_all(author, operations);
    author.snapshot()
}

/// Puts and removes in any author, without a snapshot.
pub fn put_all(author: &mut impl Dictionary, operations: Vec<Operation>) {
    for operation in operations {
        match operation {
            Operation::Put(key, value) => author.put(key, value),
            Operation::Remove(key) => {
                author.remove(&key);
            }
        }
    }
}

/// Measures the author of a workload and writes its updates to `updates`.
///
/// # Errors
/// If the file cannot be written.
pub fn measure<S: Suite, B: BalancingScheme>(
    workload: &Workload,
    effort: &Effort,
    updates: &Path,
) -> Outcome<AuthorPass> {
    let last_tenth = workload.last_tenth();
    let mut pass = Pass {
        workload,
        author: new_author::<S, B, _>(signing_key()),
        file: UpdateWriter::create(updates)?,
        bytes: 0,
    };
    pass.run(1, workload.fill())?;
    pass.bytes = 0;
    let mut overall = pass.run(workload.fill() + 1, last_tenth.start - 1)?;
    let before = Primitives::measure::<S>(effort);
    let last = pass.run(last_tenth.start, workload.versions())?;
    let primitives = before.mean(Primitives::measure::<S>(effort));
    overall.extend(&last);
    let Pass {
        author,
        file,
        bytes,
        ..
    } = pass;
    file.finish()?;
    let author_resident_bytes = memory::resident_bytes();
    drop(author);
    let hashes = count_hashes::<S, B>(workload)?;
    let limit = primitives.sign_us + hashes.cost_us(&primitives);
    let figures = AuthorFigures {
        insert_snapshot_us: rounded(last.mean_us()),
        insert_snapshot_median_us: rounded(last.median_us()),
        insert_snapshot_overall_us: rounded(overall.mean_us()),
        author_limit_us: rounded(limit),
        author_ratio: rounded(last.mean_us() / limit),
        author_ratio_median: rounded(last.median_us() / limit),
        node_hashes_per_update: rounded(hashes.nodes),
        leaf_hashes_per_update: rounded(hashes.leaves + hashes.values),
        history_hashes_per_update: rounded(hashes.history()),
        update_bytes: rounded(bytes as f64 / overall.operations() as f64),
        sign_us: rounded(primitives.sign_us),
        author_node_hash_ns: rounded(primitives.node_hash_ns),
        author_resident_bytes,
    };
    Ok(AuthorPass { figures, hashes })
}

/// The hashes per snapshot in the last tenth, counted by an author that does not sign.
fn count_hashes<S: Suite, B: BalancingScheme>(workload: &Workload) -> Outcome<HashCounts> {
    let mut author = new_author::<Counted<S>, B, _>(NoSignature);
    let last_tenth = workload.last_tenth();
    let mut run = |versions: core::ops::Range<u64>| {
        versions
            .into_iter()
            .try_for_each(|version| publish(&mut author, workload.operations(version)).map(drop))
    };
    run(1..last_tenth.start)?;
    let (counts, result) = HashCounts::of(last_tenth.end - last_tenth.start, || run(last_tenth));
    result?;
    Ok(counts)
}

struct Pass<'a, S: Suite, B: BalancingScheme, K> {
    workload: &'a Workload,
    author: TreeAuthor<S, B, K>,
    file: UpdateWriter,
    bytes: usize,
}

impl<S: Suite, B: BalancingScheme, K: Signer<HeadSignature>> Pass<'_, S, B, K> {
    /// Publishes the versions `first..=last`; only that is timed.
    fn run(&mut self, first: u64, last: u64) -> Outcome<Timings> {
        let mut timings = Timings::default();
        let mut next = first;
        while next <= last {
            let versions: Vec<u64> = (next..=last).take(CHUNK).collect();
            next += versions.len() as u64;
            let batches: Vec<_> = versions
                .into_iter()
                .map(|version| self.workload.operations(version))
                .collect();
            let mut updates = Vec::with_capacity(batches.len());
            timings.time(batches.len(), || {
                batches.into_iter().try_for_each(|operations| {
                    updates.push(publish(&mut self.author, operations)?);
                    Ok::<(), signature::Error>(())
                })
            })?;
            for update in &updates {
                self.bytes += self.file.append(update)?;
            }
        }
        Ok(timings)
    }
}
