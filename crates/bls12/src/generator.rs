//! Multiples of the generator of G1 by secret scalars, from tables.
//!
//! See the [crate's policy](crate) for the side channels of each function.

use std::sync::OnceLock;

use ark_bls12_381::{Fr, G1Affine, G1Projective};
use ark_ec::{CurveGroup, PrimeGroup, scalar_mul::BatchMulPreprocessing};
use ark_ff::{PrimeField, Zero};
use pad_core::Workers;
use zeroize::Zeroizing;

use crate::{SecretScalar, count::Counted, threads::map_pieces};

/// Table of multiples of the generator of G1, for multiplication in windows of the scalar.
type Table = BatchMulPreprocessing<G1Projective>;

/// Smallest number of multiples to compute for which the larger of the two tables is used.
const MANY: usize = 4096;

/// Multiplies the generator of G1 by `scalar`, on the calling thread. The scalar is the sum of two
/// pseudorandom shares, and each share is multiplied.
///
/// The shares are derived from `secret`, so that they are unpredictable.
pub fn multiply(secret: &SecretScalar, scalar: &Fr) -> G1Projective {
    Counted::Multiples.add(1);
    let share = secret.share_of(scalar);
    let rest = Zeroizing::new(*scalar - *share);
    let table = table(1);
    windowed(table, &share) + windowed(table, &rest)
}

/// Multiplies the generator by `scalar`: adds up one table entry for each window of the scalar.
fn windowed(table: &Table, scalar: &Fr) -> G1Projective {
    let mut digits = Zeroizing::new(scalar.into_bigint());
    let window = u32::try_from(table.window).unwrap_or(u32::BITS);
    let mut sum = G1Projective::zero();
    for row in &table.table {
        let [lowest, ..] = digits.0;
        let digit = usize::try_from(lowest).unwrap_or(usize::MAX) & ((1 << window) - 1);
        if let Some(multiple) = row.get(digit) {
            sum += multiple;
        }
        *digits >>= window;
    }
    sum
}

/// Multiplies the generator of G1 by each scalar. Splits each scalar into two pseudorandom shares,
/// and multiplies by each share.
///
/// The shares are derived from `secret`, so that an attacker cannot predict them.
pub fn multiply_each(secret: &SecretScalar, scalars: &[Fr], workers: &Workers) -> Vec<G1Affine> {
    Counted::Multiples.add(scalars.len());
    let mut shares = Zeroizing::new(Vec::with_capacity(scalars.len().saturating_mul(2)));
    for scalar in scalars {
        let share = secret.share_of(scalar);
        shares.extend([*share, *scalar - *share]);
    }
    let table = table(shares.len());
    let (pairs, _) = shares.as_chunks::<2>();
    map_pieces(pairs, workers, |pairs| {
        let products = table.batch_mul(pairs.as_flattened());
        let (products, _) = products.as_chunks::<2>();
        let sums = products
            .iter()
            .map(|[left, right]| G1Projective::from(*left) + right);
        G1Projective::normalize_batch(&sums.collect::<Vec<_>>())
    })
}

/// Multiplies the generator of G1 by each scalar, **without** splitting the scalars into shares.
/// See the [crate's policy](crate) for side channels.
pub fn multiply_all(scalars: &[Fr], workers: &Workers) -> Vec<G1Affine> {
    Counted::Multiples.add(scalars.len());
    let table = table(scalars.len());
    map_pieces(scalars, workers, |scalars| table.batch_mul(scalars))
}

/// Returns the table for computing `results` multiples of the generator. Each of the two tables is
/// computed on its first use and cached.
fn table(results: usize) -> &'static Table {
    static SMALL: OnceLock<Table> = OnceLock::new();
    static LARGE: OnceLock<Table> = OnceLock::new();
    // The library chooses the width of the windows from these numbers: 8 bits (0.8 MB, computed in
    // milliseconds) and 11 bits (4.7 MB).
    let (table, sized_for) = if results < MANY {
        (&SMALL, MANY)
    } else {
        (&LARGE, 1 << 16)
    };
    table.get_or_init(|| Table::new(G1Projective::generator(), sized_for))
}

#[cfg(test)]
mod tests {
    use ark_ff::Field;

    use super::*;

    #[test]
    fn all_ways_multiply_like_the_library() {
        let secret = SecretScalar::from_seed(&[3; 32]);
        let scalars: Vec<Fr> = (0..20_u64)
            .map(|number| Fr::from(number).pow([77]))
            .collect();
        let expected: Vec<G1Affine> = scalars
            .iter()
            .map(|scalar| (G1Projective::generator() * scalar).into_affine())
            .collect();
        for workers in [Workers::sequential(), Workers::all_cores()] {
            assert_eq!(multiply_all(&scalars, &workers), expected);
            assert_eq!(multiply_each(&secret, &scalars, &workers), expected);
            for (scalar, expected) in scalars.iter().zip(&expected) {
                assert_eq!(multiply(&secret, scalar), *expected);
            }
        }
    }
}
