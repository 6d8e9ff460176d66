//! Adapter of Monotree, a binary radix tree whose nodes are stored by their hashes.

use monotree::{Hasher as _, Monotree, Proof, database::MemoryDB, hasher::Sha2, verify_proof};

use comparison::timing::stopwatch;

use crate::{
    Outcome,
    peer::{About, Claim, Entry, Key, Peer, Published, Value, ensure, limits, of_version},
};

/// The tree, and the root of each version.
pub struct Mono {
    tree: Monotree<MemoryDB, Sha2>,
    roots: Vec<Key>,
}

impl Peer for Mono {
    type Proof = Proof;

    fn about() -> About {
        About {
            name: "monotree",
            package: "monotree",
            licence: "MIT",
            medium: "memory: a hash map",
            can_not: &[
                limits::ABSENCE,
                limits::RANGES,
                limits::SIGNATURES,
                limits::UPDATES,
                "bind a proof to its key: the verifier is told the value alone",
            ],
            snapshot_includes: "new root; nodes of the version stored",
            differs: "proofs show that some key has the value",
            ..About::THEIRS
        }
    }

    fn new(_: u64) -> Outcome<Self> {
        let (tree, roots) = (Monotree::new(""), Vec::new());
        Ok(Self { tree, roots })
    }

    fn publish(&mut self, changes: &[Entry]) -> Outcome<Published> {
        let (us, root) = stopwatch(|| {
            let (keys, values): (Vec<Key>, Vec<Value>) = changes.iter().copied().unzip();
            self.tree.inserts(self.roots.last(), &keys, &values)
        });
        self.roots.push(root?.ok_or("a tree with keys has a root")?);
        Ok(Published::alone(us))
    }

    fn prove(&mut self, version: usize, key: &Key) -> Outcome<Proof> {
        let root = *of_version(&self.roots, version)?;
        let proof = self.tree.get_merkle_proof(Some(&root), key)?;
        Ok(proof.ok_or("the key is not there, which nothing proves")?)
    }

    fn verify(&self, version: usize, (_, value): Claim<'_>, proof: Proof) -> Outcome<()> {
        let root = *of_version(&self.roots, version)?;
        let value = value.ok_or("nothing proves absence")?;
        let is_proved = verify_proof(&Sha2::new(), Some(&root), value, Some(&proof));
        ensure(is_proved, "the proof leads to another root")
    }

    fn encode(proof: &Proof) -> Outcome<Vec<u8>> {
        Ok(borsh::to_vec(proof)?)
    }

    fn decode(&self, bytes: &[u8]) -> Outcome<Proof> {
        let proof: Proof = borsh::from_slice(bytes)?;
        // The library's verifier reads the last byte of each node on the right without checking its
        // length.
        let is_whole = proof.iter().all(|(_, node)| !node.is_empty());
        Ok(is_whole.then_some(proof).ok_or("an empty node")?)
    }
}
