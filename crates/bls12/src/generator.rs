//! Multiples of the generators by scalars, from tables. The public functions are for secret scalars
//! and the generator of G1.
//!
//! See the [crate's policy](crate) for the side channels of each function.

use std::{sync::OnceLock, vec::Vec};

use ark_bls12_381::{Fr, G1Affine, G1Projective, g1};
use ark_ec::{
    PrimeGroup as _,
    short_weierstrass::{Affine, Projective, SWCurveConfig},
};
use ark_ff::{AdditiveGroup as _, PrimeField as _, Zero as _};
use pad_core::Workers;
use zeroize::Zeroizing;

use crate::{
    SecretScalar,
    affine::{Adder, multiple, normalize, tables},
    count::Counted,
    curve::Curve,
    secret_multiple::bits_from,
    threads::map_pieces,
};

/// Multiples of the generator of a curve, for multiplication in windows of the scalar.
pub(crate) struct Table<C: SWCurveConfig> {
    /// Width of a window in bits.
    width: u32,
    /// For window `i`, the multiples of the generator by `v 2^(width i)`, for `v` from 1 to
    /// `2^(width - 1)`. The windows cover 256 bits.
    windows: Vec<Vec<Affine<C>>>,
}

impl<C: Curve> Table<C> {
    /// `tables` returns for each point the table of its multiples by 1 to `2^(width - 1)`.
    pub(crate) fn new(
        width: u32,
        tables: impl Fn(&[Affine<C>], u32) -> Vec<Vec<Affine<C>>>,
    ) -> Self {
        let mut bases = Vec::new();
        let mut base = Projective::<C>::generator();
        for _ in 0..256_u32.div_ceil(width) {
            bases.push(base);
            for _ in 0..width {
                base.double_in_place();
            }
        }
        let windows = tables(&normalize(&bases), width);
        Self { width, windows }
    }

    /// Passes to `add` the table entries whose sum is the multiple of the generator by `scalar`: at
    /// most one for each window.
    ///
    /// A digit above half of the base is replaced by its difference from the base, and the next one
    /// is increased. Scalars are below `2^255`, so the highest digit needs no next one.
    pub(crate) fn choose(&self, scalar: &Fr, mut add: impl FnMut(Affine<C>)) {
        let scalar = Zeroizing::new(scalar.into_bigint().0);
        let base = 1_i32 << self.width;
        let mut carry = 0;
        for (number, window) in (0_u32..).zip(&self.windows) {
            let bits = bits_from(&scalar, number.saturating_mul(self.width));
            let digit = i32::try_from(bits % (1 << self.width)).unwrap_or(0) + carry;
            carry = i32::from(digit > base / 2);
            if let Some(entry) = multiple(window, digit - carry * base) {
                add(entry);
            }
        }
    }
}

impl Table<g1::Config> {
    /// Computes the sum of the multiples of the generator by `scalars`.
    fn sum<'a>(&self, scalars: impl IntoIterator<Item = &'a Fr>) -> G1Projective {
        let mut sum = G1Projective::zero();
        for scalar in scalars {
            self.choose(scalar, |entry| sum += entry);
        }
        sum
    }

    /// Computes for each `terms` scalars the sum of their multiples of the generator.
    fn sums(&self, scalars: &[Fr], terms: usize) -> Vec<G1Affine> {
        let mut adder = Adder::default();
        let (mut entries, mut lengths, mut sums) = (Vec::new(), Vec::new(), Vec::new());
        for batch in scalars.chunks(BATCH * terms) {
            entries.clear();
            lengths.clear();
            for scalars in batch.chunks(terms) {
                let before = entries.len();
                for scalar in scalars {
                    self.choose(scalar, |entry| entries.push(entry));
                }
                lengths.push(entries.len().saturating_sub(before));
            }
            sums.append(&mut adder.sum_segments(&entries, &mut lengths));
        }
        sums
    }
}

/// Number of multiples that are computed together. With more, the entries exceed the cache.
const BATCH: usize = 256;

/// Smallest number of multiples to compute for which the larger of the two tables is used.
const MANY: usize = 4096;

