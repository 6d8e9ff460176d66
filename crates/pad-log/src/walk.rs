//! Reads trees from the bytes of a proof. Computes the hash of each tree's root, and collects the
//! certificates to check.
//!
//! Certificates are checked only after the hash was verified. This module decodes no points.
//! Decoding a point costs as much as a thousand hashes, which is wasted if the bytes do not hash to
//! the trusted digest.

#![deny(clippy::arithmetic_side_effects)]

use alloc::vec::Vec;

use pad_accumulators::wire::Reader;
use pad_core::{DecodeError, Digest};

use crate::{
    certificate::{Certificate, PointBytes},
    hash,
    scheme::Scheme,
    shape::{Address, Shape},
};

/// The two values from which the hash of a node is computed. For a closed node (see [`Opening`]), a
/// proof contains only these values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stub<'a> {
    pub(crate) accumulator: &'a PointBytes,
    pub(crate) inner: Digest<32>,
}

impl Stub<'_> {
    pub(crate) fn hash(&self, level: u8) -> Digest<32> {
        hash::sealed(level, self.accumulator, &self.inner)
    }
}

/// Selects the nodes of a tree that a proof opens: it contains their children or elements. All
/// other nodes are closed, and the proof contains only their [`Stub`]. Prover and verifier make the
/// same selection.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Opening<'b> {
    /// Opens the nodes on the paths to the blocks with these positions, which are ascending and
    /// within one tree.
    Holding(&'b [u64]),
    /// Opens the nodes that an append-only proof since this older size needs. The roots of the
    /// older size, and nodes with only newer elements, are closed.
    Since(Shape, u64),
}

impl Opening<'_> {
    /// Whether the node is closed, so that the proof contains nothing below it. `self` must be the
    /// selection for this node: that of the whole tree, or a result of [`Opening::children`].
    pub(crate) fn is_closed(self, node: Address) -> bool {
        match self {
            Self::Holding(positions) => positions.is_empty(),
            Self::Since(shape, size) => shape.is_root(node, size) || node.start() >= size,
        }
    }

    /// Divides the selection for a node into those for its left and its right child. `right` is the
    /// address of the right child.
    pub(crate) fn children(self, right: Address) -> (Self, Self) {
        match self {
            Self::Holding(positions) => {
                let middle = positions.partition_point(|position| *position < right.start());
                let halves = positions.split_at_checked(middle);
                let (left, right) = halves.unwrap_or((positions, &[]));
                (Self::Holding(left), Self::Holding(right))
            }
            Self::Since(..) => (self, self),
        }
    }
}

/// Reads the trees of one proof, and collects their elements, certificates and older roots.
#[derive(Debug)]
pub(crate) struct Walk<'a, S> {
    pub(crate) shape: Shape,
    pub(crate) reader: Reader<'a>,
    /// Certificates of the nodes that were read so far, still to be checked.
    pub(crate) certificates: Vec<Certificate<'a>>,
    /// The elements that the proof contains, in runs of consecutive positions, from left to right.
    pub(crate) shown: Vec<Run<'a>>,
    /// The hashes of nodes that are roots of the older size in [`Opening::Since`], from left to
    /// right.
    pub(crate) old_roots: Vec<Digest<32>>,
    scheme: core::marker::PhantomData<S>,
}

/// Elements of consecutive positions in the log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run<'a> {
    /// The position of the first element in the log.
    pub(crate) start: u64,
    bytes: &'a [u8],
    width: usize,
}

impl<'a> Run<'a> {
    /// The elements with their positions.
    pub(crate) fn elements(&self) -> impl Iterator<Item = (u64, &'a [u8])> + use<'a> {
        let start = self.start;
        let positions = (0..).map(move |offset: u64| start.saturating_add(offset));
        positions.zip(self.bytes.chunks(self.width))
    }

    /// The hash of the perfect Merkle tree, without accumulators, over the elements of this run
    /// that `node` covers.
    pub(crate) fn hash_of(&self, node: Address) -> Digest<32> {
        let covered = node.start()..node.end();
        let elements = self.elements();
        let elements = elements.filter(|(position, _)| covered.contains(position));
        hash::of_elements(node.start(), elements.map(|(_, element)| element))
    }
}

impl<'a, S: Scheme> Walk<'a, S> {
    pub(crate) const fn new(shape: Shape, body: &'a [u8]) -> Self {
        Self {
            shape,
            reader: Reader::new(body),
            certificates: Vec::new(),
            shown: Vec::new(),
            old_roots: Vec::new(),
            scheme: core::marker::PhantomData,
        }
    }

