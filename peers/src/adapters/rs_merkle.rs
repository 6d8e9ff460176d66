//! Dictionary built on `rs_merkle`, a library of Merkle trees over lists. The leaves are the
//! sorted entries, and each snapshot builds the whole tree again.

use borsh::{BorshDeserialize, BorshSerialize};
use rs_merkle::{Hasher as _, MerkleProof, MerkleTree, algorithms::Sha256};

use comparison::timing::stopwatch;

use crate::{
    Outcome,
    peer::{
        About, Claim, Entry, Key, Peer, Published, ensure, length_prefixed, limits, of_version,
        require_latest,
    },
};

/// The sorted entries, the tree over them, and the trusted hash of each version.
pub struct SortedLeaves {
    entries: Vec<Entry>,
    tree: MerkleTree<Sha256>,
    roots: Vec<[u8; 32]>,
}

/// Proof that adjacent leaves are in a tree: the leaf of a present key, or those next to an absent
/// one.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Inclusion {
    /// Number of entries in the tree.
    count: u64,
    /// Index of the first of the leaves.
    index: u64,
    /// Entries next to an absent key: one at either end of the list, otherwise two. Empty if the
    /// key is present.
    neighbours: Vec<Entry>,
    hashes: Vec<[u8; 32]>,
}

fn leaf((key, value): &Entry) -> [u8; 32] {
    Sha256::hash(&length_prefixed((key, value)))
}

/// Hashes the number of entries with the root of the tree. The number determines the shape of the
/// tree, and therefore which leaf is the last.
fn commitment(count: u64, root: [u8; 32]) -> [u8; 32] {
    Sha256::hash(&[&count.to_le_bytes()[..], &root].concat())
}

impl Peer for SortedLeaves {
    type Proof = Inclusion;

    fn about() -> About {
        About {
            name: "rs_merkle",
            package: "rs_merkle",
            licence: "Apache-2.0 OR MIT",
            medium: "memory: a sorted array, and the tree's levels twice",
            can_not: &[
                limits::OLD_VERSIONS,
                "ranges (its proofs of several leaves would allow them)",
                limits::SIGNATURES,
                limits::UPDATES,
            ],
            snapshot_includes: "new root; all entries hashed and the whole tree built again",
            differs: "a tree over a list; the adapter sorts the entries, hashes their number into \
                      the root, and proves absence by two adjacent entries",
            ..About::THEIRS
        }
    }

    fn new(_: u64) -> Outcome<Self> {
        let (entries, tree, roots) = (Vec::new(), MerkleTree::new(), Vec::new());
        Ok(Self {
            entries,
            tree,
            roots,
        })
    }

    fn publish(&mut self, changes: &[Entry]) -> Outcome<Published> {
        let (us, root) = stopwatch(|| -> Outcome<[u8; 32]> {
            let mut added = Vec::new();
            for (key, value) in changes {
                match self.search(key) {
                    Ok(index) => self.entries[index].1 = *value,
                    Err(_) => added.push((*key, *value)),
                }
            }
            if !added.is_empty() {
                self.entries.extend(added);
                self.entries.sort_unstable_by_key(|(key, _)| *key);
            }
            let leaves: Vec<[u8; 32]> = self.entries.iter().map(leaf).collect();
            self.tree = MerkleTree::from_leaves(&leaves);
            let root = self.tree.root().ok_or("a tree needs an entry")?;
            Ok(commitment(leaves.len().try_into()?, root))
        });
        self.roots.push(root?);
        Ok(Published::alone(us))
    }

    fn prove(&mut self, version: usize, key: &Key) -> Outcome<Inclusion> {
        require_latest(&self.roots, version)?;
        let (leaves, neighbours) = match self.search(key) {
            Ok(index) => (index..index + 1, Vec::new()),
            Err(next) => {
                let around = next.saturating_sub(1)..self.entries.len().min(next + 1);
                (around.clone(), self.entries[around].to_vec())
            }
        };
        let index = leaves.start.try_into()?;
        let proof = self.tree.proof(&leaves.collect::<Vec<_>>());
        Ok(Inclusion {
            count: self.entries.len().try_into()?,
            index,
            neighbours,
            hashes: proof.proof_hashes().to_vec(),
        })
    }

    fn verify(&self, version: usize, (key, value): Claim<'_>, proof: Inclusion) -> Outcome<()> {
        let trusted = of_version(&self.roots, version)?;
        let (count, index) = (usize::try_from(proof.count)?, usize::try_from(proof.index)?);
        let entries = match value {
            Some(value) => vec![(*key, *value)],
            None => proof.neighbours.clone(),
        };
        let end = index.checked_add(entries.len()).ok_or("no such leaf")?;
        ensure(end <= count, "no such leaf")?;
        let is_shown = match (value, &proof.neighbours[..]) {
            (Some(_), []) => true,
            (None, [last]) if last.0 < *key => end == count,
            (None, [first]) => *key < first.0 && index == 0,
            (None, [before, after]) => before.0 < *key && *key < after.0,
            _ => false,
        };
        ensure(is_shown, "another answer")?;
        let indices: Vec<usize> = (index..end).collect();
        let leaves: Vec<[u8; 32]> = entries.iter().map(leaf).collect();
        let hashes = MerkleProof::<Sha256>::new(proof.hashes);
        let root = hashes.root(&indices, &leaves, count)?;
        let is_root = commitment(proof.count, root) == *trusted;
        ensure(is_root, "the proof leads to another root")
    }

    fn encode(proof: &Inclusion) -> Outcome<Vec<u8>> {
        Ok(borsh::to_vec(proof)?)
    }

    fn decode(&self, bytes: &[u8]) -> Outcome<Inclusion> {
        Ok(borsh::from_slice(bytes)?)
    }
}

impl SortedLeaves {
    fn search(&self, key: &Key) -> Result<usize, usize> {
        self.entries.binary_search_by_key(key, |(key, _)| *key)
    }
}
