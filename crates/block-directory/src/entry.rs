//! Entries: their ids, their states, and the hashes of entries and root.

use pad_core::{
    Authority, Key, SchemeId, Suite, VerifyError,
    internals::{DigestBytes, Domain},
};

/// The maximum number of entries of a directory, deleted ones included: `2^48`.
pub const MOST_ENTRIES: u64 = 1 << 48;

/// The scheme number in signed heads of directories whose blocks are hash trees ([strategy
/// 1](crate)).
pub const DIRECTORY: SchemeId = SchemeId(0x0401);

/// The id of an entry: its number 0, 1, 2, .. in the order of registration. Ids are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(u64);

impl EntryId {
    /// Creates the id with this number. Numbers from [`MOST_ENTRIES`] on are never assigned.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Returns the number of the entry.
    pub const fn number(self) -> u64 {
        self.0
    }

    /// Encodes the id as the key of an operation in an update: 8 bytes, big-endian.
    pub fn to_key(self) -> Key {
        // Eight bytes are within the bounds of keys.
        Key::new(self.0.to_be_bytes()).unwrap_or_default()
    }

    /// Decodes the id from the key of an operation. Returns `None` unless the key has 8 bytes.
    pub fn from_key(key: &Key) -> Option<Self> {
        let bytes = key.as_bytes().try_into().ok()?;
        Some(Self(u64::from_be_bytes(bytes)))
    }
}

/// The state of an entry id in one version of a directory. `D` is the digest of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry<D> {
    /// The id is registered for the object with this digest.
    Live(D),
    /// The id was registered, and its entry is deleted permanently.
    Deleted,
    /// The id is not registered yet.
    Unassigned,
}

/// The state of a registered entry: the digest of its object, or `None` for a deleted entry.
pub(crate) type EntryState<S> = Option<<S as Suite>::Digest>;

/// Returns whether this digest stands for deleted entries (all zeros), and so cannot be an object's
/// digest.
pub(crate) fn is_reserved<D: DigestBytes>(digest: &D) -> bool {
    *digest == D::default()
}

/// Checks that the author's scheme is that of directories.
pub(crate) fn require_directory(authority: &Authority) -> Result<(), VerifyError> {
    let (expected, actual) = (DIRECTORY.0, authority.scheme.0);
    if actual == expected {
        Ok(())
    } else {
        Err(VerifyError::WrongScheme { expected, actual })
    }
}

/// Returns the digest of an entry, a leaf of the tree; `object` is `None` for a deleted entry. One
/// call of the compression function binds object, id and kind (live or deleted).
pub fn entry_digest<S: Suite>(id: EntryId, object: Option<&S::Digest>) -> S::Digest {
    match object {
        Some(object) => leaf::<S>(id.0, object, LIVE),
        None => leaf::<S>(id.0, &S::Digest::default(), DELETED),
    }
}

/// Returns the digest of the entry `id` from the content of its slot: the digest of its object, or
/// zeros for a deleted entry.
#[cfg(feature = "std")]
#[inline]
pub(crate) fn slot_digest<S: Suite>(id: u64, content: &S::Digest) -> S::Digest {
    let kind = if is_reserved(content) { DELETED } else { LIVE };
    leaf::<S>(id, content, kind)
}

#[inline]
fn leaf<S: Suite>(id: u64, content: &S::Digest, kind: u8) -> S::Digest {
    // be64(id), the kind, and zero bytes, as the little-endian words that digests are made from.
    let place = S::Digest::from_words([id.swap_bytes(), u64::from(kind), 0, 0]);
    S::node(Domain::DirectoryEntry, content, &place)
}

/// Returns the digest of the inner node over two digests.
pub(crate) fn node<S: Suite>(left: &S::Digest, right: &S::Digest) -> S::Digest {
    S::node(Domain::DirectoryNode, left, right)
}

/// Returns the root of a directory with `entries` entries, whose tree has the digest `top`. Without
/// entries, the result is the root of every empty dictionary.
pub fn root_digest<S: Suite>(entries: u64, top: &S::Digest) -> S::Digest {
    if entries == 0 {
        return S::empty_tree();
    }
    let parts: [&[u8]; 3] = [&[MERKLE], &entries.to_be_bytes(), top.as_ref()];
    S::hash(Domain::DirectoryRoot, &parts)
}

/// The number of strategy 1, whose blocks are hash trees, as hashed into roots.
const MERKLE: u8 = 1;

/// The byte that stands for a live entry in hashes and slots.
pub(crate) const LIVE: u8 = 1;
/// The byte that stands for a deleted entry in hashes and slots.
pub(crate) const DELETED: u8 = 2;
