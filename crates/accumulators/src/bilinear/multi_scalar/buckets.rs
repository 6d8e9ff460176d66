//! Multi-scalar sums by the bucket method, with affine additions throughout.
//!
//! Points are distributed to buckets by a digit of their scalar, and the buckets are summed. The
//! sum of `v * bucket_v` is combined from one sum for each bit of `v`. Combining takes two
//! additions per bucket. Most are independent, so they run in batches.
//!
//! Source: Pippenger 1976; Bernstein, Doumen, Lange, Oosterwijk 2012, section 4 (buckets).

use alloc::{vec, vec::Vec};

use ark_bls12_381::{G1Affine, G1Projective};
use ark_ff::{AdditiveGroup, Zero};
use bls12::affine::Adder;
use pad_core::Workers;

use super::{
    endomorphism::{Halves, Window},
    table::Table,
};

/// The scalars of one multi-scalar sum.
#[derive(Debug)]
pub(super) struct Factors {
    /// The scalar of each point in two halves: the factor of the point, and that of its image under
    /// the endomorphism.
    pub(super) halves: Vec<Halves>,
    /// Maximum length of a half in bits, with its sign.
    pub(super) bits: u32,
}

/// Computes one sum for each of `factors`: the sum of `points`, each multiplied by its scalar.
///
/// The work is split into groups of windows for parallel threads. On one thread there is one group.
pub(super) fn sums(
    points: &[G1Affine],
    factors: &[Factors],
    workers: &Workers,
) -> Vec<G1Projective> {
    let table = Table::new(points);
    let width = best_width(table.len(), factors);
    let windows: Vec<(&Factors, Window)> = factors
        .iter()
        .flat_map(|factors| {
            Window::covering(factors.bits, width).map(move |window| (factors, window))
        })
        .collect();
    let group = match workers.threads() {
        1 => windows.len().max(1),
        threads => windows.len().div_ceil(threads).clamp(1, MOST_WINDOWS),
    };
    let groups: Vec<&[(&Factors, Window)]> = windows.chunks(group).collect();
    let sums: Vec<Vec<WindowSum>> = workers.map(&groups, |group| window_sums(&table, group, width));
    let mut sums = sums.into_iter().flatten();
    factors
        .iter()
        .map(|factors| {
            let count = Window::covering(factors.bits, width).count();
            let sums: Vec<WindowSum> = sums.by_ref().take(count).collect();
            join_windows(&sums)
        })
        .collect()
}

/// Chooses the window width in bits with the fewest additions. Each window costs one addition for
/// each point and two for each bucket.
fn best_width(points: usize, factors: &[Factors]) -> u32 {
    let cost = |width: u32| {
        let windows: usize = factors
            .iter()
            .map(|factors| Window::covering(factors.bits, width).count())
            .sum();
        windows.saturating_mul(points.saturating_add(1 << width))
    };
    (LEAST_WIDTH..=GREATEST_WIDTH)
        .min_by_key(|width| cost(*width))
        .unwrap_or(LEAST_WIDTH)
}

/// Sums over the buckets of one window, from which [`join_windows`] computes the window's
/// contribution.
struct WindowSum {
    /// Sum of all buckets.
    total: G1Affine,
    /// For each bit of a bucket's position, lowest first, the sum of the buckets whose position has
    /// this bit set. The bucket of digit `v` has position `v - 1`.
    bits: Vec<G1Affine>,
}

fn window_sums(table: &Table, windows: &[(&Factors, Window)], width: u32) -> Vec<WindowSum> {
    let buckets = 1_usize << width.saturating_sub(1);
    let mut adder = Adder::default();
    let (mut choices, mut lengths) = (Vec::new(), Vec::new());
    let mut sums = Vec::with_capacity(buckets.saturating_mul(windows.len()));
    for batch in windows.chunks((BATCH / table.len().max(1)).max(1)) {
        choices.clear();
        lengths.clear();
        for (factors, window) in batch {
            deal(&factors.halves, window, buckets, &mut choices, &mut lengths);
        }
        adder.append_sums(
            &choices,
            &mut lengths,
            |choice| table.choose(*choice),
            &mut sums,
        );
    }
    weigh(&mut adder, sums, windows.len(), width)
}

