//! Lists against a plain vector of blocks. Built, updated and joined lists are identical, and every
//! proof and witness along the way verifies.

use std::num::NonZeroUsize;

use pad_core::{Digest, Workers};
use proptest::prelude::*;

use super::{
    super::{
        Block, FlexList, MAX_TOTAL, Operation, Sha256, View, arena::Node, build::build_parts,
        hash::NodeHash, verify_indices, verify_range, verify_update,
    },
    forge::{Random, build, insert, modify},
};
use crate::{error::UpdateError, level::Level};

impl<H: NodeHash> View<'_, H> {
    /// Formats the list: `(level below after)`, `<leaf after>`, `[`, `]` and `d` with its length.
    pub(super) fn shape(&self) -> String {
        self.shape_of(self.root_node())
    }

    fn shape_of(&self, node: super::super::arena::NodeId) -> String {
        match self.arena().node(node).unwrap() {
            Node::Right => "]".into(),
            Node::Inner(inner) => {
                let below = self.shape_of(inner.below().node);
                let after = self.shape_of(inner.after().node);
                format!("({} {below} {after})", inner.level)
            }
            Node::Leaf(leaf) => {
                let token = if leaf.length == 0 {
                    "[".into()
                } else {
                    format!("d{}", leaf.length)
                };
                if leaf.after().node.is_none() {
                    token
                } else {
                    format!("<{token} {}>", self.shape_of(leaf.after().node))
                }
            }
        }
    }
}

/// Formats the canonical shape by its definition, `T(i, k, e)`.
fn canonical(blocks: &[Block]) -> String {
    let sentinel = (0, 63);
    let middle = blocks.iter().map(|block| (block.length, block.level.get()));
    let leaves: Vec<(u64, u8)> = [sentinel]
        .into_iter()
        .chain(middle)
        .chain([sentinel])
        .collect();
    subtree(&leaves, 0, 63, leaves.len())
}

fn subtree(leaves: &[(u64, u8)], first: usize, level: u8, end: usize) -> String {
    if level > 0 {
        let next = (first + 1..end).find(|leaf| leaves[*leaf].1 == level);
        return match next {
            Some(next) => {
                let below = subtree(leaves, first, level - 1, next);
                let after = subtree(leaves, next, level, end);
                format!("({level} {below} {after})")
            }
            None => subtree(leaves, first, level - 1, end),
        };
    }
    let token = match leaves[first].0 {
        0 if first == 0 => "[".to_owned(),
        0 => "]".to_owned(),
        length => format!("d{length}"),
    };
    if first + 1 < end {
        format!("<{token} {}>", subtree(leaves, first + 1, 0, end))
    } else {
        token
    }
}

fn check_same(list: &FlexList, blocks: &[Block]) {
    assert_eq!(list.blocks(), blocks);
    assert_eq!(list.current().shape(), canonical(blocks));
    assert_eq!(list.state(), build(blocks).state());
    assert_eq!(list.block_count(), u64::try_from(blocks.len()).unwrap());
    let mut start = 0;
    for block in blocks {
        for index in [start, start + block.length - 1] {
            let found = list.find(index).unwrap();
            assert_eq!((found.start, found.length), (start, block.length));
            let fields = (found.tag_digest, found.label);
            assert_eq!(fields, (block.tag_digest, block.label));
        }
        start += block.length;
    }
    assert_eq!(list.total(), start);
    let out_of_range = UpdateError::OutOfRange {
        index: start,
        total: start,
    };
    assert_eq!(list.find(start), Err(out_of_range));
}

