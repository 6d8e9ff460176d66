//! The server's pass: applies the updates, answers look-ups, and checks the answers as a client.

use std::{hint::black_box, path::Path};

use pad_core::{
    Client, DigestBytes, HeadSignature, Key, PublicKey, Repository, Response, SignedHead,
    SnapshotHead, Suite, Untrusted, Verified, Version, codec, head::Authority, history::HistoryLog,
};
use pad_tree::{Answer, Authenticated, Tree, TreeProof, TreeRepository, VersionedStore};
use serde::{Deserialize, Serialize};

use crate::{
    Outcome,
    author::{CHUNK, new_author},
    counting::{Counted, HashCounts, NoSignature},
    memory,
    primitives::Primitives,
    record::{AuthorPass, ServerFigures},
    timing::{Effort, Timings, rounded},
    update_file::UpdateReader,
    workload::{Random, Workload, absent_key, key, value},
};

/// The number of look-ups that are handed to `prove_many` at once.
pub const MANY: usize = 1024;

/// The longest encoded proof that is decoded; far above what these workloads have.
const PROOF_LIMIT: usize = 1 << 20;

/// Measures a server that applies the updates in a file, and clients that check its answers.
///
/// # Errors
/// If the file cannot be read, an update is refused, or an answer is wrong.
pub fn measure<S: Suite, St>(
    workload: &Workload,
    effort: &Effort,
    updates: &Path,
    author: &AuthorPass,
) -> Outcome<ServerFigures>
where
    St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync,
{
    warm_up::<S, St>(updates)?;
    let Applied {
        repository,
        overall,
        last,
        primitives,
        growth,
    } = apply_all::<S, St>(workload, effort, updates)?;
    check_answers(workload, &repository)?;
    let Growth {
        resident,
        counted,
        versions,
        nodes,
        digests,
    } = growth;
    let hashes = author
        .hashes
        .with_history_of(&history_hashes::<S>(workload));
    let limit = primitives.verify_signature_us + hashes.cost_us(&primitives);
    let lookups = Lookups {
        workload,
        effort,
        repository: &repository,
    };
    let latest = Some(workload.versions());
    let sizes = lookups.sizes()?;
    let checks = lookups.checks()?;
    let verify_limit = (sizes.depth * primitives.node_hash_ns
        + primitives.leaf_hash_ns
        + primitives.value_hash_ns)
        / 1e3;
    let known_head = checks.known_head.mean_us();
    let per_version = |amount: f64| rounded(amount / versions as f64);
    Ok(ServerFigures {
        apply_us: rounded(last.mean_us()),
        apply_median_us: rounded(last.median_us()),
        apply_overall_us: rounded(overall.mean_us()),
        apply_limit_us: rounded(limit),
        apply_ratio: rounded(last.mean_us() / limit),
        apply_ratio_median: rounded(last.median_us() / limit),
        prove_us_latest: rounded(lookups.prove(latest).mean_us()),
        prove_us_random_version: rounded(lookups.prove(None).mean_us()),
        prove_many_us_latest: rounded(lookups.prove_many(latest).mean_us()),
        prove_many_us_random_version: rounded(lookups.prove_many(None).mean_us()),
        prove_absent_us_latest: rounded(lookups.prove_absent().mean_us()),
        verify_us: rounded(checks.whole.mean_us()),
        verify_with_known_head_us: rounded(known_head),
        verify_limit_us: rounded(verify_limit),
        verify_ratio: rounded(known_head / verify_limit),
        decode_us: rounded(checks.decode.mean_us()),
        proof_bytes: rounded(sizes.present),
        absent_proof_bytes: rounded(sizes.absent),
        head_bytes: 2 * S::Digest::LENGTH + size_of::<HeadSignature>(),
        depth: rounded(sizes.depth),
        resident_bytes_per_version: per_version(resident),
        counted_bytes_per_version: per_version(counted),
        nodes_per_version: per_version(nodes),
        digests_per_version: per_version(digests),
        peak_resident_bytes: memory::peak_resident_bytes(),
        node_hash_ns: rounded(primitives.node_hash_ns),
        node_hash_independent_ns: rounded(primitives.node_hash_independent_ns),
        leaf_hash_ns: rounded(primitives.leaf_hash_ns),
        value_hash_ns: rounded(primitives.value_hash_ns),
        verify_signature_us: rounded(primitives.verify_signature_us),
    })
}

