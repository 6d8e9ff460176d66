//! Server of a measured tree, in its own process: applies the updates, answers lookups, and checks
//! the answers like a client.

use std::{hint::black_box, path::Path};

use pad_core::{Answer, HistoryLog, Key, Repository, Suite, Untrusted, Value, Version, codec};
use pad_tree::{TreeProof, TreeRepository, internals::TreeQuery};

use super::{
    author::CHUNK,
    process::{AuthorPass, Order},
    update_file::UpdateReader,
};
use crate::{
    counting::{CountingSuite, HashCounts},
    dictionary::{Store, checked_answer, head_bytes, new_repository},
    line, memory,
    prelude::*,
    primitives::Primitives,
    workload::{Workload, absent_key, key, value},
};

/// Number of lookups in one call of `prove_many`.
const MANY: usize = 1024;

/// Maximum bytes of an encoded proof that is decoded, far above the proofs of these workloads.
const PROOF_LIMIT: usize = 1 << 20;

/// Measures a server that applies the author's updates from a file, and clients that verify its
/// answers.
pub fn measure<S: Suite, St: Store<S>>(order: &Order, author: &AuthorPass) -> Outcome<Line> {
    let (workload, effort) = (&order.workload, &Effort::new(order.quick));
    warm_up::<S, St>(&order.updates())?;
    let applied = UpdatedRepository::<S, St>::new(workload, effort, &order.updates())?;
    let repository = &applied.repository;
    let has_all = repository.latest().number() == workload.versions();
    ensure(has_all, "the repository lacks versions")?;
    let mut random = Random::new(1);
    for _ in 0..8 {
        let (version, index) = workload.any_present(&mut random, None);
        for (key, expected) in [
            (key(index), Answer::Present(value(index))),
            (absent_key(index), Answer::Absent),
        ] {
            if checked_answer(repository, Version::new(version), &key)? != expected {
                return Err(format!("version {version}: the wrong answer for {key}").into());
            }
        }
    }
    let lookups = Lookups {
        workload,
        effort,
        repository,
    };
    let latest = Some(workload.versions());
    let sizes = lookups.sizes()?;
    let primitives = &applied.primitives;
    let verify_limit_us = (sizes.figure("depth") * primitives.node_hash_ns
        + primitives.leaf_hash_ns
        + primitives.value_hash_ns)
        / 1e3;
    let checks = lookups.checks(verify_limit_us)?;
    let hashes = author
        .hashes
        .clone()
        .with_history_of(&history_hashes::<S>(workload));
    let line = applied.times(&hashes).merged(&line! {
        prove_us_latest: lookups.prove(latest).mean_us(),
        prove_us_random_version: lookups.prove(None).mean_us(),
        prove_many_us_latest: lookups.prove_many(latest).mean_us(),
        prove_many_us_random_version: lookups.prove_many(None).mean_us(),
        prove_absent_us_latest: lookups.prove_absent().mean_us(),
    });
    let line = line.merged(&checks).merged(&sizes).merged(&applied.growth);
    Ok(line.merged(&line! {
        head_bytes: head_bytes::<S>(), peak_resident_bytes: memory::peak_resident_bytes(),
    }))
}

/// Repository after all updates, and the times of applying the last tenth of them.
struct UpdatedRepository<S: Suite, St: Store<S>> {
    repository: TreeRepository<S, St>,
    last: Timings,
    primitives: Primitives,
    /// Growth of memory, nodes and digests per version, after the snapshot that fills the
    /// repository.
    growth: Line,
}

/// Applies some updates to another repository, so that memory of the program's code is not counted
/// as memory of the measured repository.
fn warm_up<S: Suite, St: Store<S>>(updates: &Path) -> Outcome<()> {
    let mut repository: TreeRepository<S, St> = new_repository();
    for update in UpdateReader::open(updates)?.take(CHUNK)? {
        repository.apply(&update)?;
    }
    Ok(())
}

