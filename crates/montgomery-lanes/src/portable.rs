//! Kernels for any processor. They sum the same columns as those for AVX-512 IFMA, lane by lane.

use core::{array, hint::black_box};

use crate::{
    arguments::{ByModulus, OneModulus, Pair},
    limbs::{self, LANES, LIMB, LIMB_BITS},
    number::Number,
    numbers::{Numbers, Row},
};

/// Adds the low 52 bits of a product of limbs to a column.
fn low(column: u64, left: u64, right: u64) -> u64 {
    let product = u128::from(left & LIMB) * u128::from(right & LIMB);
    column + u64::try_from(product & u128::from(LIMB)).unwrap_or(0)
}

/// Adds the high 52 bits of a product of limbs to a column.
fn high(column: u64, left: u64, right: u64) -> u64 {
    let product = u128::from(left & LIMB) * u128::from(right & LIMB);
    column + u64::try_from(product >> LIMB_BITS).unwrap_or(0)
}

/// Computes each lane on its own.
fn by_lane<const LIMBS: usize>(compute: impl Fn(usize) -> [u64; LIMBS]) -> Numbers<LIMBS> {
    Numbers::from_lanes(&array::from_fn::<_, LANES, _>(compute))
}

pub(crate) fn mul<const LIMBS: usize>(
    ((left, right), (moduli, inverses)): (Pair<LIMBS>, ByModulus<LIMBS>),
) -> Numbers<LIMBS> {
    by_lane(|lane| {
        let (left, right) = (left.lane(lane), right.lane(lane));
        mul_lane(&left, &right, &moduli.lane(lane), inverses.0[lane])
    })
}

pub(crate) fn square_times<const LIMBS: usize>(
    (value, (moduli, inverses), count): (&Numbers<LIMBS>, ByModulus<LIMBS>, u32),
) -> Numbers<LIMBS> {
    by_lane(|lane| {
        let modulus = moduli.lane(lane);
        let mut value = value.lane(lane);
        for _ in 0..count {
            value = square_lane(&value, &modulus, inverses.0[lane]);
        }
        value
    })
}

/// Squares and reduces. Computes each product of two different limbs once, doubles these products,
/// and adds the squares of the limbs. Then clears the lower columns one by one.
fn square_lane<const LIMBS: usize>(
    value: &[u64; LIMBS],
    modulus: &[u64; LIMBS],
    inverse: u64,
) -> [u64; LIMBS] {
    let mut wide = [[0; LIMBS]; 2];
    let columns = wide.as_flattened_mut();
    for i in 0..LIMBS {
        for j in i + 1..LIMBS {
            columns[i + j] = low(columns[i + j], value[i], value[j]);
            columns[i + j + 1] = high(columns[i + j + 1], value[i], value[j]);
        }
    }
    for (i, limb) in value.iter().enumerate() {
        columns[2 * i] = low(2 * columns[2 * i], *limb, *limb);
        columns[2 * i + 1] = high(2 * columns[2 * i + 1], *limb, *limb);
    }
    for i in 0..LIMBS {
        let multiple = low(0, columns[i], inverse) & LIMB;
        for j in 0..LIMBS {
            columns[i + j] = low(columns[i + j], multiple, modulus[j]);
            columns[i + j + 1] = high(columns[i + j + 1], multiple, modulus[j]);
        }
        columns[i + 1] += columns[i] >> LIMB_BITS;
    }
    carried(wide[1])
}

fn mul_lane<const LIMBS: usize>(
    left: &[u64; LIMBS],
    right: &[u64; LIMBS],
    modulus: &[u64; LIMBS],
    inverse: u64,
) -> [u64; LIMBS] {
    let mut columns = [0; LIMBS];
    add_products(&mut columns, left, right, modulus, inverse);
    carried(columns)
}

/// Multiplies row by row. Each row also adds the multiple of the modulus that clears its lowest
/// column, which is then dropped. All slices but `right`, which gives the number of rows, have the
/// length of `columns`, at least two.
fn add_products(columns: &mut [u64], left: &[u64], right: &[u64], modulus: &[u64], inverse: u64) {
    let last = columns.len() - 1;
    for limb in right {
        let lowest = low(columns[0], left[0], *limb);
        let multiple = low(0, lowest, inverse) & LIMB;
        let carry = low(lowest, multiple, modulus[0]) >> LIMB_BITS;
        for j in 1..=last {
            let above = low(low(columns[j], left[j], *limb), multiple, modulus[j]);
            columns[j - 1] = high(high(above, left[j - 1], *limb), multiple, modulus[j - 1]);
        }
        columns[0] += carry;
        columns[last] = high(high(0, left[last], *limb), multiple, modulus[last]);
    }
}

pub(crate) fn mul_one<const ROWS: usize>(
    (left, right, modulus): (&Number<ROWS>, &Number<ROWS>, &OneModulus<ROWS>),
) -> Number<ROWS> {
    let mut columns = Number::ZERO;
    let factor = &right.as_limbs()[..modulus.limbs];
    let number = modulus.number.as_limbs();
    add_products(
        columns.as_limbs_mut(),
        left.as_limbs(),
        factor,
        number,
        modulus.inverse,
    );
    columns.carry();
    columns
}

