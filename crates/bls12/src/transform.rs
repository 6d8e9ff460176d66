//! Levels of number-theoretic transforms of scalars, eight butterflies at once.
//!
//! A vector of `2^k` values has `k` levels. At level `i`, it consists of `2^i` blocks. The factor
//! `d` of a block combines its two halves:
//!
//! ```text
//! forward    (a, b)  ->  (a + d b, a - d b)
//! inverse    (a, b)  ->  (a + b, d (a - b))
//! ```
//!
//! Eight consecutive values fill the lanes. In the last three levels, blocks are shorter than that.
//! There, eight blocks of eight values are transposed, so that each lane has a block of its own.
//!
//! The times depend on the number of values only.

#![allow(
    clippy::indexing_slicing,
    reason = "lengths and places follow from the number of values: no index comes from a message"
)]

use core::{array, ops::Range};

use alloc::vec::Vec;

use ark_bls12_381::Fr;
use montgomery_lanes::{LANES, Moduli, Numbers};

use crate::scalar_lanes::{LOST_BITS, Scalars, field, load, store};

/// Smallest number of values of a transform.
pub const LEAST: usize = 64;

/// Number by which factors are multiplied: see [`forward`].
pub const SCALE: u64 = 1 << LOST_BITS;

/// Number of levels whose blocks are shorter than two groups of eight values.
const NARROW: u32 = LANES.ilog2();

/// A vector of eight groups of eight values.
type Square = [Scalars; LANES];

/// One step of a transform, on eight pairs of values at once.
type Butterfly = fn(&Moduli<5>, &mut Scalars, &mut Scalars, &Scalars);

/// Returns whether this processor has the vector instructions. Without them, [`forward`] and
/// [`inverse`] do nothing.
pub fn is_fast() -> bool {
    field().is_some()
}

/// Computes the given levels of a forward transform, from the first to the last. `factors` returns
/// the factors of the blocks of a level, each multiplied by [`SCALE`].
///
/// The number of values is a power of two, at least [`LEAST`]. The range of levels contains either
/// all of the last three levels or none of them.
///
/// Cost: half a multiplication for each value and level.
pub fn forward<'a>(values: &mut [Fr], levels: Range<u32>, factors: impl Fn(u32) -> &'a [Fr]) {
    let Some(field) = field() else {
        return;
    };
    let all = values.len().trailing_zeros();
    let wide = all.saturating_sub(NARROW);
    let mut groups: Vec<Scalars> = values
        .as_chunks::<LANES>()
        .0
        .iter()
        .map(|values| load(field, values.each_ref()))
        .collect();
    for level in levels.start..levels.end.min(wide) {
        wide_level(field, &mut groups, level, factors(level), butterfly);
    }
    if levels.end < all {
        return write(field, &groups, values);
    }
    let squares = groups.as_chunks::<LANES>().0.iter();
    for (number, (values, square)) in values.chunks_exact_mut(LEAST).zip(squares).enumerate() {
        let mut square = transposed(square);
        for step in 0..NARROW {
            let factors = factors(wide + step);
            narrow_level(field, &mut square, (number, step), factors, butterfly);
        }
        for (column, group) in square.iter().enumerate() {
            for (row, value) in store(field, group).into_iter().enumerate() {
                values[LANES * row + column] = value;
            }
        }
    }
}

/// Computes the given levels of an inverse transform, from the last to the first. Arguments and
/// cost are those of [`forward`]. All values are multiplied by two in each level.
pub fn inverse<'a>(values: &mut [Fr], levels: Range<u32>, factors: impl Fn(u32) -> &'a [Fr]) {
    let Some(field) = field() else {
        return;
    };
    let all = values.len().trailing_zeros();
    let wide = all.saturating_sub(NARROW);
    let mut groups = Vec::with_capacity(values.len() / LANES);
    if levels.end < all {
        let chunks = values.as_chunks::<LANES>().0.iter();
        groups.extend(chunks.map(|values| load(field, values.each_ref())));
    } else {
        for (number, values) in values.chunks_exact(LEAST).enumerate() {
            let mut square: Square = array::from_fn(|column| {
                load(field, array::from_fn(|row| &values[LANES * row + column]))
            });
            for step in (0..NARROW).rev() {
                let factors = factors(wide + step);
                narrow_level(
                    field,
                    &mut square,
                    (number, step),
                    factors,
                    inverse_butterfly,
                );
            }
            groups.extend(transposed(&square));
        }
    }
    for level in (levels.start..levels.end.min(wide)).rev() {
        wide_level(field, &mut groups, level, factors(level), inverse_butterfly);
    }
    write(field, &groups, values);
}

fn butterfly(field: &Moduli<5>, low: &mut Scalars, high: &mut Scalars, factor: &Scalars) {
    let product = field.mul(high, factor);
    *high = field.subtract(low, &product);
    *low = field.add(low, &product);
}

fn inverse_butterfly(field: &Moduli<5>, low: &mut Scalars, high: &mut Scalars, factor: &Scalars) {
    let difference = field.subtract(low, high);
    *low = field.add(low, high);
    *high = field.mul(&difference, factor);
}

/// Computes a level whose blocks have at least two groups.
fn wide_level(
    field: &Moduli<5>,
    groups: &mut [Scalars],
    level: u32,
    factors: &[Fr],
    butterfly: Butterfly,
) {
    let length = groups.len() >> level;
    for (block, factor) in groups.chunks_exact_mut(length).zip(factors) {
        let factor = load(field, [factor; LANES]);
        let (low, high) = block.split_at_mut(length / 2);
        for (low, high) in low.iter_mut().zip(high) {
            butterfly(field, low, high, &factor);
        }
    }
}

/// Computes one of the last three levels for eight blocks of eight values, one in each lane.
/// `number` counts these squares.
fn narrow_level(
    field: &Moduli<5>,
    square: &mut Square,
    (number, step): (usize, u32),
    factors: &[Fr],
    butterfly: Butterfly,
) {
    let length = LANES >> step;
    for (part, block) in square.chunks_exact_mut(length).enumerate() {
        let block_of = |lane: usize| ((LANES * number + lane) << step) + part;
        let factor = load(field, array::from_fn(|lane| &factors[block_of(lane)]));
        let (low, high) = block.split_at_mut(length / 2);
        for (low, high) in low.iter_mut().zip(high) {
            butterfly(field, low, high, &factor);
        }
    }
}

fn transposed(square: &Square) -> Square {
    let mut columns = [Numbers::ZERO; LANES];
    for (row, group) in square.iter().enumerate() {
        for (lane, column) in columns.iter_mut().enumerate() {
            column.set(row, &group.lane(lane));
        }
    }
    columns
}

fn write(field: &Moduli<5>, groups: &[Scalars], values: &mut [Fr]) {
    for (values, group) in values.as_chunks_mut::<LANES>().0.iter_mut().zip(groups) {
        *values = store(field, group);
    }
}