impl<S: Suite, St: Store<S>> UpdatedRepository<S, St> {
    fn new(workload: &Workload, effort: &Effort, updates: &Path) -> Outcome<Self> {
        let mut file = UpdateReader::open(updates)?;
        // Before the baseline, so that memory for measuring is not counted.
        let _ = Primitives::measure::<S>(&Effort::QUICK);
        let mut baseline = [memory::resident_bytes() as f64, 0.0, 0.0, 0.0];
        let mut repository = new_repository();
        if workload.fill() > 0 {
            apply(&mut repository, &mut file, workload.fill())?;
            baseline = size(&repository);
        }
        let last_tenth = workload.last_tenth();
        let first = last_tenth.start - 1 - workload.fill();
        apply(&mut repository, &mut file, first)?;
        let before = Primitives::measure::<S>(effort);
        let tenth = last_tenth.end - last_tenth.start;
        let last = apply(&mut repository, &mut file, tenth)?;
        let end = size(&repository);
        let primitives = before.mean(Primitives::measure::<S>(effort));
        let versions = (workload.versions() - workload.fill()) as f64;
        let [resident, counted, nodes, digests] =
            [0, 1, 2, 3].map(|of: usize| (end[of] - baseline[of]) / versions);
        let growth = line! {
            resident_bytes_per_version: resident, counted_bytes_per_version: counted,
            nodes_per_version: nodes, digests_per_version: digests,
        };
        Ok(Self {
            repository,
            last,
            primitives,
            growth,
        })
    }

    fn times(&self, hashes: &HashCounts) -> Line {
        let limit = self.primitives.verify_signature_us + hashes.cost_us(&self.primitives);
        line! {
            apply_us: self.last.mean_us(), apply_limit_us: limit,
            apply_ratio: self.last.mean_us() / limit,
            apply_ratio_median: self.last.median_us() / limit,
        }
    }
}

/// Returns four sizes: the process's resident bytes, the bytes that the repository counts for
/// itself, its number of nodes, and its number of digests.
fn size<S: Suite, St: Store<S>>(repository: &TreeRepository<S, St>) -> [f64; 4] {
    [
        memory::resident_bytes() as f64,
        repository.memory_bytes() as f64,
        repository.contents().node_count() as f64,
        repository.contents().digest_count() as f64,
    ]
}

/// Reads and applies the next `updates` updates of the file. Only applying is timed.
fn apply<S: Suite, St: Store<S>>(
    repository: &mut TreeRepository<S, St>,
    file: &mut UpdateReader<S>,
    updates: u64,
) -> Outcome<Timings> {
    let mut timings = Timings::default();
    let mut left = usize::try_from(updates)?;
    while left > 0 {
        let chunk = file.take(left.min(CHUNK))?;
        ensure(!chunk.is_empty(), "the file of updates ends too early")?;
        left -= chunk.len();
        timings.time(chunk.len(), || {
            chunk
                .iter()
                .try_for_each(|update| repository.apply(update).map(drop))
        })?;
    }
    Ok(timings)
}

/// Counts the history log's hashes per update on a server, over the last tenth of the versions.
fn history_hashes<S: Suite>(workload: &Workload) -> HashCounts {
    let mut log = HistoryLog::<CountingSuite<S>>::default();
    let last_tenth = workload.last_tenth();
    let mut run = |versions: core::ops::Range<u64>| {
        for version in versions {
            black_box(log.root(version - 1));
            log.append(&S::Digest::default());
        }
    };
    run(1..last_tenth.start);
    HashCounts::of(last_tenth.end - last_tenth.start, || run(last_tenth)).0
}

/// Measurements of lookups in one repository.
struct Lookups<'a, S: Suite, St: Store<S>> {
    workload: &'a Workload,
    effort: &'a Effort,
    repository: &'a TreeRepository<S, St>,
}

