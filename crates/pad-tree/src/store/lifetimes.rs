//! In which versions each node is in the tree.
//!
//! Nothing that answers a query needs it. It is what tells, of a store that was read back, that every
//! version is a tree: a node that has left the tree still has its last children, which are others' by then.

use core::ops::Range;

use serde::{Deserialize, Serialize};

use super::survivors::Survivors;
use crate::id::{NodeId, NodeKind, to_u32, to_usize};

/// Space: eight bytes for each version, and four for each node that has left the tree.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Lifetimes {
    /// For each version, the number of nodes born in it and before.
    born: Vec<u32>,
    /// The nodes that left the tree, in the order of the versions that lack them first.
    ended: Vec<NodeId>,
    /// For each version, the number of nodes that left in it and before.
    ends: Vec<u32>,
}

impl Lifetimes {
    /// Notes that the next version lacks a node.
    pub(super) fn end(&mut self, node: NodeId) {
        self.ended.push(node);
    }

    /// Notes that the next version is complete, and how many nodes there are by then.
    pub(super) fn seal(&mut self, nodes: usize) {
        self.born.push(to_u32(nodes));
        self.ends.push(to_u32(self.ended.len()));
    }

    /// Forgets the nodes that do not survive, and renumbers the others; there were `nodes`.
    pub(super) fn prune(&mut self, nodes: usize, survivors: &Survivors) {
        let (mut next, mut kept) = (0, 0);
        for born in &mut self.born {
            while next < to_usize(*born).min(nodes) {
                kept += u32::from(survivors.keeps(next));
                next += 1;
            }
            *born = kept;
        }
        let (mut next, mut ended) = (0, Vec::new());
        for end in &mut self.ends {
            for node in &self.ended[next..to_usize(*end)] {
                if survivors.keeps(node.index()) {
                    ended.push(survivors.node(*node));
                }
            }
            next = to_usize(*end);
            *end = to_u32(ended.len());
        }
        self.ended = ended;
    }

    /// The versions from `oldest` to before `next` in which each node is in the tree. `None` if what was
    /// read back does not say that of this many nodes.
    pub(super) fn of_nodes(&self, nodes: usize, oldest: u32, next: u32) -> Option<Vec<Range<u32>>> {
        let versions = to_usize(next);
        let fits = self.born.len() == versions
            && self.ends.len() == versions
            && self.born.is_sorted()
            && self.ends.is_sorted()
            && self.born.last().map(|born| to_usize(*born)) == Some(nodes)
            && self.ends.last().map(|end| to_usize(*end)) == Some(self.ended.len());
        if !fits {
            return None;
        }
        let mut lives = Vec::with_capacity(nodes);
        for (version, born) in (0..).zip(&self.born) {
            lives.resize(to_usize(*born), version.max(oldest)..next);
        }
        let mut from = 0;
        for (version, end) in (0..).zip(&self.ends) {
            for node in self.ended.get(from..to_usize(*end))? {
                let NodeKind::Inner(index) = node.kind() else {
                    return None;
                };
                lives.get_mut(index)?.end = version;
            }
            from = to_usize(*end);
        }
        Some(lives)
    }

    /// The bytes of memory that this takes, without spare capacity.
    pub(super) fn memory_bytes(&self) -> usize {
        (self.born.len() + self.ended.len() + self.ends.len()) * 4
    }
}
