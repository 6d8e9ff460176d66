//! Additions one by one, with the arithmetic of the curve library.

use alloc::vec::Vec;

use ark_bls12_381::{Fq, G1Affine};
use ark_ff::{AdditiveGroup, Field};

use super::{Kind, Line, inversion::invert_each};

#[derive(Debug, Default)]
pub(super) struct Buffers {
    inverses: Vec<Fq>,
    prefixes: Vec<Fq>,
}

impl Buffers {
    /// Writes the sums of the points of all lines.
    pub(super) fn draw(&mut self, kind: Kind, lines: &[Line<'_>], sums: &mut [G1Affine]) {
        self.inverses.clear();
        self.inverses
            .extend(lines.iter().map(|line| denominator(kind, line)));
        invert_all(&mut self.inverses, &mut self.prefixes);
        for (line, inverse) in lines.iter().zip(&self.inverses) {
            if let Some(sum) = sums.get_mut(line.place) {
                *sum = third_point(kind, line, inverse);
            }
        }
    }
}

/// Computes the denominator of the slope, which is not zero.
#[inline]
fn denominator(kind: Kind, line: &Line<'_>) -> Fq {
    let [left, right] = line.points;
    match kind {
        Kind::Chord => {
            let mut difference = *right.x;
            difference -= left.x;
            difference
        }
        Kind::Tangent => left.y.double(),
    }
}

/// Computes the sum of the line's points, given the inverse of its [`denominator`].
#[inline]
fn third_point(kind: Kind, line: &Line<'_>, inverse: &Fq) -> G1Affine {
    let [left, right] = line.points;
    // In place, since the compiler copies the results of operators.
    let mut slope;
    match kind {
        Kind::Chord => {
            slope = *right.y;
            slope -= left.y;
        }
        Kind::Tangent => {
            let square = left.x.square();
            slope = square.double() + square;
        }
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
    invert_each(&mut products, &Fq::ONE);
    for (group, prefixes) in values.chunks_mut(CHAINS).zip(prefixes.chunks(CHAINS)).rev() {
        for ((value, prefix), inverse) in group.iter_mut().zip(prefixes).zip(&mut products) {
            let next = *inverse * *value;
            *value = *inverse * prefix;
            *inverse = next;
        }
    }
}

/// Number of independent chains of products in one batched inversion.
const CHAINS: usize = 4;
