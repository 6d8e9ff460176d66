//! Witnesses of updates that must be rejected, and the ends of the list.

use super::{
    super::{MAX_TOTAL, Operation, Sha256, verify_indices, verify_range, verify_update},
    adversarial::{five, refused},
    forge::{Tree, block, build, insert, modify, pruned},
};
use crate::error::{ProofError, UpdateError};

/// 13: a witness of an older version, of equal length, is rejected for the newest.
#[test]
fn an_older_witness_is_refused() {
    let mut list = five();
    let old = list.clone();
    let modify = |tag| modify(25, 10, tag);
    let first = list.update(&[modify(8)]).unwrap();
    let state = list.state();
    let second = list.update(&[modify(9)]).unwrap();
    let verify = |witness: &[u8]| verify_update::<Sha256>(witness, &state, &[modify(9)]);
    let replayed = verify(&first.witness).unwrap_err();
    assert_eq!(replayed, ProofError::RootMismatch);
    assert_eq!(*verify(&second.witness).unwrap().get(), list.state());
    let old_proof = old.prove(&[25]).unwrap();
    let refusal = verify_indices::<Sha256>(&old_proof, &list.state(), &[25]).unwrap_err();
    assert_eq!(refusal, ProofError::RootMismatch);
}

/// 14: a replay that leaves the opened part is rejected, at every position.
#[test]
fn a_witness_with_a_hole_is_refused() {
    let mut list = five();
    let state = list.state();
    let operations = [insert(20, block(4, 3, 9)), Operation::Remove { index: 45 }];
    let witness = Tree::read(&list.update(&operations).unwrap().witness);
    for number in 0..witness.count() {
        let mut forged = witness.clone();
        let node = forged.at(number);
        if matches!(node, Tree::Pruned(..)) {
            continue;
        }
        *node = node.prune();
        assert_eq!(forged.state(), state);
        let refusal = verify_update::<Sha256>(&forged.bytes(), &state, &operations);
        assert_eq!(refusal.unwrap_err(), ProofError::Elided, "{number}");
    }
}

/// 15: invalid operations are rejected by server and client alike.
#[test]
fn impossible_operations_are_refused() {
    let list = five();
    let state = list.state();
    let new = block(4, 3, 9);
    let too_long = UpdateError::FileTooLong;
    let insert_new = |index| insert(index, new);
    let out_of_range = |index| UpdateError::OutOfRange { index, total: 50 };
    let cases = [
        (insert_new(25), UpdateError::NotOnBoundary { index: 25 }),
        (insert_new(1), UpdateError::NotOnBoundary { index: 1 }),
        (insert_new(49), UpdateError::NotOnBoundary { index: 49 }),
        (insert_new(51), out_of_range(51)),
        (insert_new(u64::MAX), out_of_range(u64::MAX)),
        (Operation::Remove { index: 50 }, out_of_range(50)),
        (
            Operation::Remove { index: u64::MAX },
            out_of_range(u64::MAX),
        ),
        (insert(50, block(0, 0, 0)), UpdateError::EmptyBlock),
        (insert(50, block(MAX_TOTAL - 49, 0, 0)), too_long),
        (insert(50, block(u64::MAX, 62, 0)), too_long),
    ];
    for (operation, error) in cases {
        let mut server = list.clone();
        assert_eq!(server.update(&[operation]).unwrap_err(), error);
        assert_eq!(server.state(), state);
        let whole = Tree::of(&list).bytes();
        let refusal = verify_update::<Sha256>(&whole, &state, &[operation]).unwrap_err();
        assert_eq!(refusal, ProofError::Operation(error));
    }
    let nothing = verify_update::<Sha256>(&Tree::of(&list).prune().bytes(), &state, &[]);
    let empty = ProofError::Operation(UpdateError::EmptyBatch);
    assert_eq!(nothing.unwrap_err(), empty);
    for operation in [insert_new(0), insert_new(50)] {
        let mut server = list.clone();
        let change = server.update(&[operation]).unwrap();
        let next = verify_update::<Sha256>(&change.witness, &state, &[operation]).unwrap();
        assert_eq!(*next.get(), server.state());
    }
}

