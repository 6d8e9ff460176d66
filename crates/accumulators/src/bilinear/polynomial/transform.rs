//! Number-theoretic transforms over the scalar field, for lengths `2^a` and `3 * 2^a`.
//!
//! Values are stored in an order that needs no permutation and allows a transform to be extended. A
//! vector of length `T * l` (`T` is 1 or 3, `l` a power of two) is transformed into `T` branches of
//! length `l`. Branch `i` holds the values at the roots of `X^l = lambda^i`, where `lambda` is a
//! cube root of unity.
//!
//! Within a branch, a block with `X^m = d^2` is split into the halves `X^(m/2) = d` and
//! `X^(m/2) = -d`. Block `b` of each level uses `d = w[b]` times a power of `lambda`, with the same
//! table for all levels:
//!
//! ```text
//! X^l = 1:    d = w[0] = 1
//! halves:     d = w[0] = 1          d = w[1] = i
//! quarters:   d = w[0], d = w[1]    d = w[2], d = w[3]
//! ```
//!
//! In the diagram, `i` is a square root of -1. The first halves of the branches together are the
//! transform of half the length. (Branches 1 and 2 are exchanged, because `lambda^2` squared is
//! `lambda`.) The second halves are the values at the roots of `X^(Tl/2) = -1`: see
//! [`Transform::extended`].
//!
//! Source: Bernstein 2001, "Multidigit multiplication for mathematicians", sections 3 to 8.

use core::ops::Range;

use alloc::{vec, vec::Vec};

use ark_bls12_381::Fr;
use ark_ff::{FftField, Field};
#[cfg(feature = "std")]
use bls12::transform::SCALE;

use crate::bilinear::multi_scalar::endomorphism::MU;

/// Returns the smallest length `2^a` or `3 * 2^a` that is at least `length`.
pub(crate) fn padded_length(length: usize) -> usize {
    let power = length.next_power_of_two();
    let third = power / 4 * 3;
    if third >= length.max(1) { third } else { power }
}

/// The roots of unity at which a transform of `n` values evaluates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Roots {
    /// The roots of `X^n = 1`.
    Even,
    /// The roots of `X^n = -1`. Branch `i` of the `T` branches contains the values at the roots of
    /// `X^(n/T) = -lambda^(2i)`.
    Odd,
}

impl Roots {
    /// Returns the number `b` of the block at the top level of a branch, and the exponent of
    /// `lambda` there. That block has `d = lambda^turn * w[b]` in the notation of the module.
    pub(crate) const fn top(self, branch: usize) -> (usize, usize) {
        match self {
            Self::Even => (0, 2 * branch),
            Self::Odd => (1, branch),
        }
    }

    /// Multiplies by the sign of `X^n = sign`.
    fn signed(self, value: Fr) -> Fr {
        match self {
            Self::Even => value,
            Self::Odd => -value,
        }
    }
}

/// Smallest length of a transform with vector instructions.
const SHORTEST_IN_LANES: usize = 64;

/// Number-theoretic transforms up to a maximum length, with their tables of twiddle factors.
#[derive(Debug)]
pub struct Transform {
    twiddles: Twiddles,
    inverse_twiddles: Twiddles,
}

/// The twiddle factors of one direction. Entry `[i][b]` is `w[b] * lambda^i`: the factor of block
/// `b` in branch `i`, with `w` as in the module documentation.
#[derive(Debug)]
struct Twiddles {
    /// If `scaled` is not empty, only the factors of transforms too short for vector instructions.
    exact: [Vec<Fr>; 3],
    /// All factors times [`SCALE`], for vector instructions. Empty without them, and for short
    /// transforms.
    #[cfg(feature = "std")]
    scaled: [Vec<Fr>; 3],
    /// The inverse of [`SCALE`].
    #[cfg(feature = "std")]
    unscale: Fr,
}

impl Twiddles {
    /// `values` holds `w`, and `roots` the powers of `lambda`.
    fn new(values: &[Fr], roots: [Fr; 3]) -> Self {
        let multiplied = |values: &[Fr], factor: Fr| -> [Vec<Fr>; 3] {
            roots.map(|root| {
                let factor = root * factor;
                values.iter().map(|value| factor * value).collect()
            })
        };
        #[cfg(feature = "std")]
        let in_lanes = values.len() >= SHORTEST_IN_LANES / 2 && bls12::transform::is_fast();
        #[cfg(not(feature = "std"))]
        let in_lanes = false;
        let short = if in_lanes {
            SHORTEST_IN_LANES / 2
        } else {
            values.len()
        };
        Self {
            exact: multiplied(&values[..short], Fr::ONE),
            #[cfg(feature = "std")]
            scaled: multiplied(if in_lanes { values } else { &[] }, Fr::from(SCALE)),
            #[cfg(feature = "std")]
            unscale: Fr::from(SCALE).inverse().unwrap_or(Fr::ONE),
        }
    }

