//! A Merkle tree over a set, with leaves in the order in which the elements are given.

use std::collections::HashMap;

use pad_core::{Suite, internals::Domain};

/// A perfect Merkle tree over the digests of elements, padded with empty digests. A new element
/// takes the leaf of the element that it replaces.
#[derive(Clone, Debug)]
pub struct MerkleSet<S: Suite> {
    /// Digests of each level, from the leaves up to the root. The number of leaves is a power of
    /// two.
    levels: Vec<Vec<S::Digest>>,
    places: HashMap<Vec<u8>, usize>,
}

impl<S: Suite> MerkleSet<S> {
    /// Builds the tree over distinct elements.
    pub fn new(elements: &[Vec<u8>]) -> Self {
        let mut level: Vec<S::Digest> = elements.iter().map(|it| S::value(it)).collect();
        level.resize(elements.len().next_power_of_two(), S::Digest::default());
        let mut levels = vec![level];
        while let Some(last) = levels.last().filter(|level| level.len() > 1) {
            let (pairs, _) = last.as_chunks::<2>();
            let level = pairs.iter().map(|[left, right]| node::<S>(left, right));
            let level = level.collect();
            levels.push(level);
        }
        let places = elements.iter().cloned().zip(0..).collect();
        Self { levels, places }
    }

    /// Returns the root, which an author signs.
    pub fn root(&self) -> S::Digest {
        let root = self.levels.last().and_then(|level| level.first());
        root.copied().unwrap_or_default()
    }

    /// Returns the number of levels above the leaves.
    pub fn depth(&self) -> usize {
        self.levels.len() - 1
    }

    /// Replaces the element `old` by `new`.
    ///
    /// # Panics
    /// If `old` is not in the set.
    pub fn replace(&mut self, old: &[u8], new: &[u8]) {
        let place = self.places.remove(old);
        let mut place = place.expect("bench: the element is in the set");
        self.places.insert(new.to_vec(), place);
        self.levels[0][place] = S::value(new);
        for height in 1..self.levels.len() {
            place /= 2;
            let below = &self.levels[height - 1];
            self.levels[height][place] = node::<S>(&below[2 * place], &below[2 * place + 1]);
        }
    }

    /// Returns the proof of an element; `None` if it is not in the set.
    pub fn prove(&self, element: &[u8]) -> Option<MerkleProof<S>> {
        let place = *self.places.get(element)?;
        let below_root = &self.levels[..self.depth()];
        let levels = below_root.iter().zip(0..);
        let siblings = levels.map(|(level, height)| level[(place >> height) ^ 1]);
        Some(MerkleProof {
            place,
            siblings: siblings.collect(),
        })
    }
}

/// Proof that a [`MerkleSet`] contains an element: the index of its leaf, and the siblings on the
/// path to the root.
#[derive(Clone, Debug)]
pub struct MerkleProof<S: Suite> {
    /// Index of the leaf, from 0.
    pub place: usize,
    /// Siblings on the path, from the leaf's sibling up.
    pub siblings: Vec<S::Digest>,
}

impl<S: Suite> MerkleProof<S> {
    /// Computes the root that this proof results in if the leaf contains `element`.
    pub fn root(&self, element: &[u8]) -> S::Digest {
        let siblings = self.siblings.iter().zip(0..);
        siblings.fold(S::value(element), |below, (sibling, height)| {
            match (self.place >> height) & 1 {
                0 => node::<S>(&below, sibling),
                _ => node::<S>(sibling, &below),
            }
        })
    }

    /// Returns the bytes of the proof: four for the index of the leaf, and the sibling digests.
    pub fn bytes(&self) -> usize {
        size_of::<u32>() + self.siblings.len() * size_of::<S::Digest>()
    }
}

fn node<S: Suite>(left: &S::Digest, right: &S::Digest) -> S::Digest {
    S::node(Domain::TreeNode, left, right)
}
