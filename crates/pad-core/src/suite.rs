//! Cryptographic suites: a choice of hash function, digest width and signature.
//!
//! A suite is a zero-sized type. Its id is part of every signed head and of the envelopes of the
//! suite's messages. Data made under one suite does not verify under another. All current suites
//! sign with Ed25519 (RFC 8032, verified strictly); see `docs/format`.

use core::fmt::Debug;

use crate::digest::{Digest, DigestBytes, Domain};

mod sha256;

/// The number of a suite in signed heads and envelopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SuiteId(pub u16);

/// A choice of hash function, digest width and signature.
///
/// Laws: `node` and `hash` are deterministic and collision resistant. Digests under two different
/// domains never collide, short of breaking the hash function. A domain is used with `node` or with
/// `hash`, never with both: under BLAKE3, both functions return the same digest for the same 64
/// bytes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a suite of hash function and signature",
    label = "not a suite",
    note = "suites are `Sha256Ed25519`, `Blake3Ed25519` and `Paper2010`"
)]
pub trait Suite: Copy + Clone + Debug + Default + Eq + Send + Sync + 'static {
    /// The number of this suite in signed heads and envelopes.
    const ID: SuiteId;
    /// The display name of this suite, for example `sha256-ed25519`.
    const NAME: &'static str;
    /// The type of this suite's digests.
    type Digest: DigestBytes;

    /// The digest of an inner node: one compression of exactly two digests.
    ///
    /// `domain` must be [`Domain::TreeNode`], [`Domain::HistoryNode`], [`Domain::AadPair`],
    /// [`Domain::AadBag`], [`Domain::HashChain`], [`Domain::DirectoryEntry`] or
    /// [`Domain::DirectoryNode`].
    #[doc(hidden)]
    fn node(domain: Domain, left: &Self::Digest, right: &Self::Digest) -> Self::Digest;

    /// The digest of the concatenation of `parts`. The caller ensures that different lists of parts
    /// have different concatenations.
    #[doc(hidden)]
    fn hash(domain: Domain, parts: &[&[u8]]) -> Self::Digest;

    /// The digest of a value of a dictionary.
    #[inline]
    fn value(value: &[u8]) -> Self::Digest {
        Self::hash(Domain::Value, &[value])
    }

    /// The digest of a tree's leaf, from its key and the digest of its value.
    ///
    /// The value digest has a fixed width, so different pairs of key and digest are hashed as
    /// different bytes.
    #[inline]
    #[doc(hidden)]
    fn leaf(key: &[u8], value_digest: &Self::Digest) -> Self::Digest {
        Self::hash(Domain::TreeLeaf, &[key, value_digest.as_ref()])
    }

    /// The root of a dictionary without entries, of any scheme.
    #[doc(hidden)]
    fn empty_tree() -> Self::Digest {
        Self::hash(Domain::EmptyTree, &[])
    }

    /// The root of a history log without entries.
    #[doc(hidden)]
    fn empty_history() -> Self::Digest {
        Self::hash(Domain::EmptyHistory, &[])
    }
}

/// SHA-256 with Ed25519, the default suite. On a CPU with SHA instructions, it is the fastest suite
/// for small nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sha256Ed25519;

impl Suite for Sha256Ed25519 {
    const ID: SuiteId = SuiteId(1);
    const NAME: &'static str = "sha256-ed25519";
    type Digest = Digest<32>;

    #[inline]
    fn node(domain: Domain, left: &Digest<32>, right: &Digest<32>) -> Digest<32> {
        Digest(sha256::compress_pair(domain, &left.0, &right.0))
    }

    #[inline]
    fn hash(domain: Domain, parts: &[&[u8]]) -> Digest<32> {
        Digest(sha256::hash(domain, parts))
    }
}

/// BLAKE3 (keyed by the domain's tag) with Ed25519.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blake3Ed25519;

impl Suite for Blake3Ed25519 {
    const ID: SuiteId = SuiteId(2);
    const NAME: &'static str = "blake3-ed25519";
    type Digest = Digest<32>;

    #[inline]
    fn node(domain: Domain, left: &Digest<32>, right: &Digest<32>) -> Digest<32> {
        let mut block = [0; 64];
        block[..32].copy_from_slice(&left.0);
        block[32..].copy_from_slice(&right.0);
        Digest(*blake3::keyed_hash(&domain.block(), &block).as_bytes())
    }

    fn hash(domain: Domain, parts: &[&[u8]]) -> Digest<32> {
        let mut hasher = blake3::Hasher::new_keyed(&domain.block());
        for part in parts {
            hasher.update(part);
        }
        Digest(*hasher.finalize().as_bytes())
    }
}

/// SHA-256 truncated to 28 bytes with Ed25519: the digest width of the 2010 measurements.
///
/// Only for comparing sizes with the tables of Crosby & Wallach 2010, section 6 (112-bit security
/// level).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paper2010;

impl Suite for Paper2010 {
    const ID: SuiteId = SuiteId(3);
    const NAME: &'static str = "paper-2010";
    type Digest = Digest<28>;

    #[inline]
    fn node(domain: Domain, left: &Digest<28>, right: &Digest<28>) -> Digest<28> {
        truncate(&sha256::compress_pair(domain, &left.0, &right.0))
    }

    fn hash(domain: Domain, parts: &[&[u8]]) -> Digest<28> {
        truncate(&sha256::hash(domain, parts))
    }
}

fn truncate(digest: &[u8; 32]) -> Digest<28> {
    let mut bytes = [0; 28];
    bytes.copy_from_slice(&digest[..28]);
    Digest(bytes)
}
