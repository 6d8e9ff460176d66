//! A view of a point as references to its two coordinates.

use ark_bls12_381::{Fq, G1Affine};
use ark_ff::AdditiveGroup;

/// A point to be added, as references to its coordinates. Zero for both coordinates represents the
/// identity; no point of the curve has these coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Coordinates<'a> {
    /// The abscissa.
    pub x: &'a Fq,
    /// The ordinate.
    pub y: &'a Fq,
}

impl<'a> From<&'a G1Affine> for Coordinates<'a> {
    fn from(point: &'a G1Affine) -> Self {
        Self {
            x: &point.x,
            y: &point.y,
        }
    }
}

impl Coordinates<'_> {
    /// The identity.
    pub const IDENTITY: Self = Self {
        x: &Fq::ZERO,
        y: &Fq::ZERO,
    };

    pub(super) fn is_identity(self) -> bool {
        equal(self.x, &Fq::ZERO) && equal(self.y, &Fq::ZERO)
    }

    pub(super) fn point(self) -> G1Affine {
        G1Affine::new_unchecked(*self.x, *self.y)
    }
}

/// Compares two field elements limb by limb. Comparing them as arrays would call `memcmp`, which
/// takes a twelfth of the time of a whole sum.
#[inline]
pub(super) fn equal(left: &Fq, right: &Fq) -> bool {
    let limbs = left.0.0.iter().zip(&right.0.0);
    limbs.fold(0, |difference, (left, right)| difference | (left ^ right)) == 0
}
