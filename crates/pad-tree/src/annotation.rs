//! Node annotations: digests computed bottom-up over a tree, or none.

use core::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};

use pad_core::{
    Sha256Ed25519, Suite,
    internals::{DigestBytes, Domain},
};

/// Determines the value that every node gets, computed from its children: a digest with
/// [`Authenticated`], nothing with [`Plain`].
///
/// Laws: `leaf` and `node` are pure functions. With [`Plain`], the compiler removes digests, caches
/// and hashing. The tree is then a persistent map with predecessor search.
pub trait Annotation: Copy + Clone + Debug + Default + Send + Sync + 'static {
    /// The type of a node's annotation.
    type Digest: Copy + Eq + Default + Debug + Send + Sync;
    /// Storage for the annotation of one node. One thread at a time may write it, and any number of
    /// threads may read it.
    type Cell: Debug + Default + Send + Sync;
    /// Whether annotations are computed at all.
    const HASHES: bool;

    /// The annotation of a leaf with this key and value.
    fn leaf(key: &[u8], value: &[u8]) -> Self::Digest;
    /// The annotation of an inner node, from the annotations of its two children.
    fn node(left: &Self::Digest, right: &Self::Digest) -> Self::Digest;
    /// The annotation of a tree without entries.
    fn empty() -> Self::Digest;
    /// 64 pseudorandom bits of a key, from which set-unique trees derive ranks.
    fn key_bits(key: &[u8]) -> u64;
    /// Reads the annotation in a cell.
    fn load(cell: &Self::Cell) -> Self::Digest;
    /// Writes an annotation to a cell.
    fn store(cell: &Self::Cell, digest: Self::Digest);
}

/// Annotates each node with the digest of its subtree, under suite `S`.
///
/// Source: Crosby & Wallach 2010, section 3 (`x.H`), in the leaf-oriented form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Authenticated<S>(core::marker::PhantomData<S>);

impl<S: Suite> Annotation for Authenticated<S> {
    type Digest = S::Digest;
    type Cell = [AtomicU64; 4];
    const HASHES: bool = true;

    #[inline]
    fn leaf(key: &[u8], value: &[u8]) -> S::Digest {
        S::leaf(key, &S::value(value))
    }

    #[inline]
    fn node(left: &S::Digest, right: &S::Digest) -> S::Digest {
        S::node(Domain::TreeNode, left, right)
    }

    fn empty() -> S::Digest {
        S::empty_tree()
    }

    #[inline]
    fn key_bits(key: &[u8]) -> u64 {
        first_bits(S::hash(Domain::KeyRank, &[key]).as_ref())
    }

    #[inline]
    fn load(cell: &[AtomicU64; 4]) -> S::Digest {
        S::Digest::from_words(cell.each_ref().map(|word| word.load(Ordering::Relaxed)))
    }

    #[inline]
    fn store(cell: &[AtomicU64; 4], digest: S::Digest) {
        for (cell, word) in cell.iter().zip(digest.to_words()) {
            cell.store(word, Ordering::Relaxed);
        }
    }
}

/// No annotation: the tree is an ordinary persistent search tree, for example the index of a tuple
/// dictionary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Plain;

impl Annotation for Plain {
    type Digest = ();
    type Cell = ();
    const HASHES: bool = false;

    #[inline]
    fn leaf(_: &[u8], _: &[u8]) {}

    #[inline]
    fn node((): &(), (): &()) {}

    fn empty() {}

    #[inline]
    fn key_bits(key: &[u8]) -> u64 {
        first_bits(Sha256Ed25519::hash(Domain::KeyRank, &[key]).as_ref())
    }

    #[inline]
    fn load((): &()) {}

    #[inline]
    fn store((): &(), (): ()) {}
}

fn first_bits(digest: &[u8]) -> u64 {
    digest
        .first_chunk()
        .map_or(0, |bytes| u64::from_be_bytes(*bytes))
}
