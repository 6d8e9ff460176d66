//! Checks of quotients in the exponent: witnesses of accumulators, openings of commitments.
//!
//! For a secret `s`, `W` is the quotient of `V` by `s + e` if `e(W, [s + e]_2) = e(V, [1]_2)`. If
//! there is a remainder `v`, `V - [v]_1` stands for `V`.

use core::fmt;

use ark_bls12_381::{Fr, G1Affine, G1Projective, G2Affine};
use ark_ec::{AffineRepr as _, CurveGroup as _, PrimeGroup as _};

use crate::{
    pairing::{PairingPoint, pairs_to_one},
    public::multiple,
};

#[cfg(has_assembly)]
mod kept;

/// The equation `e(W, [s + e]_2) = e(V, [1]_2)` for one secret `s`, given by `[s]_2`.
pub struct Quotients {
    /// `[1]_2` and `[s]_2`, as pairings read them.
    points: [PairingPoint; 2],
    #[cfg(has_assembly)]
    kept: kept::Kept,
}

impl Quotients {
    /// Prepares the equation for a secret, given by `[s]_2`.
    pub fn new(secret: G2Affine) -> Self {
        Self {
            points: [G2Affine::generator().into(), secret.into()],
            #[cfg(has_assembly)]
            kept: kept::Kept::new(&secret),
        }
    }

    /// Returns `[1]_2` and `[s]_2`.
    pub fn points(&self) -> [PairingPoint; 2] {
        self.points.clone()
    }

    /// Returns whether `quotient` is the quotient of `value` by `s + shift`. All points must be in
    /// the subgroups, and may be the identity.
    ///
    /// Cost: one multiplication, and one product of two pairings. On x86-64 and `AArch64` with the
    /// feature `std`, the multiplication is cheaper from the 33rd equation of the process on. The
    /// pairing of a value that recurs is kept, so that one pairing remains. Both are counted as if
    /// they were computed. The time shows whether the value was checked lately.
    pub fn holds(&self, quotient: G1Affine, shift: &Fr, value: G1Affine) -> bool {
        #[cfg(has_assembly)]
        if let Some(holds) = self.kept.holds(quotient, shift, value) {
            return holds;
        }
        // In this form both points of G2 are fixed, and the multiplication is in the cheaper group.
        let left = multiple(quotient.into_group(), shift) - value;
        pairs_to_one([left.into_affine(), quotient], self.points())
    }

    /// Returns whether `quotient` is the quotient of `value - [remainder]_1` by `s + shift`. All
    /// points must be in the subgroups, and may be the identity.
    ///
    /// Cost: two multiplications, and one product of two pairings. On x86-64 and `AArch64` with the
    /// feature `std`, the multiplications are cheaper from the 33rd equation of the process on.
    /// They are counted as if they were not.
    pub fn holds_with_rest(
        &self,
        quotient: G1Affine,
        shift: &Fr,
        remainder: &Fr,
        value: G1Affine,
    ) -> bool {
        #[cfg(has_assembly)]
        if let Some(holds) = self.kept.holds_with_rest(quotient, shift, remainder, value) {
            return holds;
        }
        let left = multiple(quotient.into_group(), shift)
            + multiple(G1Projective::generator(), remainder)
            - value;
        pairs_to_one([left.into_affine(), quotient], self.points())
    }
}

impl Clone for Quotients {
    fn clone(&self) -> Self {
        Self {
            points: self.points(),
            #[cfg(has_assembly)]
            kept: self.kept.without_values(),
        }
    }
}

impl fmt::Debug for Quotients {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Quotients")
    }
}
