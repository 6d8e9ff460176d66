//! Additions of affine points in batches: one field inversion serves a whole batch.
//!
//! An affine addition costs one inversion, two multiplications and a squaring; Montgomery's
//! simultaneous inversion replaces the inversion by three multiplications. That is half of a mixed
//! addition in projective coordinates.
//!
//! Every case is exact: equal points are doubled, opposite points cancel, and the identity is
//! neutral. Points may come from an attacker who looks for the case that was forgotten.
//!
//! Source: Montgomery 1987, section 10.3.1 (simultaneous inversion).

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

use ark_bls12_381::{Fq, G1Affine, G1Projective};
use ark_ec::AffineRepr;
use ark_ff::{AdditiveGroup, Field, Zero, serial_batch_inversion_and_mul};

/// Adds batches of points; owns the memory that the inversions need.
#[derive(Debug, Default)]
pub(crate) struct Adder {
    inverses: Vec<Fq>,
    prefixes: Vec<Fq>,
}

impl Adder {
    /// Adds `right` to `left`, element by element, as far as the shorter one goes.
    ///
    /// Cost: 5 multiplications and a squaring per element, and one inversion.
    pub(crate) fn add_each(&mut self, left: &mut [G1Affine], right: &[G1Affine]) {
        self.inverses.clear();
        self.inverses.extend(
            left.iter()
                .zip(right)
                .map(|(left, right)| denominator(left, right)),
        );
        invert_all(&mut self.inverses, &mut self.prefixes);
        for ((left, right), inverse) in left.iter_mut().zip(right).zip(&self.inverses) {
            *left = complete(left, right, inverse);
        }
    }

    /// Doubles every point.
    ///
    /// Cost: 5 multiplications and 2 squarings per point, and one inversion.
    pub(crate) fn double_each(&mut self, points: &mut [G1Affine]) {
        self.inverses.clear();
        self.inverses
            .extend(points.iter().map(|point| denominator(point, point)));
        invert_all(&mut self.inverses, &mut self.prefixes);
        for (point, inverse) in points.iter_mut().zip(&self.inverses) {
            *point = complete(point, point, inverse);
        }
    }

    /// The sum of each segment of `points`, where segment `i` has `lengths[i]` points; the identity
    /// for an empty one.
    ///
    /// Neighbours are added in rounds, so that a round is one batch. Points beyond the last segment
    /// are ignored.
    ///
    /// Cost: one addition less than points in each segment, and one inversion for each doubling of
    /// the longest segment.
    pub(crate) fn sum_segments(
        &mut self,
        mut points: Vec<G1Affine>,
        mut lengths: Vec<usize>,
    ) -> Vec<G1Affine> {
        let mut sums = Vec::with_capacity(points.len().div_ceil(2));
        while lengths.iter().any(|length| *length > 1) {
            self.add_neighbours(&points, &lengths, &mut sums);
            core::mem::swap(&mut points, &mut sums);
            for length in &mut lengths {
                *length = length.div_ceil(2);
            }
        }
        let mut sums = points.into_iter();
        lengths
            .iter()
            .map(|length| match length {
                0 => G1Affine::identity(),
                _ => sums.next().unwrap_or_default(),
            })
            .collect()
    }

    /// One round: the neighbours of every segment become their sum; an odd last one stays.
    fn add_neighbours(&mut self, points: &[G1Affine], lengths: &[usize], sums: &mut Vec<G1Affine>) {
        self.inverses.clear();
        for pair in neighbours(points, lengths) {
            if let [left, right] = pair {
                self.inverses.push(denominator(left, right));
            }
        }
        invert_all(&mut self.inverses, &mut self.prefixes);
        let mut inverses = self.inverses.iter();
        sums.clear();
        for pair in neighbours(points, lengths) {
            match pair {
                [left, right] => {
                    let inverse = inverses.next().unwrap_or(&Fq::ONE);
                    sums.push(complete(left, right, inverse));
                }
                single => sums.extend_from_slice(single),
            }
        }
    }
}

