//! Trees as messages show them: layouts of section 9 of the specification, and the hashes that follow.

use std::collections::BTreeSet;

use super::{
    Log, Refusal,
    equations::{Block, Equation, PointBytes, Product},
    hashing::{Hash, leaf, pair, sealed},
    reader::{Kind, Reader},
    shape::{Node, children, end, start},
};

/// The first pass over a message: everything but points.
pub(super) struct Pass<'a, 'l> {
    pub(super) log: &'l Log,
    pub(super) reader: Reader<'a>,
    /// For the second pass.
    pub(super) equations: Vec<Box<dyn Equation + 'a>>,
    /// Elements shown in full, with their positions.
    pub(super) shown: Vec<(u64, &'a [u8])>,
    /// The roots of the older forest, and the hashes of those that were met.
    pub(super) old_roots: BTreeSet<Node>,
    pub(super) old_size: u64,
    pub(super) met: Vec<(Node, Hash)>,
}

/// A node's accumulator and the hash inside its hash.
type Stub<'a> = (&'a PointBytes, Hash);

impl<'a, 'l> Pass<'a, 'l> {
    pub(super) fn new(log: &'l Log, message: &'a [u8]) -> Self {
        Self {
            log,
            reader: Reader::new(message),
            equations: Vec::new(),
            shown: Vec::new(),
            old_roots: BTreeSet::new(),
            old_size: 0,
            met: Vec::new(),
        }
    }

    /// `ELEMENTS` of a node, and the hash of the plain tree over them.
    pub(super) fn elements(&mut self, node: Node) -> Result<(Vec<&'a [u8]>, Hash), Refusal> {
        let mut elements = Vec::new();
        for position in start(node)..end(node) {
            let width = self.log.scheme.element_bytes();
            let element = self.reader.take(Kind::Element, width)?;
            elements.push(element);
            self.shown.push((position, element));
        }
        self.meet_old_roots_within(node, &elements);
        let hash = plain(start(node), &elements);
        Ok((elements, hash))
    }

    /// Old roots below a node that is shown in full.
    fn meet_old_roots_within(&mut self, node: Node, elements: &[&[u8]]) {
        let first = start(node);
        let within = |root: &&Node| start(**root) >= first && end(**root) <= end(node);
        let mut roots: Vec<Node> = self.old_roots.iter().filter(within).copied().collect();
        roots.sort_by_key(|root| start(*root));
        for root in roots {
            let place = |position| usize::try_from(position - first).unwrap();
            let covered = &elements[place(start(root))..place(end(root))];
            self.met.push((root, plain(start(root), covered)));
        }
    }

    pub(super) fn stub(&mut self) -> Result<Stub<'a>, Refusal> {
        Ok((self.reader.point()?, self.reader.hash()?))
    }

    /// `BLOCK`.
    pub(super) fn block(&mut self, node: Node) -> Result<Stub<'a>, Refusal> {
        let accumulator = self.reader.point()?;
        let (elements, inner) = self.elements(node)?;
        let quotient = self.reader.point()?;
        self.equations.push(Box::new(Block {
            inner,
            accumulator,
            elements,
            quotient,
        }));
        Ok((accumulator, inner))
    }

    /// What `SHOWN` and `GROWN` have in common: a node above blocks, after the children were read as `child` says.
    fn inner_node(
        &mut self,
        node: Node,
        mut child: impl FnMut(&mut Self, Node) -> Result<Stub<'a>, Refusal>,
    ) -> Result<Stub<'a>, Refusal> {
        let parent = self.reader.point()?;
        let value = self.reader.scalar()?;
        let quotient = self.reader.point()?;
        let [left, right] = children(node);
        let (left, left_inner) = child(self, left)?;
        let (right, right_inner) = child(self, right)?;
        let level = node.0 - 1;
        let inner = pair(
            &sealed(level, left, &left_inner),
            &sealed(level, right, &right_inner),
        );
        self.equations.push(Box::new(Product {
            inner,
            left,
            right,
            parent,
            value,
            quotient,
        }));
        Ok((parent, inner))
    }

    /// `SHOWN`, for blocks with these indices in the whole log.
    pub(super) fn open(&mut self, node: Node, blocks: &[u64]) -> Result<Stub<'a>, Refusal> {
        let block_level = self.log.scheme.block_level;
        if node.0 == block_level {
            return self.block(node);
        }
        self.inner_node(node, |pass, child| {
            let holds = |block: &&u64| {
                let position = **block << block_level;
                start(child) <= position && position < end(child)
            };
            let within: Vec<u64> = blocks.iter().filter(holds).copied().collect();
            if within.is_empty() {
                pass.stub()
            } else {
                pass.open(child, &within)
            }
        })
    }

    /// `GROWN` at blocks' level and above.
    fn grown(&mut self, node: Node) -> Result<Stub<'a>, Refusal> {
        if self.old_roots.contains(&node) {
            let (accumulator, inner) = self.stub()?;
            self.met.push((node, sealed(node.0, accumulator, &inner)));
            return Ok((accumulator, inner));
        }
        if start(node) >= self.old_size {
            return self.stub();
        }
        if node.0 == self.log.scheme.block_level {
            return self.block(node);
        }
        self.inner_node(node, Self::grown)
    }

    /// One root of the newer forest; its hash.
    pub(super) fn grown_root(&mut self, root: Node) -> Result<Hash, Refusal> {
        if self.old_roots.contains(&root) {
            let hash = self.reader.hash()?;
            self.met.push((root, hash));
            return Ok(hash);
        }
        if start(root) >= self.old_size {
            return self.reader.hash();
        }
        if root.0 < self.log.scheme.block_level {
            return Ok(self.elements(root)?.1);
        }
        let (accumulator, inner) = self.grown(root)?;
        Ok(sealed(root.0, accumulator, &inner))
    }
}

/// The hash of a perfect tree of plain nodes.
fn plain(first: u64, elements: &[&[u8]]) -> Hash {
    if let [element] = elements {
        return leaf(first, element);
    }
    let half = elements.len() / 2;
    let (left, right) = elements.split_at(half);
    let middle = first + u64::try_from(half).unwrap();
    pair(&plain(first, left), &plain(middle, right))
}