/// Whose updates the servers of all measurements accept.
pub fn authority<S: Suite, B: pad_tree::BalancingScheme>() -> Authority {
    use pad_core::Dictionary;
    new_author::<S, B, _>(NoSignature).authority()
}

/// A repository after all updates, and what it took.
struct Applied<S: Suite, St: VersionedStore> {
    repository: TreeRepository<S, St>,
    overall: Timings,
    last: Timings,
    primitives: Primitives,
    growth: Growth,
}

/// What grew from the filled repository to the last version.
struct Growth {
    resident: f64,
    counted: f64,
    nodes: f64,
    digests: f64,
    versions: u64,
}

/// Touches the code once, so that its pages are not counted as the repository's.
fn warm_up<S: Suite, St>(updates: &Path) -> Outcome<()>
where
    St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync,
{
    let mut repository = TreeRepository::<S, St>::new(authority::<S, St::Scheme>());
    for update in UpdateReader::open(updates)?.take(CHUNK)? {
        repository.apply(&update)?;
    }
    Ok(())
}

fn apply_all<S: Suite, St>(
    workload: &Workload,
    effort: &Effort,
    updates: &Path,
) -> Outcome<Applied<S, St>>
where
    St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync,
{
    let mut file = UpdateReader::open(updates)?;
    // Before the baseline, so that what measuring itself needs is not counted.
    let _ = Primitives::measure::<S>(&Effort::QUICK);
    let resident = memory::resident_bytes() as f64;
    let mut baseline = Size {
        resident,
        ..Size::default()
    };
    let mut repository = TreeRepository::new(authority::<S, St::Scheme>());
    if workload.fill() > 0 {
        apply(&mut repository, &mut file, workload.fill())?;
        baseline = Size::of(&repository);
    }
    let last_tenth = workload.last_tenth();
    let first = last_tenth.start - 1 - workload.fill();
    let mut overall = apply(&mut repository, &mut file, first)?;
    let before = Primitives::measure::<S>(effort);
    let last = apply(
        &mut repository,
        &mut file,
        last_tenth.end - last_tenth.start,
    )?;
    let end = Size::of(&repository);
    let primitives = before.mean(Primitives::measure::<S>(effort));
    overall.extend(&last);
    let growth = Growth {
        resident: end.resident - baseline.resident,
        counted: end.counted - baseline.counted,
        nodes: end.nodes - baseline.nodes,
        digests: end.digests - baseline.digests,
        versions: workload.versions() - workload.fill(),
    };
    Ok(Applied {
        repository,
        overall,
        last,
        primitives,
        growth,
    })
}

/// How large a repository is.
#[derive(Default)]
struct Size {
    resident: f64,
    counted: f64,
    nodes: f64,
    digests: f64,
}

impl Size {
    fn of<S: Suite, St>(repository: &TreeRepository<S, St>) -> Self
    where
        St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync,
    {
        Self {
            resident: memory::resident_bytes() as f64,
            counted: repository.memory_bytes() as f64,
            nodes: repository.contents().node_count() as f64,
            digests: repository.contents().digest_count() as f64,
        }
    }
}

/// Applies the next updates of the file; reading and decoding them is not timed.
fn apply<S: Suite, St>(
    repository: &mut TreeRepository<S, St>,
    file: &mut UpdateReader<S>,
    updates: u64,
) -> Outcome<Timings>
where
    St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync,
{
    let mut timings = Timings::default();
    let mut left = usize::try_from(updates)?;
    while left > 0 {
        let chunk = file.take(left.min(CHUNK))?;
        if chunk.is_empty() {
            return Err("the file of updates ends too early".into());
        }
        left -= chunk.len();
        timings.time(chunk.len(), || {
            chunk
                .iter()
                .try_for_each(|update| repository.apply(update).map(drop))
        })?;
    }
    Ok(timings)
}

