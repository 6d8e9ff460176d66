//! All proofs of a small list, against all queries: every query has exactly one proof.

use super::{
    super::{FlexList, Operation, Sha256, verify_indices, verify_range, verify_update},
    forge::{Tree, block, build, insert, modify},
};
use crate::error::ProofError;

/// Seven blocks, one or two bytes long.
fn seven() -> FlexList {
    let levels = [0, 1, 0, 2, 0, 1, 0];
    let blocks: Vec<_> = (0_u8..)
        .zip(levels)
        .map(|(tag, level)| block(1 + u64::from(tag % 2), level, tag))
        .collect();
    build(&blocks)
}

/// Returns the tree in every pruning, i.e. with each set of nodes that is closed under parents.
fn prunings(tree: &Tree) -> Vec<Tree> {
    let mut all = vec![tree.prune()];
    match tree {
        Tree::Inner(level, below, after) => {
            let afters = prunings(after);
            for below in prunings(below) {
                for after in &afters {
                    let (below, after) = (below.clone().into(), after.clone().into());
                    all.push(Tree::Inner(*level, below, after));
                }
            }
        }
        Tree::Leaf(length, tag, Some(after)) => {
            let afters = prunings(after).into_iter();
            all.extend(afters.map(|after| Tree::Leaf(*length, *tag, Some(after.into()))));
        }
        Tree::Left(Some(after)) => {
            let afters = prunings(after).into_iter();
            all.extend(afters.map(|after| Tree::Left(Some(after.into()))));
        }
        other => all.push(other.clone()),
    }
    all
}

/// Checks that only the honest proof is accepted: all others contain too little or too much.
fn one_is_accepted<S>(
    proofs: &[Vec<u8>],
    honest: &[u8],
    verify: impl Fn(&[u8]) -> Result<S, ProofError>,
) {
    let mut accepted = 0;
    for proof in proofs {
        match verify(proof) {
            Ok(_) => {
                assert_eq!(proof, honest);
                accepted += 1;
            }
            Err(ProofError::Elided | ProofError::SurplusNode) => {}
            Err(other) => panic!("{other:?}"),
        }
    }
    assert_eq!(accepted, 1);
}

fn all_proofs(list: &FlexList) -> Vec<Vec<u8>> {
    let trees = prunings(&Tree::of(list));
    assert!(trees.iter().all(|tree| tree.state() == list.state()));
    trees.iter().map(Tree::bytes).collect()
}

#[test]
fn one_proof_for_every_set_of_blocks() {
    let list = seven();
    let (proofs, state) = (all_proofs(&list), list.state());
    assert_eq!(proofs.len(), 203);
    let starts = [0_u64, 1, 3, 4, 6, 7, 9];
    for set in 1..1_u32 << 7 {
        let indices: Vec<u64> = (0..7)
            .filter(|bit| set >> bit & 1 == 1)
            .map(|bit| starts[bit])
            .collect();
        let honest = list.prove(&indices).unwrap();
        one_is_accepted(&proofs, &honest, |proof| {
            verify_indices::<Sha256>(proof, &state, &indices)
        });
    }
}

#[test]
fn one_proof_for_every_range() {
    let list = seven();
    let (proofs, state) = (all_proofs(&list), list.state());
    for start in 0..list.total() {
        for end in start + 1..=list.total() {
            let honest = list.prove_range(start..end).unwrap();
            one_is_accepted(&proofs, &honest, |proof| {
                verify_range::<Sha256>(proof, &state, start..end)
            });
        }
    }
}

#[test]
fn one_witness_for_every_operation() {
    let list = seven();
    let (proofs, state) = (all_proofs(&list), list.state());
    let inserts = [0, 1, 3, 4, 6, 7, 9, 10]
        .into_iter()
        .flat_map(|index| [0, 1, 2, 3, 62].map(|level| insert(index, block(3, level, 9))));
    let others = (0..list.total()).flat_map(|index| {
        let modify = modify(index, 3, 9);
        [Operation::Remove { index }, modify]
    });
    for operation in inserts.chain(others) {
        let mut server = list.clone();
        let honest = server.update(&[operation]).unwrap().witness;
        one_is_accepted(&proofs, &honest, |witness| {
            let next = verify_update::<Sha256>(witness, &state, &[operation])?;
            assert_eq!(*next.get(), server.state());
            Ok(())
        });
    }
}
