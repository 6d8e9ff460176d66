//! Tree proofs made from scratch, in the encoding of [`pad_tree::TreeProof`]. The implementation
//! shares no code with `pad_tree`.
//!
//! [`Tree`] is a tree of boxes. It is read from an honest proof, which may open all leaves. A test
//! can change the tree in any way and hash it. [`Tree::to_mirror`] converts the tree to a
//! [`Mirror`], which has the wire format of a proof. So tests can make dishonest proofs that hash
//! to the correct root.

use pad_core::{Key, Suite, Value, codec, internals::Domain};
use pad_tree::{TreeProof, internals::TreeQuery};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// A tree proof with public fields, in the wire format of [`TreeProof`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Mirror<S: Suite> {
    /// The structure of the open part of the tree: two bits per open node, in pre-order.
    pub shape: Vec<u8>,
    /// The digests of elided subtrees, in the pre-order of their parents.
    pub siblings: Vec<S::Digest>,
    /// The opened leaves, from left to right.
    pub leaves: Vec<Leaf<S>>,
}

/// An opened leaf, in the wire format of a tree proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Leaf<S: Suite> {
    /// The key of the leaf.
    pub key: Key,
    /// The value of the leaf, or only the value's digest.
    pub content: Content<S>,
}

/// The content of an opened leaf, in the wire format of a tree proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum Content<S: Suite> {
    /// Only the digest of the value.
    Digest(S::Digest),
    /// The value itself.
    Value(Value),
}

/// How much of a leaf a proof contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeafDetail {
    /// Nothing but a digest: the leaf is elided, alone or with the subtree around it.
    Elided,
    /// The leaf's key, and the digest of its value.
    Digest,
    /// The leaf's key and value.
    Value,
}

/// A search tree with some subtrees replaced by their digests. Its root digest is computed by plain
/// recursion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree<S: Suite> {
    /// An opened leaf.
    Leaf(Leaf<S>),
    /// An open inner node with its left and right child.
    Inner(Box<Self>, Box<Self>),
    /// An elided subtree: only its digest is known.
    Elided(S::Digest),
}

impl<S: Suite> Mirror<S> {
    /// Converts a proof to a mirror, whose fields are public.
    pub fn of<Q: TreeQuery>(proof: &TreeProof<S, Q>) -> Self {
        reinterpret(proof)
    }

    /// Converts the mirror to a proof, which need not be honest or well-formed.
    pub fn to_proof<Q: TreeQuery>(&self) -> TreeProof<S, Q> {
        reinterpret(self)
    }

    /// Returns the two-bit codes in the shape, as one number from 0 to 3 per open node.
    pub fn codes(&self) -> Vec<u8> {
        let nodes = self.siblings.len() + 2 * self.leaves.len() - 1;
        let code = |node: usize| (self.shape[node / 4] >> (node % 4 * 2)) & 3;
        (0..nodes).map(code).collect()
    }

    /// Returns this mirror with its shape replaced by the codes `codes`, one number from 0 to 3 per
    /// open node.
    #[must_use]
    pub fn with_codes(mut self, codes: &[u8]) -> Self {
        let byte = |codes: &[u8]| codes.iter().rev().fold(0, |byte, code| byte << 2 | code);
        self.shape = codes.chunks(4).map(byte).collect();
        self
    }

    /// Reads the tree that the proof contains. Panics unless the mirror is well-formed, like the
    /// mirror of an honest proof.
    pub fn to_tree(&self) -> Tree<S> {
        let (mut siblings, mut leaves) = (self.siblings.iter(), self.leaves.iter());
        let codes = self.codes();
        let (tree, rest) = read(&codes, &mut siblings, &mut leaves);
        assert!(rest.is_empty() && siblings.next().is_none() && leaves.next().is_none());
        tree
    }
}

fn read<'c, 'a, S: Suite>(
    codes: &'c [u8],
    siblings: &mut impl Iterator<Item = &'a S::Digest>,
    leaves: &mut impl Iterator<Item = &'a Leaf<S>>,
) -> (Tree<S>, &'c [u8]) {
    let (code, rest) = codes.split_first().expect("a code");
    let mut elided = || Tree::Elided(*siblings.next().expect("a digest"));
    match code {
        0 => (Tree::Leaf(leaves.next().expect("a leaf").clone()), rest),
        1 => {
            let left = elided();
            let (right, rest) = read(rest, siblings, leaves);
            (Tree::inner(left, right), rest)
        }
        2 => {
            let right = elided();
            let (left, rest) = read(rest, siblings, leaves);
            (Tree::inner(left, right), rest)
        }
        _ => {
            let (left, rest) = read(rest, siblings, leaves);
            let (right, rest) = read(rest, siblings, leaves);
            (Tree::inner(left, right), rest)
        }
    }
}

