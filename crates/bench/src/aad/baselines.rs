//! Two baseline logs, in the style of Certificate Transparency and of CONIKS. The bytes that
//! clients receive from them are compared with ours.

use std::collections::BTreeMap;

use pad_core::{
    Authority, DictionaryId, Digest, HeadSigner, HistoryLog, InclusionProof, Repository as _,
    SchemeId, Sha256Ed25519, SnapshotHead, Suite, Untrusted, Verified, Version, codec,
};
use pad_log::Entry;
use pad_tree::TreapPathCopying;

use crate::{dictionary::Run, prelude::*, workload};

/// Baseline log as in Certificate Transparency: a history tree with a leaf for each entry. A client
/// reads every entry to get all values of a key.
pub(super) struct PlainLog(HistoryLog<Sha256Ed25519>);

impl PlainLog {
    /// Bytes of an entry that a client receives: the hashes of key and value.
    pub(super) const ENTRY_BYTES: f64 = 64.0;

    /// Creates the log of `entries`, one leaf for each.
    pub(super) fn new(entries: &[Entry]) -> Self {
        let mut log = HistoryLog::default();
        for entry in entries {
            log.append(&leaf(entry));
        }
        Self(log)
    }

    /// Returns the bytes of a consistency proof. It proves that the log of `new` entries begins
    /// with the log of `old` entries.
    pub(super) fn consistency_bytes(&self, old: u64, new: u64) -> Outcome<f64> {
        let proof = self
            .0
            .prove_prefix(Version::new(old + 1), Version::new(new + 1));
        Ok(codec::encode(&proof.ok_or("no such sizes")?).len() as f64)
    }

    /// Returns the bytes of an inclusion proof of the entry at `position` in the log of `size`
    /// entries.
    pub(super) fn inclusion_bytes(&self, position: u64, size: u64) -> Outcome<f64> {
        Ok(codec::encode(&self.inclusion(position, size)?).len() as f64)
    }

    fn inclusion(&self, position: u64, size: u64) -> Outcome<InclusionProof<Sha256Ed25519>> {
        let (version, newer) = (Version::new(position + 1), Version::new(size + 1));
        let proof = self.0.prove_inclusion(version, newer);
        Ok(proof.ok_or("no such entry")?)
    }

    /// Verifies the consistency proof from `old` to `new` entries, and the inclusion proof of the
    /// entry at `position` among `new` entries.
    pub(super) fn check(&self, old: u64, new: u64, position: u64) -> Outcome<()> {
        let head = self.head(new)?;
        let version = Version::new(old + 1);
        let prefix = self.0.prove_prefix(version, Version::new(new + 1));
        let prefix = Untrusted::new(prefix.ok_or("no such sizes")?);
        let past = prefix.verify(&head, &version)?;
        let is_same = Some(past.get().history) == self.0.root(old);
        ensure(is_same, "another history")?;
        let inclusion = Untrusted::new(self.inclusion(position, new)?);
        inclusion.verify(&head, &Version::new(position + 1))?;
        Ok(())
    }

    /// Signs and verifies a head over the first `size` leaves.
    fn head(&self, size: u64) -> Outcome<Verified<SnapshotHead<Sha256Ed25519>>> {
        let authority = Authority {
            author: author_key(),
            dictionary: DictionaryId::from_name("bench"),
            scheme: SchemeId(0),
        };
        let version = Version::new(size + 1);
        let head = SnapshotHead {
            scheme: authority.scheme,
            dictionary: authority.dictionary,
            version,
            root: Sha256Ed25519::value(&[]),
            history: self.0.root(size).ok_or("no such size")?,
        };
        let head = head.sign(&HeadSigner::new(signing_key()))?;
        Ok(Untrusted::new(head).verify(&authority, &version)?)
    }
}

/// Returns the leaf of an entry: the hash of its key's hash and its value's hash.
fn leaf(entry: &Entry) -> Digest<32> {
    let [key, value] = [entry.key.as_bytes(), entry.value.as_bytes()].map(Sha256Ed25519::value);
    Sha256Ed25519::value(&[key.0, value.0].concat())
}

/// Baseline as in CONIKS: one Merkle tree of keys for each version. Clients detect a changed past
/// by looking up their own keys in every version.
///
/// Maps a number of keys to the mean bytes of a proof in a tree of that size.
pub(super) struct Snapshots(BTreeMap<u64, f64>);

impl Snapshots {
    /// Measures proofs of present keys in trees from `smallest` to `largest` keys. The smallest
    /// tree has at least 8 keys. Each tree is an eighth larger than the previous tree, and the last
    /// one at most that. Proofs in trees of sizes in between have nearly as many bytes.
    pub(super) fn new(smallest: u64, largest: u64) -> Outcome<Self> {
        let limit = std::time::Duration::MAX;
        let mut run = Run::<TreapPathCopying<Sha256Ed25519>>::new(signing_key(), limit);
        let (mut bytes, mut random, mut present) = (BTreeMap::new(), Random::new(largest), 0);
        let mut size = smallest.max(8);
        loop {
            run.publish((present..size).map(workload::put).collect())?;
            present = size;
            let version = run.roles.repository.latest();
            let mut sum = 0;
            for _ in 0..SAMPLES {
                let key = workload::key(random.below(size));
                let proof = run.roles.repository.prove(version, &key)?;
                sum += codec::encode(&proof).len();
            }
            bytes.insert(size, sum as f64 / f64::from(SAMPLES));
            if size >= largest {
                return Ok(Self(bytes));
            }
            size = (size + size.div_ceil(8)).min(largest);
        }
    }

    /// Returns the mean bytes of a proof in a tree of `size` keys: the bytes in the smallest
    /// measured tree with at least `size` keys, or else in the largest one.
    pub(super) fn look_up_bytes(&self, size: u64) -> f64 {
        let of_next = self.0.range(size..).next().or(self.0.last_key_value());
        of_next.map_or(f64::NAN, |(_, bytes)| *bytes)
    }
}

/// Number of proofs that are averaged for each size of tree.
const SAMPLES: u32 = 64;
