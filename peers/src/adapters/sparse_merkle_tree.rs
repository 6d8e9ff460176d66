//! Adapter of Nervos' sparse Merkle tree, with its in-memory store.

use sha2::{Digest, Sha256};
use sparse_merkle_tree::{
    CompiledMerkleProof, H256, SparseMerkleTree, default_store::DefaultStore, traits::Hasher,
};

use comparison::timing::stopwatch;

use crate::{
    Outcome,
    peer::{About, Claim, Entry, Key, Peer, Published, limits, of_version, require_latest},
};

/// The tree, and the root of each version. Updates overwrite the nodes of older versions.
pub struct Sparse {
    tree: SparseMerkleTree<Sha, H256, DefaultStore<H256>>,
    roots: Vec<H256>,
}

/// SHA-256 as the tree's hash function. It replaces the library's Blake2b, which calls C code.
#[derive(Default)]
struct Sha(Sha256);

impl Hasher for Sha {
    fn write_h256(&mut self, hash: &H256) {
        self.0.update(hash.as_slice());
    }

    fn write_byte(&mut self, byte: u8) {
        self.0.update([byte]);
    }

    fn finish(self) -> H256 {
        <[u8; 32]>::from(self.0.finalize()).into()
    }
}

impl Peer for Sparse {
    type Proof = CompiledMerkleProof;

    fn about() -> About {
        About {
            name: "sparse-merkle-tree",
            package: "sparse-merkle-tree",
            licence: "MIT",
            medium: "memory: hash maps",
            can_not: &[
                limits::OLD_VERSIONS,
                limits::RANGES,
                limits::SIGNATURES,
                limits::UPDATES,
            ],
            snapshot_includes: "new root; nodes overwritten",
            differs: "proofs in its compiled form, which making them includes",
            // The tree stores up to 256 nodes for each key.
            most_keys: 10_000,
            ..About::THEIRS
        }
    }

    fn new(_: u64) -> Outcome<Self> {
        let (tree, roots) = (SparseMerkleTree::default(), Vec::new());
        Ok(Self { tree, roots })
    }

    fn publish(&mut self, changes: &[Entry]) -> Outcome<Published> {
        let (us, root) = stopwatch(|| {
            let changes = changes.iter();
            let leaves = changes.map(|(key, value)| (H256::from(*key), H256::from(*value)));
            self.tree.update_all(leaves.collect()).copied()
        });
        let root = root.map_err(|error| error.to_string())?;
        self.roots.push(root);
        Ok(Published::alone(us))
    }

    fn prove(&mut self, version: usize, key: &Key) -> Outcome<CompiledMerkleProof> {
        require_latest(&self.roots, version)?;
        let keys = vec![H256::from(*key)];
        let proof = self.tree.merkle_proof(keys.clone());
        let proof = proof.and_then(|proof| proof.compile(keys));
        Ok(proof.map_err(|error| error.to_string())?)
    }

    fn verify(
        &self,
        version: usize,
        (key, value): Claim<'_>,
        proof: CompiledMerkleProof,
    ) -> Outcome<()> {
        let root = of_version(&self.roots, version)?;
        let value = value.map_or_else(H256::zero, |value| H256::from(*value));
        let verified = proof.verify::<Sha>(root, vec![(H256::from(*key), value)]);
        match verified {
            Ok(true) => Ok(()),
            Ok(false) => Err("the proof leads to another root".into()),
            Err(error) => Err(error.to_string().into()),
        }
    }

    fn encode(proof: &CompiledMerkleProof) -> Outcome<Vec<u8>> {
        Ok(proof.0.clone())
    }

    fn decode(&self, bytes: &[u8]) -> Outcome<CompiledMerkleProof> {
        Ok(CompiledMerkleProof(bytes.to_vec()))
    }
}
