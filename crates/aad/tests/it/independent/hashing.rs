//! Hashes, transcripts and scalars of prefixes: sections 3 to 5 of the specification.

use bls12_381::Scalar;
use sha2::{Digest as _, Sha256, block_api::compress256};

pub(super) type Hash = [u8; 32];

fn tag_block(tag: &str) -> [u8; 64] {
    let mut block = [0; 64];
    block[..tag.len()].copy_from_slice(tag.as_bytes());
    block
}

/// SHA-256 of the tag's block and these parts.
pub(super) fn hash(tag: &str, parts: &[&[u8]]) -> Hash {
    let mut sha = Sha256::new_with_prefix(tag_block(tag));
    for part in parts {
        sha.update(part);
    }
    sha.finalize().into()
}

/// Two compressions from SHA-256's initial state, without padding.
pub(super) fn node(tag: &str, left: &Hash, right: &Hash) -> Hash {
    let mut state = [
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ];
    let pair: [u8; 64] = [*left, *right].as_flattened().try_into().unwrap();
    compress256(&mut state, &[tag_block(tag), pair]);
    let words = state.map(u32::to_be_bytes);
    words.as_flattened().try_into().unwrap()
}

pub(super) fn pair(left: &Hash, right: &Hash) -> Hash {
    node("pad/v1/aad-pair", left, right)
}

pub(super) fn leaf(position: u64, element: &[u8]) -> Hash {
    hash("pad/v1/aad-leaf", &[&position.to_be_bytes(), element])
}

/// The hash of a node with an accumulator.
pub(super) fn sealed(level: u32, accumulator: &[u8], inner: &Hash) -> Hash {
    let level = [u8::try_from(level).unwrap()];
    hash("pad/v1/aad-node", &[&level, accumulator, inner])
}

/// The bag of these hashes, of which there is at least one.
pub(super) fn bag(hashes: &[Hash]) -> Hash {
    let (last, before) = hashes.split_last().unwrap();
    let join = |bag, hash: &Hash| node("pad/v1/aad-bag", hash, &bag);
    before.iter().rev().fold(*last, join)
}

/// `D_n`; without a bag that of nothing.
pub(super) fn root_digest(id: &Hash, size: u64, bag: Option<Hash>) -> Hash {
    match bag {
        None => hash("pad/v1/empty-tree", &[]),
        Some(bag) => hash("pad/v1/aad-root", &[id, &size.to_be_bytes(), &bag]),
    }
}

pub(super) fn key_half(key: &[u8]) -> Hash {
    hash("pad/v1/aad-key", &[key])
}

pub(super) fn value_half(value: &[u8], occurrence: u64) -> Hash {
    let value = hash("pad/v1/value", &[value]);
    hash("pad/v1/aad-value", &[&value, &occurrence.to_be_bytes()])
}

pub(super) fn member(member: &[u8]) -> Hash {
    hash("pad/v1/aad-element", &[member])
}

/// `hf` of the first bits of a string.
pub(super) fn prefix_scalar(string: &[u8], length: usize) -> Scalar {
    let mut bits = string[..length.div_ceil(8)].to_vec();
    if !length.is_multiple_of(8) {
        *bits.last_mut().unwrap() &= 0xff << (8 - length % 8);
    }
    let length = u16::try_from(length).unwrap().to_be_bytes();
    let mut digest = hash("pad/v1/aad-prefix", &[&length, &bits]);
    digest[0] &= 0x3f;
    scalar(&digest).unwrap()
}

/// The scalar with these bytes, if it is below the order.
pub(super) fn scalar(bytes: &Hash) -> Option<Scalar> {
    let mut bytes = *bytes;
    bytes.reverse();
    Scalar::from_bytes(&bytes).into()
}

/// The inputs of a challenge.
pub(super) struct Transcript(Vec<u8>);

impl Transcript {
    pub(super) fn new(id: &Hash, name: &str) -> Self {
        Self(Vec::new()).with(id).with(name.as_bytes())
    }

    pub(super) fn with(mut self, part: &[u8]) -> Self {
        let length = u64::try_from(part.len()).unwrap();
        self.0.extend_from_slice(&length.to_be_bytes());
        self.0.extend_from_slice(part);
        self
    }

    /// A challenge, and what goes on from there.
    pub(super) fn challenge(self) -> (Scalar, Self) {
        let digest = hash("pad/v1/accumulator-transcript", &[&self.0]);
        let half = |counter: u8| hash("pad/v1/accumulator-expand", &[&digest, &[counter]]);
        let mut wide: [u8; 64] = [half(0), half(1)].as_flattened().try_into().unwrap();
        wide.reverse();
        let rest = Self(Vec::new()).with(&digest);
        (Scalar::from_bytes_wide(&wide), rest)
    }
}
