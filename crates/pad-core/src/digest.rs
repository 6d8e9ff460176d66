//! Fixed-width digests, and the domain-separation tags of hashed and signed data.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::arithmetic_side_effects,
    reason = "lengths are constants; names and hexadecimal digits are checked before arithmetic"
)]

use alloc::string::String;
use core::{fmt, hash::Hash};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, Error, SeqAccess, Visitor},
};

/// Domain of hashed or signed data. Data hashed under different domains never collides. If the
/// comment of a variant contains a colon, the hashed or signed data follows the colon.
///
/// This enum is the only list of tags of dictionaries and accumulators; `docs/format` repeats it.
/// Other users of hashes have their own tags, with other prefixes:
///
/// * BLS signatures (`bls12`): the tags of their standard.
/// * Outsourced files (`flexlist`).
/// * Rows of stores (`pad`), which are never signed.
/// * Deliveries of version notes to servers (`pad-service`), which the author signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// An inner node of a tree dictionary: left digest, right digest.
    TreeNode,
    /// A leaf of a tree dictionary: key, value digest.
    TreeLeaf,
    /// The root of a dictionary without entries, of any scheme: no data.
    EmptyTree,
    /// A value of a dictionary: its bytes.
    Value,
    /// The rank of a key, which determines the shape of a set-unique tree: key.
    KeyRank,
    /// A leaf of the history log (the Merkle tree over all earlier versions): version, root of the
    /// version.
    HistoryLeaf,
    /// An inner node of the history log (the Merkle tree over all earlier versions): left digest,
    /// right digest.
    HistoryNode,
    /// The root of a history log without entries: no data.
    EmptyHistory,
    /// The message that an author signs for a snapshot: the fields of a
    /// [`SnapshotHead`](crate::SnapshotHead).
    SignedHead,
    /// A dictionary id derived from a name: the name.
    DictionaryId,
    /// The integrity digest of a stored checkpoint, or of another record of local state: the fields
    /// of the checkpoint, or a label and the record.
    Checkpoint,
    /// An accumulator's id: scheme, fingerprint of the parameters, label. Also the fingerprint
    /// itself, a digest of the parameters.
    AccumulatorId,
    /// An element of an accumulator: accumulator id, element.
    AccumulatorElement,
    /// Pseudorandom bytes, expanded from the digest of an element or a seed: digest, counter.
    AccumulatorExpand,
    /// The message that an author signs for an accumulator value.
    AccumulatorSnapshot,
    /// A Fiat-Shamir challenge of a proof about an accumulator: all inputs of the proof.
    AccumulatorTranscript,
    /// A tuple, the statement of a tuple dictionary about one key interval: generation, epochs,
    /// interval, content.
    Tuple,
    /// The message that an author signs for a tuple.
    TupleStatement,
    /// The operations of one snapshot of a tuple dictionary: puts and removals.
    TupleOperations,
    /// The attachment of an update of a tuple dictionary: its data in addition to the operations.
    TupleAttachment,
    /// The root of a tuple dictionary: operations digest, attachment digest.
    TupleRoot,
    /// The hash chain over the accumulator values of a tuple dictionary's generations: value of a
    /// generation, chain over the older generations.
    TupleChain,
    /// One step of a lightweight signature's hash chain: link, tuple digest.
    HashChain,
    /// The secret start of a lightweight signature's hash chain, derived from the author's secret
    /// and the signed tuple.
    HashChainSeed,
    /// The scalar that represents a bit prefix of an element of an append-only dictionary: length
    /// in bits, bits.
    AadPrefix,
    /// The key half of an element of an append-only dictionary: key.
    AadKey,
    /// The value half of an element of an append-only dictionary: value digest, occurrence number
    /// of the pair of key and value.
    AadValue,
    /// An element of an append-only set: the member of the set.
    AadElement,
    /// A leaf of an append-only forest: position, element.
    AadLeaf,
    /// Two neighbouring nodes of an append-only forest: left digest, right digest.
    AadPair,
    /// A node of an append-only forest with an accumulator: level, accumulator, inner digest.
    AadNode,
    /// A *bag*, the combined digest of several roots of an append-only forest: digest of the first
    /// root, bag of the roots to its right.
    AadBag,
    /// The digest of a whole append-only dictionary: id, size, bag (combined digest) of all roots.
    AadRoot,
    /// An entry of a directory: object digest, then a fixed-length block of id, kind and zero
    /// bytes.
    DirectoryEntry,
    /// An inner node of a directory: left digest, right digest.
    DirectoryNode,
    /// The root of a directory: strategy, number of entries, capacity of blocks (absent for the
    /// strategy of binary trees), topmost digest or summary.
    DirectoryRoot,
    /// A block of a directory that is hashed as a whole: level, index of the block in its level,
    /// contents of all slots.
    BlockFlat,
    /// The sums of a block of the scheme `directory-lt-hash`: 1,024 lanes of 16 bits.
    BlockLtState,
    /// The 24-byte constant for elements of blocks of the scheme `directory-ad-hash-1600`, which
    /// adds modulo `2^1600`. No suite hashes under this domain.
    BlockAd1600,
    /// The 24-byte constant for elements of blocks of the scheme `directory-mu-hash-1024`, which
    /// multiplies modulo a prime of 1,024 bits. No suite hashes under this domain.
    BlockMu1024,
    /// The 24-byte constant for elements of blocks of the scheme `directory-mu-hash-3072`, which
    /// multiplies modulo a prime of 3,072 bits. No suite hashes under this domain.
    BlockMu3072,
    /// The BLAKE3 key for elements of blocks of the scheme `directory-lt-hash`. No suite hashes
    /// under this domain.
    BlockLtHash,
}