impl<S: Suite> Tree<S> {
    /// Creates the inner node with the children `left` and `right`.
    pub fn inner(left: Self, right: Self) -> Self {
        Self::Inner(Box::new(left), Box::new(right))
    }

    /// Computes the digest of this tree from its open nodes and the digests of elided subtrees.
    pub fn digest(&self) -> S::Digest {
        match self {
            Self::Leaf(leaf) => S::leaf(leaf.key.as_bytes(), &leaf.value_digest()),
            Self::Inner(left, right) => S::node(Domain::TreeNode, &left.digest(), &right.digest()),
            Self::Elided(digest) => *digest,
        }
    }

    /// Returns this tree with each open leaf reduced to the detail that `shown` returns for its
    /// key. The root digest does not change.
    #[must_use]
    pub fn shown(&self, shown: &dyn Fn(&Key) -> LeafDetail) -> Self {
        match self {
            Self::Elided(digest) => Self::Elided(*digest),
            Self::Leaf(leaf) => leaf.shown(shown(&leaf.key)),
            Self::Inner(left, right) => match (left.shown(shown), right.shown(shown)) {
                (Self::Elided(left), Self::Elided(right)) => {
                    Self::Elided(S::node(Domain::TreeNode, &left, &right))
                }
                (left, right) => Self::inner(left, right),
            },
        }
    }

    /// Returns the open leaves from left to right.
    pub fn leaves(&self) -> Vec<&Leaf<S>> {
        match self {
            Self::Elided(_) => Vec::new(),
            Self::Leaf(leaf) => vec![leaf],
            Self::Inner(left, right) => [left.leaves(), right.leaves()].concat(),
        }
    }

    /// Converts this tree to a mirror, which lists nodes in pre-order. The tree must not contain an
    /// open node with two elided children, because the format has no code for it.
    pub fn to_mirror(&self) -> Mirror<S> {
        let mut mirror = Mirror {
            shape: Vec::new(),
            siblings: Vec::new(),
            leaves: Vec::new(),
        };
        let mut codes = Vec::new();
        self.write(&mut codes, &mut mirror);
        mirror.with_codes(&codes)
    }

    fn write(&self, codes: &mut Vec<u8>, mirror: &mut Mirror<S>) {
        match self {
            Self::Elided(_) => panic!("an elided subtree is written by its parent"),
            Self::Leaf(leaf) => {
                codes.push(0);
                mirror.leaves.push(leaf.clone());
            }
            Self::Inner(left, right) => match (&**left, &**right) {
                (Self::Elided(_), Self::Elided(_)) => panic!("two elided children have no code"),
                (Self::Elided(digest), open) | (open, Self::Elided(digest)) => {
                    let is_left = matches!(**left, Self::Elided(_));
                    codes.push(if is_left { 1 } else { 2 });
                    mirror.siblings.push(*digest);
                    open.write(codes, mirror);
                }
                (left, right) => {
                    codes.push(3);
                    left.write(codes, mirror);
                    right.write(codes, mirror);
                }
            },
        }
    }
}

impl<S: Suite> Leaf<S> {
    fn value_digest(&self) -> S::Digest {
        match &self.content {
            Content::Digest(digest) => *digest,
            Content::Value(value) => S::value(value.as_bytes()),
        }
    }

    fn shown(&self, shown: LeafDetail) -> Tree<S> {
        let digest = self.value_digest();
        match shown {
            LeafDetail::Elided => Tree::Elided(S::leaf(self.key.as_bytes(), &digest)),
            LeafDetail::Digest => Tree::Leaf(Self {
                content: Content::Digest(digest),
                ..self.clone()
            }),
            LeafDetail::Value => Tree::Leaf(self.clone()),
        }
    }
}

fn reinterpret<A: Serialize, B: Serialize + DeserializeOwned>(original: &A) -> B {
    codec::decode_body(&codec::encode_body(original)).expect("the two have one wire format")
}
