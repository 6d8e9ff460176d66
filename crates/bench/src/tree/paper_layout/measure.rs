//! Measures growing trees in the paper's layout, for table 3.

use std::{hint::black_box, sync::Arc};

use pad_core::{Answer, HeadSignature, Suite, codec};
use signature::Signer;

use super::{Balance, Node, PathProof, RedBlack, Treap, Tree, authenticator};
use crate::{
    line, memory,
    prelude::*,
    primitives::Primitives,
    tree::{author::CHUNK, process::Order},
    workload::{Workload, absent_key, key, value},
};

/// Names of the schemes that are measured in this layout. Skip lists are missing, because the paper
/// also uses another layout for them.
pub const SCHEMES: [&str; 2] = [RedBlack::NAME, Treap::NAME];

/// Measures the scheme that `order` names, in the paper's layout.
pub fn measure<S: Suite>(order: &Order) -> Outcome<Line> {
    match order.scheme.as_str() {
        RedBlack::NAME => TreeVersions::<S>::new::<RedBlack>(order).line(order),
        Treap::NAME => TreeVersions::<S>::new::<Treap>(order).line(order),
        other => Err(format!("no tree called {other} has entries in its inner nodes").into()),
    }
}

/// All versions of a growing tree, and the cost of inserting its entries.
struct TreeVersions<S: Suite> {
    workload: Workload,
    effort: Effort,
    versions: Vec<Tree<S>>,
    insertions: Timings,
    resident_bytes: u64,
}

impl<S: Suite> TreeVersions<S> {
    fn new<B: Balance>(order: &Order) -> Self {
        let workload = order.workload.clone();
        let mut versions = Vec::with_capacity(workload.final_keys() as usize + 1);
        versions.push(None);
        let (signer, mut insertions) = (signing_key(), Timings::default());
        let before = memory::resident_bytes();
        let indices: Vec<u64> = (0..workload.final_keys()).collect();
        for chunk in indices.chunks(CHUNK) {
            let entries = chunk.iter().map(|index| (key(*index), value(*index)));
            let entries: Vec<_> = entries.collect();
            let tree = versions.last().cloned().flatten();
            let chunk = insertions.time(chunk.len(), || {
                let mut tree = tree;
                let insert = |(key, value): &(_, _)| {
                    tree = B::insert(&tree, key, value);
                    black_box(signer.sign(&signed::<S>(&tree)));
                    tree.clone()
                };
                entries.iter().map(insert).collect::<Vec<_>>()
            });
            versions.extend(chunk);
        }
        let resident_bytes = memory::resident_bytes().saturating_sub(before);
        Self {
            workload,
            effort: Effort::new(order.quick),
            versions,
            insertions,
            resident_bytes,
        }
    }

    fn line(&self, order: &Order) -> Outcome<Line> {
        let latest = self.latest();
        let (root, keys) = (authenticator(latest), self.workload.final_keys());
        for index in (0..keys).step_by((keys as usize / 50).max(1)) {
            let proof = PathProof::new(latest, &key(index));
            let answer = proof.verify(&root, &key(index))?;
            ensure(answer == Answer::Present(value(index)), "the wrong answer")?;
        }
        let primitives = Primitives::measure::<S>(&self.effort);
        let sizes = self.sizes();
        // All nodes on the path to an entry are hashed, and its value.
        let node_ns = node_hash_ns::<S>(&self.effort);
        let nodes_ns = sizes.figure("depth") * node_ns;
        let hashes_us = (nodes_ns + primitives.value_hash_ns) / 1e3;
        let (verify_us, limit_us) = (self.verify_us(), hashes_us + primitives.sign_us);
        let line = line! {
            experiment: "growing_paper_layout", scheme: &order.scheme, repository: "path-copying",
            layout: "entries in inner nodes", suite: S::NAME, keys, versions: keys, threads: 1,
            insert_snapshot_us: self.insertions.mean_us(),
            insert_snapshot_median_us: self.insertions.median_us(), author_limit_us: limit_us,
            author_ratio_median: self.insertions.median_us() / limit_us,
            prove_us_latest: self.prove(Some(keys)), prove_us_random_version: self.prove(None),
            resident_bytes_per_version: self.resident_bytes as f64 / keys as f64,
            head_bytes: S::Digest::default().as_ref().len() + size_of::<HeadSignature>(),
            verify_with_known_head_us: verify_us, verify_limit_us: hashes_us,
            verify_ratio: verify_us / hashes_us,
        };
        Ok(line.merged(&sizes))
    }

