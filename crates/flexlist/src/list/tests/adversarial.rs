//! Every known attack on proofs, with the error that it must cause: proofs of a false statement.
//!
//! The forms of proofs are tested in `forms.rs`, updates in `replays.rs`. The numbers refer to the
//! checklist behind these three files.

use pad_core::Digest;

use super::{
    super::{
        FlexList, ListState, MAX_TOTAL, Operation, ProvenBlock, Sha256, hash, verify_indices,
        verify_range, verify_update,
    },
    forge::{Tree, block, build, inner, left, root},
};
use crate::error::{ProofError, UpdateError};

/// Blocks `a` to `e`, of 10 bytes each; `b` is the level-0 neighbour of `a`.
pub(super) fn five() -> FlexList {
    let levels = [1, 0, 2, 0, 1];
    let blocks = levels.map(|level| block(10, level, level + 1));
    build(&blocks)
}

pub(super) fn refused(tree: &Tree, state: &ListState, index: u64) -> ProofError {
    verify_indices::<Sha256>(&tree.bytes(), state, &[index]).unwrap_err()
}

pub(super) fn honest(list: &FlexList, index: u64) -> Tree {
    Tree::read(&list.prove(&[index]).unwrap())
}

#[test]
fn the_formulas_are_those_of_the_list() {
    let list = five();
    let state = list.state();
    let tree = Tree::of(&list);
    assert_eq!(tree.state(), state);
    assert_eq!(honest(&list, 25).state(), state);
    assert_eq!(honest(&list, 25).bytes(), list.prove(&[25]).unwrap());
}

/// 1: a proof that moves bytes from block `b` to its neighbour `a` must be refused. Without the
/// length in a leaf's hash, byte 14 of `b` could be "proven" to lie in `a`.
#[test]
fn bytes_do_not_move_between_a_block_and_its_neighbour() {
    let list = five();
    let state = list.state();
    let mut forged = honest(&list, 5);
    let moved = (0..forged.count()).any(|number| match forged.at(number) {
        Tree::Leaf(length, _, Some(after)) => {
            let Tree::Pruned(rank, _) = &mut **after else {
                return false;
            };
            (*length, *rank) = (*length + 5, *rank - 5);
            true
        }
        _ => false,
    });
    assert!(moved, "a is shown and b is not");
    assert_eq!(forged.rank(), list.total());
    assert_eq!(refused(&forged, &state, 14), ProofError::RootMismatch);
    assert_eq!(refused(&forged, &state, 5), ProofError::RootMismatch);
}

/// 2: a proof that moves bytes between two pruned children must be refused. This would be possible
/// without both ranks in an inner node's hash.
#[test]
fn the_split_of_an_inner_node_is_fixed() {
    let list = five();
    let state = list.state();
    let whole = Tree::of(&list);
    for number in 0..whole.count() {
        let mut forged = whole.clone();
        let Tree::Inner(_, below, after) = forged.at(number) else {
            continue;
        };
        **below = below.prune();
        **after = after.prune();
        assert_eq!(forged.state(), state);
        let Tree::Inner(_, below, after) = forged.at(number) else {
            unreachable!();
        };
        let (Tree::Pruned(first, _), Tree::Pruned(second, _)) = (&mut **below, &mut **after) else {
            unreachable!();
        };
        if *second < 2 || *first == 0 {
            continue;
        }
        (*first, *second) = (*first + 1, *second - 1);
        assert_eq!(forged.rank(), list.total());
        assert_eq!(refused(&forged, &state, 45), ProofError::RootMismatch);
    }
}

/// 4: a wrong length of the file must be refused.
#[test]
fn another_length_of_the_file_is_refused() {
    let list = five();
    for total in [0, 1, 49, 51, MAX_TOTAL, u64::MAX] {
        let state = ListState {
            total,
            ..list.state()
        };
        let proof = list.prove(&[5]).unwrap();
        let refusal = verify_indices::<Sha256>(&proof, &state, &[5]).unwrap_err();
        assert_eq!(refusal, ProofError::TotalMismatch);
        let refusal = verify_range::<Sha256>(&proof, &state, 5..6).unwrap_err();
        assert_eq!(refusal, ProofError::TotalMismatch);
    }
    let state = ListState {
        root: Digest([7; 32]),
        ..list.state()
    };
    let refusal = refused(&honest(&list, 5), &state, 5);
    assert_eq!(refusal, ProofError::RootMismatch);
}

/// 5: a proof of another block must be refused. The client itself searches for the byte.
#[test]
fn a_proof_of_another_block_is_refused() {
    let list = five();
    let state = list.state();
    for shown in 0..5_u64 {
        for asked in (0..5_u64).filter(|asked| *asked != shown) {
            let refusal = refused(&honest(&list, shown * 10 + 3), &state, asked * 10 + 3);
            // If the path to the block leads over the other one, the rest is surplus.
            assert!(
                matches!(refusal, ProofError::Elided | ProofError::SurplusNode),
                "{shown} for {asked}: {refusal}"
            );
        }
    }
    assert_eq!(refused(&honest(&list, 5), &state, 45), ProofError::Elided);
    let refusal = refused(&honest(&list, 15), &state, 5);
    assert_eq!(refusal, ProofError::SurplusNode);
}

