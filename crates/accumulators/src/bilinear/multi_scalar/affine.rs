//! Batched additions of affine points: one field inversion for a whole batch.
//!
//! An affine addition costs one inversion, two multiplications and a squaring. Montgomery's
//! simultaneous inversion replaces the inversion by three multiplications. The total cost is half
//! that of a mixed addition in projective coordinates.
//!
//! Every case is exact: equal points are doubled, opposite points cancel, and the identity is
//! neutral. An attacker may choose the points, so no special case may be missing.
//!
//! Source: Montgomery 1987, section 10.3.1 (simultaneous inversion).

use alloc::vec::Vec;

use ark_bls12_381::{Fq, G1Affine};
use ark_ec::short_weierstrass::{Affine, Projective, SWCurveConfig};
use ark_ff::{AdditiveGroup, Field, Zero, serial_batch_inversion_and_mul};

use super::{
    coordinates::{Coordinates, equal},
    table::Table,
};

/// Adds points in batches, with one inversion per batch. Reuses its buffers between batches.
#[derive(Debug, Default)]
pub(crate) struct Adder {
    inverses: Vec<Fq>,
    prefixes: Vec<Fq>,
    /// Buffers for the sums of the current round of additions and of the previous round.
    rounds: [Vec<G1Affine>; 2],
}

impl Adder {
    /// Adds `right` to `left`, element by element, over the length of the shorter slice.
    ///
    /// Cost: 5 multiplications and a squaring per element, and one inversion.
    pub(crate) fn add_each(&mut self, left: &mut [G1Affine], right: &[G1Affine]) {
        self.inverses.clear();
        self.inverses.extend(
            left.iter()
                .zip(right)
                .map(|(left, right)| denominator(left.into(), right.into())),
        );
        invert_all(&mut self.inverses, &mut self.prefixes);
        for ((left, right), inverse) in left.iter_mut().zip(right).zip(&self.inverses) {
            *left = complete((&*left).into(), right.into(), inverse);
        }
    }

    /// Doubles every point.
    ///
    /// Cost: 5 multiplications and 2 squarings per point, and one inversion.
    #[cfg(feature = "std")]
    pub(crate) fn double_each(&mut self, points: &mut [G1Affine]) {
        self.inverses.clear();
        self.inverses.extend(
            points
                .iter()
                .map(|point| denominator(point.into(), point.into())),
        );
        invert_all(&mut self.inverses, &mut self.prefixes);
        for (point, inverse) in points.iter_mut().zip(&self.inverses) {
            *point = complete((&*point).into(), (&*point).into(), inverse);
        }
    }

    /// Computes the sum of each segment of `points`. Segment `i` has `lengths[i]` points. The sum
    /// of an empty segment is the identity.
    ///
    /// Each round adds pairs of neighbours within every segment, in one batch. Points beyond the
    /// last segment are ignored. `lengths` is overwritten.
    ///
    /// Cost: for each segment, one addition fewer than it has points. One inversion per round. The
    /// number of rounds is the logarithm to base 2 of the longest segment's length, rounded up.
    pub(crate) fn sum_segments(
        &mut self,
        points: &[G1Affine],
        lengths: &mut [usize],
    ) -> Vec<G1Affine> {
        let mut sums = Vec::with_capacity(lengths.len());
        self.append_sums(points, lengths, Coordinates::from, &mut sums);
        sums
    }