/// Sorts the points of one window into buckets. Appends the points to `choices` in the order of
/// their buckets, and the numbers of points per bucket to `lengths`.
///
/// Bucket `v - 1` receives the points with digit `v`, and the negatives of the points with digit
/// `-v`.
fn deal(
    halves: &[Halves],
    window: &Window,
    buckets: usize,
    choices: &mut Vec<u32>,
    lengths: &mut Vec<usize>,
) {
    let digits = halves.as_flattened().iter();
    let digits: Vec<i32> = digits.map(|number| window.digit(*number)).collect();
    let bucket = |digit: i32| usize::try_from(digit.unsigned_abs()).ok()?.checked_sub(1);
    let mut counts = vec![0_usize; buckets];
    for count in digits.iter().filter_map(|digit| bucket(*digit)) {
        if let Some(count) = counts.get_mut(count) {
            *count = count.saturating_add(1);
        }
    }
    lengths.extend_from_slice(&counts);
    let mut next = choices.len();
    for count in &mut counts {
        next = next.saturating_add(core::mem::replace(count, next));
    }
    choices.resize(next, 0);
    for (number, digit) in (0_u32..).zip(&digits) {
        let Some(place) = bucket(*digit).and_then(|bucket| counts.get_mut(bucket)) else {
            continue;
        };
        if let Some(slot) = choices.get_mut(*place) {
            *slot = Table::choice(number, *digit < 0);
        }
        *place = place.saturating_add(1);
    }
}

/// Computes the [`WindowSum`] of each window from the sums of the single buckets of all windows.
///
/// Works by halving. In each step, the entries at odd indices form the sum for the lowest bit. Each
/// pair of neighbours is added into one entry for the higher bits.
fn weigh(
    adder: &mut Adder,
    mut buckets: Vec<G1Affine>,
    windows: usize,
    width: u32,
) -> Vec<WindowSum> {
    let bits = width.saturating_sub(1);
    let mut odd = Vec::with_capacity(buckets.len());
    let mut lengths = Vec::new();
    for bit in (0..bits).rev() {
        let (mut even, right): (Vec<G1Affine>, Vec<G1Affine>) = buckets
            .chunks_exact(2)
            .filter_map(|pair| <[G1Affine; 2]>::try_from(pair).ok())
            .map(<(G1Affine, G1Affine)>::from)
            .unzip();
        odd.extend_from_slice(&right);
        lengths.extend(core::iter::repeat_n(1_usize << bit, windows));
        adder.add_each(&mut even, &right);
        buckets = even;
    }
    let by_bit = adder.sum_segments(&odd, &mut lengths);
    let sums = buckets.into_iter().enumerate().map(|(window, total)| {
        let bits = by_bit.iter().skip(window).step_by(windows);
        let bits = bits.copied().collect();
        WindowSum { total, bits }
    });
    sums.collect()
}

/// Computes the total from the sums of all windows, by Horner's rule over the windows and, within
/// each window, over the bits.
fn join_windows(windows: &[WindowSum]) -> G1Projective {
    let mut sum = G1Projective::zero();
    for window in windows.iter().rev() {
        // The buckets have one bit less than the window: the digits are signed.
        sum.double_in_place();
        for bit in window.bits.iter().rev() {
            sum.double_in_place();
            sum += bit;
        }
        sum += window.total;
    }
    sum
}

/// Approximate number of points in one batch. Larger batches gain little and exceed the cache.
const BATCH: usize = 1 << 13;

/// Maximum number of windows in a group, if there are several threads. Few threads get several
/// groups each, which balances their load.
const MOST_WINDOWS: usize = 8;

const LEAST_WIDTH: u32 = 4;
const GREATEST_WIDTH: u32 = 16;
