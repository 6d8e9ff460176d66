//! Batched additions of affine points of G1: one field inversion for a whole batch.
//!
//! An affine addition costs one inversion, two multiplications and a squaring. Montgomery's
//! simultaneous inversion replaces the inversion by three multiplications. The total cost is half
//! that of a mixed addition in projective coordinates. Where the processor has vector instructions
//! for it, eight additions run at once.
//!
//! Every case is exact: equal points are doubled, opposite points cancel, and the identity is
//! neutral. An attacker may choose the points, so no special case may be missing.
//!
//! Running times depend on the points. Points may be outside of the subgroup.
//!
//! Source: Montgomery 1987, section 10.3.1 (simultaneous inversion).

mod coordinates;
mod inversion;
#[cfg(feature = "std")]
mod lanes;
mod scalar;
#[cfg(all(test, feature = "std"))]
mod tests;

use alloc::{vec, vec::Vec};

use ark_bls12_381::{Fq, G1Affine};
use ark_ec::short_weierstrass::{Affine, Projective, SWCurveConfig};
use ark_ff::{AdditiveGroup, Field, Zero, serial_batch_inversion_and_mul};

pub use coordinates::Coordinates;

use coordinates::equal;

/// Adds points in batches, with one inversion per batch. Reuses its buffers between batches.
#[derive(Debug, Default)]
pub struct Adder {
    scalar: scalar::Buffers,
    #[cfg(feature = "std")]
    lanes: lanes::Buffers,
    /// Buffers for the sums of the current round of additions and of the previous round.
    rounds: [Vec<G1Affine>; 2],
}

/// A line through two points, or the tangent at one. Its third intersection with the curve is the
/// negative of their sum.
#[derive(Clone, Copy, Debug)]
struct Line<'a> {
    /// The points, which are the same for a tangent. None is the identity.
    points: [Coordinates<'a>; 2],
    /// Position of the sum in the list of results.
    place: usize,
}

/// The two kinds of [`Line`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Through points with different abscissas.
    Chord,
    /// At a point whose ordinate is not zero.
    Tangent,
}

/// Lines of one batch, by kind.
#[derive(Debug, Default)]
struct Lines<'a> {
    chords: Vec<Line<'a>>,
    tangents: Vec<Line<'a>>,
}

impl Adder {
    /// Adds `right` to `left`, element by element, over the length of the shorter slice.
    ///
    /// Cost: 5 multiplications and a squaring per element, and one inversion per batch.
    pub fn add_each(&mut self, left: &mut [G1Affine], right: &[G1Affine]) {
        let mut sums = core::mem::take(&mut self.rounds[0]);
        sums.clear();
        let pairs = left.iter().zip(right);
        self.add_pairs(
            pairs.map(|(left, right)| [left.into(), right.into()]),
            &mut sums,
        );
        for (point, sum) in left.iter_mut().zip(&sums) {
            *point = *sum;
        }
        self.rounds[0] = sums;
    }

    /// Doubles every point.
    ///
    /// Cost: 5 multiplications and 2 squarings per point, and one inversion per batch.
    pub fn double_each(&mut self, points: &mut [G1Affine]) {
        let mut sums = core::mem::take(&mut self.rounds[0]);
        sums.clear();
        let pairs = points.iter().map(|point| [point.into(), point.into()]);
        self.add_pairs(pairs, &mut sums);
        points.copy_from_slice(&sums);
        self.rounds[0] = sums;
    }

    /// Computes the sum of each segment of `points`. Segment `i` has `lengths[i]` points. The sum
    /// of an empty segment is the identity.
    ///
    /// Each round adds pairs of neighbours within every segment, in one batch. Points beyond the
    /// last segment are ignored. `lengths` is overwritten.
    ///
    /// Cost: for each segment, one addition fewer than it has points. One inversion per batch. The
    /// number of rounds is the logarithm to base 2 of the longest segment's length, rounded up.
    pub fn sum_segments(&mut self, points: &[G1Affine], lengths: &mut [usize]) -> Vec<G1Affine> {
        let mut sums = Vec::with_capacity(lengths.len());
        self.append_sums(points, lengths, Coordinates::from, &mut sums);
        sums
    }

