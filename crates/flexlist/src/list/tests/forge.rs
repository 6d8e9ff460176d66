//! Forgery tools: proofs as mutable trees with independent hash formulas, and random lists, queries
//! and changes.

use pad_core::{Digest, Workers};
use sha2::{Digest as _, Sha256};

use super::super::{
    Block, FlexList, ListState, Operation,
    arena::{Link, Node},
};
use crate::level::Level;

/// A proof, or a whole list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tree {
    Inner(u8, Box<Self>, Box<Self>),
    Leaf(u64, [u8; 32], Option<Box<Self>>),
    Left(Option<Box<Self>>),
    Right,
    Pruned(u64, [u8; 32]),
}

pub(super) fn inner(level: u8, below: Tree, after: Tree) -> Tree {
    Tree::Inner(level, Box::new(below), Box::new(after))
}

pub(super) fn leaf(length: u64, tag: u8, after: Option<Tree>) -> Tree {
    Tree::Leaf(length, [tag; 32], after.map(Box::new))
}

pub(super) fn left(after: Option<Tree>) -> Tree {
    Tree::Left(after.map(Box::new))
}

/// A pruned subtree of `rank` bytes, with an arbitrary hash.
pub(super) fn pruned(rank: u64) -> Tree {
    Tree::Pruned(rank, [0xbb; 32])
}

/// The root over a list; `below` is the node above the left sentinel.
pub(super) fn root(below: Tree) -> Tree {
    inner(63, below, Tree::Right.prune())
}

impl Tree {
    /// Converts a whole list.
    pub(super) fn of(list: &FlexList) -> Self {
        let link = Link {
            node: list.current().root_node(),
            rank: list.total(),
        };
        Self::of_link(list, link).expect("a root")
    }

    fn of_link(list: &FlexList, link: Link) -> Option<Self> {
        if link.node.is_none() {
            return None;
        }
        let subtree = |link| Self::of_link(list, link).map(Box::new);
        Some(match list.current().arena().node(link.node).unwrap() {
            Node::Inner(node) => Self::Inner(
                node.level,
                subtree(node.below()).unwrap(),
                subtree(node.after()).unwrap(),
            ),
            Node::Leaf(leaf) if leaf.length == 0 => Self::Left(subtree(leaf.after())),
            Node::Leaf(leaf) => Self::Leaf(leaf.length, leaf.tag_digest.0, subtree(leaf.after())),
            Node::Right => Self::Right,
        })
    }

    /// Parses an honest proof.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let mut rest = bytes;
        let tree = Self::read_from(&mut rest);
        assert!(rest.is_empty());
        tree
    }

    fn read_from(rest: &mut &[u8]) -> Self {
        match byte(rest) {
            0 => {
                let level = byte(rest);
                let below = Self::read_from(rest);
                inner(level, below, Self::read_from(rest))
            }
            1 => Self::Leaf(varint(rest), digest(rest), Self::read_after(rest)),
            2 => Self::Left(Self::read_after(rest)),
            3 => Self::Right,
            4 => Self::Pruned(varint(rest), digest(rest)),
            other => panic!("kind {other}"),
        }
    }

    fn read_after(rest: &mut &[u8]) -> Option<Box<Self>> {
        (byte(rest) == 1).then(|| Box::new(Self::read_from(rest)))
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write(&mut bytes);
        bytes
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Inner(level, below, after) => {
                bytes.extend([0, *level]);
                below.write(bytes);
                after.write(bytes);
            }
            Self::Leaf(length, tag, after) => {
                bytes.push(1);
                push_varint(bytes, *length);
                bytes.extend(tag);
                write_after(after.as_deref(), bytes);
            }
            Self::Left(after) => {
                bytes.push(2);
                write_after(after.as_deref(), bytes);
            }
            Self::Right => bytes.push(3),
            Self::Pruned(rank, digest) => {
                bytes.push(4);
                push_varint(bytes, *rank);
                bytes.extend(digest);
            }
        }
    }

    pub(super) fn rank(&self) -> u64 {
        match self {
            Self::Inner(_, below, after) => below.rank().wrapping_add(after.rank()),
            Self::Leaf(length, _, after) => length.wrapping_add(rank_of(after.as_deref())),
            Self::Left(after) => rank_of(after.as_deref()),
            Self::Right => 0,
            Self::Pruned(rank, _) => *rank,
        }
    }

    /// Computes the hash by section "FlexList" of `docs/format`.
    pub(super) fn digest(&self) -> [u8; 32] {
        let leaf = |kind: u8, length: u64, tag: &[u8; 32], after: Option<&Self>| {
            let after_rank = rank_of(after).to_be_bytes();
            let after = after.map_or([0; 32], Self::digest);
            hash(&[&[kind], &length.to_be_bytes(), &after_rank, tag, &after])
        };
        match self {
            Self::Inner(level, below, after) => hash(&[
                &[0, *level],
                &below.rank().to_be_bytes(),
                &after.rank().to_be_bytes(),
                &below.digest(),
                &after.digest(),
            ]),
            Self::Leaf(length, tag, after) => leaf(1, *length, tag, after.as_deref()),
            Self::Left(after) => leaf(2, 0, &[0; 32], after.as_deref()),
            Self::Right => leaf(3, 0, &[0; 32], None),
            Self::Pruned(_, digest) => *digest,
        }
    }

    /// The commitment of a client that trusts the author of this list.
    pub(super) fn state(&self) -> ListState {
        ListState {
            root: Digest(self.digest()),
            total: self.rank(),
        }
    }

    /// Returns the pruned node: rank and hash only.
    pub(super) fn prune(&self) -> Self {
        Self::Pruned(self.rank(), self.digest())
    }

    pub(super) fn children(&self) -> Vec<&Self> {
        match self {
            Self::Inner(_, below, after) => vec![below, after],
            Self::Leaf(_, _, after) | Self::Left(after) => after.iter().map(|it| &**it).collect(),
            Self::Right | Self::Pruned(..) => Vec::new(),
        }
    }

    pub(super) fn count(&self) -> usize {
        1 + self.children().into_iter().map(Self::count).sum::<usize>()
    }

    /// Returns the node with this number in pre-order.
    pub(super) fn at(&mut self, number: usize) -> &mut Self {
        self.find(&mut { number }).expect("a node of that number")
    }

    fn find(&mut self, number: &mut usize) -> Option<&mut Self> {
        if *number == 0 {
            return Some(self);
        }
        *number -= 1;
        match self {
            Self::Inner(_, below, after) => match below.find(number) {
                Some(found) => Some(found),
                None => after.find(number),
            },
            Self::Leaf(_, _, after) | Self::Left(after) => {
                after.as_mut().and_then(|after| after.find(number))
            }
            Self::Right | Self::Pruned(..) => None,
        }
    }
}

