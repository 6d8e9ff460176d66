//! Primitives that bound the work of directories: tree nodes, SHA-384, products, output of BLAKE3.

use std::hint::black_box;

use block_directory::internals::strategy::{
    AdSum1600, Combination, LtLanes, MuProduct1024, MuProduct3072,
};
use pad_core::{Sha256Ed25519, Suite as _, internals::Domain};
use serde::Serialize;
use sha2::{Digest as _, Sha384};

use crate::{primitives, timing::Effort};

/// Measured times of the primitives on one core, in nanoseconds (`_ns`) or microseconds (`_us`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Primitives {
    /// Hashing a tree node whose input is the digest computed just before.
    pub(super) node_chained_ns: f64,
    /// Hashing a tree node whose inputs are known in advance.
    pub(super) node_independent_ns: f64,
    /// SHA-384 of one block of input: a node of the baseline, and each hash for an element of level
    /// 0.
    pub(super) sha384_block_ns: f64,
    /// SHA-384 of two blocks of input: each hash for an element above level 0 in `ad-hash-1600` or
    /// `mu-hash-1024`.
    pub(super) sha384_two_blocks_ns: f64,
    /// SHA-384 of four blocks of input: each hash for an element above level 0 in `mu-hash-3072`.
    pub(super) sha384_four_blocks_ns: f64,
    /// SHA-256 per byte of input, measured with 2 048 bytes: used by `flat` and by the summaries of
    /// `lt-hash`.
    pub(super) sha256_byte_ns: f64,
    /// A sum modulo 2^1600, for `ad-hash-1600`.
    pub(super) sum_1600_ns: f64,
    /// A product modulo the 1 024-bit prime of `mu-hash-1024`.
    pub(super) product_1024_ns: f64,
    /// An inverse modulo the 1 024-bit prime of `mu-hash-1024`.
    pub(super) inverse_1024_ns: f64,
    /// A product modulo the 3 072-bit prime of `mu-hash-3072`.
    pub(super) product_3072_ns: f64,
    /// An inverse modulo the 3 072-bit prime of `mu-hash-3072`.
    pub(super) inverse_3072_ns: f64,
    /// BLAKE3 with 2 048 bytes of output: an element of `lt-hash`.
    pub(super) blake3_output_ns: f64,
    /// Sum of two elements of `lt-hash`, which are vectors of lanes.
    pub(super) lanes_ns: f64,
    /// Signing the head of a version.
    pub(super) sign_us: f64,
}

impl Primitives {
    /// Measures all primitives.
    pub(super) fn measure(effort: &Effort) -> Self {
        let hashes = primitives::Primitives::measure::<Sha256Ed25519>(effort);
        let product_1024_ns = operation_ns::<MuProduct1024>(effort, MuProduct1024::combine);
        let product_3072_ns = operation_ns::<MuProduct3072>(effort, MuProduct3072::combine);
        let removal_1024_ns = operation_ns::<MuProduct1024>(effort, MuProduct1024::remove);
        let removal_3072_ns = operation_ns::<MuProduct3072>(effort, MuProduct3072::remove);
        Self {
            node_chained_ns: hashes.node_hash_ns,
            node_independent_ns: hashes.node_hash_independent_ns,
            sha384_block_ns: sha384_ns(effort, 97),
            sha384_two_blocks_ns: sha384_ns(effort, 234),
            sha384_four_blocks_ns: sha384_ns(effort, 418),
            sha256_byte_ns: sha256_ns(effort) / 2_048.0,
            sum_1600_ns: operation_ns::<AdSum1600>(effort, AdSum1600::combine),
            product_1024_ns,
            inverse_1024_ns: (removal_1024_ns - product_1024_ns).max(0.0),
            product_3072_ns,
            inverse_3072_ns: (removal_3072_ns - product_3072_ns).max(0.0),
            blake3_output_ns: blake3_ns(effort),
            lanes_ns: operation_ns::<LtLanes>(effort, LtLanes::combine),
            sign_us: hashes.sign_us,
        }
    }
}

fn sha384_ns(effort: &Effort, bytes: usize) -> f64 {
    let input = vec![7; bytes];
    effort.each_ns(|| Sha384::digest(black_box(&input)))
}

fn sha256_ns(effort: &Effort) -> f64 {
    let input = [7; 2_048];
    effort.each_ns(|| Sha256Ed25519::hash(Domain::BlockLtState, &[black_box(&input)]))
}

fn blake3_ns(effort: &Effort) -> f64 {
    let mut output = [0; 2_048];
    effort.each_ns(|| {
        let mut hasher = blake3::Hasher::new_keyed(&Domain::BlockLtHash.block());
        hasher.update(black_box(&[7; 42]));
        hasher.finalize_xof().fill(&mut output);
        output[0]
    })
}

fn operation_ns<C: Combination>(
    effort: &Effort,
    operate: impl Fn(&mut C::Value, &C::Value),
) -> f64 {
    let element = |byte: u8| C::element(&[&[byte]]).expect("bench: an attempt hits");
    let (mut value, other) = (element(1), element(2));
    effort.each_ns(|| operate(black_box(&mut value), black_box(&other)))
}
