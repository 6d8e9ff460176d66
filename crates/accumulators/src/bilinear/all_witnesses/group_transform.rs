//! Fourier transforms of vectors of points, as
//! [`transform`](crate::bilinear::polynomial::transform) computes them for scalars.
//!
//! Here, multiplying by a root of unity is a scalar multiplication. It takes some 40 microseconds
//! (estimated) instead of 15 nanoseconds for a field multiplication. Many vectors are therefore
//! transformed together, each stage in large batches of affine additions. Sixth roots of unity cost
//! almost nothing, since the endomorphism multiplies by them.

use ark_bls12_381::{Fr, G1Affine, g1};
use ark_ec::{AffineRepr, scalar_mul::glv::GLVConfig};
use bls12::{
    affine::{Adder, multiple},
    count::Counted,
};
use pad_core::{Workers, internals::for_each_piece};

use super::shared_bases::tables;
use crate::bilinear::{
    multi_scalar::{
        HALF_BITS,
        endomorphism::{Halves, Window, decompose, endomorphism},
    },
    polynomial::transform::{Roots, Transform, branch_length, turn_at},
};

/// Fourier transforms of many vectors of points at once, on several threads.
#[derive(Debug)]
pub(super) struct GroupTransform<'a> {
    pub(super) transform: &'a Transform,
    pub(super) workers: &'a Workers,
}