/// 8: a node that is presented as a node of another kind must be refused.
#[test]
fn kinds_cannot_be_reinterpreted() {
    let list = five();
    let whole = Tree::of(&list);
    let some = [0xbb; 32];
    for number in 0..whole.count() {
        let mut original = whole.clone();
        let node = original.at(number).clone();
        let (rank, digest) = (node.rank(), node.digest());
        let child = |place: usize| node.children().get(place).map_or(some, |it| it.digest());
        let tag = match &node {
            Tree::Leaf(_, tag, _) => *tag,
            _ => digest,
        };
        let others = [
            // One hash field instead of another.
            Tree::Pruned(rank, tag),
            Tree::Pruned(rank, child(0)),
            Tree::Leaf(rank, digest, None),
            Tree::Leaf(rank, tag, None),
            Tree::Leaf(rank, child(0), None),
            Tree::Leaf(
                rank.max(2) - 1,
                child(0),
                Some(Box::new(Tree::Pruned(1, child(1)))),
            ),
            inner(
                1,
                Tree::Pruned(rank.max(2) - 1, tag),
                Tree::Pruned(1, child(0)),
            ),
            Tree::Left(Some(Box::new(Tree::Pruned(rank, child(0))))),
            Tree::Right,
        ];
        for other in others
            .into_iter()
            .filter(|it| *it != node && *it != node.prune())
        {
            let same_hash = other.digest() == digest && other.rank() == rank;
            assert!(!same_hash, "{node:?} is {other:?}");
            let mut forged = whole.clone();
            *forged.at(number) = other;
            assert!(verify_range::<Sha256>(&forged.bytes(), &list.state(), 0..50).is_err());
        }
    }
    // A tag is not its digest, and a digest is not a node's hash.
    let committed = [7; 32];
    let digest = hash::tag_digest::<Sha256>(&committed);
    let tree = root(left(Some(Tree::Leaf(9, digest.0, None))));
    let shown_raw = root(left(Some(Tree::Leaf(9, committed, None))));
    let refusal = refused(&shown_raw, &tree.state(), 0);
    assert_eq!(refusal, ProofError::RootMismatch);
}

/// 9: nodes that the query does not need must be refused. Every query has exactly one proof.
#[test]
fn needless_nodes_are_refused() {
    let mut list = five();
    let state = list.state();
    let whole = Tree::of(&list);
    assert_eq!(refused(&whole, &state, 5), ProofError::SurplusNode);
    let mut with_right = honest(&list, 5);
    let last = with_right.count() - 1;
    *with_right.at(last) = Tree::Right;
    assert_eq!(with_right.state(), state);
    assert_eq!(refused(&with_right, &state, 5), ProofError::SurplusNode);
    let operation = Operation::Remove { index: 5 };
    let change = list.update(&[operation]).unwrap();
    let mut with_right = Tree::read(&change.witness);
    let last = with_right.count() - 1;
    *with_right.at(last) = Tree::Right;
    let update =
        |tree: &Tree| verify_update::<Sha256>(&tree.bytes(), &state, &[operation]).unwrap_err();
    assert_eq!(update(&with_right), ProofError::SurplusNode);
    assert_eq!(update(&whole), ProofError::SurplusNode);
    let all = verify_range::<Sha256>(&whole.bytes(), &state, 0..50).unwrap_err();
    assert_eq!(all, ProofError::SurplusNode, "the right sentinel");
}

/// 11: a proof of several bytes of one block must show the block once.
#[test]
fn repeated_bytes_show_a_block_once() {
    let list = five();
    let indices = [14, 10, 10, 19, 3, 14];
    let proof = list.prove(&indices).unwrap();
    let proven = verify_indices::<Sha256>(&proof, &list.state(), &indices).unwrap();
    let starts = |proven: &[ProvenBlock]| proven.iter().map(|it| it.start).collect::<Vec<_>>();
    assert_eq!(starts(proven.get()), [0, 10]);
    assert_eq!(proof, list.prove(&[3, 14]).unwrap());
}

/// Empty queries, and queries beyond the end of the file, must be refused with any proof.
#[test]
fn impossible_questions_are_refused() {
    let list = five();
    let state = list.state();
    let proof = list.prove(&[5]).unwrap();
    let operation = ProofError::Operation;
    let out_of_range = |index| UpdateError::OutOfRange { index, total: 50 };
    for index in [50, 51, u64::MAX - 1] {
        let refusal = verify_indices::<Sha256>(&proof, &state, &[5, index]).unwrap_err();
        assert_eq!(refusal, operation(out_of_range(index)));
        let refusal = verify_range::<Sha256>(&proof, &state, 0..index + 1);
        assert_eq!(refusal.unwrap_err(), operation(out_of_range(index + 1)));
    }
    for (start, end) in [(5, 5), (6, 5), (u64::MAX, 0)] {
        let refusal = verify_range::<Sha256>(&proof, &state, start..end).unwrap_err();
        assert_eq!(refusal, operation(UpdateError::EmptyRange));
    }
    // An empty query is invalid, even if the root would answer it.
    for answer in [Tree::of(&list).prune().bytes(), proof] {
        let refusal = verify_indices::<Sha256>(&answer, &state, &[]).unwrap_err();
        assert_eq!(refusal, operation(UpdateError::EmptyBatch));
    }
}