/// Multiplies the generator of G1 by `scalar`, on the calling thread. The scalar is the sum of two
/// pseudorandom shares, and each share is multiplied.
///
/// The shares are derived from `secret`, so that they are unpredictable.
pub fn multiply(secret: &SecretScalar, scalar: &Fr) -> G1Projective {
    Counted::Multiples.add(1);
    let shares = shares(secret, scalar);
    table(1).sum(shares.iter())
}

/// Multiplies the generator of G1 by a public scalar, in variable time. Not counted.
///
/// Uses the larger table once the process has computed many of these multiples.
#[cfg(has_assembly)]
pub(crate) fn multiply_public(scalar: &Fr) -> G1Projective {
    use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    static COMPUTED: AtomicUsize = AtomicUsize::new(0);
    table(COMPUTED.fetch_add(1, Relaxed)).sum([scalar])
}

/// Splits a scalar into two pseudorandom shares, whose sum it is.
fn shares(secret: &SecretScalar, scalar: &Fr) -> Zeroizing<[Fr; 2]> {
    let share = secret.share_of(scalar);
    Zeroizing::new([*share, *scalar - *share])
}

/// Multiplies the generator of G1 by each scalar. Splits each scalar into two pseudorandom shares,
/// and multiplies by each share.
///
/// The shares are derived from `secret`, so that an attacker cannot predict them.
pub fn multiply_each(secret: &SecretScalar, scalars: &[Fr], workers: &Workers) -> Vec<G1Affine> {
    Counted::Multiples.add(scalars.len());
    let mut split = Zeroizing::new(Vec::with_capacity(scalars.len().saturating_mul(2)));
    for scalar in scalars {
        split.extend_from_slice(shares(secret, scalar).as_slice());
    }
    let table = table(split.len());
    let (pairs, _) = split.as_chunks::<2>();
    map_pieces(pairs, workers, |pairs| table.sums(pairs.as_flattened(), 2))
}

/// Multiplies the generator of G1 by each scalar, **without** splitting the scalars into shares.
/// See the [crate's policy](crate) for side channels.
///
/// Cost: 31 affine additions for each scalar, or 23 for many scalars.
pub fn multiply_all(scalars: &[Fr], workers: &Workers) -> Vec<G1Affine> {
    Counted::Multiples.add(scalars.len());
    let table = table(scalars.len());
    map_pieces(scalars, workers, |scalars| table.sums(scalars, 1))
}

/// Returns the table for computing `results` multiples of the generator. Each of the two tables is
/// computed on its first use and cached.
fn table(results: usize) -> &'static Table<g1::Config> {
    static SMALL: OnceLock<Table<g1::Config>> = OnceLock::new();
    static LARGE: OnceLock<Table<g1::Config>> = OnceLock::new();
    // 0.4 MB, computed in milliseconds, and 2.4 MB.
    let (table, width) = if results < MANY {
        (&SMALL, 8)
    } else {
        (&LARGE, 11)
    };
    table.get_or_init(|| Table::new(width, tables))
}

#[cfg(test)]
mod tests {
    use ark_ec::CurveGroup as _;
    use ark_ff::Field;

    use super::*;

    #[test]
    fn all_ways_multiply_like_the_library() {
        let secret = SecretScalar::from_seed(&[3; 32]);
        let scalars = (0..20_u64).map(|number| Fr::from(number).pow([77]));
        let mut scalars: Vec<Fr> = scalars.collect();
        // Digits at their limits, and carries through all windows.
        for width in [8_u64, 11] {
            let half = 1_u64 << (width - 1);
            for half in [half, half + 1, 2 * half - 1] {
                let base = Fr::from(1_u64 << width);
                let digits = (0..255 / width).fold(Fr::ZERO, |sum, _| sum * base + Fr::from(half));
                scalars.extend([Fr::from(half), digits, -digits]);
            }
        }
        scalars.push(-Fr::ONE);
        let expected: Vec<G1Affine> = scalars
            .iter()
            .map(|scalar| (G1Projective::generator() * scalar).into_affine())
            .collect();
        for workers in [Workers::sequential(), Workers::all_cores()] {
            assert_eq!(multiply_all(&scalars, &workers), expected);
            assert_eq!(multiply_each(&secret, &scalars, &workers), expected);
            assert_eq!(Table::new(11, tables).sums(&scalars, 1), expected);
            for (scalar, expected) in scalars.iter().zip(&expected) {
                assert_eq!(multiply(&secret, scalar), *expected);
            }
        }
    }
}
