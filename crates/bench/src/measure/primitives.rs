//! Times of a suite's primitives on this machine: hashes, signatures and their verification.

use std::hint::black_box;

use ed25519_dalek::{Signer, SigningKey};
use pad_core::{
    AuthorKey, Suite,
    internals::{DigestBytes, Domain},
};
use serde::{Deserialize, Serialize};

use crate::{timing::Effort, workload::VALUE_LENGTH};

/// Times of a suite's primitives: medians of several batches.
///
/// Unless stated otherwise, the input of a hash contains the digest computed just before, as on the
/// path from a leaf to the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Primitives {
    /// Time to hash an inner node, in nanoseconds.
    pub node_hash_ns: f64,
    /// Time to hash an inner node whose inputs are known in advance, in nanoseconds.
    pub node_hash_independent_ns: f64,
    /// Time to hash a leaf with a key of 8 bytes and the digest of its value, in nanoseconds.
    pub leaf_hash_ns: f64,
    /// Time to hash a value of 32 bytes, in nanoseconds.
    pub value_hash_ns: f64,
    /// Time to hash a value of 1 KiB, in nanoseconds.
    pub value_hash_1k_ns: f64,
    /// Time to hash a value of 64 KiB, in nanoseconds.
    pub value_hash_64k_ns: f64,
    /// Time to sign a message as long as the signed message of a head, in microseconds.
    pub sign_us: f64,
    /// Time of the strict verification of a signature on a message of this length, in microseconds.
    pub verify_signature_us: f64,
}

impl Primitives {
    /// Measures the primitives from which lower bounds are computed: all except hashes of long
    /// values.
    pub fn measure<S: Suite>(effort: &Effort) -> Self {
        let start = S::value(b"start");
        let (sign_us, verify_signature_us) = signature_us(effort, 60 + 2 * S::Digest::LENGTH);
        Self {
            node_hash_ns: effort.primitive_ns(|calls| {
                black_box(repeat(calls, start, |last| {
                    S::node(Domain::TreeNode, &last, &start)
                }));
            }),
            node_hash_independent_ns: independent_ns::<S>(effort),
            leaf_hash_ns: effort.primitive_ns(|calls| {
                black_box(repeat(calls, start, |last| S::leaf(b"01234567", &last)));
            }),
            value_hash_ns: value_ns::<S>(effort, VALUE_LENGTH),
            sign_us,
            verify_signature_us,
            ..Self::default()
        }
    }

    /// Measures all primitives, including hashes of long values.
    pub fn measure_all<S: Suite>(effort: &Effort) -> Self {
        Self {
            value_hash_1k_ns: value_ns::<S>(effort, 1 << 10),
            value_hash_64k_ns: value_ns::<S>(effort, 64 << 10),
            ..Self::measure::<S>(effort)
        }
    }

    /// Averages two measurements. They may be made before and after work whose lower bound is
    /// computed from their mean.
    #[must_use]
    pub fn mean(self, other: Self) -> Self {
        Self {
            node_hash_ns: self.node_hash_ns.midpoint(other.node_hash_ns),
            node_hash_independent_ns: self
                .node_hash_independent_ns
                .midpoint(other.node_hash_independent_ns),
            leaf_hash_ns: self.leaf_hash_ns.midpoint(other.leaf_hash_ns),
            value_hash_ns: self.value_hash_ns.midpoint(other.value_hash_ns),
            value_hash_1k_ns: self.value_hash_1k_ns.midpoint(other.value_hash_1k_ns),
            value_hash_64k_ns: self.value_hash_64k_ns.midpoint(other.value_hash_64k_ns),
            sign_us: self.sign_us.midpoint(other.sign_us),
            verify_signature_us: self.verify_signature_us.midpoint(other.verify_signature_us),
        }
    }
}

/// Returns the author's fixed signing key, the same in all measurements.
pub fn signing_key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

/// Returns the public half of [`signing_key`].
pub fn author_key() -> AuthorKey {
    AuthorKey::from_bytes(&signing_key().verifying_key().to_bytes())
        .expect("primitives: the public half of a signing key is a valid key")
}

/// Calls `function` `calls` times: first on `start`, then each time on the previous result.
#[inline]
pub fn repeat<T>(calls: u32, start: T, function: impl Fn(T) -> T) -> T {
    (0..calls).fold(black_box(start), |last, _| function(last))
}

/// Measures the nanoseconds of hashing an inner node whose inputs are known in advance.
fn independent_ns<S: Suite>(effort: &Effort) -> f64 {
    let inputs: Vec<S::Digest> = (0..64_u8).map(|byte| S::value(&[byte])).collect();
    effort.primitive_ns(|calls| {
        for (_, pair) in (0..calls).zip(inputs.windows(2).cycle()) {
            black_box(S::node(Domain::TreeNode, &pair[0], &pair[1]));
        }
    })
}

/// Measures the nanoseconds of hashing a value of `length` bytes that begins with the digest
/// computed just before.
fn value_ns<S: Suite>(effort: &Effort, length: usize) -> f64 {
    let mut value = vec![0; length];
    effort.primitive_ns(|calls| {
        for _ in 0..calls {
            let digest = S::value(&value);
            value[..S::Digest::LENGTH].copy_from_slice(digest.as_ref());
        }
        black_box(&value);
    })
}

/// Measures the microseconds of signing a message of `length` bytes, and of verifying the
/// signature.
fn signature_us(effort: &Effort, length: usize) -> (f64, f64) {
    let (signer, public) = (signing_key(), author_key());
    let mut message = vec![0; length];
    let sign = effort.primitive_ns(|calls| {
        for _ in 0..calls {
            let signature = signer.sign(&message);
            message[..32].copy_from_slice(signature.r_bytes());
        }
    });
    let signature = signer.sign(&message);
    let verify = effort.primitive_ns(|calls| {
        for _ in 0..calls {
            let verified = public.verify(black_box(&message), black_box(&signature));
            assert!(
                verified.is_ok(),
                "primitives: the signature is the author's"
            );
        }
    });
    (sign / 1e3, verify / 1e3)
}