impl GroupTransform<'_> {
    /// Applies [`Transform::forward`] at the even roots to each vector of `length` points in
    /// `points`.
    pub(super) fn forward(&self, points: &mut [G1Affine], length: usize) {
        self.split_branches(points, length);
        let branch = branch_length(length);
        for level in 0..branch.trailing_zeros() {
            let stage = Stage {
                length,
                level,
                roots: Roots::Even,
            };
            let (mut low, mut high) = stage.halves(points);
            let factors = stage.factors(high.len(), |turn, block| {
                self.transform.twiddle(turn, block)
            });
            self.scale(&mut high, &factors);
            self.add_and_subtract(&mut low, &mut high);
            stage.replace(points, &low, &high);
        }
    }

    /// Applies [`Transform::inverse`] at the odd roots to each vector of `length` points in
    /// `points`, without the final division by `length`.
    pub(super) fn inverse_odd(&self, points: &mut [G1Affine], length: usize) {
        let branch = branch_length(length);
        for level in (0..branch.trailing_zeros()).rev() {
            let stage = Stage {
                length,
                level,
                roots: Roots::Odd,
            };
            let (mut low, mut high) = stage.halves(points);
            self.add_and_subtract(&mut low, &mut high);
            let factors = stage.factors(high.len(), |turn, block| {
                self.transform.inverse_twiddle(turn, block)
            });
            self.scale(&mut high, &factors);
            stage.replace(points, &low, &high);
        }
        self.join_odd_branches(points, length);
    }

    /// Adds `right` to `left`, element by element.
    pub(super) fn add(&self, left: &mut [G1Affine], right: &[G1Affine]) {
        let size = self.chunk(left.len(), ADDITIONS);
        let chunks = left.chunks_mut(size).zip(right.chunks(size)).collect();
        change_all(chunks, self.workers, |(left, right)| {
            Adder::default().add_each(left, right);
        });
    }

    /// Multiplies `points[i]` by `factors[i]` in place.
    ///
    /// Cost: 127 doublings and about 67 additions for each point, all affine. Factors that are
    /// sixth roots of unity cost almost nothing.
    pub(super) fn scale(&self, points: &mut [G1Affine], factors: &[Fr]) {
        let halves: Vec<Halves> = factors.iter().map(decompose).collect();
        let mut general = Vec::new();
        for (point, halves) in points.iter_mut().zip(&halves) {
            match unit_multiple(point, *halves) {
                Some(multiple) => *point = multiple,
                None => general.push((point, *halves)),
            }
        }
        Counted::Multiples.add(general.len());
        let size = self.chunk(general.len(), MULTIPLICATIONS);
        let chunks = general.chunks_mut(size).collect();
        change_all(chunks, self.workers, |chunk| scale_in_lockstep(chunk));
    }

    /// Returns the number of items in one chunk of work: at most `most`, so that a chunk fits the
    /// cache, and small enough to occupy every thread.
    fn chunk(&self, items: usize, most: usize) -> usize {
        items.div_ceil(self.workers.threads()).clamp(1, most)
    }

    /// Replaces `low` by `low + high` and `high` by `low - high`, element by element.
    fn add_and_subtract(&self, low: &mut Vec<G1Affine>, high: &mut Vec<G1Affine>) {
        let negated: Vec<G1Affine> = high.iter().map(|point| -*point).collect();
        let mut difference = low.clone();
        self.add(low, high);
        self.add(&mut difference, &negated);
        *high = difference;
    }

    /// Replaces the thirds `a`, `b`, `c` of each vector by `a + lambda^i b + lambda^(2i) c` for `i`
    /// from 0 to 2. `lambda` is a cube root of unity. Does nothing if `length` is a power of two.
    fn split_branches(&self, points: &mut [G1Affine], length: usize) {
        if branch_length(length) < length {
            self.combine_thirds(points, length, [[0, 0, 0], [0, 1, 2], [0, 2, 1]]);
        }
    }

    /// Inverts the first step of an odd transform. Computes `3 b_0`, `3 b_1` and `3 b_2` from the
    /// branches `b_0 - lambda^(2i) b_1 + lambda^i b_2`, where `b_0`, `b_1`, `b_2` are the thirds of
    /// a vector.
    fn join_odd_branches(&self, points: &mut [G1Affine], length: usize) {
        if branch_length(length) < length {
            self.combine_thirds(points, length, [[0, 0, 0], [0, 1, 2], [0, 2, 1]]);
            let third = length / 3;
            for vector in points.chunks_mut(length) {
                for point in &mut vector[third..2 * third] {
                    *point = -*point;
                }
            }
        }
    }

    /// Replaces the thirds of each vector by sums of all three. Third `j` enters the new third `i`
    /// with the factor `lambda^turns[i][j]`, where `lambda` is a cube root of unity.
    fn combine_thirds(&self, points: &mut [G1Affine], length: usize, turns: [[u8; 3]; 3]) {
        let third = length / 3;
        let gather = |number: usize| -> Vec<G1Affine> {
            let vectors = points.chunks(length);
            vectors
                .flat_map(|vector| &vector[number * third..(number + 1) * third])
                .copied()
                .collect()
        };
        let old = [gather(0), gather(1), gather(2)];
        let new = turns.map(|turns| {
            let mut sum = vec![G1Affine::identity(); old[0].len()];
            for (old, turn) in old.iter().zip(turns) {
                let turned: Vec<G1Affine> = old.iter().map(|point| turned(point, turn)).collect();
                self.add(&mut sum, &turned);
            }
            sum
        });
        for (vector, points) in points.chunks_mut(length).enumerate() {
            for (points, new) in points.chunks_mut(third).zip(&new) {
                points.copy_from_slice(&new[vector * third..(vector + 1) * third]);
            }
        }
    }
}

/// One stage of a transform: butterflies between the lower and the upper half of each block, in all
/// vectors.
struct Stage {
    length: usize,
    level: u32,
    roots: Roots,
}

impl Stage {
    fn block(&self) -> usize {
        branch_length(self.length) >> self.level
    }

    /// Copies the lower halves of all blocks into one vector, and the upper halves into another.
    fn halves(&self, points: &[G1Affine]) -> (Vec<G1Affine>, Vec<G1Affine>) {
        let half = self.block() / 2;
        let blocks = || points.chunks(2 * half);
        (
            blocks().flat_map(|block| &block[..half]).copied().collect(),
            blocks().flat_map(|block| &block[half..]).copied().collect(),
        )
    }