impl Domain {
    /// All domains, in the order of their declaration.
    pub const ALL: [Self; 42] = [
        Self::TreeNode,
        Self::TreeLeaf,
        Self::EmptyTree,
        Self::Value,
        Self::KeyRank,
        Self::HistoryLeaf,
        Self::HistoryNode,
        Self::EmptyHistory,
        Self::SignedHead,
        Self::DictionaryId,
        Self::Checkpoint,
        Self::AccumulatorId,
        Self::AccumulatorElement,
        Self::AccumulatorExpand,
        Self::AccumulatorSnapshot,
        Self::AccumulatorTranscript,
        Self::Tuple,
        Self::TupleStatement,
        Self::TupleOperations,
        Self::TupleAttachment,
        Self::TupleRoot,
        Self::TupleChain,
        Self::HashChain,
        Self::HashChainSeed,
        Self::AadPrefix,
        Self::AadKey,
        Self::AadValue,
        Self::AadElement,
        Self::AadLeaf,
        Self::AadPair,
        Self::AadNode,
        Self::AadBag,
        Self::AadRoot,
        Self::DirectoryEntry,
        Self::DirectoryNode,
        Self::DirectoryRoot,
        Self::BlockFlat,
        Self::BlockLtState,
        Self::BlockAd1600,
        Self::BlockMu1024,
        Self::BlockMu3072,
        Self::BlockLtHash,
    ];