    /// Like [`Self::sum_segments`], but appends the results to `sums`. `point` returns the point
    /// that an item represents, so that points need not be copied.
    pub fn append_sums<'a, T>(
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
        sums.clear();
        let pairs = neighbours(items, lengths).filter_map(|pair| {
            let (first, rest) = pair.split_first()?;
            Some([
                point(first),
                rest.first().map_or(Coordinates::IDENTITY, &point),
            ])
        });
        self.add_pairs(pairs, sums);
        for length in lengths {
            *length = length.div_ceil(2);
        }
    }

    /// Appends the sum of each pair to `sums`.
    fn add_pairs<'a>(
        &mut self,
        pairs: impl Iterator<Item = [Coordinates<'a>; 2]>,
        sums: &mut Vec<G1Affine>,
    ) {
        let mut lines = Lines::default();
        for points in pairs {
            let line = Line {
                points,
                place: sums.len(),
            };
            let [left, right] = points;
            let mut sum = G1Affine::identity();
            if left.is_identity() {
                sum = right.point();
            } else if right.is_identity() {
                sum = left.point();
            } else if !equal(left.x, right.x) {
                lines.chords.push(line);
            } else if equal(left.y, right.y) && !equal(left.y, &Fq::ZERO) {
                // No point has order two, yet a zero ordinate must not zero the product of the
                // whole batch.
                lines.tangents.push(line);
            }
            sums.push(sum);
            if lines.chords.len() == BATCH || lines.tangents.len() == BATCH {
                self.draw(&mut lines, sums);
            }
        }
        self.draw(&mut lines, sums);
    }

    /// Writes the sums of the points of all lines, and clears the lines.
    fn draw(&mut self, lines: &mut Lines<'_>, sums: &mut [G1Affine]) {
        for (kind, lines) in [
            (Kind::Chord, &mut lines.chords),
            (Kind::Tangent, &mut lines.tangents),
        ] {
            if lines.is_empty() {
                continue;
            }
            #[cfg(feature = "std")]
            let drawn = self.lanes.draw(kind, lines, sums);
            #[cfg(not(feature = "std"))]
            let drawn: Option<()> = None;
            if drawn.is_none() {
                self.scalar.draw(kind, lines, sums);
            }
            lines.clear();
        }
    }
}

/// Maximum number of additions with one inversion. With more, the buffers exceed the cache.
const BATCH: usize = 4096;

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

/// Returns for each point the table of its multiples by 1 to `2^(width - 1)`. `width` is at least
/// 1.
///
/// Cost: an addition for each entry, and one inversion per batch.
pub fn tables(points: &[G1Affine], width: u32) -> Vec<Vec<G1Affine>> {
    let mut adder = Adder::default();
    let mut tables: Vec<Vec<G1Affine>> = points.iter().map(|point| vec![*point]).collect();
    for _ in 1..width {
        // The second half of each table: the first half, and the highest multiple added to each.
        let mut sums = tables.concat();
        let highest = tables.iter().flat_map(|table| {
            let highest = table.last().copied().unwrap_or_default();
            core::iter::repeat_n(highest, table.len())
        });
        adder.add_each(&mut sums, &highest.collect::<Vec<_>>());
        let length = tables.first().map_or(1, Vec::len);
        for (table, sums) in tables.iter_mut().zip(sums.chunks(length)) {
            table.extend_from_slice(sums);
        }
    }
    tables
}

/// Looks up `digit` times a point in its table of [`tables`]. Returns `None` for the digit 0, and
/// for digits beyond the table.
#[inline]
pub fn multiple<C: SWCurveConfig>(table: &[Affine<C>], digit: i32) -> Option<Affine<C>> {
    let place = usize::try_from(digit.unsigned_abs()).ok()?.checked_sub(1)?;
    let multiple = table.get(place)?;
    Some(if digit < 0 { -*multiple } else { *multiple })
}

/// Converts points to affine coordinates with one inversion, on the calling thread.
///
/// `normalize_batch` of `ark_ec` would run in the current thread pool.
pub fn normalize<C: SWCurveConfig>(points: &[Projective<C>]) -> Vec<Affine<C>> {
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
