//! Scalars in two halves: `k = k_0 + mu * k_1` with `mu = x^2`, where `x` is the parameter of the
//! curve, and the map `psi` on the group that multiplies by `mu` for the price of one field
//! multiplication.
//!
//! The order of the group is `r = mu^2 - mu + 1`, so `mu` is a primitive sixth root of unity, and
//! `psi(X, Y) = (beta X, -Y)` with a cube root of unity `beta`. This holds in the subgroup of order
//! `r` only: points must have been checked to lie there.
//!
//! Source: Gallant, Lambert, Vanstone 2001.

use ark_bls12_381::{Fr, G1Affine, g1};
use ark_ec::scalar_mul::glv::GLVConfig;
use ark_ff::{BigInt, PrimeField};

/// A scalar `k_0 + mu * k_1`.
pub(crate) type Halves = [i128; 2];

/// `mu` times the point, if it lies in the subgroup.
pub(crate) fn endomorphism(point: &G1Affine) -> G1Affine {
    // The library's map has the eigenvalue -mu.
    -g1::Config::endomorphism_affine(point)
}

/// The two halves of a scalar, each at most `mu / 2 + 2 < 2^126.5` in absolute value.
///
/// Division with remainder by `mu`, twice by `x`. The lattice of the pairs that stand for zero
/// contains `(mu, -1)` and `(1, mu - 1)`; subtracting one of each at most centres both halves.
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

/// The scalar that two halves stand for.
pub(crate) fn compose([lower, upper]: Halves) -> Fr {
    Fr::from(lower) + Fr::from(MU) * Fr::from(upper)
}

/// One position in a number that is written with signed digits of `width` bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    shift: u32,
    /// Bits above the digit, to be dropped; none in the highest window.
    unused: u32,
    /// Half of the base at each position below.
    halves: u128,
}

impl Window {
    /// The windows of `width` bits that cover numbers of `bits` bits in two's complement, so of
    /// `bits - 1` bits and a sign, lowest first.
    ///
    /// 128 bits cover the halves of a scalar, which stay below `2^126.5`, so that adding to them in
    /// [`Self::digit`] does not overflow.
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

    /// The digit of `number` in this window, from `-2^(width - 1)` to `2^(width - 1) - 1`; the
    /// highest may be `2^(width - 1)` too, which saves a window where `width` divides `bits`.
    ///
    /// Adding half of the base to each digit below makes these non-negative, so that a shift cuts
    /// them off; the rest modulo the base, with its sign, is the digit.
    pub(crate) fn digit(&self, number: i128) -> i32 {
        let rest = number.wrapping_add(self.halves.cast_signed()) >> self.shift.min(127);
        i32::try_from((rest << self.unused) >> self.unused).unwrap_or(0)
    }
}

/// Quotient and remainder of a division by the parameter, from the highest limb down.
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