    /// Like [`Self::sum_segments`], but appends the results to `sums`. The points are given by
    /// `choices`, which refer to the points of a [`Table`] without copying them.
    pub(super) fn append_sums_chosen<'a>(
        &mut self,
        table: &'a Table,
        choices: &'a [u32],
        lengths: &mut [usize],
        sums: &mut Vec<G1Affine>,
    ) {
        self.append_sums(choices, lengths, |choice| table.choose(*choice), sums);
    }

    /// Appends to `sums` the sum of each segment of `items`. `point` returns the point that an item
    /// represents.
    fn append_sums<'a, T>(
        &mut self,
        items: &'a [T],
        lengths: &mut [usize],
        point: impl Fn(&'a T) -> Coordinates<'a>,
        sums: &mut Vec<G1Affine>,
    ) {
        // Taken out during the work and put back, since fresh allocations are slow.
        let [mut points, mut next] = core::mem::take(&mut self.rounds);
        self.add_neighbours(items, lengths, point, &mut points);
        while lengths.iter().any(|length| *length > 1) {
            self.add_neighbours(&points, lengths, Coordinates::from, &mut next);
            core::mem::swap(&mut points, &mut next);
        }
        let mut rest = points.iter();
        sums.extend(lengths.iter().map(|length| match length {
            0 => G1Affine::identity(),
            _ => rest.next().copied().unwrap_or_default(),
        }));
        self.rounds = [points, next];
    }

    /// Performs one round: adds the pairs of neighbours within every segment, and keeps the last
    /// point of a segment of odd length. Halves `lengths`, rounded up.
    fn add_neighbours<'a, T>(
        &mut self,
        items: &'a [T],
        lengths: &mut [usize],
        point: impl Fn(&'a T) -> Coordinates<'a>,
        sums: &mut Vec<G1Affine>,
    ) {
        self.inverses.clear();
        for pair in neighbours(items, lengths) {
            if let [left, right] = pair {
                self.inverses.push(denominator(point(left), point(right)));
            }
        }
        invert_all(&mut self.inverses, &mut self.prefixes);
        let mut inverses = self.inverses.iter();
        sums.clear();
        for pair in neighbours(items, lengths) {
            match pair {
                [left, right] => {
                    let inverse = inverses.next().unwrap_or(&Fq::ONE);
                    sums.push(complete(point(left), point(right), inverse));
                }
                single => sums.extend(single.iter().map(|item| point(item).point())),
            }
        }
        for length in lengths {
            *length = length.div_ceil(2);
        }
    }
}

/// Iterates over the pairs of neighbours within each segment. The last slice of a segment of odd
/// length has one item.
fn neighbours<'a, T>(items: &'a [T], lengths: &[usize]) -> impl Iterator<Item = &'a [T]> {
    let mut rest = items;
    lengths.iter().flat_map(move |length| {
        let (segment, after) = rest.split_at_checked(*length).unwrap_or((rest, &[]));
        rest = after;
        segment.chunks(2)
    })
}

/// Computes the denominator of the slope for the sum of two points, or 1 if the sum needs no
/// inversion.
#[inline]
fn denominator(left: Coordinates<'_>, right: Coordinates<'_>) -> Fq {
    if left.is_identity() || right.is_identity() {
        return Fq::ONE;
    }
    if !equal(left.x, right.x) {
        let mut difference = *right.x;
        difference -= left.x;
        return difference;
    }
    // Equal or opposite points. No point has order two, yet a zero ordinate must not zero the
    // product of the whole batch.
    if equal(left.y, right.y) && !equal(left.y, &Fq::ZERO) {
        left.y.double()
    } else {
        Fq::ONE
    }
}

/// Adds two points, given the inverse of their [`denominator`].
#[inline]
fn complete(left: Coordinates<'_>, right: Coordinates<'_>, inverse: &Fq) -> G1Affine {
    if left.is_identity() {
        return right.point();
    }
    if right.is_identity() {
        return left.point();
    }
    // In place, since the compiler copies the results of operators.
    let mut slope;
    if !equal(left.x, right.x) {
        slope = *right.y;
        slope -= left.y;
    } else if equal(left.y, right.y) && !equal(left.y, &Fq::ZERO) {
        let square = left.x.square();
        slope = square.double() + square;
    } else {
        return G1Affine::identity();
    }
    slope *= inverse;
    let mut x = slope;
    x.square_in_place();
    x -= left.x;
    x -= right.x;
    let mut y = *left.x;
    y -= &x;
    y *= &slope;
    y -= left.y;
    G1Affine::new_unchecked(x, y)
}

/// Inverts every value in place. No value may be zero. `prefixes` is a buffer.
///
/// The values are distributed over independent chains of products, so that a processor can overlap
/// the multiplications.
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

/// Converts points to affine coordinates with one inversion, on the calling thread.
///
/// `normalize_batch` of `ark_ec` would run in the current thread pool.
pub(crate) fn normalize<C: SWCurveConfig>(points: &[Projective<C>]) -> Vec<Affine<C>> {
    let mut inverses: Vec<C::BaseField> = points.iter().map(|point| point.z).collect();
    serial_batch_inversion_and_mul(&mut inverses, &C::BaseField::ONE);
    points
        .iter()
        .zip(inverses)
        .map(|(point, inverse)| {
            if point.is_zero() {
                return Affine::identity();
            }
            let square = inverse.square();
            Affine::new_unchecked(point.x * square, point.y * square * inverse)
        })
        .collect()
}

/// Number of independent chains of products in one batched inversion.
const CHAINS: usize = 4;
