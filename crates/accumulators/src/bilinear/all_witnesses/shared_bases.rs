//! Many multi-scalar sums over the same points: the multiples of each point are tabulated once for
//! all sums.
//!
//! Source: Straus 1964 (interleaved windows), with batched additions within each window.

use ark_bls12_381::{Fr, G1Affine, G1Projective};
use ark_ff::{AdditiveGroup, Zero};
use bls12::{
    affine::{self, Adder, multiple, normalize},
    count::Counted,
};
use pad_core::Workers;

use crate::bilinear::multi_scalar::{
    HALF_BITS,
    endomorphism::{Halves, Window, decompose, endomorphism},
};

/// Computes for each row of scalars the sum of `row[k] * bases[k]`.
///
/// Cost for each of many rows: about 40 affine additions per base, and 127 doublings.
pub(super) fn sums(bases: &[G1Affine], rows: &[Vec<Fr>], workers: &Workers) -> Vec<G1Affine> {
    Counted::add_sums(rows.len(), bases.len());
    let width = best_width(rows.len());
    let tables = tables(bases, width);
    let rows: Vec<Vec<Halves>> = rows
        .iter()
        .map(|row| row.iter().map(decompose).collect())
        .collect();
    let windows: Vec<Window> = Window::covering(HALF_BITS, width).collect();
    let window_sums = workers.map(&windows, |window| window_sum(&tables, &rows, window));
    let numbers: Vec<usize> = (0..rows.len()).collect();
    let sums: Vec<G1Projective> = workers.map(&numbers, |row| {
        let mut sum = G1Projective::zero();
        for window in window_sums.iter().rev() {
            for _ in 0..width {
                sum.double_in_place();
            }
            sum += window[*row];
        }
        sum
    });
    normalize(&sums)
}

/// Chooses the window width in bits that needs the fewest additions for `rows` sums. A point costs
/// the additions for its table of multiples, and two additions in each window and row.
fn best_width(rows: usize) -> u32 {
    let cost = |width: u32| {
        let windows = Window::covering(HALF_BITS, width).count();
        (1_usize << (width - 1)) + 2 * rows * windows
    };
    (4..=GREATEST_WIDTH)
        .min_by_key(|width| cost(*width))
        .unwrap_or(GREATEST_WIDTH)
}

/// Computes for each row the sum of the points, each multiplied by the digit that its scalar has in
/// `window`.
fn window_sum(tables: &[Vec<G1Affine>], rows: &[Vec<Halves>], window: &Window) -> Vec<G1Affine> {
    let mut addends = Vec::with_capacity(rows.len() * tables.len());
    let mut lengths = Vec::with_capacity(rows.len());
    for row in rows {
        let before = addends.len();
        for (table, number) in tables.iter().zip(row.as_flattened()) {
            addends.extend(multiple(table, window.digit(*number)));
        }
        lengths.push(addends.len() - before);
    }
    Adder::default().sum_segments(&addends, &mut lengths)
}

/// Returns two tables for each point: the multiples by 1 to `2^(width - 1)` of the point, then
/// those of its image under the endomorphism.
pub(super) fn tables(points: &[G1Affine], width: u32) -> Vec<Vec<G1Affine>> {
    let tables = affine::tables(points, width).into_iter();
    tables
        .flat_map(|table| {
            let image = table.iter().map(endomorphism).collect();
            [table, image]
        })
        .collect()
}

/// Maximum window width in bits. Wider tables would exceed the cache (chosen by size, not tuned).
const GREATEST_WIDTH: u32 = 7;
