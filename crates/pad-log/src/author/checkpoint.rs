//! Checkpoints: the encoded state of a log's repository, for storage between runs.

use std::{collections::BTreeSet, sync::Arc};

use pad_core::{AuthorKey, Digest, HeadLog, Sha256Ed25519, Suite as _, Workers, codec::Message};
use serde::{Deserialize, Serialize};

use super::{
    building::Building,
    entries::Entries,
    forest::{Forest, to_u64},
    frontier_tree::FrontierTree,
    node::Node,
    repository::LogRepository,
};
use crate::{
    log::Log,
    scheme::{Completeness, Scheme},
    shape::Address,
    statement::Entry,
};

/// Stored state of a log's repository. Restoring it replays no updates and computes no
/// accumulators.
///
/// Hashes bind entries and accumulators to the root of the latest version. Restoring checks the
/// signature of that root. Certificates, frontiers and the sizes of earlier versions are trusted:
/// keep an integrity digest next to the checkpoint. Clients refuse proofs that rest on false data.
#[derive(Clone, Serialize, Deserialize)]
pub struct LogCheckpoint {
    heads: HeadLog<Sha256Ed25519>,
    /// The number of entries in each version, from version 0 on.
    sizes: Vec<u64>,
    entries: Vec<Entry>,
    /// The encoded nodes of each level, from the blocks' level upwards, concatenated.
    levels: Vec<Vec<u8>>,
    /// The encoded [frontiers](crate::frontier) of the trees of all versions, in order of the
    /// trees' addresses; in frontier schemes only. A frontier stored as an empty byte string is
    /// computed when it is needed.
    frontiers: Vec<Vec<u8>>,
}

impl Message for LogCheckpoint {
    const KIND: u8 = 132;
    const SUITE: u16 = Sha256Ed25519::ID.0;
}

impl core::fmt::Debug for LogCheckpoint {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let (entries, versions) = (self.entries.len(), self.heads.latest());
        write!(
            formatter,
            "LogCheckpoint({entries} entries, {versions} versions)"
        )
    }
}

impl<S: Scheme> LogRepository<S> {
    /// Copies the repository's contents into a checkpoint: heads, sizes, entries, nodes and stored
    /// frontiers.
    pub fn checkpoint(&self) -> LogCheckpoint {
        LogCheckpoint {
            heads: self.heads.clone(),
            sizes: self.sizes.clone(),
            entries: self.entries.as_slice().to_vec(),
            levels: self.entries.forest.encode_levels(),
            frontiers: self.entries.forest.encode_frontiers(&self.sizes),
        }
    }

    /// Restores a repository from a checkpoint. The repository does all work of a node in one
    /// append until [`Building`] is set again.
    ///
    /// Returns `None` if the checkpoint belongs to another log or author, or the parameters have
    /// too few powers. Also returns `None` if the checkpoint's parts do not match each other. For
    /// example:
    ///
    /// - entries that the log does not accept,
    /// - nodes that are missing, surplus, or do not belong to these entries,
    /// - nodes that do not hash to the root of the latest version,
    /// - frontiers whose number or length is wrong. Their contents are not verified.
    ///
    /// Time: linear in the stored bytes, and in frontier schemes in the bits of the trees'
    /// elements. Computes hashes, but no sums in G1.
    pub fn restore(
        checkpoint: LogCheckpoint,
        log: Log<S>,
        author: AuthorKey,
        workers: Workers,
    ) -> Option<Self> {
        let repository = Self::new(log, author, workers).ok()?;
        let mut repository = repository.with_building(Building::AtOnce);
        let LogCheckpoint {
            heads,
            sizes,
            entries,
            levels,
            frontiers,
        } = checkpoint;
        let versions = heads.latest().number().checked_add(1)?;
        let fits = heads.authority() == repository.heads.authority()
            && to_u64(sizes.len()) == versions
            && sizes.first() == Some(&0)
            && sizes.last() == Some(&to_u64(entries.len()))
            && sizes.is_sorted();
        if !fits {
            return None;
        }
        repository.entries = with_nodes(repository.entries, entries, &levels)?;
        if !repository.entries.forest.binds_elements() {
            return None;
        }
        let size = repository.entries.size();
        let root = heads.latest_head().map(|signed| signed.head.root);
        if root.is_some_and(|root| root != repository.entries.digest(size)) {
            return None;
        }
        let forest = &mut repository.entries.forest;
        forest.decode_frontiers(&sizes, &frontiers)?;
        Some(Self {
            heads,
            sizes,
            ..repository
        })
    }
}

/// Appends `appended` to the empty list `entries`, and decodes their tree nodes from `levels`.
/// Returns `None` if an entry is not accepted or the nodes do not fit.
fn with_nodes<S: Scheme>(
    mut entries: Entries<S>,
    appended: Vec<Entry>,
    levels: &[Vec<u8>],
) -> Option<Entries<S>> {
    entries.extend(appended.into_iter()).ok()?;
    entries.forest.decode_levels(levels)?;
    Some(entries)
}

