//! Literal transcription of RFC 9162, sections 2.1.1, 2.1.3.1 and 2.1.4.1.

use crate::{digest::Domain, suite::Suite};

pub(super) fn leaf<S: Suite>(version: u64, root: &S::Digest) -> S::Digest {
    S::hash(
        Domain::HistoryLeaf,
        &[&version.to_be_bytes(), root.as_ref()],
    )
}

/// `MTH(D_n)`, over the digests of the leaves.
pub(super) fn tree_hash<S: Suite>(leaves: &[S::Digest]) -> S::Digest {
    match leaves {
        [] => S::hash(Domain::EmptyHistory, &[]),
        [leaf] => *leaf,
        _ => {
            let (left, right) = leaves.split_at(split(leaves.len()));
            S::node(
                Domain::HistoryNode,
                &tree_hash::<S>(left),
                &tree_hash::<S>(right),
            )
        }
    }
}

/// `PATH(m, D_n)`.
pub(super) fn path<S: Suite>(index: usize, leaves: &[S::Digest]) -> Vec<S::Digest> {
    if leaves.len() == 1 {
        return Vec::new();
    }
    let k = split(leaves.len());
    let (left, right) = leaves.split_at(k);
    let (mut path, sibling) = if index < k {
        (path::<S>(index, left), right)
    } else {
        (path::<S>(index - k, right), left)
    };
    path.push(tree_hash::<S>(sibling));
    path
}

/// `PROOF(m, D_n)`; empty for `m = 0`, which the RFC does not define.
pub(super) fn proof<S: Suite>(first: usize, leaves: &[S::Digest]) -> Vec<S::Digest> {
    if first == 0 {
        Vec::new()
    } else {
        subproof::<S>(first, leaves, true)
    }
}

/// `SUBPROOF(m, D_n, b)`.
fn subproof<S: Suite>(first: usize, leaves: &[S::Digest], known: bool) -> Vec<S::Digest> {
    if first == leaves.len() {
        return if known {
            Vec::new()
        } else {
            vec![tree_hash::<S>(leaves)]
        };
    }
    let k = split(leaves.len());
    let (left, right) = leaves.split_at(k);
    let (mut proof, sibling) = if first <= k {
        (subproof::<S>(first, left, known), right)
    } else {
        (subproof::<S>(first - k, right, false), left)
    };
    proof.push(tree_hash::<S>(sibling));
    proof
}

/// Returns the root that a path hashes to, by recursion from the top. Serves as a second verifier,
/// for logs too large to exist.
pub(super) fn root_of_path<S: Suite>(
    index: u64,
    entries: u64,
    leaf: S::Digest,
    path: &mut impl Iterator<Item = S::Digest>,
) -> S::Digest {
    if entries == 1 {
        return leaf;
    }
    let k = split_u64(entries);
    if index < k {
        let left = root_of_path::<S>(index, k, leaf, path);
        S::node(Domain::HistoryNode, &left, &path.next().unwrap())
    } else {
        let right = root_of_path::<S>(index - k, entries - k, leaf, path);
        S::node(Domain::HistoryNode, &path.next().unwrap(), &right)
    }
}

/// Returns the root over the `first` first leaves and the root over all `entries`. `proof` is a
/// `SUBPROOF` that always contains its first digest.
pub(super) fn roots_of_proof<S: Suite>(
    first: u64,
    entries: u64,
    proof: &mut impl Iterator<Item = S::Digest>,
) -> (S::Digest, S::Digest) {
    if first == entries {
        let subtree = proof.next().unwrap();
        return (subtree, subtree);
    }
    let k = split_u64(entries);
    if first <= k {
        let (prefix, left) = roots_of_proof::<S>(first, k, proof);
        (
            prefix,
            S::node(Domain::HistoryNode, &left, &proof.next().unwrap()),
        )
    } else {
        let (prefix, right) = roots_of_proof::<S>(first - k, entries - k, proof);
        let left = proof.next().unwrap();
        (
            S::node(Domain::HistoryNode, &left, &prefix),
            S::node(Domain::HistoryNode, &left, &right),
        )
    }
}

/// The largest power of two below `n`.
fn split(n: usize) -> usize {
    let mut k = 1;
    while 2 * k < n {
        k *= 2;
    }
    k
}

fn split_u64(n: u64) -> u64 {
    let mut k = 1;
    while k < n - k {
        k *= 2;
    }
    k
}
