//! The forest of a size: section 5 of the specification.

/// The node at a level with an index.
pub(super) type Node = (u32, u64);

pub(super) const fn start((level, index): Node) -> u64 {
    index << level
}

pub(super) const fn end((level, index): Node) -> u64 {
    (index + 1) << level
}

pub(super) const fn children((level, index): Node) -> [Node; 2] {
    [(level - 1, 2 * index), (level - 1, 2 * index + 1)]
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) block_level: u32,
    pub(super) top_level: u32,
    pub(super) is_deferred: bool,
}

impl Shape {
    fn is_available(self, node: Node, size: u64) -> bool {
        let is_delayed = self.is_deferred && node.0 > self.block_level;
        let delay = if is_delayed { 1 << node.0 } else { 0 };
        size >= end(node) + delay
    }

    fn cover(self, node: Node, size: u64, roots: &mut Vec<Node>) {
        if start(node) >= size {
            return;
        }
        if self.is_available(node, size) {
            roots.push(node);
        } else {
            for child in children(node) {
                self.cover(child, size, roots);
            }
        }
    }

    /// The roots that hold these positions or stand before them, and with them all below the same top node.
    pub(super) fn roots_until(self, position: u64, size: u64) -> Vec<Node> {
        let mut roots = Vec::new();
        for top in 0..=position >> self.top_level {
            self.cover((self.top_level, top), size, &mut roots);
        }
        roots
    }

    pub(super) fn forest(self, size: u64) -> Vec<Node> {
        self.roots_until(size, size)
    }

    /// Whether so many positions may be believed before anything is hashed: a message has 32 bytes for each top tree.
    pub(super) const fn is_plausible(self, positions: u64, length: u64) -> bool {
        positions < 1 << 48 && (positions >> self.top_level) * 32 <= length
    }
}