    /// Returns the domain's tag: at most 32 ASCII characters. Once all tags are padded with zero
    /// bytes, none is a prefix of another.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::TreeNode => "pad/v1/tree-node",
            Self::TreeLeaf => "pad/v1/tree-leaf",
            Self::EmptyTree => "pad/v1/empty-tree",
            Self::Value => "pad/v1/value",
            Self::KeyRank => "pad/v1/key-rank",
            Self::HistoryLeaf => "pad/v1/history-leaf",
            Self::HistoryNode => "pad/v1/history-node",
            Self::EmptyHistory => "pad/v1/empty-history",
            Self::SignedHead => "pad/v1/signed-head",
            Self::DictionaryId => "pad/v1/dictionary-id",
            Self::Checkpoint => "pad/v1/checkpoint",
            Self::AccumulatorId => "pad/v1/accumulator-id",
            Self::AccumulatorElement => "pad/v1/accumulator-element",
            Self::AccumulatorExpand => "pad/v1/accumulator-expand",
            Self::AccumulatorSnapshot => "pad/v1/accumulator-snapshot",
            Self::AccumulatorTranscript => "pad/v1/accumulator-transcript",
            Self::Tuple => "pad/v1/tuple",
            Self::TupleStatement => "pad/v1/tuple-statement",
            Self::TupleOperations => "pad/v1/tuple-operations",
            Self::TupleAttachment => "pad/v1/tuple-attachment",
            Self::TupleRoot => "pad/v1/tuple-root",
            Self::TupleChain => "pad/v1/tuple-chain",
            Self::HashChain => "pad/v1/hash-chain",
            Self::HashChainSeed => "pad/v1/hash-chain-seed",
            Self::AadPrefix => "pad/v1/aad-prefix",
            Self::AadKey => "pad/v1/aad-key",
            Self::AadValue => "pad/v1/aad-value",
            Self::AadElement => "pad/v1/aad-element",
            Self::AadLeaf => "pad/v1/aad-leaf",
            Self::AadPair => "pad/v1/aad-pair",
            Self::AadNode => "pad/v1/aad-node",
            Self::AadBag => "pad/v1/aad-bag",
            Self::AadRoot => "pad/v1/aad-root",
            Self::DirectoryEntry => "pad/v1/directory-entry",
            Self::DirectoryNode => "pad/v1/directory-node",
            Self::DirectoryRoot => "pad/v1/directory-root",
            Self::BlockFlat => "pad/v1/block-flat",
            Self::BlockLtState => "pad/v1/block-lt-state",
            Self::BlockAd1600 => "pad/v1/block-ad-1600",
            Self::BlockMu1024 => "pad/v1/block-mu-1024",
            Self::BlockMu3072 => "pad/v1/block-mu-3072",
            Self::BlockLtHash => "pad/v1/block-lt-hash",
        }
    }

    /// The tag padded with zero bytes to `N` bytes, or cut to `N` bytes.
    pub const fn block<const N: usize>(self) -> [u8; N] {
        let tag = self.tag().as_bytes();
        let mut block = [0; N];
        let mut i = 0;
        while i < tag.len() && i < N {
            block[i] = tag[i];
            i += 1;
        }
        block
    }
}

/// The digest type of a suite: plain bytes of fixed width.
///
/// The codec reads and writes digests as the bytes of `as_ref()`. So these have [`Self::LENGTH`]
/// bytes, serde writes exactly them, and [`Self::from_slice`] keeps each of them.
pub trait DigestBytes:
    Copy
    + Eq
    + Ord
    + Hash
    + Default
    + fmt::Debug
    + fmt::Display
    + Send
    + Sync
    + AsRef<[u8]>
    + Serialize
    + DeserializeOwned
    + 'static
{
    /// The width of the digest in bytes, at most 32.
    const LENGTH: usize;

    /// The digest as four little-endian words, zero-padded.
    ///
    /// Digests that several threads write are stored in this form.
    fn to_words(self) -> [u64; 4];

    /// Converts four words, as returned by [`DigestBytes::to_words`], back to a digest.
    fn from_words(words: [u64; 4]) -> Self;

    /// The digest with these `bytes`; `None` if their number is not [`DigestBytes::LENGTH`].
    fn from_slice(bytes: &[u8]) -> Option<Self>;
}

/// A digest of `N` bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest<const N: usize>(pub [u8; N]);

impl<const N: usize> Default for Digest<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> AsRef<[u8]> for Digest<N> {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl<const N: usize> fmt::Display for Digest<N> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl<const N: usize> fmt::Debug for Digest<N> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Digest({self})")
    }
}

impl<const N: usize> DigestBytes for Digest<N> {
    const LENGTH: usize = {
        assert!(N <= 32, "digests are stored as four 64-bit words");
        N
    };

    #[inline]
    fn to_words(self) -> [u64; 4] {
        let mut padded = [0_u8; 32];
        padded[..N].copy_from_slice(&self.0);
        let mut words = [0; 4];
        for (word, bytes) in words.iter_mut().zip(padded.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        words
    }

    #[inline]
    fn from_words(words: [u64; 4]) -> Self {
        let mut padded = [0_u8; 32];
        for (word, bytes) in words.iter().zip(padded.as_chunks_mut().0) {
            *bytes = word.to_le_bytes();
        }
        let mut digest = [0; N];
        digest.copy_from_slice(&padded[..N]);
        Self(digest)
    }

    fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }
}

impl<const N: usize> Serialize for Digest<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_array(&self.0, serializer)
    }
}

impl<'de, const N: usize> Deserialize<'de> for Digest<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_array(deserializer).map(Self)
    }
}