fn rank_of(tree: Option<&Tree>) -> u64 {
    tree.map_or(0, Tree::rank)
}

fn write_after(after: Option<&Tree>, bytes: &mut Vec<u8>) {
    bytes.push(u8::from(after.is_some()));
    if let Some(after) = after {
        after.write(bytes);
    }
}

fn hash(parts: &[&[u8]]) -> [u8; 32] {
    Sha256::digest(parts.concat()).into()
}

fn byte(rest: &mut &[u8]) -> u8 {
    let (first, others) = rest.split_first().unwrap();
    *rest = others;
    *first
}

fn digest(rest: &mut &[u8]) -> [u8; 32] {
    core::array::from_fn(|_| byte(rest))
}

fn varint(rest: &mut &[u8]) -> u64 {
    let (mut value, mut shift) = (0, 0);
    loop {
        let next = byte(rest);
        value |= u64::from(next & 0x7f) << shift;
        if next < 0x80 {
            return value;
        }
        shift += 7;
    }
}

pub(super) fn push_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    bytes.push(value.to_le_bytes()[0]);
}

/// A seeded random generator: `SplitMix64`.
#[derive(Clone, Debug)]
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `bound`, which must not be 0.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub(super) fn index(&mut self, length: usize) -> usize {
        let bound = u64::try_from(length).unwrap();
        usize::try_from(self.below(bound)).unwrap()
    }

    pub(super) fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }

    pub(super) fn block(&mut self) -> Block {
        let level = match self.below(12) {
            0 => Level::try_from(self.byte() % 63).unwrap(),
            1 | 2 => Level::default(),
            _ => Level::initial(self.next() | 1 << 40),
        };
        Block {
            length: 1 + self.below(99),
            tag_digest: Digest([self.byte(); 32]),
            level,
            label: self.next(),
        }
    }

    pub(super) fn blocks(&mut self, length: usize) -> Vec<Block> {
        (0..length).map(|_| self.block()).collect()
    }

    /// Draws operations that are valid for these blocks, and applies them.
    pub(super) fn batch(&mut self, blocks: &mut Vec<Block>) -> Vec<Operation> {
        let length = 1 + self.below(5);
        (0..length).map(|_| self.operation(blocks)).collect()
    }

    fn operation(&mut self, blocks: &mut Vec<Block>) -> Operation {
        let start = |blocks: &[Block], i: usize| blocks[..i].iter().map(|b| b.length).sum::<u64>();
        let kind = self.below(3);
        if blocks.is_empty() || kind == 0 {
            let (at, block) = (self.index(blocks.len() + 1), self.block());
            let index = start(blocks, at);
            blocks.insert(at, block);
            return Operation::Insert { index, block };
        }
        let at = self.index(blocks.len());
        let index = start(blocks, at) + self.below(blocks[at].length);
        if kind == 1 {
            blocks.remove(at);
            return Operation::Remove { index };
        }
        let mut block = self.block();
        block.level = blocks[at].level;
        blocks[at] = block;
        Operation::Modify {
            index,
            length: block.length,
            tag_digest: block.tag_digest,
            label: block.label,
        }
    }
}

pub(super) fn insert(index: u64, block: Block) -> Operation {
    Operation::Insert { index, block }
}

/// Gives a block this length, and `tag` in every byte of its tag digest.
pub(super) fn modify(index: u64, length: u64, tag: u8) -> Operation {
    Operation::Modify {
        index,
        length,
        tag_digest: Digest([tag; 32]),
        label: 0,
    }
}

pub(super) fn build(blocks: &[Block]) -> FlexList {
    FlexList::build(blocks, &Workers::sequential()).unwrap()
}

/// Creates a block of this length and level, with `tag` in every byte of its tag digest.
pub(super) fn block(length: u64, level: u8, tag: u8) -> Block {
    Block {
        length,
        tag_digest: Digest([tag; 32]),
        level: Level::try_from(level).unwrap(),
        label: 0,
    }
}