    #[cfg(feature = "std")]
    fn at(&self, turn: usize, block: usize) -> Fr {
        let exact = self.exact[turn % 3].get(block).copied();
        exact.unwrap_or_else(|| self.scaled[turn % 3][block] * self.unscale)
    }
}

impl Transform {
    /// Creates tables for vectors whose branches are at most as long as in a vector of `length`
    /// entries. `length` must be below `2^32`.
    pub(crate) fn new(length: usize) -> Self {
        let mut twiddles = vec![Fr::ONE];
        let mut order: u64 = 4;
        while twiddles.len() < branch_length(length) / 2 {
            let root = Fr::get_root_of_unity(order).unwrap_or(Fr::ONE);
            let upper: Vec<Fr> = twiddles.iter().map(|twiddle| root * twiddle).collect();
            twiddles.extend(upper);
            order = order.saturating_mul(2);
        }
        let mut inverses = twiddles.clone();
        ark_ff::serial_batch_inversion_and_mul(&mut inverses, &Fr::ONE);
        let lambda = -Fr::from(MU);
        let [one, first, second] = [Fr::ONE, lambda, lambda.square()];
        Self {
            twiddles: Twiddles::new(&twiddles, [one, first, second]),
            inverse_twiddles: Twiddles::new(&inverses, [one, second, first]),
        }
    }

    /// Creates tables for products of polynomials, where a product has a degree of at most
    /// `degree`.
    pub fn for_degree(degree: usize) -> Self {
        // Of all lengths up to `3 * 2^a`, `2^(a + 1)` has the longest branch.
        Self::new(1 << padded_length(degree).ilog2())
    }

    /// Returns `w[block] * lambda^turn`, with `w` and `lambda` as in the module documentation.
    #[cfg(feature = "std")]
    pub(crate) fn twiddle(&self, turn: usize, block: usize) -> Fr {
        self.twiddles.at(turn, block)
    }

    /// Returns the inverse of [`Self::twiddle`].
    #[cfg(feature = "std")]
    pub(crate) fn inverse_twiddle(&self, turn: usize, block: usize) -> Fr {
        self.inverse_twiddles.at(turn, block)
    }

    /// Replaces the coefficients of a polynomial in `values` by its values at the `roots`, in the
    /// order of the module documentation.
    pub(crate) fn forward(&self, values: &mut [Fr], roots: Roots) {
        self.split_branches(values, roots);
        let length = branch_length(values.len());
        for (branch, values) in values.chunks_mut(length).enumerate() {
            self.forward_blocks(values, roots.top(branch));
        }
    }

    /// Inverts [`Self::forward`]: replaces the values of a polynomial at the `roots` by its
    /// coefficients.
    pub(crate) fn inverse(&self, values: &mut [Fr], roots: Roots) {
        let length = branch_length(values.len());
        for (branch, values) in values.chunks_mut(length).enumerate() {
            self.inverse_blocks(values, roots.top(branch));
        }
        self.join_branches(values, roots);
        scale(values);
    }

    /// Splits a polynomial modulo `X^n - sign` into three branches if 3 divides `n`. Branch `i` is
    /// the remainder modulo `X^(n/3) - sign * lambda^i` (`lambda^(2i)` if `sign` is -1).
    fn split_branches(&self, values: &mut [Fr], roots: Roots) {
        let root = self.branch_root(roots);
        change_branches(values, |[a, b, c]| {
            let b = roots.signed(b);
            let [first, second] = turned(root, [a, b, c]);
            [a + b + c, first, second]
        });
    }

    /// Inverts [`Self::split_branches`], except that every result is multiplied by the number of
    /// branches.
    fn join_branches(&self, values: &mut [Fr], roots: Roots) {
        let root = self.branch_root(roots);
        change_branches(values, |[a, b, c]| {
            let [first, second] = turned(root, [a, b, c]);
            [a + b + c, roots.signed(second), first]
        });
    }

    /// Returns the cube root of unity of branch 1.
    fn branch_root(&self, roots: Roots) -> Fr {
        let [_, first, second] = self.twiddles.exact.each_ref().map(|twiddles| twiddles[0]);
        match roots {
            Roots::Even => first,
            Roots::Odd => second,
        }
    }

