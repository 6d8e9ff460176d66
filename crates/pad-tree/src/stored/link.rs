//! Links to stored nodes, contained in a parent node or in a version's record.

use pad_core::internals::DigestBytes;

/// A link to a stored node: its address, and the facts that are known without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link<D> {
    /// The position of the node's record in the log.
    pub(super) address: u64,
    /// The digest of the node.
    pub(super) digest: D,
    /// Whether the node is a leaf.
    pub(super) is_leaf: bool,
    /// The balance of an inner node, encoded as one bit.
    pub(super) balance: bool,
}

/// The length of an encoded address in bytes. Logs are shorter than 2^48 bytes.
pub(super) const ADDRESS_BYTES: usize = 6;

/// The limit of a log's length in bytes; every log is shorter.
pub(super) const MOST_BYTES: u64 = 1 << (8 * ADDRESS_BYTES);

/// The number of bits that encode the flags of one link.
pub(super) const FLAG_BITS: u8 = 2;
pub(super) const FLAGS: u8 = LEAF | BALANCE;
const LEAF: u8 = 1;
const BALANCE: u8 = 2;

impl<D: DigestBytes> Link<D> {
    /// Encodes the two flags of the node: whether it is a leaf, and its balance.
    pub(super) fn flags(&self) -> u8 {
        let leaf = if self.is_leaf { LEAF } else { 0 };
        let balance = if self.balance { BALANCE } else { 0 };
        leaf | balance
    }

    /// Decodes a link from its encoded flags, address and digest; `None` if they are invalid.
    /// Leaves have no balance.
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
