//! Arithmetic modulo the Mersenne prime `p = 2^127 - 1`, without branches on values.
//!
//! No operation overflows: a comment next to each sum states its bound. Wrapping operations are
//! used because the loops are hot, and release builds check the plain operators.

#![deny(clippy::arithmetic_side_effects)]

use zeroize::Zeroize;

/// The modulus `p`.
const P: u128 = u128::MAX >> 1;
/// The number of bits in half a sector (15 bytes).
const HALF: u32 = 60;
/// The number of products of 60 by 64 bits whose sum fits into 128 bits.
const GROUP: usize = 16;

/// The length of a sector in bytes. A sector is read as a little-endian number below 2^120.
pub(super) const SECTOR: usize = 15;

/// An element of the field: a number below `p`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Element(u128);

impl Zeroize for Element {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl Element {
    /// Reduces any number modulo `p`.
    pub(super) const fn reduce(number: u128) -> Self {
        // At most 2^127 - 1 + 1.
        Self::subtract_once((number & P).wrapping_add(number >> 127))
    }

    /// Reduces a number below `2 p` modulo `p`.
    const fn subtract_once(number: u128) -> Self {
        // `number + 1` has bit 127 exactly if `number` is at least `p`. Then `number - p` is
        // `number + 1` without that bit.
        let reached = number.wrapping_add(1) >> 127;
        Self(number.wrapping_add(reached) & P)
    }

    /// Reduces 256 random bits modulo `p`. The bias is below 2^-128.
    pub(super) fn from_random(bytes: &[u8; 32]) -> Self {
        let mut halves = bytes.as_chunks::<16>().0.iter();
        let mut next = || halves.next().copied().map_or(0, u128::from_le_bytes);
        let (low, high) = (next(), next());
        // 2^128 = 2 modulo p.
        let high = Self::reduce(high);
        Self::reduce(low).add(high).add(high)
    }

    /// Decodes 16 little-endian bytes; returns `None` unless the number is below `p`.
    pub(super) fn from_bytes(bytes: [u8; 16]) -> Option<Self> {
        let number = u128::from_le_bytes(bytes);
        (number < P).then_some(Self(number))
    }

    /// Encodes the number as 16 little-endian bytes.
    pub(super) const fn to_bytes(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }

    /// Converts a sector into its number.
    pub(super) fn from_sector(sector: &[u8; SECTOR]) -> Self {
        let (low, high) = halves(sector);
        Self(u128::from(low) | u128::from(high) << HALF)
    }

    pub(super) const fn add(self, other: Self) -> Self {
        // At most 2 p - 2.
        Self::subtract_once(self.0.wrapping_add(other.0))
    }

    pub(super) fn multiply(self, other: Self) -> Self {
        let (low, high) = limbs(self.0);
        let (other_low, other_high) = limbs(other.0);
        // The high limbs are below 2^63, so the sum of the middle products is below 2^128.
        let middle = wide(low, other_high).wrapping_add(wide(high, other_low));
        let high = wide(high, other_high); // Below 2^126.
        Self::reduce(wide(low, other_low))
            .add(Self::reduce(middle).shift(64))
            // 2^128 = 2 modulo p.
            .add(Self::reduce(high.wrapping_add(high)))
    }

    /// Multiplies by 2^`count` modulo `p`, for a `count` below 127. This is a rotation of 127 bits.
    const fn shift(self, count: u32) -> Self {
        // All ones, which is p, would need a reduction, but the argument is below p.
        Self((self.0 << count & P) | self.0 >> 127_u32.wrapping_sub(count))
    }

    /// Converts a multiplier of [`dot`] into its number.
    pub(super) fn from_multiplier([low, high]: Multiplier) -> Self {
        Self(u128::from(low) | u128::from(high) << 64)
    }

