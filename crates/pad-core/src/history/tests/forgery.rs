//! Forgeries that a malicious server could try.

use super::*;

/// Two logs that are equal up to and including version `common`.
fn forked(common: u64, versions: u64) -> (Chain, Chain) {
    let (mut left, mut right) = (Chain::new(0, common), Chain::new(0, common));
    for number in common + 1..=versions {
        left.push(junk(10_000 + number));
        right.push(junk(20_000 + number));
    }
    (left, right)
}

#[test]
fn no_proof_joins_the_branches_of_a_fork() {
    for common in 0..=9 {
        let (left, right) = forked(common, 20);
        for (older, newer) in pairs(common + 1).filter(|(_, newer)| *newer <= 20) {
            let mine = left.consistency(older, newer);
            let theirs = right.consistency(older, newer);
            let (mut mixed, mut mixed_again) = (mine.clone(), theirs.clone());
            core::mem::swap(&mut mixed.prefix, &mut mixed_again.prefix);
            for proof in [mine, theirs, mixed, mixed_again] {
                let refused = proof.check(left.head(older), right.head(newer));
                assert_eq!(refused, Err(MISMATCH), "{common} {older} {newer}");
            }
        }
    }
}

/// The first version after a fork: its history equals the other branch's history, but its root
/// differs.
#[test]
fn consistency_needs_the_inclusion_proof() {
    for common in 0..=20 {
        let (left, right) = forked(common, 22);
        let (older, newer) = (left.head(common + 1), right.head(common + 2));
        let proof = right.consistency(common + 1, common + 2);
        let prefix = check_prefix::<S>(older.get(), newer.get(), &proof.prefix);
        assert_eq!(prefix, Ok(()));
        assert_eq!(proof.check(older, newer), Err(MISMATCH), "{common}");
    }
}

/// A later version after a fork: its root equals the other branch's root, but its history differs.
#[test]
fn consistency_needs_the_prefix_proof() {
    for common in 0..=20 {
        let (mut left, mut right) = forked(common, common + 1);
        left.push(junk(1));
        right.push(junk(1));
        right.push(junk(2));
        let (older, newer) = (left.head(common + 2), right.head(common + 3));
        let proof = right.consistency(common + 2, common + 3);
        let (head, root) = (newer.get(), &older.get().root);
        let inclusion = check_inclusion::<S>(head, version(common + 2), root, &proof.inclusion);
        assert_eq!(inclusion, Ok(()));
        assert_eq!(proof.check(older, newer), Err(MISMATCH), "{common}");
    }
}

/// An inner node that is passed off as a version's root, with the path above it, must be refused.
#[test]
fn an_inner_node_is_no_version() {
    let chain = Chain::new(0, 40);
    for (older, newer) in pairs(1).filter(|(_, newer)| *newer <= 40) {
        let honest = chain.inclusion(older, newer);
        let mut digest = leaf::<S>(older, &honest.root);
        for height in 1..=honest.path.len() {
            let sibling = &honest.path[height - 1];
            for inner in [node::<S>(&digest, sibling), node::<S>(sibling, &digest)] {
                let proof = InclusionProof {
                    root: inner,
                    path: honest.path[height..].to_vec(),
                };
                assert_eq!(chain.check_inclusion(proof, older, newer), Err(MALFORMED));
                // Also in a smaller log, where the shorter path has the right length.
                for smaller in older + 1..newer {
                    let path = honest.path[height..].to_vec();
                    let proof = InclusionProof { root: inner, path };
                    assert!(chain.check_inclusion(proof, older, smaller).is_err());
                }
            }
            digest = node::<S>(&digest, sibling);
        }
    }
}

/// Checks that leaves and inner nodes, and leaves of different versions, are hashed differently. So
/// a log of inner nodes is not the log of their leaves.
#[test]
fn a_leaf_is_no_node_and_no_other_leaf() {
    let (left, right) = (junk(1), junk(2));
    let inner = node::<S>(&left, &right);
    for domain in [Domain::HistoryNode, Domain::HistoryLeaf] {
        assert_ne!(S::hash(domain, &[left.as_ref(), right.as_ref()]), inner);
    }
    assert_ne!(S::node(Domain::TreeNode, &left, &right), inner);
    assert_ne!(leaf::<S>(1, &left), leaf::<S>(2, &left));
    assert_ne!(leaf::<S>(1, &left), left);
    assert_ne!(empty_root::<S>(), S::empty_tree());
}

