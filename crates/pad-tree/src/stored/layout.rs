//! Where the new nodes of a version go: such that a search reads few blocks.
//!
//! Nodes come from the leaves up, a subtree at a time: as soon as a node and what is pending below it would be more than a block, the larger
//! of what is pending below is written, its top first and then level by level. So the way from any node down goes through about as many
//! blocks as subtrees of a block's size are above each other, and what a small update changes, a few paths, is one piece.
//!
//! What is pending are parts of blocks, two for each level: memory does not depend on how many nodes there are.

use std::collections::VecDeque;

use pad_core::{InputError, StoreFault, Suite};

use super::{
    link::{Link, MOST_BYTES},
    nodes::BLOCK,
    record,
};

/// At most so much of a block is left free for a subtree that it would fit into the next one whole.
const MOST_GAP: usize = BLOCK / 8;

/// Bytes that are gathered before they are appended.
const PIECE: usize = 1 << 20;

/// Takes the nodes of a tree, children before their parents and left before right, and appends the new ones to a log.
pub(super) struct Layout<S: Suite, A> {
    /// Appends bytes.
    append: A,
    /// Where the bytes will stand.
    position: u64,
    bytes: Vec<u8>,
    /// The subtrees whose parents have not come yet.
    subtrees: Vec<Subtree<S::Digest>>,
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
    /// Its nodes that are not written; the last one is its root. None if it is written.
    nodes: Vec<Node<D>>,
    /// The bytes of their records.
    length: usize,
}

/// A node that is not written.
enum Node<D> {
    Leaf {
        key: Vec<u8>,
        value: Vec<u8>,
    },
    Inner {
        separator: Vec<u8>,
        children: [Child<D>; 2],
    },
}

/// A child of a node that is not written.
#[derive(Clone, Copy)]
struct Child<D> {
    link: Link<D>,
    /// How many places before its parent it stands among the nodes that are not written; `None` if it is written.
    before: Option<usize>,
}

impl<D> Node<D> {
    fn length(&self) -> usize
    where
        D: pad_core::DigestBytes,
    {
        match self {
            Self::Leaf { key, value } => record::leaf_bytes(key, value),
            Self::Inner { separator, .. } => record::inner_bytes::<D>(separator),
        }
    }
}

impl<S: Suite, A: FnMut(&[u8]) -> Result<(), StoreFault>> Layout<S, A> {
    /// A layout of what is to stand from a position on.
    pub(super) fn new(position: u64, append: A) -> Self {
        Self {
            append,
            position,
            bytes: Vec::new(),
            subtrees: Vec::new(),
        }
    }

    /// A subtree that is in the log already.
    pub(super) fn stored(&mut self, link: Link<S::Digest>) {
        self.subtrees.push(Subtree {
            link,
            nodes: Vec::new(),
            length: 0,
        });
    }

    /// A new leaf.
    pub(super) fn leaf(&mut self, key: &[u8], value: &[u8], link: Link<S::Digest>) {
        self.subtrees.push(Subtree {
            link,
            nodes: vec![Node::Leaf {
                key: key.to_vec(),
                value: value.to_vec(),
            }],
            length: record::leaf_bytes(key, value),
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
        while own + left.length + right.length > BLOCK && left.length + right.length > 0 {
            let larger = if left.length > right.length {
                &mut left
            } else {
                &mut right
            };
            self.write(larger)?;
        }
        let child = |subtree: &Subtree<S::Digest>, before: usize| Child {
            link: subtree.link,
            before: (!subtree.nodes.is_empty()).then_some(before),
        };
        let children = [child(&left, right.nodes.len() + 1), child(&right, 1)];
        let length = own + left.length + right.length;
        let mut nodes = left.nodes;
        nodes.append(&mut right.nodes);
        nodes.push(Node::Inner {
            separator: separator.to_vec(),
            children,
        });
        self.subtrees.push(Subtree {
            link,
            nodes,
            length,
        });
        Ok(())
    }

    /// Writes what is pending. Returns the root, if there is one.
    ///
    /// # Errors
    /// [`Unplaced`].
    pub(super) fn finish(mut self) -> Result<Option<Link<S::Digest>>, Unplaced> {
        let root = match self.subtrees.pop() {
            None => None,
            Some(mut root) => {
                self.write(&mut root)?;
                Some(root.link)
            }
        };
        self.flush()?;
        Ok(root)
    }

    /// Writes what is pending of a subtree.
    fn write(&mut self, subtree: &mut Subtree<S::Digest>) -> Result<(), Unplaced> {
        let nodes = core::mem::take(&mut subtree.nodes);
        let Some(top) = nodes.len().checked_sub(1) else {
            return Ok(());
        };
        let left = BLOCK - self.place();
        if subtree.length <= BLOCK && subtree.length > left && left <= MOST_GAP {
            self.fill(left);
        }
        let (order, addresses) = self.order(&nodes, top);
        for index in order {
            let Some(node) = nodes.get(index) else {
                continue;
            };
            self.fill(gap(self.place(), node.length()));
            match node {
                Node::Leaf { key, value } => record::write_leaf(key, value, &mut self.bytes),
                Node::Inner {
                    separator,
                    children,
                } => {
                    let links = children.map(|child| {
                        let written = child.before.and_then(|before| index.checked_sub(before));
                        let address = written.and_then(|child| addresses.get(child).copied());
                        Link {
                            address: address.unwrap_or(child.link.address),
                            ..child.link
                        }
                    });
                    record::write_inner(&links, separator, &mut self.bytes);
                }
            }
        }
        subtree.length = 0;
        subtree.link.address = addresses.get(top).copied().unwrap_or_default();
        if self.bytes.len() >= PIECE {
            self.flush()?;
        }
        Ok(())
    }

    /// The order in which nodes are written, from the top down, and the address that each will have.
    fn order(&self, nodes: &[Node<S::Digest>], top: usize) -> (Vec<usize>, Vec<u64>) {
        let mut addresses = vec![0; nodes.len()];
        let mut order = Vec::with_capacity(nodes.len());
        let mut pending = VecDeque::from([top]);
        let (mut place, mut end) = (self.place(), self.end());
        while let Some(index) = pending.pop_front() {
            let Some(node) = nodes.get(index) else {
                continue;
            };
            if let Node::Inner { children, .. } = node {
                let unwritten = children.iter().filter_map(|child| child.before);
                pending.extend(unwritten.filter_map(|before| index.checked_sub(before)));
            }
            let length = node.length();
            let gap = gap(place, length);
            end += widened(gap);
            addresses[index] = end;
            end += widened(length);
            place = (place + gap + length) % BLOCK;
            order.push(index);
        }
        (order, addresses)
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

    fn flush(&mut self) -> Result<(), Unplaced> {
        if self.end() >= MOST_BYTES {
            return Err(Unplaced::TooLong);
        }
        (self.append)(&self.bytes)?;
        self.position = self.end();
        self.bytes.clear();
        Ok(())
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
