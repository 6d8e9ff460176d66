//! The layout of a version's new nodes in the log, such that a search reads few blocks.
//!
//! Nodes arrive from the leaves up and are written a subtree at a time. If a node and its pending
//! descendants become larger than a block, the larger pending subtree below the node is written.
//! The root of a written subtree comes first, then its other nodes level by level.
//!
//! The number of blocks that a search reads is therefore about the number of block-sized subtrees
//! on its path. The few paths that a small update changes are stored next to each other.
//!
//! At most two partial blocks are pending for each level, so memory grows with the depth only.

use core::mem;

use pad_core::{InputError, StoreFault, Suite};

use super::{
    blocks::BLOCK,
    link::{Link, MOST_BYTES},
    record,
};

/// The most bytes that are left unused at the end of a block so that a subtree fits into the next
/// block as a whole.
const MOST_GAP: usize = BLOCK / 8;

/// The number of written bytes at which they are ready to be appended to the log.
const PIECE: usize = 1 << 20;

/// Lays out the new nodes of a tree for a log. Nodes arrive children before their parents and left
/// before right.
///
/// The caller appends the [ready](Layout::append_ready) bytes from time to time.
pub(super) struct Layout<S: Suite> {
    /// The position in the log at which `bytes` will be appended.
    position: u64,
    bytes: Vec<u8>,
    /// The subtrees whose parents have not arrived yet, from left to right. Their pending nodes and
    /// records are in the same order.
    subtrees: Vec<Subtree<S::Digest>>,
    nodes: Vec<Node>,
    /// The concatenated records of the pending `nodes`.
    records: Vec<u8>,
}

/// Error returned when nodes cannot be laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LayoutError {
    /// The nodes cannot be appended to the log.
    Fault(StoreFault),
    /// The log would become longer than addresses can express.
    TooLong,
}

impl From<StoreFault> for LayoutError {
    fn from(fault: StoreFault) -> Self {
        Self::Fault(fault)
    }
}

impl From<LayoutError> for pad_core::ApplyError {
    fn from(unplaced: LayoutError) -> Self {
        match unplaced {
            LayoutError::Fault(fault) => fault.into(),
            LayoutError::TooLong => InputError::CapacityExceeded.into(),
        }
    }
}

/// A subtree whose parent has not arrived yet. Either all its nodes are written, or some are still
/// pending, among them its root.
struct Subtree<D> {
    /// The link to the root of the subtree. The address is valid once the root is written.
    link: Link<D>,
    /// The index of its first node in the list of pending nodes. Its root is the last of its
    /// pending nodes. A written subtree has none.
    nodes: usize,
    /// The position of the first record of the subtree's pending nodes in `records` of the layout.
    records: usize,
}

/// The order in which a subtree's nodes are written, and their addresses.
struct WriteOrder {
    order: Vec<usize>,
    /// The address in the log of each node, by the node's index.
    addresses: Vec<u64>,
}

/// A pending node, which is laid out but not written.
#[derive(Clone, Copy)]
struct Node {
    /// The length in bytes of the node's record.
    length: usize,
    /// For each child of an inner node, how far before the node it is in the list of pending nodes.
    /// `None` for a child that is already written.
    children: [Option<usize>; 2],
}

impl<S: Suite> Layout<S> {
    /// Creates a layout whose first byte will be at `position` of the log.
    pub(super) fn new(position: u64) -> Self {
        Self {
            position,
            bytes: Vec::new(),
            subtrees: Vec::new(),
            nodes: Vec::new(),
            records: Vec::new(),
        }
    }

    /// Adds a subtree that is already stored in the log.
    pub(super) fn stored(&mut self, link: Link<S::Digest>) {
        self.subtrees.push(Subtree {
            link,
            nodes: self.nodes.len(),
            records: self.records.len(),
        });
    }

    /// Adds a new leaf. The address in `link` is not known yet.
    pub(super) fn leaf(&mut self, key: &[u8], value: &[u8], link: Link<S::Digest>) {
        self.stored(link);
        record::write_leaf(key, value, &mut self.records);
        self.nodes.push(Node {
            length: record::leaf_bytes(key, value),
            children: [None; 2],
        });
    }

    /// Adds a new inner node, whose children are the two subtrees added last. The address in `link`
    /// is not known yet.
    ///
    /// # Errors
    /// [`LayoutError`], with [`StoreFault::Damaged`] if there are no two subtrees.
    pub(super) fn inner(
        &mut self,
        separator: &[u8],
        link: Link<S::Digest>,
    ) -> Result<(), LayoutError> {
        let (right, left) = (self.subtrees.pop(), self.subtrees.pop());
        let (Some(mut left), Some(mut right)) = (left, right) else {
            return Err(StoreFault::Damaged.into());
        };
        let own = record::inner_bytes::<S::Digest>(separator);
        loop {
            let [below_left, below_right] = [
                right.records - left.records,
                self.records.len() - right.records,
            ];
            if own + below_left + below_right <= BLOCK || below_left + below_right == 0 {
                break;
            }
            if below_left > below_right {
                let end = (right.nodes, right.records);
                self.write(&mut left, end);
                (right.nodes, right.records) = (left.nodes, left.records);
            } else {
                let end = (self.nodes.len(), self.records.len());
                self.write(&mut right, end);
            }
        }
        let [in_left, in_right] = [right.nodes - left.nodes, self.nodes.len() - right.nodes];
        self.nodes.push(Node {
            length: own,
            children: [
                (in_left > 0).then_some(in_right + 1),
                (in_right > 0).then_some(1),
            ],
        });
        record::write_inner(&[left.link, right.link], separator, &mut self.records);
        self.subtrees.push(Subtree { link, ..left });
        Ok(())
    }

