//! Construction of the nodes of deferred logs in steps, before proofs first use the nodes.

use std::sync::{Arc, OnceLock};

use pad_accumulators::AccumulateError;

use super::{Forest, to_u64, to_usize};
use crate::{
    author::{
        building::{BuildProgress, Building, Due, Jobs},
        job::{Job, Made, Merge},
    },
    scheme::{Completeness, Scheme},
    shape::Address,
};

impl<S: Scheme> Forest<S> {
    /// Changes how node construction is distributed among appends. The construction of unfinished
    /// nodes starts again.
    pub(crate) fn set_building(&mut self, building: Building) {
        self.jobs = Jobs::new(building, self.log.shape().schedule());
        self.advance();
    }

    /// The progress of every node under construction.
    pub(crate) fn progress(&self) -> Vec<BuildProgress> {
        self.jobs.progress()
    }

    /// Finishes the node of `level` that is under construction, and adds it to the forest. Does
    /// nothing unless the node is needed at `size`.
    ///
    /// # Errors
    /// [`AccumulateError`] if a step failed. The job is then lost.
    pub(super) fn put_due(&mut self, level: u8, size: u64) -> Result<(), AccumulateError> {
        let all = self.jobs.all().into_iter();
        let mut due = all.filter(|due| due.node.level == level && due.is_over(size));
        let Some(due) = due.next() else {
            return Ok(());
        };
        let Some(job) = self.jobs.take(due) else {
            return Ok(());
        };
        let made = job.finish(self.log.shape().is_root(due.node, size))?;
        if due.node.index == to_u64(self.level(level).len()) {
            self.put(due.node, made);
        }
        Ok(())
    }

    /// Starts the jobs of nodes whose construction begins at or before the log's present size. Runs
    /// the steps that are due at this size.
    pub(in crate::author) fn advance(&mut self) {
        if self.jobs.are_at_once() {
            return;
        }
        let shape = self.log.shape();
        let all = self.jobs.all();
        for level in shape.block_level()..=shape.top_level() {
            let Some(due) = Due::of(shape, level, self.size) else {
                continue;
            };
            if !all.contains(&due)
                && let Some(job) = self.job(due.node)
            {
                self.jobs.add(due, job);
            }
            self.jobs.run(due, self.size);
        }
    }

    /// Creates the job that constructs a node above the blocks' level. The node's children must be
    /// available.
    fn job(&self, node: Address) -> Option<Job> {
        let planned = (S::COMPLETENESS == Completeness::Frontier).then(|| self.plan(node));
        Some(Job::new::<S>(self.merge(node)?, planned, terms::<S>()))
    }

    /// Returns the data from which a node above the blocks' level is computed. The node's children
    /// must be available.
    pub(super) fn merge(&self, node: Address) -> Option<Merge> {
        let (left, right) = node.children()?;
        let children = [left, right];
        Some(Merge {
            id: self.id(),
            setup: self.log.setup().clone(),
            inner: self.inner(node),
            accumulators: children.map(|child| self.node(child).accumulator),
            factors: children.map(|child| self.polynomial(child)),
        })
    }

    /// Drops the jobs of nodes that are not under construction in a log of this size.
    pub(in crate::author) fn drop_jobs(&mut self, size: u64) {
        let shape = self.log.shape();
        for due in self.jobs.all() {
            if Due::of(shape, due.node.level, size) != Some(due) {
                self.jobs.take(due);
            }
        }
    }

    /// Like [`Forest::drop_jobs`]. If a node under construction at `size` was finished at a larger
    /// size, also stores it as a finished job. It is then not built twice. Must be called before
    /// [`Forest::truncate`] removes the finished nodes.
    pub(super) fn truncate_jobs(&mut self, size: u64) {
        if self.jobs.are_at_once() {
            return;
        }
        self.drop_jobs(size);
        let shape = self.log.shape();
        let all = self.jobs.all();
        for level in shape.block_level()..=shape.top_level() {
            if let Some(due) = Due::of(shape, level, size)
                && !all.contains(&due)
                && let Some(made) = self.made(due.node)
            {
                self.jobs.add(due, Job::finished(made));
            }
        }
    }

    /// Returns a finished node, its polynomial, and its frontier if there is one. Returns `None` if
    /// node or polynomial is not stored.
    fn made(&self, node: Address) -> Option<Made> {
        let polynomial = self.polynomials.get(&node).and_then(OnceLock::get);
        let polynomial = polynomial.or_else(|| self.joined.get(&node))?;
        Some(Made {
            node: self.level(node.level).get(to_usize(node.index))?.clone(),
            polynomial: Arc::clone(polynomial),
            frontier: self.frontiers.get(&node).cloned(),
        })
    }
}

/// Maximum number of terms of a multi-scalar sum that are added in one step of a job.
///
/// Smaller steps cost more for each term. With larger steps, sums would take far longer than the
/// other steps. All jobs end with sums, and many of them at the same size, so the appends before
/// that size would be slow.
const fn terms<S: Scheme>() -> usize {
    match S::COMPLETENESS {
        Completeness::Counted => 256,
        Completeness::Frontier => 512,
    }
}

#[cfg(test)]
mod tests;
