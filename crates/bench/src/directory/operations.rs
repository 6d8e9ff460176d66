//! Operations of a directory in memory: updates, appends, proofs and verification. Each time is
//! shown next to its lower bound, the time of hashing the tree nodes involved.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use block_directory::{
    BlockDirectory, Entry, EntryId, EntryProof, EntryQuery, FullAuthor, internals::Selection as _,
};
use ed25519_dalek::VerifyingKey;
use pad_core::{
    Digest, HeadSignature, SnapshotHead, Untrusted, Verified,
    codec::{self, Message},
};
use signature::{Error, Keypair, Signer};

use super::{Bench, digests::S};
use crate::{line, memory, prelude::*};

/// Number of hot entries: the entries of the first block of level 0. One experiment updates only
/// these.
const HOT: u64 = 128;

/// Number of updates in one version, in the experiments with batches.
pub(super) const BATCH: usize = 10_000;

/// Maximum number of versions that are measured with one update each.
const UPDATES: usize = 20_000;

/// Maximum number of entries that are appended in one version.
const APPENDED: u64 = 1_000_000;

/// A server with a loaded directory, and the author of that directory.
struct Operations {
    server: BlockDirectory<S>,
    author: FullAuthor<S>,
    signing_time: SigningTime,
    random: Random,
}

/// Measures all operations on a directory of `entries` entries in memory.
pub(super) fn run(entries: u64, bench: &mut Bench) -> Outcome<()> {
    bench.report.announce(format!("a directory of {entries}"));
    appends(entries.min(APPENDED), bench)?;
    let signing_time = SigningTime::default();
    let mut author = FullAuthor::<S>::new("bench", signing_time.clone())?;
    let authority = *author.authority();
    let head = author.load((0..entries).map(digest))?;
    let before = memory::resident_bytes();
    let server = BlockDirectory::new(authority, 7)?.load(&head, (0..entries).map(digest))?;
    let memory_bytes = memory::resident_bytes().saturating_sub(before);
    let mut operations = Operations {
        author,
        server,
        signing_time,
        random: Random::new(entries),
    };
    operations.proofs(head.head, memory_bytes, bench)?;
    operations.updates("directory_update", entries, bench)?;
    operations.updates("directory_update_hot", HOT, bench)?;
    operations.batch(bench)
}

/// Returns a pseudorandom digest for the object of entry `number`. It is not a hash, so that making
/// it takes little time.
pub(super) fn digest(number: u64) -> Digest<32> {
    let mut random = Random::new(number);
    let mut bytes = [0; 32];
    for word in bytes.chunks_exact_mut(8) {
        word.copy_from_slice(&random.next().to_be_bytes());
    }
    Digest(bytes)
}

/// Returns the height of the tree over `entries` entries.
fn height(entries: u64) -> u32 {
    entries.next_power_of_two().ilog2()
}

/// Measures an author that appends `entries` entries to an empty directory in one version.
fn appends(entries: u64, bench: &mut Bench) -> Outcome<()> {
    let signing_time = SigningTime::default();
    let objects: Vec<Digest<32>> = (0..entries).map(digest).collect();
    let mut times = Vec::new();
    for _ in 0..bench.report.rounds(5, 1) {
        let mut author = FullAuthor::<S>::new("bench", signing_time.clone())?;
        let authority = *author.authority();
        let start = Instant::now();
        for object in &objects {
            author.append(*object)?;
        }
        let update = author.snapshot()?;
        times.push(signing_time.since_us(start) / entries as f64);
        // Fails unless the server computes the author's root.
        BlockDirectory::<S>::new(authority, 7)?.apply(&update)?;
    }
    let limit_us = 2.0 * bench.primitives.node_independent_ns / 1e3;
    let (times, batch) = ((median(times), limit_us), entries);
    bench.updated("directory_append", entries, times, &line! { batch })
}

impl Operations {
    fn entries(&self) -> u64 {
        self.server.registered()
    }

    /// Measures proofs of random entries, and their verification by a client that knows the root.
    /// The time to verify includes decoding the message.
    fn proofs(&self, head: SnapshotHead<S>, memory_bytes: u64, bench: &mut Bench) -> Outcome<()> {
        let (entries, head) = (self.entries(), known_head(head)?);
        let prove = |id| Ok(self.server.prove_latest(&EntryQuery::one(id))?);
        let verify = |id, message: &[u8]| verify(&head, id, message);
        let (ids, effort) = ((self.random.clone(), entries), bench.report.effort());
        let [prove_us, verify_us] = proof_times(&effort, ids, [100; 3], digest, prove, verify)?;
        let node_us = bench.primitives.node_chained_ns / 1e3;
        let verify_limit_us = f64::from(height(entries) + 2) * node_us;
        let line = line! {
            experiment: "directory_prove", entries, prove_us, verify_us,
            proof_bytes: codec::encode(&prove(EntryId::new(0))?).len(), memory_bytes,
            prove_limit_us: node_us, prove_ratio: prove_us / node_us, verify_limit_us,
            verify_ratio: verify_us / verify_limit_us,
        };
        bench.measured("merkle", line)
    }

