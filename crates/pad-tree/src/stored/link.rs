//! What a stored node says of a child, and a head of its root.

use pad_core::DigestBytes;

/// Where a node stands, and what is known of it without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link<D> {
    /// The position of its record in the log.
    pub(super) address: u64,
    /// Its digest.
    pub(super) digest: D,
    /// Whether it is a leaf.
    pub(super) is_leaf: bool,
    /// The balance of an inner node.
    pub(super) balance: bool,
}

/// The bytes of an address: a log may have 2^48 of them.
pub(super) const ADDRESS_BYTES: usize = 6;

/// No log is as long as this.
pub(super) const MOST_BYTES: u64 = 1 << (8 * ADDRESS_BYTES);

/// The bits of flags.
pub(super) const FLAG_BITS: u8 = 2;
pub(super) const FLAGS: u8 = LEAF | BALANCE;
const LEAF: u8 = 1;
const BALANCE: u8 = 2;

impl<D: DigestBytes> Link<D> {
    /// The bits that say what kind of node it is.
    pub(super) fn flags(&self) -> u8 {
        let leaf = if self.is_leaf { LEAF } else { 0 };
        let balance = if self.balance { BALANCE } else { 0 };
        leaf | balance
    }

    /// The inverse of [`Link::flags`] with the other two fields; `None` if they are no link's. Leaves have no balance.
    pub(super) fn read(flags: u8, address: &[u8], digest: &[u8]) -> Option<Self> {
        let mut number = [0; 8];
        number.get_mut(..address.len())?.copy_from_slice(address);
        (flags <= BALANCE).then_some(Self {
            address: u64::from_le_bytes(number),
            digest: D::from_slice(digest)?,
            is_leaf: flags & LEAF != 0,
            balance: flags & BALANCE != 0,
        })
    }
}
