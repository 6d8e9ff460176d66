//! What a log keeps of a version beside its nodes.

use pad_core::{
    DigestBytes, HeadSignature, SignedHead, StoreFault, Suite, signature::SIGNATURE_LENGTH,
};

use crate::stored::link::{ADDRESS_BYTES, FLAGS, Link};

/// The contents of one version.
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

/// What the log keeps of a version beside its nodes.
pub(super) struct StoredHead<S: Suite> {
    pub(super) signature: HeadSignature,
    pub(super) root: S::Digest,
    /// `None` if they were pruned.
    pub(super) contents: Option<Contents<S::Digest>>,
    /// Whether everything older was pruned.
    pub(super) is_oldest: bool,
}

/// Set in the flags of a head whose tree has entries.
const HAS_ROOT: u8 = 0x80;
/// The flags of a head whose contents were pruned.
const PRUNED: u8 = 0x40;
/// Set in the flags of a head before which all contents were pruned, those of version 0 too.
const OLDEST: u8 = 0x20;

impl<S: Suite> StoredHead<S> {
    pub(super) fn new(signed: &SignedHead<S>, contents: Option<Contents<S::Digest>>) -> Self {
        Self {
            signature: signed.signature,
            root: signed.head.root,
            contents,
            is_oldest: false,
        }
    }

    /// Signature, root, a byte of flags, the root's address, and the number of entries in eight bytes.
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
        bytes.push(flags);
        let address = root.map_or(0, |root| root.address);
        bytes.extend(&address.to_le_bytes()[..ADDRESS_BYTES]);
        let population = contents.map_or(0, |contents| contents.population);
        bytes.extend(population.to_le_bytes());
        bytes
    }

    /// The inverse of [`StoredHead::write`]. The signature is not verified.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, StoreFault> {
        let read = || {
            let (signature, rest) = bytes.split_first_chunk::<SIGNATURE_LENGTH>()?;
            let (digest, rest) = rest.split_at_checked(S::Digest::LENGTH)?;
            let (flags, rest) = rest.split_first()?;
            let (address, rest) = rest.split_at_checked(ADDRESS_BYTES)?;
            let population = u64::from_le_bytes(rest.try_into().ok()?);
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
                contents: (!is_pruned).then_some(Contents { root, population }),
                is_oldest,
            })
        };
        read().ok_or(StoreFault::Damaged)
    }
}