    /// Copies the halves that [`Self::halves`] returned, now changed, back to their places in
    /// `points`.
    fn replace(&self, points: &mut [G1Affine], low: &[G1Affine], high: &[G1Affine]) {
        let half = self.block() / 2;
        let halves = low.chunks(half).zip(high.chunks(half));
        for (block, (low, high)) in points.chunks_mut(2 * half).zip(halves) {
            block[..half].copy_from_slice(low);
            block[half..].copy_from_slice(high);
        }
    }

    /// Returns the root of unity by which each of the `count` points in the upper halves is
    /// multiplied. `twiddle` maps a power of `lambda` and a block to the root.
    fn factors(&self, count: usize, twiddle: impl Fn(usize, usize) -> Fr) -> Vec<Fr> {
        let half = self.block() / 2;
        let blocks = 1_usize << self.level;
        let branches = self.length / branch_length(self.length);
        (0..count / half)
            .flat_map(|block| {
                let branch = block / blocks % branches;
                let (first, turn) = self.roots.top(branch);
                let block = (first << self.level) + block % blocks;
                core::iter::repeat_n(twiddle(turn_at(turn, self.level), block), half)
            })
            .collect()
    }
}

/// Multiplies a point by `lambda^turn`, where `lambda` is a cube root of unity.
fn turned(point: &G1Affine, turn: u8) -> G1Affine {
    (0..turn).fold(*point, |point, _| g1::Config::endomorphism_affine(&point))
}

/// Multiplies a point by the scalar with these halves if the scalar is a sixth root of unity.
/// Returns `None` for any other scalar.
fn unit_multiple(point: &G1Affine, halves: Halves) -> Option<G1Affine> {
    Some(match halves {
        [1, 0] => *point,
        [0, 1] => endomorphism(point),
        // mu^2 = mu - 1
        [-1, 1] => endomorphism(&endomorphism(point)),
        [-1, 0] => -*point,
        [0, -1] => -endomorphism(point),
        [1, -1] => -endomorphism(&endomorphism(point)),
        _ => return None,
    })
}

/// Calls `change` with every item, on the threads of `workers`.
fn change_all<T: Send>(mut items: Vec<T>, workers: &Workers, change: impl Fn(&mut T) + Sync) {
    if workers.threads() == 1 {
        items.iter_mut().for_each(change);
    } else {
        let change_piece = |_, items: &mut [T]| items.iter_mut().for_each(&change);
        workers.run(|| for_each_piece(&mut items, 1, &change_piece));
    }
}

/// Multiplies each point in place by the scalar with the halves next to it. All points process the
/// same digit together, so that their additions form one batch.
fn scale_in_lockstep(points: &mut [(&mut G1Affine, Halves)]) {
    let bases: Vec<G1Affine> = points.iter().map(|(point, _)| **point).collect();
    let tables = tables(&bases, WIDTH);
    let mut adder = Adder::default();
    let mut sums = vec![G1Affine::identity(); points.len()];
    let mut addends = sums.clone();
    let windows: Vec<Window> = Window::covering(HALF_BITS, WIDTH).collect();
    for window in windows.iter().rev() {
        if sums.iter().any(|sum| !sum.is_zero()) {
            for _ in 0..WIDTH {
                adder.double_each(&mut sums);
            }
        }
        for half in [0, 1] {
            let pairs = tables.chunks(2).zip(points.iter());
            for (addend, (tables, (_, halves))) in addends.iter_mut().zip(pairs) {
                let digit = window.digit(halves[half]);
                *addend = multiple(&tables[half], digit).unwrap_or_default();
            }
            adder.add_each(&mut sums, &addends);
        }
    }
    for ((point, _), sum) in points.iter_mut().zip(sums) {
        **point = sum;
    }
}

/// Digit width of the scalars in [`scale_in_lockstep`].
const WIDTH: u32 = 4;

/// Maximum number of points multiplied together (not tuned). Smaller batches share an inversion
/// among too few points, and larger batches exceed the cache.
const MULTIPLICATIONS: usize = 2048;

/// Maximum number of additions in one batch.
const ADDITIONS: usize = 4096;