pub(crate) fn square_one_times<const ROWS: usize>(
    (value, modulus, count): (&Number<ROWS>, &OneModulus<ROWS>, u32),
) -> Number<ROWS> {
    let mut value = *value;
    for _ in 0..count {
        value = mul_one((&value, &value, modulus));
    }
    value
}

/// Propagates the carries of the columns. Drops the carry out of the highest limb.
fn carried<const LIMBS: usize>(columns: [u64; LIMBS]) -> [u64; LIMBS] {
    let mut carry = 0;
    columns.map(|column| {
        let sum = column + carry;
        carry = sum >> LIMB_BITS;
        sum & LIMB
    })
}

/// Computes `left - right` modulo `2^(52 LIMBS)`, and a mask: all ones if the difference is
/// negative, otherwise zero.
fn difference<const LIMBS: usize>(
    left: &[u64; LIMBS],
    right: &[u64; LIMBS],
) -> ([u64; LIMBS], u64) {
    let mut borrow = 0_u64;
    let limbs = array::from_fn(|index| {
        let limb = left[index].wrapping_sub(right[index]).wrapping_sub(borrow);
        borrow = limb >> 63;
        limb & LIMB
    });
    (limbs, borrow.wrapping_neg())
}

/// Selects `first` where `mask` has ones, and `second` elsewhere.
fn select_lane<const LIMBS: usize>(
    mask: u64,
    first: &[u64; LIMBS],
    second: &[u64; LIMBS],
) -> [u64; LIMBS] {
    let mask = black_box(mask);
    array::from_fn(|index| (first[index] & mask) | (second[index] & !mask))
}

pub(crate) fn add<const LIMBS: usize>(
    ((left, right), bound): (Pair<LIMBS>, &Numbers<LIMBS>),
) -> Numbers<LIMBS> {
    by_lane(|lane| {
        let (left, right) = (left.lane(lane), right.lane(lane));
        let sum = carried(array::from_fn(|index| left[index] + right[index]));
        let (less, negative) = difference(&sum, &bound.lane(lane));
        select_lane(negative, &sum, &less)
    })
}

pub(crate) fn subtract<const LIMBS: usize>(
    ((left, right), bound): (Pair<LIMBS>, &Numbers<LIMBS>),
) -> Numbers<LIMBS> {
    by_lane(|lane| {
        let (less, negative) = difference(&left.lane(lane), &right.lane(lane));
        let bound = bound.lane(lane);
        // The carry out of the highest limb cancels the borrow.
        let more = carried(array::from_fn(|index| less[index] + bound[index]));
        select_lane(negative, &more, &less)
    })
}

pub(crate) fn shift_left<const LIMBS: usize>(
    (value, bits): (&Numbers<LIMBS>, &Row),
) -> Numbers<LIMBS> {
    by_lane(|lane| {
        let bits = bits.0[lane];
        let mut below = 0;
        value.lane(lane).map(|limb| {
            let shifted = ((limb << bits) & LIMB) | below;
            below = limb >> (u64::from(LIMB_BITS) - bits);
            shifted
        })
    })
}

pub(crate) fn select<const LIMBS: usize>(
    (mask, (first, second)): (u8, Pair<LIMBS>),
) -> Numbers<LIMBS> {
    by_lane(|lane| {
        let bit = u64::from((mask >> lane) & 1);
        select_lane(bit.wrapping_neg(), &first.lane(lane), &second.lane(lane))
    })
}

pub(crate) fn look_up<const LIMBS: usize>(
    (table, indices): (&[Numbers<LIMBS>], &Row),
) -> Numbers<LIMBS> {
    by_lane(|lane| {
        let mut found = [0; LIMBS];
        let entries = table
            .iter()
            .flat_map(|numbers| (0..LANES).map(move |lane| numbers.lane(lane)));
        for (position, entry) in (0_u64..).zip(entries) {
            let apart = position ^ indices.0[lane];
            // The sign bit of `apart | -apart` is clear only for zero.
            let equal = black_box(((apart | apart.wrapping_neg()) >> 63).wrapping_sub(1));
            for (found, limb) in found.iter_mut().zip(entry) {
                *found |= limb & equal;
            }
        }
        found
    })
}

pub(crate) fn split<const LIMBS: usize, const WORDS: usize>(
    words: &[&[u64; WORDS]; LANES],
) -> Numbers<LIMBS> {
    by_lane(|lane| {
        let mut limbs = [0; LIMBS];
        // Bits that do not fit are dropped.
        let _fits = limbs::split(words[lane], &mut limbs);
        limbs
    })
}

pub(crate) fn join<const LIMBS: usize, const WORDS: usize>(
    numbers: &Numbers<LIMBS>,
) -> [[u64; WORDS]; LANES] {
    array::from_fn(|lane| limbs::join(&numbers.lane(lane)))
}
