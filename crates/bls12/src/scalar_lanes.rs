//! Scalars in lanes of vector instructions.
//!
//! The curve library keeps a scalar `a` as `a A mod r` with `A = 2^256`. The lanes divide each
//! product by `R = 2^260` instead. Scalars are not converted: a product of two of them in lanes is
//! their product divided by `R / A = 16`.

use std::sync::LazyLock;

use ark_bls12_381::Fr;
use ark_ff::{BigInt, PrimeField as _};
use montgomery_lanes::{LANES, Moduli, Numbers, are_fast};

/// A scalar in each lane.
pub(crate) type Scalars = Numbers<5>;

/// Logarithm to base 2 of `R / A`.
pub(crate) const LOST_BITS: u64 = 4;

/// Arithmetic modulo `r`, or `None` if the processor has no fast lanes.
pub(crate) fn field() -> Option<&'static Moduli<5>> {
    static FIELD: LazyLock<Option<Moduli<5>>> = LazyLock::new(|| {
        let modulus = Scalars::limbs_of(&Fr::MODULUS.0)?;
        Moduli::new(&Numbers::splat(&modulus)).filter(|_| are_fast())
    });
    FIELD.as_ref()
}

#[inline]
pub(crate) fn load(field: &Moduli<5>, scalars: [&Fr; LANES]) -> Scalars {
    field.split(&scalars.map(|scalar| &scalar.0.0))
}

/// Reads the scalars of values below `2r`.
#[inline]
pub(crate) fn store(field: &Moduli<5>, scalars: &Scalars) -> [Fr; LANES] {
    let words = field.join::<4>(&field.reduced(scalars));
    words.map(|words| Fr::new_unchecked(BigInt(words)))
}