    /// Reads a tree of the log with all nodes that `opening` selects. Returns the hash of the
    /// tree's root.
    pub(crate) fn root(
        &mut self,
        root: Address,
        opening: Opening<'_>,
    ) -> Result<Digest<32>, DecodeError> {
        if self.shape.is_sealed(root) {
            Ok(self.node(root, opening)?.hash(root.level))
        } else {
            self.elements(root, opening)
        }
    }

    /// Reads all elements of a node below the blocks' level. Returns the hash of the node.
    fn elements(&mut self, node: Address, opening: Opening<'_>) -> Result<Digest<32>, DecodeError> {
        let run = self.run(node)?;
        self.note_old_roots(run, node, opening);
        Ok(run.hash_of(node))
    }

    /// Reads a node at the blocks' level or above, with all nodes below it that `opening` selects.
    ///
    /// Recursion: at most 32 levels, the greatest height of a log's trees.
    pub(crate) fn node(
        &mut self,
        node: Address,
        opening: Opening<'_>,
    ) -> Result<Stub<'a>, DecodeError> {
        if opening.is_closed(node) {
            return self.stub(node, opening);
        }
        match node.children() {
            Some((left, right)) if node.level > self.shape.block_level() => {
                self.inner_node([left, right], opening)
            }
            _ => self.block(node, opening),
        }
    }

    /// Reads a closed node. Adds its hash to `old_roots` if it is a root of the older size.
    fn stub(&mut self, node: Address, opening: Opening<'_>) -> Result<Stub<'a>, DecodeError> {
        let stub = Stub {
            accumulator: self.reader.array_ref()?,
            inner: Digest(self.reader.array()?),
        };
        if let Opening::Since(_, size) = opening
            && node.start() < size
        {
            self.old_roots.push(stub.hash(node.level));
        }
        Ok(stub)
    }

    /// Reads a block with all its elements and its certificate.
    fn block(&mut self, node: Address, opening: Opening<'_>) -> Result<Stub<'a>, DecodeError> {
        let accumulator = self.reader.array_ref()?;
        let run = self.run(node)?;
        let quotient = self.reader.array_ref()?;
        let inner = run.hash_of(node);
        self.note_old_roots(run, node, opening);
        self.certificates.push(Certificate::Block {
            inner,
            accumulator,
            elements: run.bytes,
            width: run.width,
            quotient,
        });
        Ok(Stub { accumulator, inner })
    }

    fn inner_node(
        &mut self,
        [left, right]: [Address; 2],
        opening: Opening<'_>,
    ) -> Result<Stub<'a>, DecodeError> {
        let parent = self.reader.array_ref()?;
        let value = self.reader.array_ref()?;
        let quotient = self.reader.array_ref()?;
        let (left_opening, right_opening) = opening.children(right);
        let left_stub = self.node(left, left_opening)?;
        let right_stub = self.node(right, right_opening)?;
        let inner = hash::pair(&left_stub.hash(left.level), &right_stub.hash(right.level));
        self.certificates.push(Certificate::Product {
            inner,
            left: left_stub.accumulator,
            right: right_stub.accumulator,
            parent,
            value,
            quotient,
        });
        Ok(Stub {
            accumulator: parent,
            inner,
        })
    }

    /// Reads all elements that a node covers, and adds them to `shown`.
    fn run(&mut self, node: Address) -> Result<Run<'a>, DecodeError> {
        let width = S::element_bytes();
        let count = usize::try_from(node.width()).map_err(|_| DecodeError::Malformed)?;
        let bytes = count.checked_mul(width).ok_or(DecodeError::Malformed)?;
        let run = Run {
            start: node.start(),
            bytes: self.reader.take(bytes)?,
            width,
        };
        self.shown.push(run);
        Ok(run)
    }

    /// Computes the roots of the older size that lie within `run`, and adds their hashes to
    /// `old_roots`. These roots are below the blocks' level.
    fn note_old_roots(&mut self, run: Run<'a>, node: Address, opening: Opening<'_>) {
        if let Opening::Since(shape, size) = opening {
            let old = shape.forest_from(node.start(), size);
            let old = old.take_while(|root| root.end() <= node.end());
            self.old_roots.extend(old.map(|root| run.hash_of(root)));
        }
    }
}
