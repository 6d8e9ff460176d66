//! Products of pairings.

use core::fmt;

use ark_bls12_381::{G1Affine, G2Affine};

#[cfg(has_assembly)]
use crate::assembly as library;
use crate::count::Counted;

#[cfg(any(test, not(has_assembly)))]
mod arkworks;
#[cfg(not(has_assembly))]
use arkworks as library;

/// A point of G2 in the form in which pairings read it.
///
/// Conversion of a point to this form is cheap on x86-64 and `AArch64` with the feature `std`.
/// Elsewhere it computes lines of the pairing (about a third of a pairing), so convert once.
#[derive(Clone)]
pub struct PairingPoint(library::Second);

impl From<G2Affine> for PairingPoint {
    fn from(point: G2Affine) -> Self {
        Self(library::second(&point))
    }
}

impl fmt::Debug for PairingPoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PairingPoint")
    }
}

/// Returns whether the product of all pairings `e(left[i], right[i])` is 1.
///
/// Cost: one Miller loop per pair, with common squarings, and one final exponentiation.
pub fn pairs_to_one<const N: usize>(
    left: [G1Affine; N],
    right: [impl Into<PairingPoint>; N],
) -> bool {
    Counted::Pairings.add(N);
    library::pairs_to_one(left, right.map(|point| point.into().0))
}

#[cfg(test)]
mod tests {
    use ark_bls12_381::Fr;
    use ark_ec::{AffineRepr as _, CurveGroup as _};

    use super::*;
    use crate::public::multiple;

    /// Asserts that all libraries agree on the product, and returns whether it is 1.
    fn pairs<const N: usize>(left: [G1Affine; N], right: [G2Affine; N]) -> bool {
        let one = pairs_to_one(left, right);
        let other = arkworks::pairs_to_one(left, right.map(|point| arkworks::second(&point)));
        assert_eq!(one, other);
        one
    }

    #[test]
    fn pairings_see_products_of_scalars() {
        let [two, three, six] = [2_u64, 3, 6].map(Fr::from);
        let left = [two, -six].map(|scalar| multiple(G1Affine::generator(), &scalar).into_affine());
        let right = multiple(G2Affine::generator(), &three).into_affine();
        assert!(pairs(left, [right, G2Affine::generator()]));
        assert!(!pairs(left, [right, right]));
        assert!(!pairs([left[0]], [right]));
    }

    #[test]
    fn pairings_of_the_identity_are_one() {
        let (first, second) = (G1Affine::generator(), G2Affine::generator());
        let (no_first, no_second) = (G1Affine::identity(), G2Affine::identity());
        assert!(pairs([], []));
        assert!(pairs([no_first], [second]));
        assert!(pairs([first], [no_second]));
        assert!(pairs([no_first, first], [no_second, no_second]));
        assert!(!pairs([no_first, first], [second, second]));
        assert!(!pairs([first, first, first], [second, no_second, second]));
        assert!(pairs([first, first, -first], [second, no_second, second]));
    }

    #[test]
    fn libraries_agree_on_many_points() {
        let mut scalar = Fr::from(7_u64);
        for _ in 0..8 {
            let first = multiple(G1Affine::generator(), &scalar).into_affine();
            scalar = scalar * scalar + Fr::from(3_u64);
            let second = multiple(G2Affine::generator(), &scalar).into_affine();
            let product = multiple(-first, &scalar).into_affine();
            assert!(pairs([first, product], [second, G2Affine::generator()]));
            assert!(!pairs([first, -product], [second, G2Affine::generator()]));
        }
    }
}
