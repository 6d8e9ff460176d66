//! Proofs of trees in the paper's layout. A proof is the search path, with each node's key, the
//! digest of its value, and the authenticator (digest) of its child off the path.

use std::cmp::Ordering;

use pad_core::{Answer, Key, Suite, Value};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Tree, authenticator, combine};

/// Proof that a key is present or absent: the search path of the key, from the root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct PathProof<S: Suite> {
    /// For each node on the path, except the key's own node: the node's key, the digest of its
    /// value, and the authenticator of its child off the path.
    pub(super) path: Vec<(Key, S::Digest, S::Digest)>,
    /// Value of the key, and the authenticators of its node's children; `None` if the key is
    /// absent.
    pub end: Option<(Value, [S::Digest; 2])>,
}

/// Error returned when a proof is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ProofError {
    /// The proved key itself is on the path above its node.
    #[error("the search would have ended above")]
    KeyOnPath,
    /// The proof results in another root.
    #[error("the proof is of another tree")]
    WrongRoot,
}

impl<S: Suite> PathProof<S> {
    /// Makes the proof that `key` is present or absent in `tree`.
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

    /// Verifies under `root` whether `key` is present, and returns its value or its absence.
    ///
    /// Comparing `key` with the keys on the path determines the side at every node. So a path that
    /// ends without the key proves absence in a search tree.
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

    /// Returns the number of hashes that [`Self::verify`] computes. There is one for each node of
    /// the path. A present key adds two, of its node and of its value.
    pub const fn hashes(&self) -> usize {
        self.path.len() + if self.end.is_some() { 2 } else { 0 }
    }
}
