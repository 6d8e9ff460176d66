//! Products of one number whose limbs fill the lanes.

use core::arch::x86_64::{
    _mm_cvtsi128_si64, _mm_extract_epi64, _mm512_add_epi64, _mm512_alignr_epi64, _mm512_and_si512,
    _mm512_castsi512_si128, _mm512_cmpeq_epi64_mask, _mm512_mask_mov_epi64,
    _mm512_maskz_set1_epi64, _mm512_set1_epi64, _mm512_setzero_si512, _mm512_srli_epi64,
};

use super::{Vector, high, limb_mask, load, low, store};
use crate::{
    arguments::OneModulus,
    limbs::{LANES, LIMB, LIMB_BITS},
    number::Number,
};

/// Two lowest limbs of the operands of a product of one number, and the carry into the lowest
/// column.
struct LowestColumns {
    left: [u64; 2],
    modulus: [u64; 2],
    inverse: u64,
    carry: u64,
}

impl LowestColumns {
    #[inline]
    fn new<const ROWS: usize>(left: &Number<ROWS>, modulus: &OneModulus<ROWS>) -> Self {
        let lowest = |number: &Number<ROWS>| [number.rows[0][0], number.rows[0][1]];
        Self {
            left: lowest(left),
            modulus: lowest(&modulus.number),
            inverse: modulus.inverse,
            carry: 0,
        }
    }

    /// Returns the limb whose multiple of the modulus clears the lowest column, after the product
    /// with `limb` was added. Keeps the carry out of that column.
    ///
    /// No sum overflows: a column stays below 2^63, and less than 2^56 is added.
    #[inline]
    fn clear(&mut self, column: u64, limb: u64) -> u64 {
        let [low, _] = halves(self.left[0], limb);
        let column = column.wrapping_add(self.carry).wrapping_add(low);
        let multiple = column.wrapping_mul(self.inverse) & LIMB;
        let [low, _] = halves(multiple, self.modulus[0]);
        self.carry = column.wrapping_add(low) >> LIMB_BITS;
        multiple
    }

    /// Like [`Self::clear`], for the two lowest columns and two limbs.
    #[inline]
    fn clear_two(&mut self, columns: [u64; 2], limbs: [u64; 2]) -> [u64; 2] {
        let first = self.clear(columns[0], limbs[0]);
        let mut column = columns[1];
        for (limb, number) in [(limbs[0], self.left), (first, self.modulus)] {
            let [_, high] = halves(number[0], limb);
            let [low, _] = halves(number[1], limb);
            column = column.wrapping_add(high).wrapping_add(low);
        }
        [first, self.clear(column, limbs[1])]
    }
}

/// Returns the low and the high 52 bits of a product of limbs.
#[inline]
fn halves(left: u64, right: u64) -> [u64; 2] {
    let product = u128::from(left) * u128::from(right);
    [product, product >> LIMB_BITS].map(|half| u64::try_from(half & u128::from(LIMB)).unwrap_or(0))
}

