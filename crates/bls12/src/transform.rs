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

#[cfg(test)]
mod tests {
    use ark_ff::Field as _;

    use super::*;

    fn scalar(seed: u64) -> Fr {
        Fr::from(seed).pow([77, seed, 3])
    }

    /// The factors of each level of a vector of `2^all` values, and their inverses.
    fn factors(all: u32) -> [Vec<Vec<Fr>>; 2] {
        let of_level = |level: u32| -> Vec<Fr> {
            (0..1_u64 << level)
                .map(|block| scalar(block + 2 + (u64::from(level) << 32)))
                .collect()
        };
        let factors: Vec<Vec<Fr>> = (0..all).map(of_level).collect();
        let inverse = |factor: &Fr| factor.inverse().unwrap();
        let inverses = factors
            .iter()
            .map(|level| level.iter().map(inverse).collect());
        [factors.clone(), inverses.collect()]
    }

    /// Computes one level by the definition in the module documentation.
    fn by_definition(values: &mut [Fr], level: u32, factors: &[Fr]) {
        let length = values.len() >> level;
        for (block, factor) in values.chunks_exact_mut(length).zip(factors) {
            let (low, high) = block.split_at_mut(length / 2);
            for (low, high) in low.iter_mut().zip(high) {
                [*low, *high] = [*low + *factor * *high, *low - *factor * *high];
            }
        }
    }

    #[test]
    fn levels_are_those_of_the_definition() {
        for all in [6, 7, 9] {
            let [factors, mut inverses] = factors(all);
            let mut scaled = factors.clone();
            for factor in scaled.iter_mut().chain(&mut inverses).flatten() {
                *factor *= Fr::from(SCALE);
            }
            let at = |level: u32| usize::try_from(level).unwrap();
            let extreme = [Fr::from(0_u64), -Fr::ONE, Fr::ONE];
            let values: Vec<Fr> = extreme
                .into_iter()
                .chain((1..).map(scalar))
                .take(1 << all)
                .collect();
            let mut expected = values.clone();
            for level in 0..all {
                by_definition(&mut expected, level, &factors[at(level)]);
            }
            // All levels at once, and the upper ones one by one before the last three.
            for upper in [vec![], (0..all - 3).collect::<Vec<u32>>()] {
                let mut found = values.clone();
                let first = u32::try_from(upper.len()).unwrap();
                for level in upper.iter().copied() {
                    forward(&mut found, level..level + 1, |it| &scaled[at(it)]);
                }
                forward(&mut found, first..all, |it| &scaled[at(it)]);
                let transformed = if is_fast() { &expected } else { &values };
                assert_eq!(found, *transformed, "{all}");
                inverse(&mut found, first..all, |it| &inverses[at(it)]);
                for level in upper.into_iter().rev() {
                    inverse(&mut found, level..level + 1, |it| &inverses[at(it)]);
                }
                let doublings = if is_fast() { 1_u64 << all } else { 1 };
                let multiplied = values.iter().map(|value| *value * Fr::from(doublings));
                assert!(multiplied.eq(found), "{all}");
            }
        }
    }
}