    /// Computes the transform of length `2n` of a polynomial. `even` holds its values at the roots
    /// of `X^n = 1`, and `odd` its coefficients modulo `X^n + 1`.
    pub(crate) fn extended(&self, even: &[Fr], mut odd: Vec<Fr>) -> Vec<Fr> {
        self.forward(&mut odd, Roots::Odd);
        join_halves(even, &odd)
    }

    /// Transforms all levels of one branch, or of one block. `top` is that of [`Roots::top`].
    fn forward_blocks(&self, values: &mut [Fr], top: (usize, usize)) {
        self.forward_levels(values, 0..values.len().trailing_zeros(), top);
    }

    /// Transforms some levels of one branch. From 64 values on, these are all of the last three
    /// levels or none of them.
    fn forward_levels(&self, values: &mut [Fr], levels: Range<u32>, block: (usize, usize)) {
        #[cfg(feature = "std")]
        if in_lanes(&self.twiddles, values) {
            let factors = |level| level_of(&self.twiddles.scaled, level, block);
            return bls12::transform::forward(values, levels, factors);
        }
        for level in levels {
            let length = values.len() >> level;
            let twiddles = level_of(&self.twiddles.exact, level, block);
            for (block, twiddle) in values.chunks_exact_mut(length).zip(twiddles) {
                let (low, high) = block.split_at_mut(length / 2);
                for (low, high) in low.iter_mut().zip(high) {
                    let product = *high * twiddle;
                    *high = *low - product;
                    *low += product;
                }
            }
        }
    }

    /// Inverts [`Self::forward_blocks`], except that every result is multiplied by the length.
    fn inverse_blocks(&self, values: &mut [Fr], top: (usize, usize)) {
        self.inverse_levels(values, 0..values.len().trailing_zeros(), top);
    }

    /// Inverts [`Self::forward_levels`], except that every level multiplies the results by two.
    fn inverse_levels(&self, values: &mut [Fr], levels: Range<u32>, block: (usize, usize)) {
        #[cfg(feature = "std")]
        if in_lanes(&self.inverse_twiddles, values) {
            let factors = |level| level_of(&self.inverse_twiddles.scaled, level, block);
            return bls12::transform::inverse(values, levels, factors);
        }
        for level in levels.rev() {
            let length = values.len() >> level;
            let twiddles = level_of(&self.inverse_twiddles.exact, level, block);
            for (block, twiddle) in values.chunks_exact_mut(length).zip(twiddles) {
                let (low, high) = block.split_at_mut(length / 2);
                for (low, high) in low.iter_mut().zip(high) {
                    let difference = *low - *high;
                    *low += *high;
                    *high = difference * twiddle;
                }
            }
        }
    }
}

/// Computes `a + root b + root^2 c` and `a + root^2 b + root c`, with one multiplication because
/// `1 + root + root^2` is zero.
fn turned(root: Fr, [a, b, c]: [Fr; 3]) -> [Fr; 2] {
    let turn = root * (b - c);
    [a - c + turn, a - b - turn]
}

/// Returns the factors of the blocks of a level, where the top level has the block `first` of
/// branch `turn`.
fn level_of(tables: &[Vec<Fr>; 3], level: u32, (first, turn): (usize, usize)) -> &[Fr] {
    &tables[turn_at(turn, level)][first << level..]
}

/// Returns whether a transform of `values` runs in lanes of vector instructions.
#[cfg(feature = "std")]
fn in_lanes(twiddles: &Twiddles, values: &[Fr]) -> bool {
    values.len() >= SHORTEST_IN_LANES && !twiddles.scaled[0].is_empty()
}

/// Returns the exponent of `lambda` at `level`, given `turn`, the exponent at the top. Each level
/// doubles the exponent. Doubling it twice changes nothing, as `lambda^4 = lambda`.
pub(crate) const fn turn_at(turn: usize, level: u32) -> usize {
    if level.is_multiple_of(2) {
        turn % 3
    } else {
        2 * turn % 3
    }
}

/// Transforms split into parts of bounded work, which are performed one after another.
#[cfg(feature = "std")]
impl Transform {
    /// Number of parts of a forward transform of this length. The inverse transform has one part
    /// more.
    pub(crate) fn parts(length: usize) -> usize {
        let branch = branch_length(length);
        let tall = tall_levels(branch);
        widen(tall) + ((length / branch) << tall)
    }

    /// Performs one part of [`Self::forward`]. The caller counts `part` from 0 to below
    /// [`Self::parts`].
    pub(crate) fn forward_part(&self, values: &mut [Fr], part: usize) {
        let length = branch_length(values.len());
        let tall = tall_levels(length);
        if part == 0 {
            self.split_branches(values, Roots::Even);
        }
        if let Some(number) = part.checked_sub(widen(tall)) {
            let (block, top) = part_block(values, number, length, tall);
            self.forward_blocks(block, top);
        } else {
            let level = u32::try_from(part).unwrap_or(tall);
            for (branch, values) in values.chunks_mut(length).enumerate() {
                self.forward_levels(values, level..level + 1, Roots::Even.top(branch));
            }
        }
    }

