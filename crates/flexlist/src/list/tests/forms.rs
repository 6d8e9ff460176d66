//! Malformed proofs whose attacker also chose the root. Collision resistance does not help then,
//! and only the rules of the form reject them.

use pad_core::Digest;

use super::{
    super::{
        ListState, MAX_PROOF_BYTES, MAX_TOTAL, Operation, Sha256, verify_indices, verify_range,
        verify_update,
    },
    adversarial::{five, refused},
    forge::{Tree, inner, leaf, left, pruned, root},
};
use crate::error::ProofError;

/// Returns the error of a proof for byte 0 whose attacker also chose the root.
fn refused_for_its_form(tree: &Tree) -> ProofError {
    refused(tree, &tree.state(), 0)
}

/// 3: ranks whose sum exceeds the maximum length of a file must be refused.
#[test]
fn ranks_that_no_file_has_are_refused() {
    let overflowing = [
        root(left(Some(leaf(MAX_TOTAL, 1, Some(pruned(1)))))),
        root(left(Some(leaf(1, 1, Some(pruned(MAX_TOTAL)))))),
        root(inner(2, pruned(MAX_TOTAL), pruned(1))),
        root(inner(2, pruned(1), pruned(MAX_TOTAL))),
        root(inner(
            2,
            inner(1, pruned(1 << 62), pruned(1 << 62)),
            pruned(1),
        )),
        root(left(Some(leaf(1 << 63, 1, None)))),
        root(left(Some(leaf(u64::MAX, 1, None)))),
        root(left(Some(pruned(1 << 63)))),
        root(pruned(u64::MAX)),
    ];
    for tree in overflowing {
        assert_eq!(refused_for_its_form(&tree), ProofError::RankOverflow);
    }
    // The longest possible file is valid.
    let tree = root(left(Some(leaf(MAX_TOTAL - 1, 1, Some(pruned(1))))));
    let proven = verify_indices::<Sha256>(&tree.bytes(), &tree.state(), &[MAX_TOTAL - 2]);
    assert_eq!(proven.unwrap().get()[0].length, MAX_TOTAL - 1);
}

/// 6: a sentinel in the position of a block, or a block in the position of a sentinel, must be
/// refused.
#[test]
fn sentinels_are_where_sentinels_are() {
    let misplaced = [
        // A sentinel as a block, in every position of a block.
        root(left(Some(left(None)))),
        root(left(Some(Tree::Right))),
        root(inner(2, left(None), left(None))),
        root(inner(2, left(None), Tree::Right)),
        root(inner(2, left(None), inner(1, left(None), leaf(1, 1, None)))),
        // A block or the wrong sentinel instead of a sentinel.
        root(leaf(1, 1, None)),
        root(Tree::Right),
        root(inner(3, leaf(1, 1, None), leaf(1, 1, None))),
        inner(63, left(None), leaf(1, 1, None)),
        inner(63, left(None), left(None)),
        inner(63, left(None), inner(1, leaf(1, 1, None), leaf(1, 1, None))),
        // A node other than an inner node as the root.
        leaf(1, 1, None),
        left(Some(leaf(1, 1, None))),
        Tree::Right,
    ];
    for tree in misplaced {
        assert_eq!(refused_for_its_form(&tree), ProofError::MisplacedNode);
    }
    let empty = root(left(Some(leaf(0, 1, Some(leaf(1, 1, None))))));
    assert_eq!(refused_for_its_form(&empty), ProofError::EmptyBlock);
    let no_bytes = [
        root(left(Some(pruned(0)))),
        root(inner(2, pruned(1), pruned(0))),
        root(inner(2, left(None), inner(1, pruned(0), pruned(1)))),
        inner(63, left(Some(leaf(1, 1, None))), pruned(1)),
    ];
    for tree in no_bytes {
        assert_eq!(refused_for_its_form(&tree), ProofError::WrongRank);
    }
}

