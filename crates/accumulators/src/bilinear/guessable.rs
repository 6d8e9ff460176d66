//! Secrets that anybody finds: small numbers and roots of unity of small order.
//!
//! A ceremony that went wrong, or was made to, publishes the powers of such a secret, and they pass every
//! check of consistency. What is checked here is what costs little: two milliseconds, and a comparison for
//! each power.

use alloc::{collections::BTreeSet, vec::Vec};

use ark_bls12_381::{Fr, G1Affine, G1Projective, G2Affine};
use ark_ec::{AffineRepr, CurveGroup, PrimeGroup};
use bls12::public::multiple;

use super::parameters::Parameters;

/// Secrets from `-GUESSED` to `GUESSED` are found.
pub const GUESSED: u64 = 1 << 19;

/// Multiples of the generator that are listed, with both signs.
const LISTED: u64 = 1 << 10;
/// The distance between two looks into the list.
const STEP: u64 = 2 * LISTED + 1;
/// The looks on each side of zero.
const LOOKS: u64 = GUESSED / STEP + 1;

impl Parameters {
    /// Whether the secret is at most [`GUESSED`] or its negative, or a root of unity of an order up to
    /// twice the number of published powers beyond the first, in the group that has more.
    ///
    /// Cost: about 1600 additions of points, and one comparison for each power.
    pub(super) fn is_guessable(&self) -> bool {
        // A power of -1 is an order twice as large.
        let (first, mirrored) = (G1Affine::generator(), G2Affine::generator());
        let returns = self
            .powers_g1()
            .iter()
            .skip(1)
            .any(|power| power.x == first.x)
            || self
                .powers_g2()
                .iter()
                .skip(1)
                .any(|power| power.x == mirrored.x);
        returns || self.powers_g1().get(1).is_none_or(is_small_multiple)
    }
}

/// Whether a point is a multiple of the generator by at most [`GUESSED`], or its negative.
///
/// Source: Shanks 1971 (baby steps and giant steps); points with one `x` are each other's negatives.
fn is_small_multiple(point: &G1Affine) -> bool {
    let generator = G1Projective::generator();
    let listed = multiples(generator, generator, LISTED);
    // By their limbs as they are: comparing numbers would convert them first.
    let listed: BTreeSet<_> = listed.iter().map(|multiple| multiple.x.0).collect();
    let step = multiple(generator, &Fr::from(STEP));
    let start = point.into_group() - multiple(generator, &Fr::from(STEP * LOOKS));
    let looks = multiples(start, step, 2 * LOOKS + 1);
    looks
        .iter()
        .any(|look| look.is_zero() || listed.contains(&look.x.0))
}

/// `start`, `start + step`, and so on.
fn multiples(start: G1Projective, step: G1Projective, count: u64) -> Vec<G1Affine> {
    let points = core::iter::successors(Some(start), |point| Some(*point + step));
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    G1Projective::normalize_batch(&points.take(count).collect::<Vec<_>>())
}