    /// Performs one part of [`Self::inverse`]. The caller counts `part` from 0 to [`Self::parts`],
    /// inclusive.
    pub(crate) fn inverse_part(&self, values: &mut [Fr], part: usize) {
        let length = branch_length(values.len());
        let tall = tall_levels(length);
        let blocks = (values.len() / length) << tall;
        if part < blocks {
            let (block, top) = part_block(values, part, length, tall);
            self.inverse_blocks(block, top);
        } else if part < blocks + widen(tall) {
            let level = tall - 1 - u32::try_from(part - blocks).unwrap_or(tall);
            for (branch, values) in values.chunks_mut(length).enumerate() {
                self.inverse_levels(values, level..level + 1, Roots::Even.top(branch));
            }
        } else {
            self.join_branches(values, Roots::Even);
            scale(values);
        }
    }
}

/// Returns block `number`, counted over all branches, of the level after the `tall` top levels. The
/// blocks of the top levels are too long for one part. Also returns the block's number within its
/// branch, and the exponent of `lambda` at that level.
#[cfg(feature = "std")]
fn part_block(
    values: &mut [Fr],
    number: usize,
    branch: usize,
    tall: u32,
) -> (&mut [Fr], (usize, usize)) {
    let length = branch >> tall;
    let turn = turn_at(2 * (number >> tall), tall);
    let block = &mut values[number * length..][..length];
    (block, (number & ((1 << tall) - 1), turn))
}

/// Number of levels of a branch whose blocks are too long for one part. Each such level is one
/// part.
#[cfg(feature = "std")]
const fn tall_levels(branch: usize) -> u32 {
    branch.ilog2().saturating_sub(PART.ilog2())
}

#[cfg(feature = "std")]
fn widen(levels: u32) -> usize {
    usize::try_from(levels).unwrap_or(usize::MAX)
}

/// Length of the longest block that is transformed in one part, which takes about 10 ms.
#[cfg(feature = "std")]
const PART: usize = 1 << 16;

/// Returns the length of a branch: the power of two in a length `2^a` or `3 * 2^a`.
pub(crate) fn branch_length(length: usize) -> usize {
    if length.is_multiple_of(3) {
        length / 3
    } else {
        length
    }
}

/// Joins `even` and `odd` into the transform of length `2n`: `even` holds the `n` values at the
/// roots of `X^n = 1`, and `odd` the values at the roots of `X^n = -1`.
pub(crate) fn join_halves<T: Copy>(even: &[T], odd: &[T]) -> Vec<T> {
    let length = branch_length(even.len());
    let branches = even.len() / length;
    odd.chunks_exact(length)
        .enumerate()
        .flat_map(|(branch, odd)| {
            let twice = 2 * branch % branches * length;
            even[twice..twice + length].iter().chain(odd).copied()
        })
        .collect()
}

/// Inverts [`join_halves`]: splits a transform of length `2n` into the values at the roots of
/// `X^n = 1` and those at the roots of `X^n = -1`.
#[cfg(feature = "std")]
pub(crate) fn split_halves<T: Copy>(values: &[T]) -> (Vec<T>, Vec<T>) {
    let length = branch_length(values.len());
    let branches = values.len() / length;
    let half = |branch: usize, start: usize| {
        let start = branch * length + start;
        values[start..start + length / 2].iter().copied()
    };
    let even = (0..branches).flat_map(|branch| half(2 * branch % branches, 0));
    let odd = (0..branches).flat_map(|branch| half(branch, length / 2));
    (even.collect(), odd.collect())
}

/// Changes the entries at equal places of the three branches of a vector. Does nothing if there is
/// one branch.
fn change_branches(values: &mut [Fr], change: impl Fn([Fr; 3]) -> [Fr; 3]) {
    let length = branch_length(values.len());
    if length < values.len() {
        let (low, rest) = values.split_at_mut(length);
        let (middle, high) = rest.split_at_mut(length);
        for ((low, middle), high) in low.iter_mut().zip(middle).zip(high) {
            [*low, *middle, *high] = change([*low, *middle, *high]);
        }
    }
}

fn scale(values: &mut [Fr]) {
    let length = u64::try_from(values.len()).unwrap_or(u64::MAX);
    let factor = Fr::from(length).inverse().unwrap_or(Fr::ONE);
    bls12::product::scale(values, &factor);
}