/// 7: levels must fall downwards, and must not rise to the right.
#[test]
fn levels_follow_their_rules() {
    let blocks = |level| inner(level, leaf(1, 1, None), leaf(1, 2, None));
    let wrong = [
        (62, inner(62, left(None), Tree::Right)),
        (64, inner(64, left(None), Tree::Right)),
        (255, inner(255, left(None), Tree::Right)),
        (0, root(inner(0, left(None), leaf(1, 1, None)))),
        (63, root(inner(63, left(None), leaf(1, 1, None)))),
        // Below: the same level, or a higher one.
        (
            5,
            root(inner(
                5,
                inner(5, left(None), leaf(1, 1, None)),
                leaf(1, 1, None),
            )),
        ),
        (
            6,
            root(inner(
                5,
                inner(6, left(None), leaf(1, 1, None)),
                leaf(1, 1, None),
            )),
        ),
        (
            5,
            root(inner(6, left(None), inner(5, blocks(5), leaf(1, 1, None)))),
        ),
        // After: a higher one.
        (6, root(inner(5, left(None), blocks(6)))),
        (
            6,
            root(inner(8, left(None), inner(5, leaf(1, 1, None), blocks(6)))),
        ),
        // Only leaves may follow a leaf.
        (1, root(left(Some(blocks(1))))),
        (62, root(left(Some(leaf(1, 1, Some(blocks(62))))))),
    ];
    for (level, tree) in wrong {
        let refused = refused_for_its_form(&tree);
        assert_eq!(refused, ProofError::WrongLevel { level });
    }
    // After: the same level is valid.
    let right = root(inner(
        5,
        left(None).prune(),
        inner(5, leaf(1, 1, None), pruned(1)),
    ));
    assert!(verify_indices::<Sha256>(&right.bytes(), &right.state(), &[0]).is_ok());
}

/// 9: truncated proofs, additional bytes and longer forms of integers must be refused. Every proof
/// has exactly one encoding.
#[test]
fn encodings_are_minimal() {
    let list = five();
    let state = list.state();
    let proof = list.prove(&[5]).unwrap();
    let refusal = |bytes: &[u8]| verify_indices::<Sha256>(bytes, &state, &[5]).unwrap_err();
    let longer = [&proof[..], &[0]].concat();
    assert_eq!(refusal(&longer), ProofError::TrailingBytes);
    assert_eq!(refusal(&proof.repeat(2)), ProofError::TrailingBytes);
    assert_eq!(refusal(&[]), ProofError::Truncated);
    for end in 0..proof.len() {
        assert_eq!(refusal(&proof[..end]), ProofError::Truncated, "{end}");
    }
    assert_eq!(refusal(&[5]), ProofError::UnknownKind(5));
    assert_eq!(refusal(&[0, 63, 2, 2]), ProofError::BadFlag(2));
    let with_flag = [&[0, 63, 2, 1, 1, 10][..], &[1; 32], &[0xff]].concat();
    assert_eq!(refusal(&with_flag), ProofError::BadFlag(0xff));
    for needless in [&[0x8a, 0][..], &[0x8a, 0x80, 0], &[0x80, 0]] {
        let leaf = [&[0, 63, 2, 1, 1][..], needless, &[1; 32], &[0]].concat();
        assert_eq!(refusal(&leaf), ProofError::NonMinimalInteger);
        let pruned = [&[0, 63, 4][..], needless, &[1; 32]].concat();
        assert_eq!(refusal(&pruned), ProofError::NonMinimalInteger);
    }
    let endless = [&[0, 63, 4][..], &[0xff; 60]].concat();
    assert_eq!(refusal(&endless), ProofError::RankOverflow);
}

/// 20: neither the length nor the depth of a proof may cause excessive work.
#[test]
fn sizes_have_limits() {
    let state = five().state();
    let limit = ProofError::TooLarge {
        limit: MAX_PROOF_BYTES,
    };
    let long = vec![0; MAX_PROOF_BYTES + 1];
    let refusals = [
        verify_indices::<Sha256>(&long, &state, &[0]).unwrap_err(),
        verify_range::<Sha256>(&long, &state, 0..1).unwrap_err(),
        verify_update::<Sha256>(&long, &state, &[Operation::Remove { index: 0 }]).unwrap_err(),
    ];
    assert_eq!(refusals, [limit; 3]);
    // A chain of leaves of the maximum proof length, or a part of it: no recursion, and time linear
    // in the bytes.
    let link = [&[1, 1][..], &[1; 32], &[1]].concat();
    let links = (MAX_PROOF_BYTES / pad_conformance::soak::size(8, 1) - 64) / link.len();
    let mut chain = [&[0, 63, 2, 1][..], &link.repeat(links)].concat();
    *chain.last_mut().unwrap() = 0;
    chain.extend(Tree::Right.prune().bytes());
    assert!(chain.len() <= MAX_PROOF_BYTES);
    let state = ListState {
        root: Digest([7; 32]),
        total: u64::try_from(links).unwrap(),
    };
    let refusal = verify_indices::<Sha256>(&chain, &state, &[0]).unwrap_err();
    assert_eq!(refusal, ProofError::RootMismatch);
}
