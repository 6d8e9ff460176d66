//! Digests that identify elements before a scheme maps them to primes or scalars.

use core::fmt;

use pad_core::{Digest, Sha256Ed25519, Suite, internals::Domain};

/// Identifies one accumulator by its scheme, its parameters and its label.
///
/// Elements are hashed together with this id. An element, value or witness of one accumulator is
/// therefore meaningless for another, even under the same parameters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AccumulatorId(Digest<32>);

impl AccumulatorId {
    /// Derives the id of the accumulator called `label` over the parameters of a scheme with this
    /// fingerprint.
    ///
    /// Source: ours. `H(accumulator-id, scheme ‖ fingerprint ‖ label)`; only the label's length
    /// varies, so different inputs give different bytes to hash.
    pub fn derive(scheme: SchemeId, fingerprint: &[u8; 32], label: &[u8]) -> Self {
        let parts: [&[u8]; 3] = [&scheme.0.to_be_bytes(), fingerprint, label];
        Self(Sha256Ed25519::hash(Domain::AccumulatorId, &parts))
    }

    /// The id as bytes.
    pub const fn to_bytes(self) -> [u8; 32] {
        self.0.0
    }

    /// Computes the digest of `element` for this accumulator. The element need not be in a set.
    ///
    /// Cost: one hash of 32 bytes and the element.
    pub fn digest_of(self, element: &[u8]) -> ElementDigest {
        let parts: [&[u8]; 2] = [&self.0.0, element];
        ElementDigest(Sha256Ed25519::hash(Domain::AccumulatorElement, &parts))
    }
}

impl fmt::Display for AccumulatorId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl fmt::Debug for AccumulatorId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "AccumulatorId({self})")
    }
}

/// The number that identifies an accumulator scheme in ids, signed bytes and headers of messages.
pub(crate) use pad_core::SchemeId;

/// Identifies an element of one accumulator: the hash of the accumulator's id and the element's
/// bytes.
///
/// SHA-256 is collision resistant, so equal digests identify equal elements of equal accumulators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ElementDigest(Digest<32>);

impl ElementDigest {
    /// Creates a digest from received bytes. Whether they are the hash of an element cannot be
    /// checked.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(Digest(bytes))
    }

    /// The digest's bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0.0
    }

    /// Expands this digest to `N` pseudorandom bytes, from which a scheme derives the element's
    /// prime or scalar.
    ///
    /// Source: ours. Block `i` is `H(accumulator-expand, digest ‖ i)`; at most 256 blocks.
    pub fn expand<const N: usize>(&self) -> [u8; N] {
        const { assert!(N <= 256 * 32, "the block counter is one byte") };
        let mut bytes = [0; N];
        for (index, block) in (0_u8..=u8::MAX).zip(bytes.chunks_mut(32)) {
            let digest = Sha256Ed25519::hash(Domain::AccumulatorExpand, &[&self.0.0, &[index]]);
            block.copy_from_slice(digest.0.split_at(block.len()).0);
        }
        bytes
    }
}

impl fmt::Display for ElementDigest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl fmt::Debug for ElementDigest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ElementDigest({self})")
    }
}
