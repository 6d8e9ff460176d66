//! An update together with the tree nodes that its author computed, for a repository in the same
//! process.

use core::{fmt, marker::PhantomData};
use std::sync::Arc;

use pad_core::{Sha256Ed25519, Update};

use super::{
    forest::{Forest, to_u64},
    frontier_tree::FrontierTree,
    node::Node,
    update::Appended,
};
use crate::{scheme::Scheme, shape::Address};

/// An update together with the tree nodes that its author computed for it.
///
/// Only authors create built updates. They are never sent as messages. A repository that receives a
/// plain [`Update`] computes the nodes again.
#[derive(Clone)]
pub struct BuiltUpdate<S> {
    pub(super) update: Update<Sha256Ed25519, Appended>,
    pub(super) nodes: NewNodes,
    pub(super) scheme: PhantomData<S>,
}

impl<S: Scheme> BuiltUpdate<S> {
    /// The update in the form that is sent.
    pub const fn update(&self) -> &Update<Sha256Ed25519, Appended> {
        &self.update
    }
}

impl<S> fmt::Debug for BuiltUpdate<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("BuiltUpdate")
            .field("update", &self.update)
            .finish_non_exhaustive()
    }
}

/// Nodes that became available with the latest elements, and the frontiers of the forest's roots.
#[derive(Clone)]
pub(super) struct NewNodes {
    /// The new nodes of each level, from the blocks' level upwards.
    levels: Vec<Vec<Node>>,
    frontiers: Vec<(Address, Arc<FrontierTree>)>,
}

impl<S: Scheme> Forest<S> {
    /// The nodes that were not available when the log had `size` entries.
    ///
    /// Time: linear in the result and the number of roots.
    pub(super) fn nodes_since(&self, size: u64) -> NewNodes {
        let shape = self.log().shape();
        let levels = (shape.block_level()..).zip(&self.levels);
        let levels = levels.map(|(level, nodes)| {
            let is_new = |index: &usize| {
                let index = to_u64(*index);
                !shape.is_available(Address { level, index }, size)
            };
            let new = (0..nodes.len()).rev().take_while(is_new).count();
            nodes[nodes.len() - new..].to_vec()
        });
        let kept = |root: Address| Some((root, Arc::clone(self.frontiers.get(&root)?)));
        NewNodes {
            levels: levels.collect(),
            frontiers: shape.forest(self.size).filter_map(kept).collect(),
        }
    }

    /// Copies the nodes that another forest of this log made for the pushed elements. Returns
    /// `None` unless each level then contains exactly the available nodes. [`Forest::truncate`]
    /// undoes the call. The contents of the nodes are not checked.
    pub(super) fn take_nodes(&mut self, new: &NewNodes) -> Option<()> {
        self.joined.clear();
        for (level, made) in new.levels.iter().enumerate() {
            let first = self.levels.get(level)?.len();
            for index in first..first + made.len() {
                self.join_children(level, index);
            }
            self.levels[level].extend_from_slice(made);
        }
        for (root, frontier) in &new.frontiers {
            let known = self.frontiers.entry(*root);
            known.or_insert_with(|| Arc::clone(frontier));
        }
        self.size = self.pushed();
        if !self.has_nodes_of(self.size) {
            return None;
        }
        self.keep_polynomials();
        // The jobs of these nodes are finished.
        self.drop_jobs(self.size);
        self.advance();
        Some(())
    }

    /// Removes the stored polynomials of a node's children, which the finished node no longer
    /// needs. `level` counts from the blocks' level, which is 0.
    fn join_children(&mut self, level: usize, index: usize) {
        let Some(children) = level
            .checked_sub(1)
            .and_then(|below| u8::try_from(below).ok())
        else {
            return;
        };
        for index in [2 * to_u64(index), 2 * to_u64(index) + 1] {
            let level = self.log().shape().block_level() + children;
            self.join(Address { level, index });
        }
    }
}

#[cfg(test)]
mod tests;
