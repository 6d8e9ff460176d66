//! Encoder of proofs and witnesses: writes the part of a list that was read.
//!
//! Nodes are in pre-order, below before after:
//!
//! * `0x00 level below after`: an inner node
//! * `0x01 varint(length) tag-digest flag [after]`: a leaf
//! * `0x02 flag [after]`: the left sentinel
//! * `0x03`: the right sentinel
//! * `0x04 varint(rank) hash`: a subtree that no search entered
//!
//! A flag is 1 if an after link follows. Ranks are encoded only for subtrees that no search
//! entered. The parser adds up all others, so their sums are right by construction.

use alloc::{vec, vec::Vec};

use super::{
    MAX_PROOF_BYTES,
    arena::{Arena, Link, Node},
    hash::NodeHash,
    node_set::NodeSet,
};
use crate::error::UpdateError;

pub(super) const INNER: u8 = 0x00;
pub(super) const DATA_LEAF: u8 = 0x01;
pub(super) const LEFT_SENTINEL: u8 = 0x02;
pub(super) const RIGHT_SENTINEL: u8 = 0x03;
pub(super) const PRUNED: u8 = 0x04;

/// Encodes the list under `root`, with every node that is not `opened` replaced by its rank and
/// hash.
///
/// Fails if the encoding exceeds [`MAX_PROOF_BYTES`]. An update must not happen if its witness is
/// too long to be verified.
pub(super) fn prune<H: NodeHash>(
    arena: &Arena<H>,
    root: Link,
    opened: &NodeSet,
) -> Result<Vec<u8>, UpdateError> {
    let mut bytes = Vec::with_capacity(opened.len().saturating_mul(64).saturating_add(64));
    let mut stack = vec![root];
    while let Some(link) = stack.pop() {
        if bytes.len() > MAX_PROOF_BYTES {
            break;
        }
        if !opened.contains(&link.node) {
            bytes.push(PRUNED);
            push_varint(&mut bytes, link.rank);
            bytes.extend_from_slice(&arena.digest(link.node)?.0);
            continue;
        }
        match arena.node(link.node)? {
            Node::Inner(inner) => {
                bytes.extend_from_slice(&[INNER, inner.level]);
                stack.push(inner.after());
                stack.push(inner.below());
            }
            Node::Leaf(leaf) => {
                if leaf.length == 0 {
                    bytes.push(LEFT_SENTINEL);
                } else {
                    bytes.push(DATA_LEAF);
                    push_varint(&mut bytes, leaf.length);
                    bytes.extend_from_slice(&leaf.tag_digest.0);
                }
                let after = leaf.after();
                bytes.push(u8::from(!after.node.is_none()));
                if !after.node.is_none() {
                    stack.push(after);
                }
            }
            Node::Right => bytes.push(RIGHT_SENTINEL),
        }
    }
    if bytes.len() > MAX_PROOF_BYTES {
        return Err(UpdateError::BatchTooLarge);
    }
    Ok(bytes)
}

/// Appends the minimal LEB128 encoding of `value` to `bytes`.
pub(super) fn push_varint(bytes: &mut Vec<u8>, mut value: u64) {
    loop {
        let [low, ..] = (value & 0x7f).to_le_bytes();
        value >>= 7;
        if value == 0 {
            bytes.push(low);
            return;
        }
        bytes.push(low | 0x80);
    }
}
