//! Where the new nodes of a version go: such that a search reads few blocks.
//!
//! Nodes come from the leaves up, a subtree at a time: as soon as a node and what is pending below it would be more than a block, the larger
//! of what is pending below is written, its top first and then level by level. So the way from any node down goes through about as many
//! blocks as subtrees of a block's size are above each other, and what a small update changes, a few paths, is one piece.
//!
//! What is pending are parts of blocks, two for each level: memory does not depend on how many nodes there are.

use core::mem;

use pad_core::{InputError, StoreFault, Suite};

use super::{
    blocks::BLOCK,
    link::{Link, MOST_BYTES},
    record,
};

/// At most so much of a block is left free for a subtree that it would fit into the next one whole.
const MOST_GAP: usize = BLOCK / 8;

/// So many bytes are worth to be appended.
const PIECE: usize = 1 << 20;

/// Takes the nodes of a tree, children before their parents and left before right, and makes what is to be appended to a log of the new ones.
///
/// Who uses it has what is [ready](Layout::append_ready) appended now and then.
pub(super) struct Layout<S: Suite> {
    /// Where the bytes will stand.
    position: u64,
    bytes: Vec<u8>,
    /// The subtrees whose parents have not come yet. What is pending of each stands behind what is pending of the one before.
    subtrees: Vec<Subtree<S::Digest>>,
    nodes: Vec<Node>,
    /// The records of these nodes, one behind the other.
    records: Vec<u8>,
}

/// Why nodes cannot be laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unplaced {
    /// They cannot be appended.
    Fault(StoreFault),
    /// The log would be longer than addresses reach.
    TooLong,
}

impl From<StoreFault> for Unplaced {
    fn from(fault: StoreFault) -> Self {
        Self::Fault(fault)
    }
}

impl From<Unplaced> for pad_core::ApplyError {
    fn from(unplaced: Unplaced) -> Self {
        match unplaced {
            Unplaced::Fault(fault) => fault.into(),
            Unplaced::TooLong => InputError::CapacityExceeded.into(),
        }
    }
}

/// A subtree, all or the top of which is not written yet.
struct Subtree<D> {
    /// Its root. The address is that of the record once it is written.
    link: Link<D>,
    /// Where its nodes begin that are not written; the last one is its root. None if it is written.
    nodes: usize,
    /// Where their records begin.
    records: usize,
}

/// Where the nodes of a subtree are written.
struct Places {
    order: Vec<usize>,
    /// The address of each node.
    addresses: Vec<u64>,
}

/// A node that is not written.
#[derive(Clone, Copy)]
struct Node {
    /// The bytes of its record.
    length: usize,
    /// Of an inner node, how many places before it its children stand among the nodes; `None` for what is written.
    children: [Option<usize>; 2],
}

impl<S: Suite> Layout<S> {
    /// A layout of what is to stand from a position on.
    pub(super) fn new(position: u64) -> Self {
        Self {
            position,
            bytes: Vec::new(),
            subtrees: Vec::new(),
            nodes: Vec::new(),
            records: Vec::new(),
        }
    }

    /// A subtree that is in the log already.
    pub(super) fn stored(&mut self, link: Link<S::Digest>) {
        self.subtrees.push(Subtree {
            link,
            nodes: self.nodes.len(),
            records: self.records.len(),
        });
    }

    /// A new leaf.
    pub(super) fn leaf(&mut self, key: &[u8], value: &[u8], link: Link<S::Digest>) {
        self.stored(link);
        record::write_leaf(key, value, &mut self.records);
        self.nodes.push(Node {
            length: record::leaf_bytes(key, value),
            children: [None; 2],
        });
    }

    /// A new inner node over the two subtrees that came last.
    ///
    /// # Errors
    /// [`Unplaced`]; [`StoreFault::Damaged`] in it if there are no two subtrees.
    pub(super) fn inner(
        &mut self,
        separator: &[u8],
        link: Link<S::Digest>,
    ) -> Result<(), Unplaced> {
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

    /// Has what is laid out appended, if it is worth it.
    ///
    /// # Errors
    /// [`Unplaced`].
    pub(super) fn append_ready(
        &mut self,
        append: impl FnOnce(&[u8]) -> Result<(), StoreFault>,
    ) -> Result<(), Unplaced> {
        if self.bytes.len() >= PIECE {
            self.append_all(append)?;
        }
        Ok(())
    }

    /// Takes out what is laid out and is to be appended next, if it is worth it.
    ///
    /// # Errors
    /// [`Unplaced::TooLong`].
    pub(super) fn take_ready(&mut self) -> Result<Option<Vec<u8>>, Unplaced> {
        if self.bytes.len() < PIECE {
            return Ok(None);
        }
        self.pass()?;
        Ok(Some(mem::take(&mut self.bytes)))
    }

    /// Has what is pending appended. Returns the root, if there is one.
    ///
    /// # Errors
    /// [`Unplaced`].
    pub(super) fn finish(
        mut self,
        append: impl FnOnce(&[u8]) -> Result<(), StoreFault>,
    ) -> Result<Option<Link<S::Digest>>, Unplaced> {
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
    ) -> Result<(), Unplaced> {
        self.pass()?;
        append(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }

    /// What comes next stands behind what is laid out.
    fn pass(&mut self) -> Result<(), Unplaced> {
        self.position = self.end();
        if self.position < MOST_BYTES {
            Ok(())
        } else {
            Err(Unplaced::TooLong)
        }
    }

    /// Writes what is pending of a subtree, whose nodes and records end there. Then there is nothing between its beginning and what comes
    /// behind it.
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

    /// The order in which nodes are written, from the top down, and the address that each will have.
    fn places(&self, nodes: &[Node], top: usize) -> Places {
        let mut addresses = vec![0; nodes.len()];
        // What comes from it on is still to be written.
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
        Places { order, addresses }
    }

    /// The position of the next byte.
    fn end(&self) -> u64 {
        self.position.saturating_add(widened(self.bytes.len()))
    }

    /// Where in a block the next byte stands.
    fn place(&self) -> usize {
        let place = self.end() % widened(BLOCK);
        usize::try_from(place).unwrap_or_default()
    }

    fn fill(&mut self, length: usize) {
        self.bytes.resize(self.bytes.len() + length, 0);
    }
}

/// The bytes to leave free at a place in a block, so that a record of this length is in one block if it can be.
fn gap(place: usize, length: usize) -> usize {
    let left = BLOCK - place % BLOCK;
    if length > left && length <= BLOCK {
        left
    } else {
        0
    }
}

/// A number of bytes in memory as one of a log.
fn widened(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