vectorised! {
    /// Multiplies by two limbs of `right` at a time. Each pair also adds the multiples of the
    /// modulus that clear the two lowest columns, and then moves all columns by two places.
    ///
    /// Scalar instructions compute these multiples: a chain of vector instructions would take
    /// longer. The passes over the columns that need no multiple hide the time of that chain.
    #[inline]
    fn product_of_one<const ROWS>(
        left: &Number<ROWS>,
        right: &Number<ROWS>,
        modulus: &OneModulus<ROWS>,
    ) -> Number<ROWS> {
        let zero = _mm512_setzero_si512();
        let [mut factor, mut number, mut columns] = [[zero; ROWS]; 3];
        for row in 0..ROWS {
            factor[row] = load(&left.rows[row]);
            number[row] = load(&modulus.number.rows[row]);
        }
        let mut lowest = LowestColumns::new(left, modulus);
        let limbs = right.as_limbs().get(..modulus.limbs).unwrap_or(right.as_limbs());
        let (pairs, last) = limbs.as_chunks::<2>();
        for pair in pairs {
            let multiples = lowest.clear_two(two_lowest_lanes(columns[0]), *pair);
            let [first, second] = pair.map(|limb| splat(limb));
            let [clears_first, clears_second] = multiples.map(|limb| splat(limb));
            for row in 0..ROWS {
                columns[row] = low(columns[row], factor[row], first);
            }
            for row in 0..ROWS {
                columns[row] = low(columns[row], number[row], clears_first);
            }
            move_down(&mut columns);
            for row in 0..ROWS {
                columns[row] = high(columns[row], factor[row], first);
                columns[row] = low(columns[row], factor[row], second);
            }
            for row in 0..ROWS {
                columns[row] = high(columns[row], number[row], clears_first);
                columns[row] = low(columns[row], number[row], clears_second);
            }
            move_down(&mut columns);
            for row in 0..ROWS {
                // Two sums, so that the next pair waits for fewer instructions.
                let highs = high(high(zero, factor[row], second), number[row], clears_second);
                columns[row] = _mm512_add_epi64(columns[row], highs);
            }
        }
        for limb in last {
            let [column, _] = two_lowest_lanes(columns[0]);
            let clears = splat(lowest.clear(column, *limb));
            let limb = splat(*limb);
            for row in 0..ROWS {
                columns[row] = low(low(columns[row], factor[row], limb), number[row], clears);
            }
            move_down(&mut columns);
            for row in 0..ROWS {
                columns[row] = high(high(columns[row], factor[row], limb), number[row], clears);
            }
        }
        let carry = _mm512_maskz_set1_epi64(1, lowest.carry.cast_signed());
        columns[0] = _mm512_add_epi64(columns[0], carry);
        Number { rows: carried_across(&columns).map(|row| store(row)) }
    }

    /// Propagates the carries of columns that lie across the lanes. Drops the carry out of the
    /// highest one.
    #[inline]
    fn carried_across<const ROWS>(columns: &[Vector; ROWS]) -> [Vector; ROWS] {
        // Two steps leave limbs of at most 2^52.
        let mut limbs = one_lane_up(&one_lane_up(columns));
        // Such a limb carries if it is 2^52, or if it is one less and the limb below carries. A sum
        // of masks finds these carries, as a ripple through the bits that are one less.
        let mut carry = 0;
        for limb in &mut limbs {
            let carries = _mm512_cmpeq_epi64_mask(*limb, _mm512_set1_epi64(1 << LIMB_BITS));
            let passes = _mm512_cmpeq_epi64_mask(*limb, limb_mask());
            let [carries, passes] = [carries, passes].map(u32::from);
            let sum = ((carries << 1) | carry) + passes;
            let [into, ..] = (sum ^ passes).to_le_bytes();
            carry = sum >> LANES;
            let more = _mm512_add_epi64(*limb, _mm512_set1_epi64(1));
            *limb = _mm512_and_si512(_mm512_mask_mov_epi64(*limb, into, more), limb_mask());
        }
        limbs
    }

    /// Adds the carry of each column to the next one, without a ripple.
    #[inline]
    fn one_lane_up<const ROWS>(columns: &[Vector; ROWS]) -> [Vector; ROWS] {
        let mut below = _mm512_setzero_si512();
        let mut limbs = *columns;
        for limb in &mut limbs {
            let carries = _mm512_srli_epi64::<52>(*limb);
            let moved = _mm512_alignr_epi64::<7>(carries, below);
            *limb = _mm512_add_epi64(_mm512_and_si512(*limb, limb_mask()), moved);
            below = carries;
        }
        limbs
    }

    /// Moves all columns to the next lower place. Drops the lowest one.
    #[inline]
    fn move_down<const ROWS>(columns: &mut [Vector; ROWS]) {
        for row in 0..ROWS {
            let above = columns.get(row + 1).copied().unwrap_or(_mm512_setzero_si512());
            columns[row] = _mm512_alignr_epi64::<1>(above, columns[row]);
        }
    }

    #[inline]
    fn splat(limb: u64) -> Vector {
        _mm512_set1_epi64(limb.cast_signed())
    }

    #[inline]
    fn two_lowest_lanes(vector: Vector) -> [u64; 2] {
        let half = _mm512_castsi512_si128(vector);
        [_mm_cvtsi128_si64(half), _mm_extract_epi64::<1>(half)].map(i64::cast_unsigned)
    }

    pub(super) fn mul_one<const ROWS>(
        (left, right, modulus): (&Number<ROWS>, &Number<ROWS>, &OneModulus<ROWS>),
    ) -> Number<ROWS> {
        product_of_one(left, right, modulus)
    }

    pub(super) fn square_one_times<const ROWS>(
        (value, modulus, count): (&Number<ROWS>, &OneModulus<ROWS>, u32),
    ) -> Number<ROWS> {
        let mut value = *value;
        for _ in 0..count {
            value = product_of_one(&value, &value, modulus);
        }
        value
    }
}