/// The history log's hashes per update on a server, in the last tenth of the versions.
fn history_hashes<S: Suite>(workload: &Workload) -> HashCounts {
    let mut log = HistoryLog::<Counted<S>>::default();
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

/// Present and absent keys in a few versions, checked with nothing but the author's key.
fn check_answers<S: Suite, St>(
    workload: &Workload,
    repository: &TreeRepository<S, St>,
) -> Outcome<()>
where
    St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync,
{
    if repository.latest().number() != workload.versions() {
        return Err("the repository lacks versions".into());
    }
    let authority = repository.authority();
    let public = PublicKey::<Tree<St::Scheme, S>>::new(authority.author, authority.dictionary, ());
    let (client, mut random) = (Client::new(public), Random::new(1));
    for (version, index) in (0..8).map(|_| workload.any_present(&mut random, None)) {
        let version = Version::new(version);
        let answers = [
            (key(index), Answer::Present(value(index))),
            (absent_key(index), Answer::Absent),
        ];
        for (key, expected) in answers {
            let proof = repository.prove(version, &key)?;
            let answer = codec::encode(&Response::new(repository, version, proof)?);
            let lookup = client.check_at(version, &answer, &key)?.into_inner();
            if lookup.answer != expected {
                return Err(format!("version {version}: the wrong answer for {key}").into());
            }
        }
    }
    Ok(())
}

fn verified_head<S: Suite, St>(
    repository: &TreeRepository<S, St>,
    version: Version,
) -> Outcome<Verified<SnapshotHead<S>>>
where
    St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync,
{
    let head = Untrusted::new(repository.head(version)?);
    Ok(head.verify(repository.authority(), &version)?)
}

/// The look-ups of one repository, ready to be measured.
struct Lookups<'a, S: Suite, St: VersionedStore> {
    workload: &'a Workload,
    effort: &'a Effort,
    repository: &'a TreeRepository<S, St>,
}

/// Means over random keys of the latest version.
struct Sizes {
    present: f64,
    absent: f64,
    depth: f64,
}

/// What a client does with a proof.
struct Checks {
    whole: Timings,
    known_head: Timings,
    decode: Timings,
}

