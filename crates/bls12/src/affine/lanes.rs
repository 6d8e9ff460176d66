//! Eight additions at once, in lanes of vector instructions.
//!
//! The curve library keeps a coordinate `a` as `a A mod p` with `A = 2^384`. The lanes divide each
//! product by `R = 2^416` instead. Coordinates are not converted; constant factors cancel:
//!
//! ```text
//! slope                L = lambda R / 2^16
//! abscissa of the sum  L L / R - x_1 A - x_2 A    = (lambda^2 - x_1 - x_2) A
//! ordinate of the sum  2^16 (x_1 - x) A L / R - y_1 A
//! ```
//!
//! The factor of `L` is that of the inverted product of all denominators, which is chosen.

use std::sync::LazyLock;

use alloc::vec::Vec;

use ark_bls12_381::{Fq, G1Affine};
use ark_ff::{BigInt, Field, PrimeField};
use montgomery_lanes::{LANES, Moduli, Numbers, are_fast};

use super::{Coordinates, Kind, Line, inversion::invert_each};

/// A coordinate in each lane.
type Lanes = Numbers<8>;

/// Number of lines from which on lanes are faster.
pub(super) const LEAST: usize = 16;

#[derive(Debug)]
pub(super) struct Buffers {
    /// Arithmetic modulo `p`, if lanes are to be used.
    field: Option<&'static Moduli<8>>,
    /// For each group of lines, the product of the denominators before it, and its denominators.
    steps: Vec<[Lanes; 2]>,
}

impl Default for Buffers {
    fn default() -> Self {
        static FIELD: LazyLock<Option<Moduli<8>>> = LazyLock::new(|| {
            let modulus = Numbers::<8>::limbs_of(&Fq::MODULUS.0)?;
            Moduli::new(&Numbers::splat(&modulus)).filter(|_| are_fast())
        });
        Self {
            field: FIELD.as_ref(),
            steps: Vec::new(),
        }
    }
}

impl Buffers {
    /// Buffers that leave all lines to scalar arithmetic.
    #[cfg(test)]
    pub(super) const fn unused() -> Self {
        Self {
            field: None,
            steps: Vec::new(),
        }
    }

    /// Writes the sums of the points of all lines. Returns `None`, and does nothing, if scalar
    /// arithmetic is faster.
    pub(super) fn draw(
        &mut self,
        kind: Kind,
        lines: &[Line<'_>],
        sums: &mut [G1Affine],
    ) -> Option<()> {
        let field = self.field.filter(|_| lines.len() >= LEAST)?;
        let mut product = *field.one();
        self.steps.clear();
        for group in lines.chunks(LANES) {
            let denominators = denominators(field, kind, group);
            self.steps.push([product, denominators]);
            product = field.mul(&product, &denominators);
        }
        let mut inverse = inverted(field, &product);
        for (group, [before, denominators]) in lines.chunks(LANES).zip(&self.steps).rev() {
            let inverses = field.mul(&inverse, before);
            inverse = field.mul(&inverse, denominators);
            let [x, y] = third_points(field, (kind, group), denominators, &inverses);
            for (line, (x, y)) in group.iter().zip(x.iter().zip(&y)) {
                if let Some(sum) = sums.get_mut(line.place) {
                    let [x, y] = [x, y].map(|words| Fq::new_unchecked(BigInt(*words)));
                    *sum = G1Affine::new_unchecked(x, y);
                }
            }
        }
        Some(())
    }
}

/// Gathers a coordinate of each line. Lanes without a line repeat that of the first one.
#[inline]
fn gather<'a>(
    field: &Moduli<8>,
    group: &[Line<'a>],
    coordinate: impl Fn([Coordinates<'a>; 2]) -> &'a Fq,
) -> Lanes {
    let first = group
        .first()
        .map_or(&Fq::ONE, |line| coordinate(line.points));
    let mut words: [&[u64; 6]; LANES] = [&first.0.0; LANES];
    for (words, line) in words.iter_mut().zip(group) {
        *words = &coordinate(line.points).0.0;
    }
    field.split(&words)
}

/// Computes the denominators of the slopes.
#[inline]
fn denominators(field: &Moduli<8>, kind: Kind, group: &[Line<'_>]) -> Lanes {
    match kind {
        Kind::Chord => {
            let right = gather(field, group, |[_, right]| right.x);
            field.subtract(&right, &gather(field, group, |[left, _]| left.x))
        }
        Kind::Tangent => {
            let y = gather(field, group, |[left, _]| left.y);
            field.add(&y, &y)
        }
    }
}

/// Computes the factors of the slopes: `R^2 / 2^16` divided by `product`.
fn inverted(field: &Moduli<8>, product: &Lanes) -> Lanes {
    let words = field.join::<6>(&field.reduced(product));
    // To the library, a number `a A` is `a`, so its inverse is `A^2 / (a A)`. `R^2 / 2^16` is
    // `2^48 A^2`.
    let mut inverses = words.map(|words| Fq::new_unchecked(BigInt(words)));
    invert_each(&mut inverses, &Fq::from(1_u64 << 48));
    field.split(&inverses.each_ref().map(|inverse| &inverse.0.0))
}

/// Computes the coordinates of the sums.
#[inline]
fn third_points(
    field: &Moduli<8>,
    (kind, group): (Kind, &[Line<'_>]),
    denominators: &Lanes,
    inverses: &Lanes,
) -> [[[u64; 6]; LANES]; 2] {
    let x = gather(field, group, |[left, _]| left.x);
    let y = gather(field, group, |[left, _]| left.y);
    let twice = field.add(&x, &x);
    let (numerators, both) = match kind {
        Kind::Chord => {
            let right = gather(field, group, |[_, right]| right.y);
            (field.subtract(&right, &y), field.add(&twice, denominators))
        }
        Kind::Tangent => {
            // `(2^32 x A)(x A) / R = x^2 A`.
            let square = field.mul(&field.shift_left(&x, [32; LANES]), &x);
            (field.add(&field.add(&square, &square), &square), twice)
        }
    };
    let slope = field.mul(&numerators, inverses);
    let sum_x = field.subtract(&field.square_times(&slope, 1), &both);
    let sum_x = field.reduced(&sum_x);
    let run = field.shift_left(&field.subtract(&x, &sum_x), [16; LANES]);
    let sum_y = field.reduced(&field.subtract(&field.mul(&run, &slope), &y));
    [field.join(&sum_x), field.join(&sum_y)]
}