/// 16, 17: a leaf's after link cannot be hidden, and the first block's predecessor is the sentinel.
#[test]
fn the_ends_of_the_list_are_shown_as_they_are() {
    let list = five();
    let state = list.state();
    let whole = Tree::of(&list);
    for number in 0..whole.count() {
        let mut forged = whole.clone();
        let (Tree::Leaf(_, _, after) | Tree::Left(after)) = forged.at(number) else {
            continue;
        };
        let had = after.take();
        if had.is_some() {
            let refusal = verify_range::<Sha256>(&forged.bytes(), &state, 0..50);
            assert_eq!(refusal.unwrap_err(), ProofError::TotalMismatch);
        } else {
            *after = Some(Box::new(pruned(1)));
            let refusal = verify_range::<Sha256>(&forged.bytes(), &state, 0..50);
            assert_eq!(refusal.unwrap_err(), ProofError::TotalMismatch);
        }
    }
    for operation in [Operation::Remove { index: 0 }, insert(0, block(1, 0, 1))] {
        let mut witness = Tree::read(&list.clone().update(&[operation]).unwrap().witness);
        let sentinel = (0..witness.count())
            .find(|number| matches!(witness.at(*number), Tree::Left(_)))
            .expect("the sentinel is shown");
        *witness.at(sentinel) = witness.at(sentinel).prune();
        let refusal = verify_update::<Sha256>(&witness.bytes(), &state, &[operation]);
        assert_eq!(refusal.unwrap_err(), ProofError::Elided);
    }
}

/// 18, 21: after the removal of its only block, a list must equal an empty one. It must refuse all
/// queries, and accept a first block.
#[test]
fn the_last_block_can_go() {
    let empty = Tree::read(&[0, 63, 2, 0, 3]);
    for level in [0, 1, 7, 62] {
        let mut list = build(&[block(10, level, 1)]);
        let before = list.state();
        let operation = Operation::Remove { index: 9 };
        let change = list.update(&[operation]).unwrap();
        let next = verify_update::<Sha256>(&change.witness, &before, &[operation]).unwrap();
        assert_eq!(*next.get(), empty.state());
        assert_eq!(list.state(), empty.state());
        assert_eq!(list.current().shape(), "(63 [ ])");
        assert_eq!(build(&[]).state(), empty.state());
        let nowhere = UpdateError::OutOfRange { index: 0, total: 0 };
        assert_eq!(list.prove(&[0]).unwrap_err(), nowhere);
        assert_eq!(list.prove(&[]).unwrap_err(), UpdateError::EmptyBatch);
        assert_eq!(list.prove_range(0..0).unwrap_err(), UpdateError::EmptyRange);
        for tree in [&empty, &empty.prune()] {
            let nowhere = ProofError::Operation(nowhere);
            assert_eq!(refused(tree, &list.state(), 0), nowhere);
        }
        // The reverse operation.
        let operation = insert(0, block(10, level, 1));
        let change = list.update(&[operation]).unwrap();
        let next = verify_update::<Sha256>(&change.witness, &empty.state(), &[operation]).unwrap();
        assert_eq!(*next.get(), before);
    }
}

/// 19: the client chooses the level of a new block, and each level must give a different root.
#[test]
fn another_level_is_another_root() {
    let list = five();
    let insert = |level| insert(20, block(4, level, 9));
    let roots = (0..=62).map(|level| {
        let mut server = list.clone();
        let change = server.update(&[insert(level)]).unwrap();
        let next = verify_update::<Sha256>(&change.witness, &list.state(), &[insert(level)]);
        assert_eq!(*next.unwrap().get(), server.state());
        server.root().0
    });
    let roots: std::collections::BTreeSet<_> = roots.collect();
    // Towers above all others differ in one number only.
    assert_eq!(roots.len(), 63);
}
