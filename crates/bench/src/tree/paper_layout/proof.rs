//! Proofs: the search path, with each node's key, digest of its value, and authenticator of the
//! other child.

use std::cmp::Ordering;

use pad_core::{Answer, Key, Suite, Value};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Tree, authenticator, combine};

/// The search path of a key, from the root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct PathProof<S: Suite> {
    /// Key, digest of the value, and authenticator of the child off the path.
    pub(super) path: Vec<(Key, S::Digest, S::Digest)>,
    /// Value, and the authenticators of the children of its node; `None` if the path ends without
    /// the key.
    pub(super) end: Option<(Value, [S::Digest; 2])>,
}

/// Error returned when a proof is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ProofError {
    /// The key is on the path to the proved node.
    #[error("the search would have ended above")]
    KeyOnPath,
    /// The path leads to another root.
    #[error("the proof is of another tree")]
    WrongRoot,
}

impl<S: Suite> PathProof<S> {
    /// Makes the proof of a present or of an absent key.
    pub fn new(tree: &Tree<S>, key: &Key) -> Self {
        let (mut path, mut next) = (Vec::new(), tree);
        while let Some(node) = next {
            let (below, sibling) = match key.cmp(&node.key) {
                Ordering::Less => (&node.left, &node.right),
                Ordering::Greater => (&node.right, &node.left),
                Ordering::Equal => {
                    let children = [&node.left, &node.right].map(authenticator);
                    let end = Some((node.value.clone(), children));
                    return Self { path, end };
                }
            };
            path.push((
                node.key.clone(),
                node.value_digest(),
                authenticator(sibling),
            ));
            next = below;
        }
        Self { path, end: None }
    }

    /// Verifies the proof for a key under a root.
    ///
    /// Every side of the path follows from comparing keys. So a path that ends without the key
    /// proves absence in a search tree.
    ///
    /// # Errors
    /// [`ProofError`].
    pub fn verify(&self, root: &S::Digest, key: &Key) -> Result<Answer, ProofError> {
        let (mut digest, answer) = match &self.end {
            Some((value, children)) => {
                let digest = combine::<S>(key, &S::value(value.as_bytes()), children);
                (digest, Answer::Present(value.clone()))
            }
            None => (S::Digest::default(), Answer::Absent),
        };
        for (above, value, sibling) in self.path.iter().rev() {
            let children = match key.cmp(above) {
                Ordering::Less => [digest, *sibling],
                Ordering::Greater => [*sibling, digest],
                Ordering::Equal => return Err(ProofError::KeyOnPath),
            };
            digest = combine::<S>(above, value, &children);
        }
        if digest == *root {
            Ok(answer)
        } else {
            Err(ProofError::WrongRoot)
        }
    }

    /// Returns the number of hashes of a check: of the path, and of a present entry and its value.
    pub const fn hashes(&self) -> usize {
        self.path.len() + if self.end.is_some() { 2 } else { 0 }
    }
}
