//! Adapter of Ethereum's Merkle Patricia trie, with an in-memory store.

use std::sync::Arc;

use alloy_primitives::B256;
use eth_trie::{EthTrie, MemoryDB, Trie};

use comparison::timing::stopwatch;

use crate::{
    Outcome,
    peer::{About, Claim, Entry, Key, Peer, Published, ensure, limits, of_version},
};

/// The trie, the nodes of all versions, and the root of each version.
pub struct Patricia {
    trie: EthTrie<MemoryDB>,
    nodes: Arc<MemoryDB>,
    roots: Vec<B256>,
}

impl Peer for Patricia {
    type Proof = Vec<Vec<u8>>;

    fn about() -> About {
        About {
            name: "eth_trie",
            package: "eth_trie",
            licence: "Apache-2.0",
            hash: "Keccak-256",
            medium: "memory: a hash map behind a lock",
            can_not: &[limits::RANGES, limits::SIGNATURES, limits::UPDATES],
            snapshot_includes: "new root; nodes of the version stored",
            differs: "keys are taken as they are, where Ethereum hashes them",
            ..About::THEIRS
        }
    }

    fn new(_: u64) -> Outcome<Self> {
        let nodes = Arc::new(MemoryDB::new(false));
        let trie = EthTrie::new(Arc::clone(&nodes));
        Ok(Self {
            trie,
            nodes,
            roots: Vec::new(),
        })
    }

    fn publish(&mut self, changes: &[Entry]) -> Outcome<Published> {
        let (us, root) = stopwatch(|| {
            for (key, value) in changes {
                self.trie.insert(key, value)?;
            }
            self.trie.root_hash()
        });
        self.roots.push(root?);
        Ok(Published::alone(us))
    }

    fn prove(&mut self, version: usize, key: &Key) -> Outcome<Self::Proof> {
        let mut trie = EthTrie::from(Arc::clone(&self.nodes), *of_version(&self.roots, version)?)?;
        Ok(trie.get_proof(key)?)
    }

    fn verify(&self, version: usize, (key, value): Claim<'_>, proof: Self::Proof) -> Outcome<()> {
        let found = self
            .trie
            .verify_proof(*of_version(&self.roots, version)?, key, proof)?;
        let is_expected = found.as_deref() == value.map(<[u8; 32]>::as_slice);
        ensure(is_expected, "another answer")
    }

    fn encode(proof: &Self::Proof) -> Outcome<Vec<u8>> {
        Ok(borsh::to_vec(proof)?)
    }

    fn decode(&self, bytes: &[u8]) -> Outcome<Self::Proof> {
        Ok(borsh::from_slice(bytes)?)
    }
}
