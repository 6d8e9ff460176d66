//! Adapter of NOMT, a binary trie stored in files.

use bitvec::{order::Msb0, view::BitView};
use nomt::{
    KeyReadWrite, Nomt, Options, SessionParams,
    hasher::{Sha2Hasher, ValueHasher},
    proof::PathProof,
    trie::LeafData,
};
use tempfile::TempDir;

use comparison::timing::stopwatch;

use crate::{
    Outcome,
    peer::{
        About, Claim, Entry, Key, Peer, Published, allocated_bytes, ensure, limits, of_version,
        require_latest,
    },
};

/// The database, its folder, and the root of each version.
pub struct Trie {
    database: Nomt<Sha2Hasher>,
    folder: TempDir,
    roots: Vec<[u8; 32]>,
}

impl Peer for Trie {
    type Proof = PathProof;

    fn about() -> About {
        About {
            name: "nomt",
            package: "nomt",
            licence: "MIT OR Apache-2.0",
            threads: "1 that commits, others for input and output",
            medium: "files, synchronised with each snapshot; caches in memory, outside the heap",
            can_not: &[
                limits::OLD_VERSIONS,
                limits::RANGES,
                limits::SIGNATURES,
                limits::UPDATES,
            ],
            snapshot_includes: "new root; pages written and synchronised",
            differs: "proofs come from its page cache",
            ..About::THEIRS
        }
    }

    fn new(keys: u64) -> Outcome<Self> {
        let folder = tempfile::tempdir()?;
        let mut options = Options::new();
        options.path(folder.path());
        options.commit_concurrency(1);
        // Small dictionaries use a tenth of the default number of buckets, which determines the
        // length of the file.
        options.hashtable_buckets(if keys < 10_000 { 6_400 } else { 64_000 });
        options.bitbox_seed([7; 16]);
        let (database, roots) = (Nomt::open(options)?, Vec::new());
        Ok(Self {
            database,
            folder,
            roots,
        })
    }

    fn publish(&mut self, changes: &[Entry]) -> Outcome<Published> {
        let (us, root) = stopwatch(|| -> Outcome<[u8; 32]> {
            let write = |(key, value): &Entry| (*key, KeyReadWrite::Write(Some(value.to_vec())));
            let mut writes: Vec<_> = changes.iter().map(write).collect();
            writes.sort_unstable_by_key(|(key, _)| *key);
            let session = self.database.begin_session(SessionParams::default());
            session.finish(writes)?.commit(&self.database)?;
            Ok(self.database.root().into_inner())
        });
        self.roots.push(root?);
        Ok(Published::alone(us))
    }

    fn prove(&mut self, version: usize, key: &Key) -> Outcome<PathProof> {
        require_latest(&self.roots, version)?;
        let session = self.database.begin_session(SessionParams::default());
        Ok(session.prove(*key)?)
    }

    fn verify(&self, version: usize, (key, value): Claim<'_>, proof: PathProof) -> Outcome<()> {
        let root = of_version(&self.roots, version)?;
        let verified = proof.verify::<Sha2Hasher>(key.view_bits::<Msb0>(), *root);
        let verified = verified.map_err(|error| format!("{error:?}"))?;
        let confirmed = match value {
            Some(value) => verified.confirm_value(&LeafData {
                key_path: *key,
                value_hash: Sha2Hasher::hash_value(value),
            }),
            None => verified.confirm_nonexistence(key),
        };
        let confirmed = confirmed.map_err(|error| format!("{error:?}"))?;
        ensure(confirmed, "another answer")
    }

    fn encode(proof: &PathProof) -> Outcome<Vec<u8>> {
        Ok(borsh::to_vec(proof)?)
    }

    fn decode(&self, bytes: &[u8]) -> Outcome<PathProof> {
        Ok(borsh::from_slice(bytes)?)
    }

    fn stored_bytes(&self) -> Outcome<Option<u64>> {
        allocated_bytes(self.folder.path()).map(Some)
    }
}
