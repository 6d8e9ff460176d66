//! Node hashes of a list (specified byte for byte in `docs/format`).
//!
//! Deviation: the paper hashes rank, level and two neighbours. Here a leaf also hashes its block's
//! length, and an inner node the rank of each child. Without the length, a server can move bytes
//! between a block and its neighbour. Without the ranks, it can move bytes between two subtrees. No
//! audit challenge would then select these bytes.

use alloc::vec::Vec;
use core::fmt::Debug;

use pad_core::Digest;
use sha2::{Digest as _, block_api::compress256};

/// A hash function for the nodes of a list. Implementations are zero-sized types.
pub trait NodeHash: Copy + Debug + Default + Eq + Send + Sync + 'static {
    /// Hashes a byte string of at most a few hundred bytes.
    fn hash(bytes: &[u8]) -> Digest<32>;
}

/// SHA-256, the default. With SHA instructions it is twice as fast as BLAKE3 on the 82 bytes of a
/// node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sha256;

impl NodeHash for Sha256 {
    #[inline]
    fn hash(bytes: &[u8]) -> Digest<32> {
        if bytes.len() < 64 || bytes.len() >= 128 - 8 {
            return Digest(sha2::Sha256::digest(bytes).into());
        }
        two_blocks(bytes)
    }
}

/// SHA-256 of an input of 64 to 119 bytes (two blocks of SHA-256). Avoids the buffering of the
/// general function, which costs a fifth more.
#[inline]
fn two_blocks(bytes: &[u8]) -> Digest<32> {
    let mut blocks = [[0; 64]; 2];
    let padded = blocks.as_flattened_mut();
    if let Some((message, padding)) = padded.split_at_mut_checked(bytes.len()) {
        message.copy_from_slice(bytes);
        if let Some(first) = padding.first_mut() {
            *first = 0x80;
        }
    }
    let bits = u64::try_from(bytes.len()).unwrap_or(0) << 3;
    if let Some(last) = padded.last_chunk_mut() {
        *last = bits.to_be_bytes();
    }
    let mut state = INITIAL_STATE;
    compress256(&mut state, &blocks);
    let mut digest = [0; 32];
    for (word, bytes) in state.iter().zip(digest.as_chunks_mut().0) {
        *bytes = word.to_be_bytes();
    }
    Digest(digest)
}

/// SHA-256's initial state (FIPS 180-4, section 5.3.3).
const INITIAL_STATE: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

const INNER: u8 = 0x00;
const DATA_LEAF: u8 = 0x01;
const LEFT_SENTINEL: u8 = 0x02;
const RIGHT_SENTINEL: u8 = 0x03;
const TAG: u8 = 0x05;

/// The digest hashed in place of an absent after child: 32 zero bytes.
pub(crate) const EMPTY: Digest<32> = Digest([0; 32]);

/// Hashes `committed`, the committed part of a block's tag, into the digest that the block's leaf
/// stores.
pub fn tag_digest<H: NodeHash>(committed: &[u8]) -> Digest<32> {
    let mut bytes = Vec::with_capacity(committed.len().saturating_add(1));
    bytes.push(TAG);
    bytes.extend_from_slice(committed);
    H::hash(&bytes)
}

/// The rank (number of bytes) and hash of a child, as input of its parent's hash.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Child {
    pub(crate) rank: u64,
    pub(crate) digest: Digest<32>,
}

impl Child {
    /// The input for an absent after child: rank 0 and [`EMPTY`].
    pub(crate) const NONE: Self = Self {
        rank: 0,
        digest: EMPTY,
    };
}

/// Returns the hash of an inner node. The hash input is 82 bytes.
#[inline]
pub(crate) fn inner<H: NodeHash>(level: u8, below: Child, after: Child) -> Digest<32> {
    let mut bytes = [0; 82];
    bytes[0] = INNER;
    bytes[1] = level;
    bytes[2..10].copy_from_slice(&below.rank.to_be_bytes());
    bytes[10..18].copy_from_slice(&after.rank.to_be_bytes());
    bytes[18..50].copy_from_slice(&below.digest.0);
    bytes[50..].copy_from_slice(&after.digest.0);
    H::hash(&bytes)
}

/// Returns the hash of a leaf: of a block, or of the left sentinel, whose `length` is 0. The hash
/// input is 81 bytes.
#[inline]
pub(crate) fn leaf<H: NodeHash>(length: u64, tag_digest: &Digest<32>, after: Child) -> Digest<32> {
    let kind = if length == 0 {
        LEFT_SENTINEL
    } else {
        DATA_LEAF
    };
    leaf_of_kind::<H>(kind, length, tag_digest, after)
}

/// Returns the hash of the right sentinel (the end node of every list), a constant for each `H`.
pub(crate) fn right_sentinel<H: NodeHash>() -> Digest<32> {
    leaf_of_kind::<H>(RIGHT_SENTINEL, 0, &EMPTY, Child::NONE)
}

#[inline]
fn leaf_of_kind<H: NodeHash>(
    kind: u8,
    length: u64,
    tag_digest: &Digest<32>,
    after: Child,
) -> Digest<32> {
    let mut bytes = [0; 81];
    bytes[0] = kind;
    bytes[1..9].copy_from_slice(&length.to_be_bytes());
    bytes[9..17].copy_from_slice(&after.rank.to_be_bytes());
    bytes[17..49].copy_from_slice(&tag_digest.0);
    bytes[49..].copy_from_slice(&after.digest.0);
    H::hash(&bytes)
}
