//! Blocks as the binary tree that they are, for the prover of `pad-tree`.

use core::cmp::Ordering;
use std::sync::Arc;

use pad_core::Suite;
use pad_tree::{HashedTree, SearchTree, entries::Probe, search::Opened, side::Side};

use super::{
    block::{Block, Child, Entry, Slots, to_place},
    error::{BlockDamage, KeyedError},
    storage::Storage,
};
use crate::shape::Span;

/// One version of a keyed directory, to be read.
pub(super) struct View<'a, S: Suite, B> {
    blocks: &'a B,
    top: Option<(Child<S>, u8)>,
}

impl<S: Suite, B> Clone for View<'_, S, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Suite, B> Copy for View<'_, S, B> {}

impl<'a, S: Suite, B: Storage<S>> View<'a, S, B> {
    pub(super) fn new(blocks: &'a B) -> Self {
        let top = blocks.root().top;
        Self { blocks, top }
    }
}

/// A subtree of the tree over the slots of a block.
#[derive(Clone)]
pub(super) struct Subtree<S: Suite> {
    block: Arc<Block<S>>,
    span: Span,
}

/// A subtree with two halves.
#[derive(Clone)]
pub(super) struct Fork<S: Suite> {
    block: Arc<Block<S>>,
    left: Span,
    right: Span,
}

impl<S: Suite> Fork<S> {
    fn separator(&self) -> &[u8] {
        self.block.separator(self.right.start).unwrap_or_default()
    }
}

impl<S: Suite> Subtree<S> {
    fn whole(block: Arc<Block<S>>) -> Self {
        let span = block.whole();
        Self { block, span }
    }

    /// The entry that a subtree of one slot of a leaf block is.
    fn entry(&self) -> Option<&Entry<S>> {
        self.block.entry(self.span.start)
    }

    fn key(&self) -> &[u8] {
        self.entry().map(Entry::key).unwrap_or_default()
    }
}

impl<S: Suite, B: Storage<S>> SearchTree for View<'_, S, B> {
    type Node = Subtree<S>;
    type Inner = Fork<S>;
    type Leaf = Subtree<S>;
    type Error = KeyedError;

    fn top(self) -> Result<Option<Subtree<S>>, KeyedError> {
        let Some((top, level)) = self.top else {
            return Ok(None);
        };
        Ok(Some(Subtree::whole(self.blocks.read(&top, level)?)))
    }

    fn open(self, node: &Subtree<S>) -> Result<Opened<Self>, KeyedError> {
        let mut node = node.clone();
        // Each turn goes one level down.
        loop {
            if let Some((left, right)) = node.span.halves() {
                let block = node.block;
                return Ok(Opened::Inner(Fork { block, left, right }));
            }
            let Slots::Inner(inner) = node.block.slots() else {
                return Ok(Opened::Leaf(node));
            };
            let child = to_place(node.span.start).and_then(|place| inner.children.get(place));
            // A span is never outside of its block.
            let child = child.ok_or(BlockDamage::Count)?;
            let below = inner.level.saturating_sub(1);
            node = Subtree::whole(self.blocks.read(child, below)?);
        }
    }

    fn branches(self, inner: &Fork<S>) -> [Subtree<S>; 2] {
        [inner.left, inner.right].map(|span| Subtree {
            block: Arc::clone(&inner.block),
            span,
        })
    }

    fn side_of(self, probe: &Probe<'_>, inner: &Fork<S>) -> Side {
        if probe.bytes() < inner.separator() {
            Side::Left
        } else {
            Side::Right
        }
    }

    fn compare(self, probe: &Probe<'_>, leaf: &Subtree<S>) -> Ordering {
        probe.bytes().cmp(leaf.key())
    }

    fn is_below(self, leaf: &Subtree<S>, inner: &Fork<S>) -> bool {
        leaf.key() < inner.separator()
    }

    fn is_before(self, left: &Subtree<S>, right: &Subtree<S>) -> bool {
        left.key() < right.key()
    }
}

impl<S: Suite, B: Storage<S>> HashedTree for View<'_, S, B> {
    type Suite = S;

    fn digest(self, node: &Subtree<S>) -> S::Digest {
        node.block.digest_of(node.span).unwrap_or_default()
    }

    fn key<'l>(&'l self, leaf: &'l Subtree<S>) -> &'l [u8] {
        leaf.key()
    }

    fn value<'l>(&'l self, leaf: &'l Subtree<S>) -> &'l [u8] {
        leaf.entry().map(Entry::value).unwrap_or_default()
    }
}
