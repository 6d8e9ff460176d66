//! Reads trees from proofs: from the bytes of a proof to the hash of a root, and the certificates
//! to check.
//!
//! Certificates are checked only after the hash was verified. This module decodes no points:
//! decoding a point costs as much as a thousand hashes, and bytes outside the digest are not worth
//! it.

#![deny(clippy::arithmetic_side_effects)]

use alloc::vec::Vec;

use pad_accumulators::wire::Reader;
use pad_core::{DecodeError, Digest, VerifyError};

use crate::{
    certificate::{Certificate, PointBytes},
    hash,
    scheme::Scheme,
    shape::{Address, Shape},
};

/// A closed node in a proof: the two values that its hash needs.
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

/// The open parts of a tree in a proof; all others are stubs. Prover and verifier share it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Opening<'b> {
    /// The blocks that hold these positions, in ascending order, within one tree.
    Holding(&'b [u64]),
    /// The growth since the log had this size. Closes the roots of that size and the nodes with
    /// only later elements.
    Since(Shape, u64),
}

impl Opening<'_> {
    /// Whether everything below the node is closed. The node must be the whole tree, or reached by
    /// [`Opening::children`].
    pub(crate) fn is_closed(self, node: Address) -> bool {
        match self {
            Self::Holding(positions) => positions.is_empty(),
            Self::Since(shape, size) => shape.is_root(node, size) || node.start() >= size,
        }
    }

    /// The openings of the two children of a node; `right` is the right child.
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

/// Reads the trees of one proof.
#[derive(Debug)]
pub(crate) struct Walk<'a, S> {
    pub(crate) shape: Shape,
    pub(crate) reader: Reader<'a>,
    /// Certificates of the nodes that were read so far, still to be checked.
    pub(crate) certificates: Vec<Certificate<'a>>,
    /// Runs of elements that the proof includes in full, from left to right.
    pub(crate) shown: Vec<Run<'a>>,
    /// The hashes of nodes that are roots of an older size, in the order in which
    /// [`Opening::Since`] meets them.
    pub(crate) old_roots: Vec<Digest<32>>,
    scheme: core::marker::PhantomData<S>,
}

/// A run of consecutive elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run<'a> {
    /// The position of the first element.
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

    /// The hash of the perfect tree of plain nodes over the elements that `node` covers.
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

    /// Reads a root of the forest with all open nodes below it. Returns the hash of the root.
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

    /// Reads a node below the blocks' level in full. Returns the hash of the node.
    fn elements(&mut self, node: Address, opening: Opening<'_>) -> Result<Digest<32>, DecodeError> {
        let run = self.run(node)?;
        self.note_old_roots(run, node, opening);
        Ok(run.hash_of(node))
    }

    /// Reads a node at the blocks' level or above, with all open nodes below it.
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

    /// Reads a stub. Records the hash of the node if the node is an old root.
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

    /// Reads a block in full, with its certificate.
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

    /// Reads all elements of a node.
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

    /// Records the old roots among elements that the proof includes in full. These roots are below
    /// the blocks' level.
    fn note_old_roots(&mut self, run: Run<'a>, node: Address, opening: Opening<'_>) {
        if let Opening::Since(shape, size) = opening {
            let old = shape
                .forest_from(node.start(), size)
                .take_while(|root| root.end() <= node.end());
            self.old_roots.extend(old.map(|root| run.hash_of(root)));
        }
    }
}

/// Converts a decoding error to a verification error.
pub(crate) const fn undecodable(error: DecodeError) -> VerifyError {
    VerifyError::Undecodable(error)
}