    /// Converts the number into a multiplier of [`dot`].
    pub(super) const fn multiplier(self) -> Multiplier {
        let (low, high) = limbs(self.0);
        [low, high]
    }
}

/// A number below `p` in two limbs of 64 bits, the low one first.
pub(super) type Multiplier = [u64; 2];

/// Computes the sum of `multipliers[i] * sectors[i]` modulo `p`. Ignores surplus elements of the
/// longer slice.
///
/// Cost: four multiplications of 64 bits for each pair, and four reductions for each 16 pairs.
pub(super) fn dot(multipliers: &[Multiplier], sectors: &[[u8; SECTOR]]) -> Element {
    let mut total = Element::default();
    for (multipliers, sectors) in multipliers.chunks(GROUP).zip(sectors.chunks(GROUP)) {
        let [mut ones, mut at_60, mut at_64, mut at_124] = [0_u128; 4];
        for ([low, high], sector) in multipliers.iter().zip(sectors) {
            let (sector_low, sector_high) = halves(sector);
            // Each product is below 2^124, and each sum has at most 16 products.
            ones = ones.wrapping_add(wide(*low, sector_low));
            at_60 = at_60.wrapping_add(wide(*low, sector_high));
            at_64 = at_64.wrapping_add(wide(*high, sector_low));
            at_124 = at_124.wrapping_add(wide(*high, sector_high));
        }
        total = total
            .add(Element::reduce(ones))
            .add(Element::reduce(at_60).shift(60))
            .add(Element::reduce(at_64).shift(64))
            .add(Element::reduce(at_124).shift(124));
    }
    total
}

/// Splits a sector into two numbers of 60 bits, the low one first.
fn halves(sector: &[u8; SECTOR]) -> (u64, u64) {
    let [
        b0,
        b1,
        b2,
        b3,
        b4,
        b5,
        b6,
        b7,
        b8,
        b9,
        b10,
        b11,
        b12,
        b13,
        b14,
    ] = *sector;
    let low = u64::from_le_bytes([b0, b1, b2, b3, b4, b5, b6, b7]);
    // The byte at the boundary is read twice, so that both loads are of eight bytes.
    let high = u64::from_le_bytes([b7, b8, b9, b10, b11, b12, b13, b14]);
    (low & (u64::MAX >> 4), high >> 4)
}

/// Splits a number into its low and its high 64 bits.
#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "the low and the high half of 128 bits; From and TryFrom are not const"
)]
const fn limbs(number: u128) -> (u64, u64) {
    (number as u64, (number >> 64) as u64)
}

fn wide(left: u64, right: u64) -> u128 {
    u128::from(left).wrapping_mul(u128::from(right))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Doubles and adds, digit by digit.
    fn slow_product(left: Element, right: Element) -> Element {
        (0..127).rev().fold(Element::default(), |sum, bit| {
            let doubled = sum.add(sum);
            if right.0 >> bit & 1 == 1 {
                doubled.add(left)
            } else {
                doubled
            }
        })
    }

    #[test]
    fn edges_reduce() {
        for (number, residue) in [
            (0, 0),
            (P - 1, P - 1),
            (P, 0),
            (P + 1, 1),
            (2 * P, 0),
            (2 * P + 1, 1),
        ] {
            assert_eq!(Element::reduce(number), Element(residue));
        }
        assert_eq!(Element::from_bytes(P.to_le_bytes()), None);
        let largest = Element::from_bytes((P - 1).to_le_bytes());
        assert_eq!(largest, Some(Element(P - 1)));
        // 2^256 - 1 = 4 - 1 modulo p.
        assert_eq!(Element::from_random(&[0xff; 32]), Element(3));
        let largest = Element(P - 1);
        assert_eq!(largest.add(largest), Element(P - 2));
        assert_eq!(largest.multiply(largest), Element(1));
    }

    proptest! {
        #[test]
        fn products_are_repeated_sums(left: u128, right: u128) {
            let (left, right) = (Element::reduce(left), Element::reduce(right));
            prop_assert_eq!(left.multiply(right), slow_product(left, right));
        }

        #[test]
        fn dot_is_the_sum_of_products(
            pairs in prop::collection::vec(any::<(u128, [u8; 15])>(), 0..70),
        ) {
            let elements = pairs.iter().map(|(number, _)| Element::reduce(*number));
            let multipliers: Vec<_> = elements.clone().map(Element::multiplier).collect();
            let sectors: Vec<_> = pairs.iter().map(|(_, sector)| *sector).collect();
            let sum = elements.zip(&sectors).fold(Element::default(), |sum, (element, sector)| {
                let mut bytes = [0; 16];
                bytes[..15].copy_from_slice(sector);
                sum.add(slow_product(element, Element(u128::from_le_bytes(bytes))))
            });
            prop_assert_eq!(dot(&multipliers, &sectors), sum);
        }
    }

    #[test]
    fn the_largest_sums_do_not_wrap() {
        let multipliers = [Element(P - 1).multiplier(); 100];
        let sum = dot(&multipliers, &[[0xff; 15]; 100]);
        // 100 * (p - 1) * (2^120 - 1) = - 100 * (2^120 - 1)
        let sector = Element((1 << 120) - 1);
        let minus = (0..100).fold(Element::default(), |sum, _| {
            sum.add(Element(P - 1).multiply(sector))
        });
        assert_eq!(sum, minus);
    }
}