    /// Calls `append` with the bytes written so far, if there are at least [`PIECE`] of them.
    ///
    /// # Errors
    /// [`LayoutError`] if the bytes cannot be appended.
    pub(super) fn append_ready(
        &mut self,
        append: impl FnOnce(&[u8]) -> Result<(), StoreFault>,
    ) -> Result<(), LayoutError> {
        if self.bytes.len() >= PIECE {
            self.append_all(append)?;
        }
        Ok(())
    }

    /// Removes and returns the bytes written so far, if there are at least [`PIECE`] of them. The
    /// caller must append them.
    ///
    /// # Errors
    /// [`LayoutError::TooLong`] if the log would become too long.
    pub(super) fn take_ready(&mut self) -> Result<Option<Vec<u8>>, LayoutError> {
        if self.bytes.len() < PIECE {
            return Ok(None);
        }
        self.pass()?;
        Ok(Some(mem::take(&mut self.bytes)))
    }

    /// Writes and appends all pending nodes. Returns the link to the root; `None` if there are no
    /// nodes.
    ///
    /// # Errors
    /// [`LayoutError`] if the bytes cannot be appended.
    pub(super) fn finish(
        mut self,
        append: impl FnOnce(&[u8]) -> Result<(), StoreFault>,
    ) -> Result<Option<Link<S::Digest>>, LayoutError> {
        let mut root = self.subtrees.pop();
        if let Some(root) = &mut root {
            let end = (self.nodes.len(), self.records.len());
            self.write(root, end);
        }
        self.append_all(append)?;
        Ok(root.map(|root| root.link))
    }

    fn append_all(
        &mut self,
        append: impl FnOnce(&[u8]) -> Result<(), StoreFault>,
    ) -> Result<(), LayoutError> {
        self.pass()?;
        append(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }

    /// Sets `position` to the position after the bytes written so far.
    fn pass(&mut self) -> Result<(), LayoutError> {
        self.position = self.end();
        if self.position < MOST_BYTES {
            Ok(())
        } else {
            Err(LayoutError::TooLong)
        }
    }

    /// Moves the pending nodes of a subtree from the pending lists to `bytes`. In these lists, its
    /// nodes and records end at `nodes_end` and `records_end`.
    fn write(
        &mut self,
        subtree: &mut Subtree<S::Digest>,
        (nodes_end, records_end): (usize, usize),
    ) {
        let nodes: Vec<Node> = self.nodes.drain(subtree.nodes..nodes_end).collect();
        let Some(top) = nodes.len().checked_sub(1) else {
            return;
        };
        let length = records_end - subtree.records;
        let left = BLOCK - self.place();
        if length <= BLOCK && length > left && left <= MOST_GAP {
            self.fill(left);
        }
        let places = self.places(&nodes, top);
        let mut starts = Vec::with_capacity(nodes.len());
        let mut start = subtree.records;
        for node in &nodes {
            starts.push(start);
            start += node.length;
        }
        for index in places.order {
            let (node, start) = (&nodes[index], starts[index]);
            self.fill(gap(self.place(), node.length));
            let begin = self.bytes.len();
            let record = &self.records[start..start + node.length];
            self.bytes.extend_from_slice(record);
            let children = node
                .children
                .map(|before| before.map(|before| places.addresses[index - before]));
            record::settle::<S::Digest>(&mut self.bytes[begin..], children);
        }
        self.records.drain(subtree.records..records_end);
        subtree.link.address = places.addresses[top];
    }

    /// Determines the order in which the nodes of a subtree are written, from the root `top` down,
    /// and their addresses.
    fn places(&self, nodes: &[Node], top: usize) -> WriteOrder {
        let mut addresses = vec![0; nodes.len()];
        // Nodes from `next` on in `order` are still to be written.
        let (mut order, mut next) = (Vec::with_capacity(nodes.len()), 0);
        order.push(top);
        let (mut place, mut end) = (self.place(), self.end());
        while let Some(&index) = order.get(next) {
            next += 1;
            let Node { length, children } = nodes[index];
            order.extend(children.into_iter().flatten().map(|before| index - before));
            let gap = gap(place, length);
            end += widened(gap);
            addresses[index] = end;
            end += widened(length);
            place = (place + gap + length) % BLOCK;
        }
        WriteOrder { order, addresses }
    }

    /// The position in the log of the next byte to be written.
    fn end(&self) -> u64 {
        self.position.saturating_add(widened(self.bytes.len()))
    }

    /// The offset, in its block, of the next byte to be written.
    fn place(&self) -> usize {
        let place = self.end() % widened(BLOCK);
        usize::try_from(place).unwrap_or_default()
    }

    fn fill(&mut self, length: usize) {
        self.bytes.resize(self.bytes.len() + length, 0);
    }
}

/// The number of padding bytes before a record of `length` bytes, at offset `place` of a block. The
/// padding keeps a record that fits into one block from spanning two.
fn gap(place: usize, length: usize) -> usize {
    let left = BLOCK - place % BLOCK;
    if length > left && length <= BLOCK {
        left
    } else {
        0
    }
}

/// Converts a length in memory to a length in a log.
fn widened(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
