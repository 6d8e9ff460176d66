//! Two baseline logs, in the style of Certificate Transparency and of CONIKS. The bytes that
//! clients receive from them are compared with ours.

use std::collections::BTreeMap;

use pad_core::{
    DictionaryId, HistoryLog, InclusionProof, Repository as _, SchemeId, Sha256Ed25519 as S,
    SnapshotHead, Suite, Untrusted, Version, codec, internals::PrefixProof,
};
use pad_log::Entry;
use pad_tree::TreapPathCopying;

use crate::{dictionary::Run, prelude::*, workload};

/// Baseline log as in Certificate Transparency: a history tree with a leaf for each entry. A client
/// reads every entry to get all values of a key.
pub(super) struct PlainLog(HistoryLog<S>);

impl PlainLog {
    /// Bytes of an entry that a client receives: the hashes of key and value.
    pub(super) const ENTRY_BYTES: f64 = 64.0;

    /// Creates the log of `entries`. Each leaf is the hash of the hashes of key and value.
    pub(super) fn new(entries: &[Entry]) -> Self {
        let mut log = HistoryLog::default();
        for entry in entries {
            let parts = [entry.key.as_bytes(), entry.value.as_bytes()];
            log.append(&S::value(&parts.map(|part| S::value(part).0).concat()));
        }
        Self(log)
    }

    /// Returns the bytes of two proofs about the log of `new` entries. The first proves that it
    /// begins with the log of `old` entries, the second that it includes the entry at `position`.
    pub(super) fn proof_bytes(&self, old: u64, new: u64, position: u64) -> Outcome<[f64; 2]> {
        let (prefix, inclusion) = self.proofs(old, new, position)?;
        let lengths = [
            codec::encode(&prefix).len(),
            codec::encode(&inclusion).len(),
        ];
        Ok(lengths.map(|length| length as f64))
    }

    fn proofs(
        &self,
        old: u64,
        new: u64,
        position: u64,
    ) -> Outcome<(PrefixProof<S>, InclusionProof<S>)> {
        let newer = Version::new(new + 1);
        let prefix = self.0.prove_prefix(Version::new(old + 1), newer);
        let inclusion = self.0.prove_inclusion(Version::new(position + 1), newer);
        Ok(prefix.zip(inclusion).ok_or("no such sizes or entry")?)
    }

    /// Verifies both proofs of [`Self::proof_bytes`].
    pub(super) fn check(&self, old: u64, new: u64, position: u64) -> Outcome<()> {
        let head = known_head(SnapshotHead {
            version: Version::new(new + 1),
            root: S::value(&[]),
            history: self.0.root(new).ok_or("no such size")?,
            ..SnapshotHead::<S>::empty(SchemeId(0), DictionaryId::from_name("bench"))
        })?;
        let (prefix, inclusion) = self.proofs(old, new, position)?;
        let past = Untrusted::new(prefix).verify(&head, &Version::new(old + 1))?;
        let is_same = Some(past.get().history) == self.0.root(old);
        ensure(is_same, "another history")?;
        Untrusted::new(inclusion).verify(&head, &Version::new(position + 1))?;
        Ok(())
    }
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
        let mut run = Run::<TreapPathCopying<S>>::new(signing_key(), limit);
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