    fn latest(&self) -> &Tree<S> {
        self.versions.last().unwrap_or(&None)
    }

    /// Returns the mean microseconds of proving a random present key, in `version`, or in random
    /// versions if that is `None`.
    fn prove(&self, version: Option<u64>) -> f64 {
        let mut random = Random::new(2);
        let query = || {
            let (version, index) = self.workload.any_present(&mut random, version);
            (version as usize, key(index))
        };
        let prove = |(version, key): (usize, _)| PathProof::new(&self.versions[version], &key);
        self.effort.repeat_each(1024, query, prove).mean_us()
    }

    fn verify_us(&self) -> f64 {
        let (latest, mut random) = (self.latest(), Random::new(6));
        let root = authenticator(latest);
        let prove = || {
            let key = key(random.below(self.workload.final_keys()));
            (PathProof::new(latest, &key), key)
        };
        let timings = self.effort.repeat_each(1024, prove, |(proof, key)| {
            let answer = proof.verify(&root, &key);
            answer.expect("bench: honest proofs verify")
        });
        timings.mean_us()
    }

    /// Returns the mean bytes of proofs and the mean depth, over random keys of the latest version.
    /// Also returns the mean number and bytes of the nodes that a version adds.
    fn sizes(&self) -> Line {
        let (latest, mut random) = (self.latest(), Random::new(5));
        let samples = self.effort.operations.min(10_000);
        let [mut present, mut absent, mut nodes] = [0; 3];
        for _ in 0..samples {
            let proof = PathProof::new(latest, &key(random.below(self.workload.final_keys())));
            present += codec::encode_body(&proof).len();
            // One of the hashes is of the value.
            nodes += proof.hashes() - 1;
            let key = absent_key(random.next());
            absent += codec::encode_body(&PathProof::new(latest, &key)).len();
        }
        let mean = |sum: usize| sum as f64 / samples as f64;
        // Nodes that a version does not share with the previous version.
        let pairs = self.versions.windows(2);
        let copied: usize = pairs.map(|pair| unshared(&pair[1], &pair[0])).sum();
        let copied = copied as f64 / self.workload.final_keys() as f64;
        // A key of 8 bytes and a value of 32 are copied with their node.
        let node = (Node::<S>::bytes() + 8 + 32) as f64;
        line! {
            proof_bytes: mean(present), absent_proof_bytes: mean(absent), depth: mean(nodes),
            nodes_per_version: copied, counted_bytes_per_version: copied * node,
        }
    }
}

/// Counts the nodes of `tree` that are not in `before`, the tree before one insertion.
fn unshared<S: Suite>(tree: &Tree<S>, before: &Tree<S>) -> usize {
    fn is_in<S: Suite>(node: &Arc<Node<S>>, tree: &Tree<S>) -> bool {
        let mut next = tree;
        while let Some(other) = next {
            if Arc::ptr_eq(node, other) {
                return true;
            }
            let is_left = node.key < other.key;
            next = if is_left { &other.left } else { &other.right };
        }
        false
    }
    match tree {
        Some(node) if !is_in(node, before) => {
            1 + unshared(&node.left, before) + unshared(&node.right, before)
        }
        _ => 0,
    }
}

/// Returns the message that the author signs. Only the root varies in it, while the workspace's
/// heads also name dictionary, version and history.
fn signed<S: Suite>(tree: &Tree<S>) -> Vec<u8> {
    let mut message = vec![0; 28 + S::Digest::default().as_ref().len()];
    message.extend_from_slice(authenticator(tree).as_ref());
    message
}

/// Measures the nanoseconds of hashing a node with a key of 8 bytes. One of its inputs is the
/// digest computed just before.
fn node_hash_ns<S: Suite>(effort: &Effort) -> f64 {
    let (key, start) = (key(0), S::value(b"start"));
    effort.primitive_ns(|calls| {
        let last = (0..calls).fold(black_box(start), |last, _| {
            super::combine::<S>(&key, &start, &[last, start])
        });
        black_box(last);
    })
}