/// Checks every list of up to four digests of the log as a proof for every pair of versions.
#[test]
fn one_pair_of_versions_has_one_proof() {
    let chain = Chain::new(0, 8);
    let leaves: Vec<D> = (1..8)
        .map(|number| leaf::<S>(number, &junk(number)))
        .collect();
    let ranges = [0..2, 2..4, 4..6, 0..4, 4..7, 0..7];
    let inner = ranges.map(|range| oracle::tree_hash::<S>(&leaves[range]));
    let pool = [&leaves[..], &inner].concat();
    let mut lists: Vec<Vec<D>> = vec![Vec::new()];
    let mut longest = lists.clone();
    for _ in 0..4 {
        longest = longest
            .iter()
            .flat_map(|list| pool.iter().map(|digest| [&list[..], &[*digest]].concat()))
            .collect();
        lists.extend_from_slice(&longest);
    }
    for (older, newer) in [(1, 2), (1, 8), (3, 5), (4, 8), (5, 8), (6, 7), (7, 8)] {
        let (first, second) = (chain.head(older).get(), chain.head(newer).get());
        let honest = chain.consistency(older, newer);
        let accepted = |check: &dyn Fn(&[D]) -> Result<(), VerifyError>| -> Vec<Vec<D>> {
            let lists = lists.iter().filter(|list| check(list).is_ok());
            lists.cloned().collect()
        };
        let inclusion =
            |list: &[D]| check_inclusion::<S>(second, version(older), &first.root, list);
        assert_eq!(accepted(&inclusion), [honest.inclusion], "{older} {newer}");
        let prefix = |list: &[D]| check_prefix::<S>(first, second, list);
        assert_eq!(accepted(&prefix), [honest.prefix], "{older} {newer}");
    }
}

#[test]
fn versions_0_and_1_have_no_past() {
    let chain = Chain::new(0, 4);
    let nothing = || InclusionProof::<S> {
        root: S::empty_tree(),
        path: Vec::new(),
    };
    for (older, newer) in (0..=4).map(|newer| (0, newer)).chain([(1, 1), (1, 0)]) {
        let refused = chain.check_inclusion(nothing(), older, newer);
        assert_eq!(refused, Err(wrong_version(older, newer)));
    }
    let nothing = || ConsistencyProof::<S> {
        inclusion: Vec::new(),
        prefix: Vec::new(),
    };
    for (older, newer) in (0..=4).map(|number| (number, number)).chain([(1, 0)]) {
        let refused = chain.check_consistency(nothing(), older, newer);
        assert_eq!(refused, Err(wrong_version(older, newer)));
    }
    // Version 1 with a non-empty history. Only an author could sign it, and no head continues
    // it.
    let liar = verified(1, junk(1), junk(77));
    let refused = chain.consistency(1, 3).check(&liar, chain.head(3));
    assert_eq!(refused, Err(MISMATCH));
    let mut proof = chain.consistency(1, 3);
    proof.prefix.push(empty_root::<S>());
    assert_eq!(chain.check_consistency(proof, 1, 3), Err(MALFORMED));
}

#[test]
fn a_proof_serves_no_other_dictionary_and_no_other_scheme() {
    let chain = Chain::new(0, 4);
    let honest = *chain.head(2).get();
    let foreign = |authority: Authority| {
        let mut head: SnapshotHead<S> = honest;
        (head.dictionary, head.scheme) = (authority.dictionary, authority.scheme);
        let signed = Untrusted::new(head.sign(&signer()).unwrap());
        signed.verify(&authority, &version(2)).unwrap()
    };
    let dictionary = DictionaryId::from_bytes([2; 16]);
    let other = foreign(Authority {
        dictionary,
        ..authority()
    });
    let refused = chain.consistency(2, 4).check(&other, chain.head(4));
    assert_eq!(refused, Err(VerifyError::WrongDictionary));
    let other = foreign(Authority {
        scheme: SchemeId(2),
        ..authority()
    });
    let refused = chain.consistency(2, 4).check(&other, chain.head(4));
    let (expected, actual) = (2, 1);
    assert_eq!(refused, Err(VerifyError::WrongScheme { expected, actual }));
}
