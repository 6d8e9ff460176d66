//! Completeness by frontiers: proves that a prefix of an absent key is not a prefix of any element
//! in a tree.
//!
//! The *trie* of a set of elements consists of all their prefixes. The *frontier* consists of the
//! strings that leave the trie: strings outside the trie whose longest proper prefix is inside.
//! Every string of an element's length that is not an element has exactly one prefix in the
//! frontier. No string of the frontier is a prefix of another string of the frontier.
//!
//! Source: Tomescu et al. 2019, section 4.

#![deny(clippy::arithmetic_side_effects)]

pub(crate) mod evidence;

use ark_bls12_381::Fr;

use crate::{element::HALF, prefix::scalar_of_prefix};

pub(crate) use evidence::Evidence;

/// Maximum number of strings in a chunk. The frontier strings that begin with one key half are
/// proved in chunks.
pub(crate) const CHUNK: usize = 512;

/// A string of a frontier: the first `bit` bits of an element, followed by the inverted bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrontierString {
    /// The index of the element among the elements of the frontier.
    pub(crate) element: usize,
    /// The bit at which the string leaves the element, from 0. The string has `bit + 1` bits.
    pub(crate) bit: u16,
}

/// The frontier of some elements of equal length, which is computed on demand. Strings of at most
/// `depth` bits are left out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frontier<'a> {
    /// The elements, strictly ascending.
    elements: &'a [&'a [u8]],
    /// Strings of at most this length in bits are excluded.
    depth: u16,
    /// Length of an element in bits.
    bits: u16,
}

impl<'a> Frontier<'a> {
    /// Creates the frontier of `elements`, which must be strictly ascending, have `bits` bits each,
    /// and agree in the first `depth` bits.
    pub(crate) const fn new(elements: &'a [&'a [u8]], depth: u16, bits: u16) -> Self {
        Self {
            elements,
            depth,
            bits,
        }
    }

    /// Iterates over the strings of the frontier, in lexicographic order.
    pub(crate) fn iter(self) -> impl Iterator<Item = FrontierString> + use<'a> {
        core::iter::successors(self.next_left(0, self.depth), move |one| self.after(*one))
    }

    /// Iterates over the strings of the frontier from `first` on, in lexicographic order.
    #[cfg(feature = "std")]
    pub(crate) fn iter_from(
        self,
        first: FrontierString,
    ) -> impl Iterator<Item = FrontierString> + use<'a> {
        core::iter::successors(Some(first), move |one| self.after(*one))
    }

    /// The number of strings in the frontier. Time: linear in the bytes of the elements, without
    /// hashing.
    pub(crate) fn len(self) -> usize {
        let below = usize::from(self.bits.saturating_sub(self.depth));
        if self.elements.is_empty() {
            return 0;
        }
        (1..self.elements.len()).fold(below, |count, element| {
            // Let this element share `p` bits with the previous one. Its first `p + 1` bits are no
            // longer a string of the frontier. Each of its bits after those adds one string.
            let new = self.bits.saturating_sub(self.parting(element));
            count.saturating_add(usize::from(new)).saturating_sub(2)
        })
    }

    /// The scalar of a string, a root of the frontier's polynomial.
    pub(crate) fn scalar(self, string: FrontierString) -> Fr {
        let (bytes, length) = self.bytes(string);
        scalar_of_prefix(&bytes, length)
    }

    /// Returns the bits of a string, zero-padded to 64 bytes, and its length in bits.
    pub(crate) fn bytes(self, string: FrontierString) -> ([u8; 2 * HALF], u16) {
        let mut bytes = [0; 2 * HALF];
        let element = self.element(string.element);
        for (byte, from) in bytes.iter_mut().zip(element) {
            *byte = *from;
        }
        let (place, mask) = split(string.bit);
        if let Some(byte) = bytes.get_mut(place) {
            *byte ^= mask;
            // Clears the bits after the inverted bit.
            *byte &= !mask.saturating_sub(1);
        }
        for byte in bytes.iter_mut().skip(place.saturating_add(1)) {
            *byte = 0;
        }
        (bytes, string.bit.saturating_add(1))
    }

    fn after(self, string: FrontierString) -> Option<FrontierString> {
        let FrontierString { element, bit } = string;
        if self.is_set(element, bit) {
            self.next_left(element, bit.saturating_add(1))
        } else {
            self.next_right(element, bit)
        }
    }

    /// Finds the first string that has a 0 where `element` has a 1, at bit `depth` or later. If
    /// there is none, finds the next string of the frontier in order.
    fn next_left(self, mut element: usize, mut depth: u16) -> Option<FrontierString> {
        while element < self.elements.len() {
            let mut left = depth..self.bits;
            if let Some(bit) = left.find(|bit| self.is_set(element, *bit)) {
                return Some(FrontierString { element, bit });
            }
            if let Some(string) = self.right(element, self.bits) {
                return Some(string);
            }
            element = element.saturating_add(1);
            depth = self.parting(element).saturating_add(1);
        }
        None
    }

    /// Finds the longest string that has a 1 where `element` has a 0, at a bit before `depth`. If
    /// there is none, finds the next string of the frontier in order.
    fn next_right(self, element: usize, depth: u16) -> Option<FrontierString> {
        let next = element.saturating_add(1);
        self.right(element, depth).or_else(|| {
            let depth = self.parting(next).saturating_add(1);
            self.next_left(next, depth)
        })
    }

    fn right(self, element: usize, below: u16) -> Option<FrontierString> {
        let next = element.saturating_add(1);
        let limit = if next < self.elements.len() {
            self.parting(next).saturating_add(1)
        } else {
            self.depth
        };
        let bit = (limit..below).rev().find(|bit| !self.is_set(element, *bit));
        bit.map(|bit| FrontierString { element, bit })
    }

    /// The number of leading bits that an element shares with the previous element in order.
    fn parting(self, element: usize) -> u16 {
        let before = self.element(element.saturating_sub(1));
        common_bits(before, self.element(element))
    }

    fn is_set(self, element: usize, bit: u16) -> bool {
        let (place, mask) = split(bit);
        let byte = self.element(element).get(place);
        byte.is_some_and(|byte| byte & mask != 0)
    }

    fn element(self, place: usize) -> &'a [u8] {
        self.elements.get(place).copied().unwrap_or(&[])
    }
}

/// The number of leading bits that two byte strings share.
pub(crate) fn common_bits(left: &[u8], right: &[u8]) -> u16 {
    let pairs = left.iter().zip(right);
    let equal = pairs.clone().take_while(|(left, right)| left == right);
    let equal = equal.count();
    let rest = left.iter().zip(right).nth(equal);
    let rest = rest.map_or(0, |(left, right)| (left ^ right).leading_zeros());
    let bits = u32::try_from(equal).unwrap_or(u32::MAX).saturating_mul(8);
    u16::try_from(bits.saturating_add(rest)).unwrap_or(u16::MAX)
}

/// Returns the index of the byte that contains bit number `bit`, and the mask of that bit in the
/// byte. Bit 0 is the highest bit of byte 0.
const fn split(bit: u16) -> (usize, u8) {
    let mask = 0x80_u8 >> (bit % 8);
    #[expect(clippy::as_conversions, reason = "widening in a const fn")]
    ((bit / 8) as usize, mask)
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects, reason = "tests fail by panicking")]
mod tests;