proptest! {
    #[test]
    fn built_grown_and_joined_lists_are_the_same(seed: u64) {
        let mut random = Random(seed);
        let length = random.index(40);
        let mut blocks = random.blocks(length);
        let mut list = build(&blocks);
        check_same(&list, &blocks);
        for _ in 0..=random.index(5) {
            let old_blocks = blocks.clone();
            let old = list.state();
            let mut operations = random.batch(&mut blocks);
            if random.below(2) == 0 {
                operations.extend(random.batch(&mut blocks));
            }
            let change = list.update(&operations).unwrap();
            check_same(&list, &blocks);
            prop_assert_eq!(list.at(&change.previous).blocks(), old_blocks.clone());
            let next = verify_update::<Sha256>(&change.witness, &old, &operations).unwrap();
            prop_assert_eq!(*next.get(), list.state());

            // Undone, and repeated one by one, the operations yield the same list.
            list.undo(change.previous);
            check_same(&list, &old_blocks);
            for operation in &operations {
                let change = list.update(&[*operation]).unwrap();
                list.forget(change.previous);
            }
            check_same(&list, &blocks);

            // Only the nodes of this version are left.
            let raised = blocks.iter().filter(|block| block.level.get() > 0).count();
            prop_assert_eq!(list.arena.inners.taken(), raised + 1);
            prop_assert_eq!(list.arena.leaves.taken(), blocks.len() + 1);
        }

        let count = random.index(4);
        let mut cuts: Vec<usize> = (0..count).map(|_| random.index(blocks.len() + 1)).collect();
        cuts.sort_unstable();
        let workers = Workers::new(NonZeroUsize::new(2).unwrap()).unwrap();
        let joined: FlexList = build_parts(&blocks, &cuts, &workers).unwrap();
        check_same(&joined, &blocks);

        if list.total() > 0 {
            let count = 1 + random.index(7);
            let indices: Vec<u64> = (0..count).map(|_| random.below(list.total())).collect();
            let proof = list.prove(&indices).unwrap();
            let proven = verify_indices::<Sha256>(&proof, &list.state(), &indices).unwrap();
            for index in &indices {
                let found = list.find(*index).unwrap();
                prop_assert!(proven.get().iter().any(|block| block.start == found.start
                    && block.length == found.length && block.tag_digest == found.tag_digest));
            }
            let (low, high) = (*indices.iter().min().unwrap(), *indices.iter().max().unwrap());
            let proof = list.prove_range(low..high + 1).unwrap();
            let proven = verify_range::<Sha256>(&proof, &list.state(), low..high + 1).unwrap();
            let found = list.find_range(low..high + 1).unwrap();
            prop_assert_eq!(proven.get().len(), found.len());
        }
    }
}

#[test]
fn large_lists_are_the_same_with_any_number_of_threads() {
    let blocks: Vec<Block> = (1..=100_000_u64)
        .map(|position| Block {
            length: 1 + position % 7,
            tag_digest: Digest([position.to_le_bytes()[0]; 32]),
            level: Level::initial(position),
            label: position,
        })
        .collect();
    let alone = build(&blocks);
    for threads in [2, 3, 8] {
        let workers = Workers::new(NonZeroUsize::new(threads).unwrap()).unwrap();
        let together: FlexList = FlexList::build(&blocks, &workers).unwrap();
        assert_eq!(together.state(), alone.state());
        assert_eq!(together.blocks(), blocks);
    }
}

#[test]
fn a_refused_batch_changes_nothing() {
    let block = Block {
        length: 5,
        tag_digest: Digest([1; 32]),
        level: Level::initial(2),
        label: 0,
    };
    let mut list = build(&[block; 3]);
    let before = list.state();
    let good = Operation::Remove { index: 7 };
    let out_of_range = |index| UpdateError::OutOfRange { index, total: 10 };
    let sized = |length| Block { length, ..block };
    let refused = [
        (Operation::Remove { index: 10 }, out_of_range(10)),
        (insert(7, block), UpdateError::NotOnBoundary { index: 7 }),
        (insert(11, block), out_of_range(11)),
        (insert(5, sized(0)), UpdateError::EmptyBlock),
        (modify(5, 0, 0), UpdateError::EmptyBlock),
        (insert(5, sized(1 << 63)), UpdateError::FileTooLong),
        (modify(5, MAX_TOTAL, 0), UpdateError::FileTooLong),
    ];
    for (operation, error) in refused {
        assert_eq!(list.update(&[good, operation]).unwrap_err(), error);
        assert_eq!(list.state(), before);
        assert_eq!(list.blocks(), [block; 3]);
    }
    assert_eq!(list.update(&[]).unwrap_err(), UpdateError::EmptyBatch);
}
