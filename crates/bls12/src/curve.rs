//! The two curves, G1 and G2, as a closed trait.
//!
//! The arithmetic of the curve library is generic. A crate that calls it compiles it again, with
//! that crate's level of optimisation. The methods of [`Curve`] are compiled here, once for each
//! curve, so functions that are generic in [`Curve`] contain little code of their own.

use ark_bls12_381::{Fr, g1, g2};
use ark_ec::{
    VariableBaseMSM as _,
    short_weierstrass::{Affine, Projective, SWCurveConfig},
};
use ark_serialize::{CanonicalDeserialize as _, CanonicalSerialize as _, Compress, Validate};

/// G1 (`ark_bls12_381::g1::Config`) or G2 (`ark_bls12_381::g2::Config`).
pub trait Curve: SWCurveConfig<ScalarField = Fr> + sealed::Arithmetic {}

impl<C: SWCurveConfig<ScalarField = Fr> + sealed::Arithmetic> Curve for C {}

pub(crate) mod sealed {
    use super::*;

    /// Operations on points, each without checks that it does not name.
    pub trait Arithmetic: SWCurveConfig {
        /// Writes a point. Returns `None` if `bytes` is too short.
        fn write(point: &Affine<Self>, compress: Compress, bytes: &mut [u8]) -> Option<()>;
        /// Reads a point from an encoding that need not be canonical.
        fn read(bytes: &[u8], compress: Compress) -> Option<Affine<Self>>;
        /// Tells whether a point of the curve is in the subgroup.
        fn is_in_subgroup(point: &Affine<Self>) -> bool;
        /// Multiplies a point by a scalar, in variable time.
        fn multiple(point: Projective<Self>, scalar: &Fr) -> Projective<Self>;
        /// Computes the sum of `scalars[i] * points[i]` over the length of the shorter slice, in
        /// variable time.
        fn sum(points: &[Affine<Self>], scalars: &[Fr]) -> Projective<Self>;
    }

    macro_rules! arithmetic {
        ($curve:ty, $read:ident, $is_in_subgroup:ident) => {
            impl Arithmetic for $curve {
                fn write(point: &Affine<Self>, compress: Compress, bytes: &mut [u8]) -> Option<()> {
                    point.serialize_with_mode(bytes, compress).ok()
                }

                fn read(bytes: &[u8], compress: Compress) -> Option<Affine<Self>> {
                    // The library with assembly refuses points with the abscissa 0.
                    #[cfg(has_assembly)]
                    if matches!(compress, Compress::Yes)
                        && let Some(point) = crate::assembly::$read(bytes)
                    {
                        return Some(point);
                    }
                    Affine::deserialize_with_mode(bytes, compress, Validate::No).ok()
                }

                fn is_in_subgroup(point: &Affine<Self>) -> bool {
                    #[cfg(has_assembly)]
                    return crate::assembly::$is_in_subgroup(point);
                    #[cfg(not(has_assembly))]
                    point.is_in_correct_subgroup_assuming_on_curve()
                }

                fn multiple(point: Projective<Self>, scalar: &Fr) -> Projective<Self> {
                    point * scalar
                }

                fn sum(points: &[Affine<Self>], scalars: &[Fr]) -> Projective<Self> {
                    Projective::msm_unchecked(points, scalars)
                }
            }
        };
    }

    arithmetic!(g1::Config, read_first, is_first);
    arithmetic!(g2::Config, read_second, is_second);
}