impl<S: Scheme> Forest<S> {
    fn encode_levels(&self) -> Vec<Vec<u8>> {
        let levels = self.levels.iter();
        levels
            .map(|nodes| nodes.iter().flat_map(encode).collect())
            .collect()
    }

    /// Decodes the tree nodes over all pushed elements, one byte string for each level. Returns
    /// `None` unless exactly the available nodes are stored.
    fn decode_levels(&mut self, stored: &[Vec<u8>]) -> Option<()> {
        if stored.len() != self.levels.len() {
            return None;
        }
        for (nodes, stored) in self.levels.iter_mut().zip(stored) {
            let (chunks, []) = stored.as_chunks::<NODE_BYTES>() else {
                return None;
            };
            *nodes = chunks.iter().map(decode).collect::<Option<_>>()?;
        }
        self.size = self.pushed();
        self.keep_polynomials();
        self.has_nodes_of(self.size).then_some(())
    }

    /// Returns whether the inner hash of each node is the hash of its elements or of its children.
    /// The signed root then covers all elements.
    ///
    /// Time: about two hashes for each element.
    fn binds_elements(&self) -> bool {
        let levels = (self.log().shape().block_level()..).zip(&self.levels);
        let mut nodes = levels.flat_map(|(level, nodes)| {
            let addresses = (0..).map(move |index| Address { level, index });
            addresses.zip(nodes)
        });
        nodes.all(|(address, node)| node.inner == self.inner(address))
    }

    /// Returns whether the forest contains exactly the nodes that are available at `size`.
    pub(super) fn has_nodes_of(&self, size: u64) -> bool {
        let shape = self.log().shape();
        let mut levels = (shape.block_level()..).zip(&self.levels);
        levels.all(|(level, nodes)| {
            let is_available = |index| shape.is_available(Address { level, index }, size);
            let count = to_u64(nodes.len());
            !is_available(count) && count.checked_sub(1).is_none_or(is_available)
        })
    }

    /// Returns the tree roots, in the forests of the given `sizes`, whose frontiers a checkpoint
    /// contains. Returns none unless the scheme proves completeness by frontiers.
    fn roots_with_frontiers(&self, sizes: &[u64]) -> BTreeSet<Address> {
        if S::COMPLETENESS != Completeness::Frontier {
            return BTreeSet::new();
        }
        let shape = self.log().shape();
        let roots = sizes.iter().flat_map(|size| shape.forest(*size));
        roots.filter(|root| shape.is_proved(*root)).collect()
    }

    fn encode_frontiers(&self, sizes: &[u64]) -> Vec<Vec<u8>> {
        let roots = self.roots_with_frontiers(sizes).into_iter();
        let kept = roots.map(|root| self.frontiers.get(&root));
        kept.map(|kept| kept.map_or_else(Vec::new, |kept| kept.encode()))
            .collect()
    }

    /// Decodes the frontiers of the roots of the forests of these sizes. The nodes must be present
    /// already. Returns `None` unless the number of frontiers matches and each has the shape of its
    /// tree.
    fn decode_frontiers(&mut self, sizes: &[u64], stored: &[Vec<u8>]) -> Option<()> {
        let roots = self.roots_with_frontiers(sizes);
        if roots.len() != stored.len() {
            return None;
        }
        let stored: Vec<(Address, &Vec<u8>)> = roots.into_iter().zip(stored).collect();
        let decoded = self.workers().map(&stored, |(root, bytes)| {
            FrontierTree::decode::<S>(self.elements_of(*root), bytes)
        });
        for ((root, bytes), frontier) in stored.into_iter().zip(decoded) {
            match frontier {
                Some(frontier) => drop(self.frontiers.insert(root, Arc::new(frontier))),
                None if bytes.is_empty() => {}
                None => return None,
            }
        }
        Some(())
    }
}

fn encode(node: &Node) -> Vec<u8> {
    let Node {
        accumulator,
        inner,
        value,
        quotient,
    } = node;
    [&accumulator[..], &inner.0, value, quotient].concat()
}

fn decode(bytes: &[u8; NODE_BYTES]) -> Option<Node> {
    let (accumulator, rest) = bytes.split_first_chunk()?;
    let (inner, rest) = rest.split_first_chunk()?;
    let (value, quotient) = rest.split_first_chunk()?;
    Some(Node {
        accumulator: *accumulator,
        inner: Digest(*inner),
        value: *value,
        quotient: quotient.try_into().ok()?,
    })
}

/// Bytes of a stored node: accumulator (48), inner hash (32), value (32), quotient (48).
const NODE_BYTES: usize = 160;

#[cfg(test)]
mod tests;