/// Serializes a byte array: as hexadecimal text in human-readable formats, else as a byte string.
///
/// The codec recognises the array by its name ([`array_length`]), and writes it without a length
/// prefix.
pub(crate) fn serialize_array<const N: usize, S: Serializer>(
    bytes: &[u8; N],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    if serializer.is_human_readable() {
        return serializer.collect_str(&Digest(*bytes));
    }
    serializer.serialize_newtype_struct(ArrayVisitor::<N>::NAME, &ByteString(bytes))
}

/// Deserializes an array that [`serialize_array`] wrote.
pub(crate) fn deserialize_array<'de, const N: usize, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<[u8; N], D::Error> {
    if deserializer.is_human_readable() {
        let text = String::deserialize(deserializer)?;
        return parse_hexadecimal(&text).ok_or_else(|| D::Error::custom("not hexadecimal text"));
    }
    deserializer.deserialize_newtype_struct(ArrayVisitor::<N>::NAME, ArrayVisitor)
}

/// The length of the array whose newtype has this name; `None` for every other newtype.
#[inline]
pub(crate) fn array_length(name: &str) -> Option<usize> {
    number_after(ARRAY, name)
}

/// The start of a newtype's name for a byte array. The array's length follows in three digits.
const ARRAY: &str = "pad_core::array";

/// The name that consists of `start` and of `number` in three digits, in `LENGTH` bytes.
pub(crate) const fn numbered_name<const LENGTH: usize>(start: &str, number: usize) -> [u8; LENGTH] {
    assert!(number < 1000, "the number has at most three digits");
    let mut name = [0; LENGTH];
    let (text, digits) = name.split_at_mut(start.len());
    text.copy_from_slice(start.as_bytes());
    digits[0] = DIGITS[number / 100];
    digits[1] = DIGITS[number / 10 % 10];
    digits[2] = DIGITS[number % 10];
    name
}

/// The number in a name that starts with `start`; `None` for every other name.
///
/// Consists of operations that the compiler evaluates for a constant name: the codec asks for the
/// name of each newtype that it reads or writes.
#[inline]
pub(crate) fn number_after(start: &str, name: &str) -> Option<usize> {
    let (text, digits) = name.as_bytes().split_last_chunk::<3>()?;
    if text != start.as_bytes() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let [hundreds, tens, ones] = digits.map(|digit| usize::from(digit - b'0'));
    Some(hundreds * 100 + tens * 10 + ones)
}

/// The name in these bytes of a [`numbered_name`].
pub(crate) const fn name(bytes: &'static [u8]) -> &'static str {
    match core::str::from_utf8(bytes) {
        Ok(name) => name,
        Err(_) => panic!("the name is ASCII"),
    }
}

const DIGITS: &[u8; 10] = b"0123456789";

/// Parses lower-case hexadecimal text of exactly `2 * N` characters; `None` for any other text.
pub(crate) fn parse_hexadecimal<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != N.checked_mul(2)? {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, [high, low]) in bytes.iter_mut().zip(digits.as_chunks().0) {
        *byte = hexadecimal_digit(*high)? << 4 | hexadecimal_digit(*low)?;
    }
    Some(bytes)
}

pub(crate) fn hexadecimal_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

struct ByteString<'a>(&'a [u8]);

impl Serialize for ByteString<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

struct ArrayVisitor<const N: usize>;

impl<const N: usize> ArrayVisitor<N> {
    const NAME: &'static str = name(&Self::NAME_BYTES);
    const NAME_BYTES: [u8; ARRAY.len() + 3] = numbered_name(ARRAY, N);
}

impl<'de, const N: usize> Visitor<'de> for ArrayVisitor<N> {
    type Value = [u8; N];

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{N} bytes")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<[u8; N], E> {
        let array = bytes.try_into();
        array.map_err(|_| E::invalid_length(bytes.len(), &self))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<[u8; N], A::Error> {
        let mut bytes = [0; N];
        for (position, byte) in bytes.iter_mut().enumerate() {
            *byte = sequence
                .next_element()?
                .ok_or_else(|| A::Error::invalid_length(position, &self))?;
        }
        Ok(bytes)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<[u8; N], D::Error> {
        deserializer.deserialize_bytes(self)
    }
}
