//! A suite that counts its hashes, so that the hashes of an operation are known exactly.

use std::{cell::Cell, marker::PhantomData};

use pad_core::{HeadSignature, Suite, SuiteId, internals::Domain};
use serde::{Deserialize, Serialize};
use signature::Signer;

use crate::primitives::Primitives;

/// Suite `S` that counts hashes on the calling thread. Formats and digests are equal to those of
/// `S`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CountingSuite<S>(PhantomData<S>);

impl<S: Suite> Suite for CountingSuite<S> {
    const ID: SuiteId = S::ID;
    const NAME: &'static str = S::NAME;
    type Digest = S::Digest;

    fn node(domain: Domain, left: &S::Digest, right: &S::Digest) -> S::Digest {
        count(domain);
        S::node(domain, left, right)
    }

    fn hash(domain: Domain, parts: &[&[u8]]) -> S::Digest {
        count(domain);
        S::hash(domain, parts)
    }

    fn value(value: &[u8]) -> S::Digest {
        count(Domain::Value);
        S::value(value)
    }

    fn leaf(key: &[u8], value_digest: &S::Digest) -> S::Digest {
        count(Domain::TreeLeaf);
        S::leaf(key, value_digest)
    }
}

/// Numbers of hashes by purpose, as means per operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HashCounts(Vec<f64>);

impl HashCounts {
    /// Counts the hashes of [`CountingSuite`]s on this thread during `work`, divided by
    /// `operations`. Also returns the result of `work`.
    pub fn of<R>(operations: u64, work: impl FnOnce() -> R) -> (Self, R) {
        COUNTS.with(|counts| counts.iter().for_each(|count| count.set(0)));
        let result = work();
        let per_operation = |count: &Cell<u64>| count.get() as f64 / operations.max(1) as f64;
        let counts = COUNTS.with(|counts| counts.iter().map(per_operation).collect());
        (Self(counts), result)
    }

    /// Returns the number of hashes for these purposes.
    pub fn number(&self, domains: &[Domain]) -> f64 {
        domains.iter().map(|domain| self.0[index(*domain)]).sum()
    }

    /// Returns these counts, but with the hashes of the history log from `other`.
    #[must_use]
    pub fn with_history_of(mut self, other: &Self) -> Self {
        for domain in [Domain::HistoryLeaf, Domain::HistoryNode].map(index) {
            self.0[domain] = other.0[domain];
        }
        self
    }

    /// Returns the microseconds of these hashes in sequence, where each hash needs the previous
    /// result. Includes only hashes of nodes, leaves, values and ranks.
    pub fn cost_us(&self, primitives: &Primitives) -> f64 {
        let nodes = self.number(&[Domain::TreeNode, Domain::HistoryNode]);
        let leaves = self.number(&[Domain::TreeLeaf, Domain::HistoryLeaf]);
        let values = self.number(&[Domain::Value, Domain::KeyRank]);
        let ns = nodes * primitives.node_hash_ns
            + leaves * primitives.leaf_hash_ns
            + values * primitives.value_hash_ns;
        ns / 1e3
    }
}

/// Returns the number of hashes for a purpose on this thread so far.
pub(super) fn so_far(domain: Domain) -> u64 {
    COUNTS.with(|counts| counts[index(domain)].get())
}

/// Counts the hashes of all purposes on this thread during `work`.
pub fn hashes_of<R>(work: impl FnOnce() -> R) -> (u64, R) {
    let total = || COUNTS.with(|counts| counts.iter().map(Cell::get).sum::<u64>());
    let before = total();
    let result = work();
    (total() - before, result)
}

/// Signer that returns zeros, for runs that only count hashes.
#[derive(Clone, Copy, Debug)]
pub struct NoSignature;

impl Signer<HeadSignature> for NoSignature {
    fn try_sign(&self, _: &[u8]) -> Result<HeadSignature, signature::Error> {
        Ok(HeadSignature::from_bytes(&[0; 64]))
    }
}

const DOMAINS: usize = Domain::ALL.len();

thread_local! {
    static COUNTS: [Cell<u64>; DOMAINS] = const { [const { Cell::new(0) }; DOMAINS] };
}

const fn index(domain: Domain) -> usize {
    domain as usize
}

fn count(domain: Domain) {
    COUNTS.with(|counts| counts[index(domain)].update(|count| count + 1));
}
