//! Digests that detect accidental changes of stored rows.

use sha2::{Digest, Sha256};

/// Seals the rows of one format: each stored row begins with `N` bytes of a digest of its place and
/// contents. A larger `N` than 32 does not compile.
///
/// The digest detects accidents, not attacks: an attacker who can write rows can also write
/// digests.
///
/// ```text
/// digest: SHA-256(prefix | for each part of the place: length (8, big-endian) | part | contents)
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Seal<const N: usize>(&'static [u8]);

impl<const N: usize> Seal<N> {
    /// Creates the seal of a format. The prefix separates its digests from those of other formats.
    pub const fn new(prefix: &'static [u8]) -> Self {
        const { assert!(N <= 32, "SHA-256 has 32 bytes") };
        Self(prefix)
    }

    /// Returns the digest of the row at `place` with the contents `row`.
    pub fn digest(&self, place: &[&[u8]], row: &[u8]) -> [u8; N] {
        let mut hash = Sha256::new_with_prefix(self.0);
        for part in place {
            let length = u64::try_from(part.len()).unwrap_or(u64::MAX);
            hash.update(length.to_be_bytes());
            hash.update(part);
        }
        hash.update(row);
        let whole: [u8; 32] = hash.finalize().into();
        whole.first_chunk().copied().unwrap_or([0; N])
    }

    /// Encodes a row for storage.
    pub fn seal(&self, place: &[&[u8]], row: &[u8]) -> Vec<u8> {
        [self.digest(place, row).as_slice(), row].concat()
    }

    /// Returns the contents of a stored row. Returns `None` if the row is not what was written at
    /// this place.
    pub fn open<'r>(&self, place: &[&[u8]], stored: &'r [u8]) -> Option<&'r [u8]> {
        let (found, row) = stored.split_first_chunk::<N>()?;
        (*found == self.digest(place, row)).then_some(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_what_was_written_at_its_place_or_none() {
        let seal = Seal::<16>::new(b"rows");
        let stored = seal.seal(&[b"table", b"key"], b"row");
        assert_eq!(stored.len(), 19);
        assert_eq!(seal.open(&[b"table", b"key"], &stored), Some(&b"row"[..]));
        assert_eq!(seal.open(&[b"tablek", b"ey"], &stored), None);
        let other = Seal::<16>::new(b"other rows");
        assert_eq!(other.open(&[b"table", b"key"], &stored), None);
        for place in 0..stored.len() {
            let mut changed = stored.clone();
            changed[place] ^= 1;
            assert_eq!(seal.open(&[b"table", b"key"], &changed), None, "{place}");
            let cut = seal.open(&[b"table", b"key"], &stored[..place]);
            assert_eq!(cut, None, "{place}");
        }
    }
}
