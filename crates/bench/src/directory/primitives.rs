//! Primitives that bound the work: nodes, SHA-384, products, output of BLAKE3.

use std::hint::black_box;

use block_directory::strategy::{AdSum1600, Combination, LtLanes, MuProduct1024, MuProduct3072};
use pad_core::{Domain, Sha256Ed25519, Suite as _};
use serde::Serialize;
use sha2::{Digest as _, Sha384};

use crate::{primitives, timing::Effort};

/// Primitives on one core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Primitives {
    /// A node that waits for the one before.
    pub(super) node_chained_ns: f64,
    /// A node over inputs that are known in advance.
    pub(super) node_independent_ns: f64,
    /// SHA-384 of one block: the node of the baseline, and each hash of a leaf's element.
    pub(super) sha384_block_ns: f64,
    /// SHA-384 of two blocks: each hash of an upper element of `ad-hash-1600` or `mu-hash-1024`.
    pub(super) sha384_two_blocks_ns: f64,
    /// SHA-384 of four blocks: each hash of an upper element of `mu-hash-3072`.
    pub(super) sha384_four_blocks_ns: f64,
    /// SHA-256 of 2 048 bytes, for each byte: used by `flat` and by the summaries of `lt-hash`.
    pub(super) sha256_byte_ns: f64,
    /// A sum modulo 2^1600.
    pub(super) sum_1600_ns: f64,
    /// A product modulo the prime of 1 024 bits.
    pub(super) product_1024_ns: f64,
    /// An inverse modulo the prime of 1 024 bits.
    pub(super) inverse_1024_ns: f64,
    /// A product modulo the prime of 3 072 bits.
    pub(super) product_3072_ns: f64,
    /// An inverse modulo the prime of 3 072 bits.
    pub(super) inverse_3072_ns: f64,
    /// 2 048 bytes of output of BLAKE3.
    pub(super) blake3_output_ns: f64,
    /// The sum of all lanes of `lt-hash`.
    pub(super) lanes_ns: f64,
    /// A signature on a head.
    pub(super) sign_us: f64,
}

impl Primitives {
    /// Measures all.
    pub(super) fn measure(effort: &Effort) -> Self {
        let hashes = primitives::Primitives::measure::<Sha256Ed25519>(effort);
        let product_1024_ns = combine_ns::<MuProduct1024>(effort);
        let product_3072_ns = combine_ns::<MuProduct3072>(effort);
        Self {
            node_chained_ns: hashes.node_hash_ns,
            node_independent_ns: hashes.node_hash_independent_ns,
            sha384_block_ns: sha384_ns(effort, 97),
            sha384_two_blocks_ns: sha384_ns(effort, 234),
            sha384_four_blocks_ns: sha384_ns(effort, 418),
            sha256_byte_ns: sha256_ns(effort) / 2_048.0,
            sum_1600_ns: combine_ns::<AdSum1600>(effort),
            product_1024_ns,
            inverse_1024_ns: (remove_ns::<MuProduct1024>(effort) - product_1024_ns).max(0.0),
            product_3072_ns,
            inverse_3072_ns: (remove_ns::<MuProduct3072>(effort) - product_3072_ns).max(0.0),
            blake3_output_ns: blake3_ns(effort),
            lanes_ns: combine_ns::<LtLanes>(effort),
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

fn combine_ns<C: Combination>(effort: &Effort) -> f64 {
    let (mut value, other) = two_elements::<C>();
    effort.each_ns(|| C::combine(black_box(&mut value), black_box(&other)))
}

fn remove_ns<C: Combination>(effort: &Effort) -> f64 {
    let (mut value, other) = two_elements::<C>();
    effort.each_ns(|| C::remove(black_box(&mut value), black_box(&other)))
}

fn two_elements<C: Combination>() -> (C::Value, C::Value) {
    let element = |byte: u8| C::element(&[&[byte]]).expect("bench: an attempt hits");
    (element(1), element(2))
}
