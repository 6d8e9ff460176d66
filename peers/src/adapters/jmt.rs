//! Adapter of Diem's Jellyfish Merkle tree, with its in-memory store.

use jmt::{
    KeyHash, RootHash, Sha256Jmt, mock::MockTreeStore, proof::SparseMerkleProof,
    storage::TreeWriter,
};
use sha2::Sha256;

use comparison::timing::stopwatch;

use crate::{
    Outcome,
    peer::{About, Claim, Entry, Key, Peer, Published, limits, of_version},
};

/// The tree, and the root of each version.
pub struct Jellyfish {
    store: MockTreeStore,
    roots: Vec<RootHash>,
}

/// Converts a version number, which counts from 1, to the library's, which counts from 0.
fn of(version: usize) -> Outcome<u64> {
    Ok(u64::try_from(version)?
        .checked_sub(1)
        .ok_or("versions count from 1")?)
}

impl Peer for Jellyfish {
    type Proof = SparseMerkleProof<Sha256>;

    fn about() -> About {
        About {
            name: "jmt",
            package: "jmt",
            licence: "Apache-2.0",
            medium: "memory: its store for tests, a hash map behind a lock",
            can_not: &[
                "ranges, but those from the first key on",
                limits::SIGNATURES,
                limits::UPDATES,
            ],
            snapshot_includes: "new root; nodes and values of the version stored",
            ..About::THEIRS
        }
    }

    fn new(_: u64) -> Outcome<Self> {
        let (store, roots) = (MockTreeStore::default(), Vec::new());
        Ok(Self { store, roots })
    }

    fn publish(&mut self, changes: &[Entry]) -> Outcome<Published> {
        let version = of(self.roots.len() + 1)?;
        let (us, root) = stopwatch(|| -> Outcome<RootHash> {
            let changes = changes.iter();
            let values = changes.map(|(key, value)| (KeyHash(*key), Some(value.to_vec())));
            let (root, batch) = Sha256Jmt::new(&self.store).put_value_set(values, version)?;
            self.store.write_node_batch(&batch.node_batch)?;
            Ok(root)
        });
        self.roots.push(root?);
        Ok(Published::alone(us))
    }

    fn prove(&mut self, version: usize, key: &Key) -> Outcome<Self::Proof> {
        let tree = Sha256Jmt::new(&self.store);
        Ok(tree.get_with_proof(KeyHash(*key), of(version)?)?.1)
    }

    fn verify(&self, version: usize, (key, value): Claim<'_>, proof: Self::Proof) -> Outcome<()> {
        let root = of_version(&self.roots, version)?;
        Ok(proof.verify(*root, KeyHash(*key), value)?)
    }

    fn encode(proof: &Self::Proof) -> Outcome<Vec<u8>> {
        Ok(borsh::to_vec(proof)?)
    }

    fn decode(&self, bytes: &[u8]) -> Outcome<Self::Proof> {
        Ok(borsh::from_slice(bytes)?)
    }
}
