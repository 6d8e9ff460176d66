//! GLV decomposition: scalars in two halves `k = k_0 + mu * k_1`, and the endomorphism of G1.
//!
//! Here `mu = x^2`, where `x` is the parameter of the curve. The map `psi` on the group multiplies
//! by `mu` at the price of one field multiplication.
//!
//! The order of the group is `r = mu^2 - mu + 1`, so `mu` is a primitive sixth root of unity, and
//! `psi(X, Y) = (beta X, -Y)` with a cube root of unity `beta`. This holds only in the subgroup of
//! order `r`, so points must have been checked to be in it.
//!
//! Source: Gallant, Lambert, Vanstone 2001.

use ark_bls12_381::{Fr, G1Affine, g1};
use ark_ec::scalar_mul::glv::GLVConfig;
use ark_ff::{BigInt, PrimeField};

/// The halves of a scalar `k_0 + mu * k_1`.
pub(crate) type Halves = [i128; 2];

/// Multiplies a point of the subgroup by `mu`.
pub(crate) fn endomorphism(point: &G1Affine) -> G1Affine {
    // The library's map has the eigenvalue -mu.
    -g1::Config::endomorphism_affine(point)
}

/// Splits a scalar into two halves, each at most `mu / 2 + 2 < 2^126.5` in absolute value.
///
/// Divides by `mu` with remainder, in two divisions by `x`. The lattice of the pairs that represent
/// zero contains `(mu, -1)` and `(1, mu - 1)`. Subtracting each at most once centres both halves.
pub(crate) fn decompose(scalar: &Fr) -> Halves {
    let BigInt(limbs) = scalar.into_bigint();
    let (limbs, low) = divide(limbs);
    let ([first, second, ..], high) = divide(limbs);
    let mut lower = u128::from(low) + u128::from(high) * u128::from(PARAMETER);
    let mut upper = join(first, second);
    if lower > MU / 2 {
        lower = lower.wrapping_sub(MU);
        upper = upper.wrapping_add(1);
    }
    if upper > MU / 2 {
        upper = upper.wrapping_sub(MU.wrapping_sub(1));
        lower = lower.wrapping_sub(1);
    }
    [lower.cast_signed(), upper.cast_signed()]
}

/// Computes the scalar `lower + mu * upper` from its halves.
pub(crate) fn compose([lower, upper]: Halves) -> Fr {
    Fr::from(lower) + Fr::from(MU) * Fr::from(upper)
}

/// A digit position in the representation of a number by signed digits of a fixed width in bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    shift: u32,
    /// Number of bits above the digit that a shift drops; 0 in the highest window.
    unused: u32,
    /// Number with half of the base as its digit at each lower position. [`Self::digit`] adds it.
    halves: u128,
}

impl Window {
    /// Iterates over the windows of `width` bits that cover numbers of `bits` bits in two's
    /// complement, lowest first. Such a number has `bits - 1` bits and a sign.
    ///
    /// 128 bits cover the halves of a scalar. The halves stay below `2^126.5` in absolute value, so
    /// the addition in [`Self::digit`] does not overflow.
    pub(crate) fn covering(bits: u32, width: u32) -> impl Iterator<Item = Self> {
        let count = bits.div_ceil(width.max(1));
        let mut halves = 0_u128;
        (0..count).map(move |number| {
            let shift = width.wrapping_mul(number);
            let highest = number.saturating_add(1) == count;
            let window = Self {
                shift,
                unused: if highest {
                    0
                } else {
                    128_u32.saturating_sub(width).min(127)
                },
                halves,
            };
            halves |= 1_u128.unbounded_shl(shift.saturating_add(width).saturating_sub(1));
            window
        })
    }

    /// Returns the digit of `number` in this window, from `-2^(width - 1)` to `2^(width - 1) - 1`.
    /// The highest digit may also be `2^(width - 1)`, which saves a window if `width` divides
    /// `bits`.
    ///
    /// Adding half of the base to each lower digit makes the lower digits non-negative, so a shift
    /// drops them. The digit is the remainder of the shifted number modulo the base, with its sign.
    pub(crate) fn digit(&self, number: i128) -> i32 {
        let rest = number.wrapping_add(self.halves.cast_signed()) >> self.shift.min(127);
        i32::try_from((rest << self.unused) >> self.unused).unwrap_or(0)
    }
}

/// Divides a number of four limbs, lowest first, by the curve parameter `|x|`. Returns the quotient
/// and the remainder.
fn divide(mut limbs: [u64; 4]) -> ([u64; 4], u64) {
    let mut remainder = 0;
    for limb in limbs.iter_mut().rev() {
        let part = join(*limb, remainder);
        // Both fit: the remainder is below the parameter.
        *limb = u64::try_from(part / u128::from(PARAMETER)).unwrap_or(u64::MAX);
        remainder = u64::try_from(part % u128::from(PARAMETER)).unwrap_or(u64::MAX);
    }
    (limbs, remainder)
}

fn join(low: u64, high: u64) -> u128 {
    (u128::from(high) << 64) | u128::from(low)
}

/// `|x|`, the parameter of the curve BLS12-381.
const PARAMETER: u64 = 0xd201_0000_0001_0000;

/// `x^2`, a primitive sixth root of unity modulo the order of the group.
pub(crate) const MU: u128 = 228_988_810_152_649_578_064_853_576_960_394_133_504;