impl<S: Suite, St> Lookups<'_, S, St>
where
    St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync,
{
    /// Random present keys, in one version or in random ones.
    fn queries(&self, random: &mut Random, version: Option<u64>, n: usize) -> Vec<(Version, Key)> {
        let query = |_| {
            let (version, index) = self.workload.any_present(random, version);
            (Version::new(version), key(index))
        };
        (0..n).map(query).collect()
    }

    fn prove(&self, version: Option<u64>) -> Timings {
        let mut random = Random::new(2);
        let prepare = |chunk| self.queries(&mut random, version, chunk);
        self.effort
            .repeat(MANY, prepare, |queries| self.prove_each(&queries))
    }

    fn prove_absent(&self) -> Timings {
        let mut random = Random::new(3);
        let latest = self.repository.latest();
        let prepare = |chunk| -> Vec<_> {
            (0..chunk)
                .map(|_| (latest, absent_key(random.next())))
                .collect()
        };
        self.effort
            .repeat(MANY, prepare, |queries| self.prove_each(&queries))
    }

    fn prove_each(&self, queries: &[(Version, Key)]) {
        for (version, key) in queries {
            black_box(self.repository.prove(*version, key)).expect("bench: the version exists");
        }
    }

    fn prove_many(&self, version: Option<u64>) -> Timings {
        let mut random = Random::new(4);
        let prepare = |chunk| self.queries(&mut random, version, chunk);
        self.effort.repeat(MANY, prepare, |queries| {
            black_box(self.repository.prove_many(&queries)).expect("bench: the versions exist");
        })
    }

    fn sizes(&self) -> Outcome<Sizes> {
        let mut random = Random::new(5);
        let samples = self.effort.operations.min(10_000);
        let latest = self.repository.latest();
        let mut sizes = Sizes {
            present: 0.0,
            absent: 0.0,
            depth: 0.0,
        };
        for (_, key) in self.queries(&mut random, Some(latest.number()), samples) {
            let present = self.repository.prove(latest, &key)?;
            let absent = self.repository.prove(latest, &absent_key(random.next()))?;
            sizes.present += present.body_length() as f64 / samples as f64;
            sizes.absent += absent.body_length() as f64 / samples as f64;
            sizes.depth += inner_nodes(&present)? as f64 / samples as f64;
        }
        Ok(sizes)
    }

    fn checks(&self) -> Outcome<Checks> {
        let latest = self.repository.latest();
        let (authority, signed) = (*self.repository.authority(), self.repository.head(latest)?);
        let known: Verified<SnapshotHead<S>> = verified_head(self.repository, latest)?;
        let mut random = Random::new(6);
        let mut prepare = |chunk| -> Vec<(Key, Untrusted<TreeProof<S, Key>>)> {
            let queries = self.queries(&mut random, Some(latest.number()), chunk);
            let prove = |(version, key): (Version, Key)| {
                let proof = self.repository.prove(version, &key);
                (
                    key,
                    Untrusted::new(proof.expect("bench: the version exists")),
                )
            };
            queries.into_iter().map(prove).collect()
        };
        let known_head = self.effort.repeat(MANY, &mut prepare, |proofs| {
            for (key, proof) in proofs {
                black_box(proof.verify(&known, &key)).expect("bench: honest proofs verify");
            }
        });
        let whole = self.effort.repeat(MANY / 8, &mut prepare, |proofs| {
            for (key, proof) in proofs {
                let head = verify_head(black_box(signed), &authority, latest);
                black_box(proof.verify(&head, &key)).expect("bench: honest proofs verify");
            }
        });
        let encoded = |chunk| -> Vec<Vec<u8>> {
            let encode = |(_, proof): (Key, Untrusted<_>)| {
                codec::encode::<TreeProof<S, Key>>(proof.as_unverified())
            };
            prepare(chunk).into_iter().map(encode).collect()
        };
        let decode = self.effort.repeat(MANY, encoded, |proofs| {
            for bytes in &proofs {
                let proof = Untrusted::<TreeProof<S, Key>>::decode(bytes, PROOF_LIMIT);
                drop(black_box(proof).expect("bench: honest proofs decode"));
            }
        });
        Ok(Checks {
            whole,
            known_head,
            decode,
        })
    }
}

#[inline]
fn verify_head<S: Suite>(
    signed: SignedHead<S>,
    authority: &Authority,
    version: Version,
) -> Verified<SnapshotHead<S>> {
    Untrusted::new(signed)
        .verify(authority, &version)
        .expect("bench: the head is the author's")
}

/// The number of inner nodes that the check of a proof hashes.
///
/// Every open inner node has one elided child or two open ones, so there are as many as there are
/// elided digests, plus one less than there are leaves.
///
/// # Errors
/// If the proof does not encode as `docs/format.md` says.
pub fn inner_nodes<S: Suite, Q: pad_tree::TreeQuery>(proof: &TreeProof<S, Q>) -> Outcome<usize> {
    let Parts {
        siblings, leaves, ..
    }: Parts<S> = codec::decode_body(&codec::encode_body(proof))?;
    Ok((siblings.len() + leaves.len()).saturating_sub(1))
}

/// A proof's parts, as its encoding shows them.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
struct Parts<S: Suite> {
    shape: Vec<u8>,
    siblings: Vec<S::Digest>,
    leaves: Vec<(Key, Content<S>)>,
}

/// A leaf's value or its digest.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
enum Content<S: Suite> {
    Digest(S::Digest),
    Value(pad_core::Value),
}
