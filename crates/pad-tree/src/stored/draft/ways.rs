//! Reads the nodes on the paths of many keys together, level by level.
//!
//! Each node is read once. Nodes of one level do not depend on each other, so several threads read
//! and hash them. The waiting times for the medium or for memory overlap.

use core::ops::Range;

use pad_core::{Operation, StoreFault, Suite, Workers};

use super::{Draft, NodeStub};
use crate::{
    balancing::{BalancingScheme, NodeStore as _},
    entries::Probe,
    id::{NodeId, NodeKind},
    side::Side,
    stored::{
        log::NodeLog,
        nodes::{Recent, Record, Reuse},
    },
};

/// The number of keys whose paths are read together. Up to this number of blocks are in memory at
/// the same time.
const TOGETHER: usize = 512;

/// The least number of keys whose paths are read together. Fewer keys are searched one by one.
const LEAST: usize = 32;

/// A node on the paths of some keys, which is to be read next.
struct PathNode {
    node: NodeId,
    /// The parent of the node, and the side on which the node is its child; `None` for the root.
    above: Option<(NodeId, Side)>,
    keys: Range<usize>,
    /// The block that contains the parent, and often the node too.
    recent: Recent,
}

/// A node read from the log: its stub, its encoded record, and the block that contains it.
type ReadNode<D> = (NodeStub<D>, Record, Recent);

impl<S: Suite, B: BalancingScheme, L: NodeLog> Draft<'_, S, B, L> {
    /// Reads the nodes on the paths of many operations, which are in ascending order of keys. For
    /// fewer than 32 operations, reads nothing.
    ///
    /// Returns for each operation whether its key was found; `false` does not prove absence. `root`
    /// is set to the id of the root after it was read.
    ///
    /// # Errors
    /// [`StoreFault`] if a node cannot be read or is damaged.
    pub(in crate::stored) fn open_ways(
        &mut self,
        root: &mut Option<NodeId>,
        operations: &[Operation],
        workers: &Workers,
    ) -> Result<Vec<bool>, StoreFault> {
        let mut found = vec![false; operations.len()];
        let Some(top) = root.as_mut().filter(|_| operations.len() >= LEAST) else {
            return Ok(found);
        };
        *top = self.open(*top)?;
        for (piece, found) in operations.chunks(TOGETHER).zip(found.chunks_mut(TOGETHER)) {
            self.follow(*top, piece, found, workers)?;
        }
        Ok(found)
    }

    fn follow(
        &mut self,
        top: NodeId,
        operations: &[Operation],
        found: &mut [bool],
        workers: &Workers,
    ) -> Result<(), StoreFault> {
        let probes = operations.iter().map(Operation::key);
        let probes: Vec<_> = probes.map(|key| Probe::new(key.as_bytes())).collect();
        let mut level = vec![PathNode {
            node: top,
            above: None,
            keys: 0..probes.len(),
            recent: Recent::default(),
        }];
        while !level.is_empty() {
            let read = |reached: &PathNode| self.read_reached(reached);
            let all = if level.len() >= LEAST {
                workers.map(&level, read)
            } else {
                level.iter().map(read).collect()
            };
            let mut next = Vec::with_capacity(level.len());
            for (reached, read) in level.into_iter().zip(all) {
                let reached = self.taken(reached, read?)?;
                self.part(reached, &probes, found, &mut next);
            }
            level = next;
        }
        Ok(())
    }

    /// Reads a node from the log and checks it; `None` if it is already in memory.
    fn read_reached(&self, reached: &PathNode) -> Result<Option<ReadNode<S::Digest>>, StoreFault> {
        let Some(unread) = self.unread(reached.node) else {
            return Ok(None);
        };
        // A node on the path of only one key is of no use to the other keys.
        let passing = if reached.keys.len() > 1 {
            Reuse::Often
        } else {
            Reuse::Once
        };
        let mut recent = reached.recent.clone();
        let record = self.read(&unread, &mut recent, passing)?;
        Ok(Some((unread, record, recent)))
    }

    /// Adds a node to the draft, if `read` contains it. Returns `reached` with the node's id in
    /// memory.
    fn taken(
        &mut self,
        reached: PathNode,
        read: Option<ReadNode<S::Digest>>,
    ) -> Result<PathNode, StoreFault> {
        let Some((unread, record, recent)) = read else {
            return Ok(reached);
        };
        let node = self.take(unread, &record)?;
        if let Some((above, side)) = reached.above
            && node != reached.node
        {
            self.memory.lead(above, side, node);
        }
        Ok(PathNode {
            node,
            recent,
            ..reached
        })
    }

    /// At an inner node, divides its keys among the children and adds these to `next`. At a leaf,
    /// records in `found` which keys equal the leaf's key.
    fn part(
        &self,
        reached: PathNode,
        probes: &[Probe<'_>],
        found: &mut [bool],
        next: &mut Vec<PathNode>,
    ) {
        let PathNode {
            node, keys, recent, ..
        } = reached;
        let Some(below) = probes.get(keys.clone()) else {
            return;
        };
        match node.kind() {
            NodeKind::Leaf(entry) => {
                for (place, probe) in keys.zip(below) {
                    found[place] = self.compare(probe, entry).is_eq();
                }
            }
            NodeKind::Inner(_) => {
                let separator = self.memory.separator(node);
                let entries = self.memory.entries();
                let is_left = |probe: &Probe<'_>| entries.compare(probe, separator).is_lt();
                let middle = keys.start + below.partition_point(is_left);
                let children = self.memory.children(node);
                for (side, keys) in [
                    (Side::Left, keys.start..middle),
                    (Side::Right, middle..keys.end),
                ] {
                    if !keys.is_empty() {
                        next.push(PathNode {
                            node: children.on(side),
                            above: Some((node, side)),
                            keys,
                            recent: recent.clone(),
                        });
                    }
                }
            }
        }
    }
}
