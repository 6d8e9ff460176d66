//! Random changes of a file, and a plain list of blocks as the reference implementation.

use crate::owner::Owner;

/// Pseudorandom numbers from a seed.
#[derive(Clone)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below the limit.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    /// A number below the limit, as `usize`.
    pub(crate) fn index(&mut self, limit: usize) -> usize {
        usize::try_from(self.below(count(limit))).unwrap()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        u8::try_from(self.below(256)).unwrap()
    }

    /// A random block of 1 to 300 bytes.
    pub(crate) fn block(&mut self) -> Vec<u8> {
        let length = 1 + self.below(300);
        (0..length).map(|_| self.byte()).collect()
    }

    pub(crate) fn blocks(&mut self, count: usize) -> Vec<Vec<u8>> {
        (0..count).map(|_| self.block()).collect()
    }
}

/// A change of a file, before it is tagged.
#[derive(Clone, Debug)]
pub(crate) enum Plan {
    Insert(u64, u8, Vec<u8>),
    Modify(u64, Vec<u8>),
    Remove(u64),
}

impl Owner {
    /// A plan of random edits that this file allows.
    pub(crate) fn plan(&self, random: &mut Random, edits: usize) -> Vec<Plan> {
        let mut blocks = self.blocks.clone();
        let mut plan = Vec::new();
        while plan.len() < edits {
            let total: u64 = bytes(&blocks);
            let edit = match random.below(3) {
                0 => {
                    let before = random.index(blocks.len() + 1);
                    let index = blocks[..before]
                        .iter()
                        .map(|block| count(block.len()))
                        .sum();
                    let level = u8::try_from(random.below(6)).unwrap();
                    Plan::Insert(index, level, random.block())
                }
                1 if total > 0 => Plan::Modify(random.below(total), random.block()),
                _ if total > 0 => Plan::Remove(random.below(total)),
                _ => continue,
            };
            apply(&mut blocks, &edit);
            plan.push(edit);
        }
        plan
    }
}

/// Applies an edit to a plain list of blocks.
pub(crate) fn apply(blocks: &mut Vec<Vec<u8>>, edit: &Plan) {
    let locate = |blocks: &[Vec<u8>], index: u64| {
        let mut rest = index;
        for (position, block) in blocks.iter().enumerate() {
            if rest < count(block.len()) {
                return position;
            }
            rest -= count(block.len());
        }
        blocks.len()
    };
    match edit {
        Plan::Insert(index, _, data) => {
            let position = locate(blocks, *index);
            blocks.insert(position, data.clone());
        }
        Plan::Modify(index, data) => {
            let position = locate(blocks, *index);
            blocks[position].clone_from(data);
        }
        Plan::Remove(index) => {
            let position = locate(blocks, *index);
            blocks.remove(position);
        }
    }
}

/// A length as `u64`.
pub(crate) fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap()
}

/// The total length of some blocks.
pub(crate) fn bytes(blocks: &[Vec<u8>]) -> u64 {
    blocks.iter().map(|block| count(block.len())).sum()
}