/// The pairs of neighbours within each segment.
fn neighbours<'a>(
    points: &'a [G1Affine],
    lengths: &'a [usize],
) -> impl Iterator<Item = &'a [G1Affine]> {
    let mut rest = points;
    lengths.iter().flat_map(move |length| {
        let (segment, after) = rest.split_at_checked(*length).unwrap_or((rest, &[]));
        rest = after;
        segment.chunks(2)
    })
}

/// What must be inverted to add two points; one, where nothing must.
fn denominator(left: &G1Affine, right: &G1Affine) -> Fq {
    if is_identity(left) || is_identity(right) {
        return Fq::ONE;
    }
    if !equal(&left.x, &right.x) {
        return right.x - left.x;
    }
    // The same point, or two that cancel. No point has order two, yet a zero ordinate must not
    // poison the whole batch.
    if equal(&left.y, &right.y) && !equal(&left.y, &Fq::ZERO) {
        left.y.double()
    } else {
        Fq::ONE
    }
}

/// The sum of two points, given the inverse of their [`denominator`].
fn complete(left: &G1Affine, right: &G1Affine, inverse: &Fq) -> G1Affine {
    if is_identity(left) {
        return *right;
    }
    if is_identity(right) {
        return *left;
    }
    let slope = if !equal(&left.x, &right.x) {
        (right.y - left.y) * inverse
    } else if equal(&left.y, &right.y) && !equal(&left.y, &Fq::ZERO) {
        let square = left.x.square();
        (square.double() + square) * inverse
    } else {
        return G1Affine::identity();
    };
    let x = slope.square() - left.x - right.x;
    G1Affine::new_unchecked(x, slope * (left.x - x) - left.y)
}

/// The identity is stored with both coordinates zero, which is no point of the curve.
fn is_identity(point: &G1Affine) -> bool {
    equal(&point.x, &Fq::ZERO) && point.is_zero()
}

/// Equality without the call of `memcmp` that the comparison of arrays becomes: a twelfth of all
/// time.
#[inline]
fn equal(left: &Fq, right: &Fq) -> bool {
    let limbs = left.0.0.iter().zip(&right.0.0);
    limbs.fold(0, |difference, (left, right)| difference | (left ^ right)) == 0
}

/// Inverts every value; none may be zero.
///
/// The values are dealt to independent chains of products, because a processor overlaps
/// multiplications that do not wait for each other.
fn invert_all(values: &mut [Fq], prefixes: &mut Vec<Fq>) {
    let mut products = [Fq::ONE; CHAINS];
    prefixes.clear();
    for group in values.chunks(CHAINS) {
        for (value, product) in group.iter().zip(&mut products) {
            prefixes.push(*product);
            *product *= value;
        }
    }
    serial_batch_inversion_and_mul(&mut products, &Fq::ONE);
    for (group, prefixes) in values.chunks_mut(CHAINS).zip(prefixes.chunks(CHAINS)).rev() {
        for ((value, prefix), inverse) in group.iter_mut().zip(prefixes).zip(&mut products) {
            let next = *inverse * *value;
            *value = *inverse * prefix;
            *inverse = next;
        }
    }
}

/// The same points in affine coordinates, with one inversion, on the calling thread.
///
/// The library's `normalize_batch` would go to whatever thread pool is the current one.
pub(crate) fn normalize(points: &[G1Projective]) -> Vec<G1Affine> {
    let mut inverses: Vec<Fq> = points.iter().map(|point| point.z).collect();
    serial_batch_inversion_and_mul(&mut inverses, &Fq::ONE);
    points
        .iter()
        .zip(inverses)
        .map(|(point, inverse)| {
            if point.is_zero() {
                return G1Affine::identity();
            }
            let square = inverse.square();
            G1Affine::new_unchecked(point.x * square, point.y * square * inverse)
        })
        .collect()
}

/// Independent chains of products in an inversion.
const CHAINS: usize = 4;
