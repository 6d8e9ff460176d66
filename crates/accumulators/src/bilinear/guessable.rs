//! Detection of guessable secrets: small numbers and roots of unity of small order.
//!
//! A failed or manipulated ceremony may publish the powers of such a secret, which pass every
//! consistency check. This check is limited to cheap tests: it takes two milliseconds, and one
//! comparison for each power.

use alloc::{collections::BTreeSet, vec::Vec};

use ark_bls12_381::{Fr, G1Affine, G1Projective, G2Affine};
use ark_ec::{AffineRepr, CurveGroup, PrimeGroup};
use bls12::public::multiple;

use super::parameters::Parameters;

/// Bound of guessable secrets: all from `-GUESSED` to `GUESSED` are detected.
pub const GUESSED: u64 = 1 << 19;

/// Number of multiples of the generator in the list of baby steps. A lookup by abscissa also finds
/// their negatives.
const LISTED: u64 = 1 << 10;
/// Distance between two lookups (giant steps), as a multiple of the generator.
const STEP: u64 = 2 * LISTED + 1;
/// Number of lookups (giant steps) for guesses above zero, and as many for guesses below.
const LOOKS: u64 = GUESSED / STEP + 1;

impl Parameters {
    /// Returns whether the secret `s` of these parameters is guessable.
    ///
    /// Guessable secrets are the numbers up to [`GUESSED`], their negatives, and roots of unity of
    /// small order. An order is small if it is at most `n`, or even and at most `2 n`. Here `n` is
    /// the number of published powers beyond the generator, in the group with more powers.
    ///
    /// Cost: about 1600 additions of points, and one comparison for each power.
    pub(super) fn is_guessable(&self) -> bool {
        // Equal abscissas mean `s^i = 1` or `s^i = -1`. The latter implies an order of at most
        // `2 i`.
        let (first, mirrored) = (G1Affine::generator(), G2Affine::generator());
        let mut in_g1 = self.powers_g1().iter().skip(1);
        let mut in_g2 = self.powers_g2().iter().skip(1);
        let returns =
            in_g1.any(|power| power.x == first.x) || in_g2.any(|power| power.x == mirrored.x);
        returns || self.powers_g1().get(1).is_none_or(is_small_multiple)
    }
}

/// Returns whether a point is a multiple of the generator by at most [`GUESSED`], or the negative
/// of one.
///
/// Source: Shanks 1971 (baby steps and giant steps); points with one `x` are each other's
/// negatives.
fn is_small_multiple(point: &G1Affine) -> bool {
    let generator = G1Projective::generator();
    let listed = multiples(generator, generator, LISTED);
    // Compares raw limbs: a comparison of numbers would convert them first.
    let listed: BTreeSet<_> = listed.iter().map(|multiple| multiple.x.0).collect();
    let step = multiple(generator, &Fr::from(STEP));
    let start = point.into_group() - multiple(generator, &Fr::from(STEP * LOOKS));
    let looks = multiples(start, step, 2 * LOOKS + 1);
    looks
        .iter()
        .any(|look| look.is_zero() || listed.contains(&look.x.0))
}

/// Computes the `count` points `start`, `start + step`, `start + 2 step`, and so on.
fn multiples(start: G1Projective, step: G1Projective, count: u64) -> Vec<G1Affine> {
    let points = core::iter::successors(Some(start), |point| Some(*point + step));
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    G1Projective::normalize_batch(&points.take(count).collect::<Vec<_>>())
}