    /// Measures versions of one update each, to a random one of the first `among` entries. The
    /// author's time ends when the root is known and the head is ready to be signed.
    fn updates(&mut self, experiment: &str, among: u64, bench: &mut Bench) -> Outcome<()> {
        let (entries, effort) = (self.entries(), bench.report.effort());
        let (mut times, mut updates) = (Vec::new(), Vec::new());
        let begun = Instant::now();
        while times.len() < effort.operations.min(UPDATES) && begun.elapsed() < effort.budget {
            let (id, object) = (self.random.below(among), digest(self.random.next()));
            let start = Instant::now();
            self.author.update(EntryId::new(id), object)?;
            updates.push(self.author.snapshot()?);
            times.push(self.signing_time.since_us(start));
        }
        // Fails unless the server computes the author's roots.
        for update in &updates {
            self.server.apply(update)?;
        }
        let nodes = height(entries) + u32::from(among == entries);
        let limit_us = f64::from(nodes) * bench.primitives.node_chained_ns / 1e3;
        let times = (median(times), limit_us);
        bench.updated(experiment, entries, times, &line! { among })
    }

    /// Measures versions of [`BATCH`] random updates. The author hashes each changed node once per
    /// version.
    fn batch(&mut self, bench: &mut Bench) -> Outcome<()> {
        let entries = self.entries();
        let (mut times, mut nodes) = (Vec::new(), Vec::new());
        for _ in 0..bench.report.rounds(9, 1) {
            let ids: BTreeSet<u64> = (0..BATCH).map(|_| self.random.below(entries)).collect();
            let start = Instant::now();
            for id in &ids {
                self.author.update(EntryId::new(*id), digest(!id))?;
            }
            let update = self.author.snapshot()?;
            times.push(self.signing_time.since_us(start) / ids.len() as f64);
            self.server.apply(&update)?;
            nodes.push(distinct_nodes(&ids, height(entries)) as f64 / ids.len() as f64);
        }
        let nodes = median(nodes);
        let limit_us = nodes * bench.primitives.node_independent_ns / 1e3;
        let (times, others) = (
            (median(times), limit_us),
            line! { batch: BATCH, nodes_per_update: nodes },
        );
        bench.updated("directory_batch", entries, times, &others)
    }
}

/// Counts the tree nodes that change with the entries `ids`: the leaves, and all nodes above them
/// up to `height`.
fn distinct_nodes(ids: &BTreeSet<u64>, height: u32) -> usize {
    let of_height = |height: u32| {
        let mut nodes: Vec<u64> = ids.iter().map(|id| id >> height).collect();
        nodes.dedup();
        nodes.len()
    };
    (0..=height).map(of_height).sum()
}

/// Checks proofs of random entries, and measures others. `ids` has the source of random numbers and
/// the number of entries. `repetitions` are the numbers of proofs that are checked, made at a time,
/// and verified at a time. Returns the median microseconds of proving, and of decoding and
/// verifying.
pub(super) fn proof_times<P: Message>(
    effort: &Effort,
    (mut random, entries): (Random, u64),
    repetitions: [usize; 3],
    object: fn(u64) -> Digest<32>,
    prove: impl Fn(EntryId) -> Outcome<P>,
    verify: impl Fn(EntryId, &[u8]) -> Outcome<Option<Entry<Digest<32>>>>,
) -> Outcome<[f64; 2]> {
    let [checked, proved, verified] = repetitions;
    let mut id = || EntryId::new(random.below(entries));
    for _ in 0..checked {
        let id = id();
        if verify(id, &codec::encode(&prove(id)?))? != Some(Entry::Live(object(id.number()))) {
            return Err(format!("the wrong answer for {}", id.number()).into());
        }
    }
    let proved = effort.try_repeat_each(proved, &mut id, &prove)?;
    let message = || {
        let id = id();
        (id, prove(id).map(|proof| codec::encode(&proof)))
    };
    let verified =
        effort.try_repeat_each(verified, message, |(id, message)| verify(id, &message?))?;
    Ok([proved, verified].map(|timings| timings.median_us()))
}

/// Verifies the proof in `message` under the root of `head`, and returns the proven entry `id`.
fn verify(
    head: &Verified<SnapshotHead<S>>,
    id: EntryId,
    message: &[u8],
) -> Outcome<Option<Entry<Digest<32>>>> {
    let query = EntryQuery::one(id);
    let proof: EntryProof<S> = codec::decode(message, query.longest_proof())?;
    let verified = Untrusted::new(proof).verify(head, &query)?;
    Ok(verified.get().of(id))
}

/// Signer that records the time of each request, to measure an author's work without the signature
/// and its check. Clones share the time of the last request.
#[derive(Clone, Debug, Default)]
struct SigningTime(Arc<Mutex<Option<Instant>>>);

impl SigningTime {
    /// Returns the microseconds from `start` to the last request for a signature; NaN if there was
    /// none.
    fn since_us(&self, start: Instant) -> f64 {
        let requested = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        requested.map_or(f64::NAN, |requested| microseconds(requested - start))
    }
}

impl Signer<HeadSignature> for SigningTime {
    fn try_sign(&self, message: &[u8]) -> Result<HeadSignature, Error> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        signing_key().try_sign(message)
    }
}

impl Keypair for SigningTime {
    type VerifyingKey = VerifyingKey;

    fn verifying_key(&self) -> VerifyingKey {
        signing_key().verifying_key()
    }
}
