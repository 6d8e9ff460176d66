//! The record that a log contains for each version, in addition to the version's nodes.

use core::ops::Range;

use pad_core::{
    Authority, HeadSignature, SignedHead, SnapshotHead, StoreFault, Suite, Version,
    internals::{DigestBytes, SIGNATURE_LENGTH},
};

use crate::stored::link::{ADDRESS_BYTES, FLAGS, Link};

/// The tree of one version: the link to its root, and its number of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Contents<D> {
    pub(super) root: Option<Link<D>>,
    pub(super) population: u64,
}

impl<D> Contents<D> {
    pub(super) const EMPTY: Self = Self {
        root: None,
        population: 0,
    };
}

/// The record that a log contains for a version, in addition to the version's nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct StoredHead<S: Suite> {
    pub(super) signature: HeadSignature,
    pub(super) root: S::Digest,
    pub(super) history: S::Digest,
    /// The tree of the version; `None` if it was pruned.
    pub(super) contents: Option<Contents<S::Digest>>,
    /// Whether the contents of all earlier versions were pruned.
    pub(super) is_oldest: bool,
    /// The digest of the largest perfect subtree of the history log that ends with this version.
    /// Present for every eighth version.
    pub(super) subtree: Option<S::Digest>,
}

/// The flag of a version whose tree has entries.
const HAS_ROOT: u8 = 0x80;
/// The flag of a version whose contents were pruned.
const PRUNED: u8 = 0x40;
/// The flag of a version if the contents of all earlier versions, including version 0, were pruned.
const OLDEST: u8 = 0x20;

/// The level `l` of the smallest subtrees of the history log, of `2^l` versions, whose digests are
/// stored. Smaller subtrees are recomputed from at most four roots.
pub(super) const LOWEST_KEPT: u32 = 3;
/// The interval between versions whose records contain the digest of a subtree of the history log.
pub const RECORDS_FOR_EACH_SUBTREE: u64 = 1 << LOWEST_KEPT;

/// The length of the record of a version in bytes. All records have the same length, except that
/// records of versions divisible by [`RECORDS_FOR_EACH_SUBTREE`] contain one more digest.
pub const fn record_bytes<S: Suite>(version: Version) -> usize {
    let rest = 1 + ADDRESS_BYTES + size_of::<u64>();
    let subtrees = if keeps_subtree(version) { 1 } else { 0 };
    SIGNATURE_LENGTH + (2 + subtrees) * S::Digest::LENGTH + rest
}

/// The range of bytes in a version's record that contain the address of the version's root node.
/// They are not signed, and [`NodeLog::replace`](crate::NodeLog::replace) changes nothing else.
pub const fn place_in_record<S: Suite>() -> Range<usize> {
    let start = SIGNATURE_LENGTH + 2 * S::Digest::LENGTH + 1;
    start..start + ADDRESS_BYTES
}

pub(super) const fn keeps_subtree(version: Version) -> bool {
    version.number().is_multiple_of(RECORDS_FOR_EACH_SUBTREE)
}

impl<S: Suite> StoredHead<S> {
    /// Restores the author's signed head of `version` from this record. The signature is not
    /// verified.
    pub(super) fn signed(&self, authority: &Authority, version: Version) -> SignedHead<S> {
        SignedHead {
            head: SnapshotHead {
                scheme: authority.scheme,
                dictionary: authority.dictionary,
                version,
                root: self.root,
                history: self.history,
            },
            signature: self.signature,
        }
    }

    /// Encodes the record, in this order:
    /// - signature, root of the contents, and root of the history log
    /// - a byte of flags, and the address of the root node
    /// - the number of entries in eight bytes
    /// - the digest of a subtree of the history log, if there is one
    pub(super) fn write(&self) -> Vec<u8> {
        let contents = self.contents.as_ref();
        let root = contents.and_then(|contents| contents.root.as_ref());
        let flags = match (contents, root) {
            (None, _) => PRUNED,
            (_, None) => 0,
            (_, Some(root)) => HAS_ROOT | root.flags(),
        };
        let flags = if self.is_oldest {
            flags | OLDEST
        } else {
            flags
        };
        let mut bytes = self.signature.to_bytes().to_vec();
        bytes.extend(self.root.as_ref());
        bytes.extend(self.history.as_ref());
        bytes.push(flags);
        let address = root.map_or(0, |root| root.address);
        bytes.extend(&address.to_le_bytes()[..ADDRESS_BYTES]);
        let population = contents.map_or(0, |contents| contents.population);
        bytes.extend(population.to_le_bytes());
        bytes.extend(self.subtree.iter().flat_map(AsRef::as_ref));
        bytes
    }

    /// Decodes the output of [`StoredHead::write`]. Neither the signature nor the root of the
    /// history log is verified.
    pub(super) fn read(version: Version, bytes: &[u8]) -> Result<Self, StoreFault> {
        let read = || {
            let (signature, rest) = bytes.split_first_chunk::<SIGNATURE_LENGTH>()?;
            let (digest, rest) = rest.split_at_checked(S::Digest::LENGTH)?;
            let (history, rest) = rest.split_at_checked(S::Digest::LENGTH)?;
            let (flags, rest) = rest.split_first()?;
            let (address, rest) = rest.split_at_checked(ADDRESS_BYTES)?;
            let (population, rest) = rest.split_first_chunk()?;
            let subtree = if keeps_subtree(version) {
                Some(S::Digest::from_slice(rest)?)
            } else if rest.is_empty() {
                None
            } else {
                return None;
            };
            let population = u64::from_le_bytes(*population);
            let root_digest = S::Digest::from_slice(digest)?;
            let is_oldest = flags & OLDEST != 0;
            let root = match flags & !OLDEST {
                0 | PRUNED => None,
                flags if flags & !FLAGS == HAS_ROOT => {
                    Some(Link::read(flags & FLAGS, address, digest)?)
                }
                _ => return None,
            };
            let is_pruned = root.is_none() && flags & PRUNED != 0;
            // A root is black.
            let fits = match root {
                Some(root) => population > 0 && !root.balance,
                None if is_pruned => population == 0 && !is_oldest,
                None => population == 0 && root_digest == S::empty_tree(),
            };
            fits.then_some(Self {
                signature: HeadSignature::from_bytes(signature),
                root: root_digest,
                history: S::Digest::from_slice(history)?,
                contents: (!is_pruned).then_some(Contents { root, population }),
                is_oldest,
                subtree,
            })
        };
        read().ok_or(StoreFault::Damaged)
    }
}