impl<S: Suite, St: Store<S>> Lookups<'_, S, St> {
    /// Chooses a random present key, in `version`, or in a random version if that is `None`.
    fn query(&self, random: &mut Random, version: Option<u64>) -> (Version, Key) {
        let (version, index) = self.workload.any_present(random, version);
        (Version::new(version), key(index))
    }

    fn prove(&self, version: Option<u64>) -> Timings {
        let mut random = Random::new(2);
        self.prove_each(|| self.query(&mut random, version))
    }

    fn prove_absent(&self) -> Timings {
        let mut random = Random::new(3);
        let latest = self.repository.latest();
        self.prove_each(|| (latest, absent_key(random.next())))
    }

    fn prove_each(&self, query: impl FnMut() -> (Version, Key)) -> Timings {
        self.effort.repeat_each(MANY, query, |(version, key)| {
            let proof = self.repository.prove(version, &key);
            proof.expect("bench: the version exists")
        })
    }

    fn prove_many(&self, version: Option<u64>) -> Timings {
        let mut random = Random::new(4);
        let mut query = || self.query(&mut random, version);
        let queries = |chunk| -> Vec<_> { (0..chunk).map(|_| query()).collect() };
        self.effort.repeat(MANY, queries, |queries| {
            black_box(self.repository.prove_many(&queries)).expect("bench: the versions exist");
        })
    }

    /// Returns the mean bytes of proofs and the mean depth, over random keys of the latest version.
    fn sizes(&self) -> Outcome<Line> {
        let mut random = Random::new(5);
        let samples = self.effort.operations.min(10_000);
        let latest = self.repository.latest();
        let (mut presence, mut absence, mut depth) = (0, 0, 0);
        for _ in 0..samples {
            let (_, key) = self.query(&mut random, Some(latest.number()));
            let present = self.repository.prove(latest, &key)?;
            let absent = self.repository.prove(latest, &absent_key(random.next()))?;
            presence += present.body_length();
            absence += absent.body_length();
            depth += inner_nodes(&present)?;
        }
        let mean = |sum| sum as f64 / samples as f64;
        Ok(line! {
            proof_bytes: mean(presence), absent_proof_bytes: mean(absence), depth: mean(depth),
        })
    }

    /// Measures a client's verification of a proof of the latest version.
    ///
    /// Times three operations separately: verification of head and proof, verification under a
    /// known head, and decoding. `limit_us` is the lower bound with a known head: the time of only
    /// the hashes.
    fn checks(&self, limit_us: f64) -> Outcome<Line> {
        let latest = self.repository.latest();
        let (authority, signed) = (*self.repository.authority(), self.repository.head(latest)?);
        let verify_head = || Untrusted::new(black_box(signed)).verify(&authority, &latest);
        let known = verify_head()?;
        let mut random = Random::new(6);
        let mut prove = || {
            let (version, key) = self.query(&mut random, Some(latest.number()));
            let proof = self.repository.prove(version, &key);
            let proof = proof.expect("bench: the version exists");
            (key, Untrusted::new(proof))
        };
        let known_head = self.effort.repeat_each(MANY, &mut prove, |(key, proof)| {
            let lookup = proof.verify(&known, &key);
            lookup.expect("bench: honest proofs verify")
        });
        let whole = self
            .effort
            .repeat_each(MANY / 8, &mut prove, |(key, proof)| {
                let head = verify_head().expect("bench: the head is the author's");
                let lookup = proof.verify(&head, &key);
                lookup.expect("bench: honest proofs verify")
            });
        let encoded = || codec::encode(prove().1.as_unverified());
        let decode = self.effort.repeat_each(MANY, encoded, |bytes| {
            let proof = Untrusted::<TreeProof<S, Key>>::decode(&bytes, PROOF_LIMIT);
            proof.expect("bench: honest proofs decode")
        });
        Ok(line! {
            verify_us: whole.mean_us(), verify_with_known_head_us: known_head.mean_us(),
            verify_limit_us: limit_us, verify_ratio: known_head.mean_us() / limit_us,
            decode_us: decode.mean_us(),
        })
    }
}

/// Counts the inner nodes that a client hashes to verify a proof.
///
/// A proof omits subtrees off its paths and contains only their digests. Every inner node on a path
/// has one such child, or two children on paths. So there are as many inner nodes as omitted
/// digests and leaves together, minus one.
pub fn inner_nodes<S: Suite, Q: TreeQuery>(proof: &TreeProof<S, Q>) -> Outcome<usize> {
    // Shape, digests of omitted subtrees, and leaves, each with its value or the value's digest.
    type Parts<S> = (
        Vec<u8>,
        Vec<Digest<S>>,
        Vec<(Key, Result<Digest<S>, Value>)>,
    );
    type Digest<S> = <S as Suite>::Digest;
    let (_, siblings, leaves): Parts<S> = codec::decode_body(&codec::encode_body(proof))?;
    Ok((siblings.len() + leaves.len()).saturating_sub(1))
}
