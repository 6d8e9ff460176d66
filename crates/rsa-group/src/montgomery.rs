//! Fixed-width Montgomery arithmetic modulo an odd number.
//!
//! A residue `x` is stored as its **form** `x * 2^(64 LIMBS) mod n`, in `LIMBS` little-endian
//! 64-bit limbs below `n`. No operation branches on, or indexes by, a residue. The times of
//! [`Montgomery::new`] and [`Montgomery::has_room`] depend on the modulus' bit length. The times of
//! all other arithmetic depend on `LIMBS` only. Moduli and residues may be secret; the caller must
//! wipe them ([`Zeroize`]).
//!
//! Up to some seven limbs (prime candidates) the loops unroll into registers. Above that (secret
//! keys), rows are processed in blocks of four limbs. The blocks separate the products from the
//! chains of carries, which keeps a wide core busy.
//!
//! Source: Montgomery 1985, "Modular multiplication without trial division"; Koc, Acar & Kaliski
//! 1996, "Analyzing and comparing Montgomery multiplication algorithms" (separated operand
//! scanning).

#![deny(clippy::arithmetic_side_effects)]
#![allow(
    clippy::inline_always,
    reason = "a call costs as much as a product of three limbs"
)]

use core::{fmt, hint::black_box};

use zeroize::Zeroize;

#[cfg(test)]
mod tests;

/// Smallest number of limbs for which a product of one limb with a number is computed in blocks of
/// [`BLOCK`] limbs.
const WIDE: usize = 8;
/// Number of limbs in a block. Four products fit the registers together with their sums.
const BLOCK: usize = 4;

/// Arithmetic modulo an odd number above 1 of at most `LIMBS` limbs.
#[derive(Clone)]
pub struct Montgomery<const LIMBS: usize> {
    modulus: [u64; LIMBS],
    /// Equal to `-1 / modulus mod 2^64`.
    negated_inverse: u64,
    /// The form of the residue 1: `2^(64 LIMBS)` modulo the modulus.
    one: [u64; LIMBS],
    /// The form of `2^(64 LIMBS)`, which converts residues to their forms.
    radix_form: [u64; LIMBS],
}

impl<const LIMBS: usize> Montgomery<LIMBS> {
    /// Prepares arithmetic modulo `modulus`, or returns `None` unless `modulus` is odd and above 1.
    ///
    /// Cost: one [`Montgomery::double`] for each unused bit of the modulus' limbs, `LIMBS + 1` more
    /// and six squarings.
    pub fn new(modulus: [u64; LIMBS]) -> Option<Self> {
        let lowest = *modulus.first()?;
        let unused = unused_bits(&modulus);
        let bits = total_bits::<LIMBS>().checked_sub(unused)?;
        if lowest & 1 == 0 || bits < 2 {
            return None;
        }
        let mut context = Self {
            modulus,
            negated_inverse: inverse(lowest).wrapping_neg(),
            one: [0; LIMBS],
            radix_form: [0; LIMBS],
        };
        // 2^(bits - 1) is below the modulus; doubling takes it to 2^(64 LIMBS) mod n.
        let mut power = power_of_two(bits.wrapping_sub(1));
        for _ in 0..=unused {
            power = context.double(&power);
        }
        context.one = power;
        // The form of 2^LIMBS, squared six times, is the form of 2^(64 LIMBS).
        for _ in 0..LIMBS {
            power = context.double(&power);
        }
        for _ in 0..6 {
            power = context.square(&power);
        }
        context.radix_form = power;
        Some(context)
    }

    /// Returns the modulus `n`, lowest limb first.
    pub const fn modulus(&self) -> &[u64; LIMBS] {
        &self.modulus
    }

    /// Returns the form of the residue 1: `2^(64 LIMBS) mod n`.
    pub const fn one(&self) -> &[u64; LIMBS] {
        &self.one
    }

    /// Converts a number to the Montgomery form of its residue: `value * 2^(64 LIMBS) mod n`. The
    /// number need not be below `n`.
    #[inline(always)]
    pub fn to_form(&self, value: &[u64; LIMBS]) -> [u64; LIMBS] {
        self.mul(value, &self.radix_form)
    }

    /// Converts the Montgomery form `x * 2^(64 LIMBS) mod n` of a residue to the residue `x`.
    #[inline(always)]
    #[allow(clippy::wrong_self_convention, reason = "the counterpart of to_form")]
    pub fn from_form(&self, form: &[u64; LIMBS]) -> [u64; LIMBS] {
        let (high, carry) = self.reduce_loosely([*form, [0; LIMBS]]);
        self.subtract_modulus(&high, carry)
    }

    /// Multiplies two residues that are given in Montgomery form, and returns the form of the
    /// product. One of the factors need not be below `n`.
    #[inline(always)]
    pub fn mul(&self, left: &[u64; LIMBS], right: &[u64; LIMBS]) -> [u64; LIMBS] {
        let mut wide = [[0; LIMBS]; 2];
        let mut rest = wide.as_flattened_mut();
        for limb in right {
            let carry = add_product(rest, left, *limb);
            if let Some(next) = rest.get_mut(LIMBS) {
                *next = carry;
            }
            rest = rest.split_first_mut().map_or(&mut [], |(_, rest)| rest);
        }
        let (high, carry) = self.reduce_loosely(wide);
        self.subtract_modulus(&high, carry)
    }

    /// Squares a residue that is given in Montgomery form. Takes up to a quarter fewer products
    /// than [`Montgomery::mul`].
    #[inline(always)]
    pub fn square(&self, form: &[u64; LIMBS]) -> [u64; LIMBS] {
        let (high, carry) = self.reduce_loosely(wide_square(form));
        self.subtract_modulus(&high, carry)
    }

    /// Returns whether [`Montgomery::square_loosely`] may be used: the modulus must have at least
    /// 32 bits less than `LIMBS` limbs.
    pub fn has_room(&self) -> bool {
        unused_bits(&self.modulus) >= 32
    }

    /// Squares without the final subtraction. Needs [`Montgomery::has_room`].
    ///
    /// The input is below `2^16 n` and congruent to a form. The result is below `2n` and congruent
    /// to the form of the square. Proof: `x^2` is below `2^32 n^2`, so below `n 2^(64 LIMBS)`. Its
    /// reduction is therefore below `n + n`.
    #[inline(always)]
    pub fn square_loosely(&self, number: &[u64; LIMBS]) -> [u64; LIMBS] {
        self.reduce_loosely(wide_square(number)).0
    }

    /// Doubles a residue that is given in Montgomery form.
    #[inline(always)]
    pub fn double(&self, form: &[u64; LIMBS]) -> [u64; LIMBS] {
        let mut doubled = *form;
        let mut shifted = 0;
        for limb in &mut doubled {
            (*limb, shifted) = ((*limb << 1) | shifted, *limb >> 63);
        }
        self.subtract_modulus(&doubled, shifted)
    }

    /// Computes `left - right` modulo `n`, for two residues in Montgomery form.
    #[inline(always)]
    pub fn subtract(&self, left: &[u64; LIMBS], right: &[u64; LIMBS]) -> [u64; LIMBS] {
        let (mut difference, borrow) = subtract(left, right);
        let mask = mask(borrow);
        let mut carry = false;
        for (limb, modulus) in difference.iter_mut().zip(&self.modulus) {
            (*limb, carry) = limb.carrying_add(modulus & mask, carry);
        }
        difference
    }

    /// Computes a number below `2n` that is congruent to `wide / 2^(64 LIMBS)` modulo `n`. Returns
    /// its limbs and the bit above them. `wide`, a lower and an upper half, must be below
    /// `n 2^(64 LIMBS)`.
    #[inline(always)]
    fn reduce_loosely(&self, mut wide: [[u64; LIMBS]; 2]) -> ([u64; LIMBS], u64) {
        let mut rest = wide.as_flattened_mut();
        let mut carry = false;
        for _ in 0..LIMBS {
            let factor = rest
                .first()
                .map_or(0, |limb| limb.wrapping_mul(self.negated_inverse));
            let above = add_product(rest, &self.modulus, factor);
            if let Some(next) = rest.get_mut(LIMBS) {
                (*next, carry) = next.carrying_add(above, carry);
            }
            rest = rest.split_first_mut().map_or(&mut [], |(_, rest)| rest);
        }
        let [_, high] = wide;
        (high, u64::from(carry))
    }

    /// Reduces `value + top * 2^(64 LIMBS)`, which must be below `2n`, modulo `n`.
    #[inline(always)]
    fn subtract_modulus(&self, value: &[u64; LIMBS], top: u64) -> [u64; LIMBS] {
        let (difference, borrow) = subtract(value, &self.modulus);
        let (_, below) = top.borrowing_sub(0, borrow);
        select(mask(below), value, &difference)
    }
}

impl<const LIMBS: usize> Zeroize for Montgomery<LIMBS> {
    fn zeroize(&mut self) {
        self.modulus.zeroize();
        self.negated_inverse.zeroize();
        self.one.zeroize();
        self.radix_form.zeroize();
    }
}

/// Prints the width only: the modulus may be secret.
impl<const LIMBS: usize> fmt::Debug for Montgomery<LIMBS> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Montgomery<{LIMBS}>")
    }
}

/// Returns entry `index` of `table`, or zero if there is none. The index may be secret: the
/// function reads the whole table, in an order and time that depend on its length only.
pub fn lookup<const LIMBS: usize>(table: &[[u64; LIMBS]], index: u64) -> [u64; LIMBS] {
    let mut found = [0; LIMBS];
    for (position, entry) in (0_u64..).zip(table) {
        let difference = position ^ index;
        // The sign bit of `difference | -difference` is clear only for zero. The compiler must not
        // learn that the mask has just two values, or it may branch on it.
        let differs = (difference | difference.wrapping_neg()) >> 63;
        let mask = black_box(differs.wrapping_sub(1));
        for (found, limb) in found.iter_mut().zip(entry) {
            *found |= limb & mask;
        }
    }
    found
}

/// Selects the bits of `first` where `mask` has ones, and the bits of `second` elsewhere.
#[inline(always)]
pub fn select<const LIMBS: usize>(
    mask: u64,
    first: &[u64; LIMBS],
    second: &[u64; LIMBS],
) -> [u64; LIMBS] {
    let mut selected = *second;
    for (selected, first) in selected.iter_mut().zip(first) {
        *selected ^= (*selected ^ first) & mask;
    }
    selected
}

/// Returns all ones if `condition`, otherwise zero.
#[inline(always)]
pub fn mask(condition: bool) -> u64 {
    u64::from(condition).wrapping_neg()
}

/// Returns `left - right` modulo `2^(64 LIMBS)`, and whether `left` is smaller than `right`.
#[inline(always)]
pub fn subtract<const LIMBS: usize>(
    left: &[u64; LIMBS],
    right: &[u64; LIMBS],
) -> ([u64; LIMBS], bool) {
    let mut difference = [0; LIMBS];
    let mut borrow = false;
    for ((difference, left), right) in difference.iter_mut().zip(left).zip(right) {
        (*difference, borrow) = left.borrowing_sub(*right, borrow);
    }
    (difference, borrow)
}

/// Counts the leading zero bits of a number of `LIMBS` limbs, lowest limb first.
pub fn unused_bits<const LIMBS: usize>(value: &[u64; LIMBS]) -> u32 {
    let mut unused = 0_u32;
    for limb in value.iter().rev() {
        unused = unused.saturating_add(limb.leading_zeros());
        if *limb != 0 {
            break;
        }
    }
    unused
}

/// Number of bits of `LIMBS` limbs.
pub const fn total_bits<const LIMBS: usize>() -> u32 {
    let mut bits = 0_u32;
    let mut limb = 0_usize;
    while limb < LIMBS {
        bits = bits.wrapping_add(u64::BITS);
        limb = limb.wrapping_add(1);
    }
    bits
}

/// Computes the full square of a number, as its lower and its upper `LIMBS` limbs.
#[inline(always)]
fn wide_square<const LIMBS: usize>(number: &[u64; LIMBS]) -> [[u64; LIMBS]; 2] {
    let mut wide = [[0; LIMBS]; 2];
    let flat = wide.as_flattened_mut();
    // The products of two different limbs, once each. The products of limb i start at limb 2i + 1.
    let mut rest = &mut *flat;
    let mut others = number.as_slice();
    while let Some((limb, behind)) = others.split_first() {
        let Some(([_], row)) = rest.split_first_chunk_mut() else {
            break;
        };
        let carry = add_product(row, behind, *limb);
        if let Some(next) = row.get_mut(behind.len()) {
            *next = carry;
        }
        rest = row.split_first_mut().map_or(&mut [], |(_, rest)| rest);
        others = behind;
    }
    // Doubles these products, and adds the squares of the limbs.
    let mut shifted = 0;
    let mut carry = false;
    for ([low, high], limb) in flat.as_chunks_mut().0.iter_mut().zip(number) {
        let (square_low, square_high) = limb.carrying_mul(*limb, 0);
        let (doubled_low, doubled_high) = ((*low << 1) | shifted, (*high << 1) | (*low >> 63));
        shifted = *high >> 63;
        (*low, carry) = doubled_low.carrying_add(square_low, carry);
        (*high, carry) = doubled_high.carrying_add(square_high, carry);
    }
    wide
}

/// Adds `factor * by` to the lowest `factor.len()` limbs of `sum`. Returns the carry, which belongs
/// to the next limb.
#[inline(always)]
fn add_product(sum: &mut [u64], factor: &[u64], by: u64) -> u64 {
    if factor.len() < WIDE {
        return add_product_of_limbs(sum, factor, by, 0);
    }
    let Some((sum, _)) = sum.split_at_mut_checked(factor.len()) else {
        return 0; // Never: every caller has as many limbs left.
    };
    let (blocks, last) = factor.as_chunks();
    let (sums, rest) = sum.as_chunks_mut();
    let mut carry = 0;
    for (sum, block) in sums.iter_mut().zip(blocks) {
        carry = add_product_of_block(sum, block, by, carry);
    }
    add_product_of_limbs(rest, last, by, carry)
}

#[inline(always)]
fn add_product_of_limbs(sum: &mut [u64], factor: &[u64], by: u64, mut carry: u64) -> u64 {
    for (sum, limb) in sum.iter_mut().zip(factor) {
        (*sum, carry) = limb.carrying_mul_add(by, *sum, carry);
    }
    carry
}

/// Like [`add_product_of_limbs`], but for one block: computes all products of limbs before it adds
/// the first carry.
#[inline(always)]
fn add_product_of_block(sum: &mut [u64; BLOCK], factor: &[u64; BLOCK], by: u64, carry: u64) -> u64 {
    let products = factor.map(|limb| limb.carrying_mul(by, 0));
    let mut above = carry;
    let mut low_carry = false;
    let lows = products.map(|(low, high)| {
        let limb;
        (limb, low_carry) = low.carrying_add(above, low_carry);
        above = high;
        limb
    });
    let mut sum_carry = false;
    for (sum, low) in sum.iter_mut().zip(&lows) {
        (*sum, sum_carry) = sum.carrying_add(*low, sum_carry);
    }
    // No overflow: a product of one and four limbs plus two sums fits five limbs.
    above
        .wrapping_add(u64::from(low_carry))
        .wrapping_add(u64::from(sum_carry))
}

/// Computes `2^exponent` in `LIMBS` limbs, or zero if the power does not fit.
fn power_of_two<const LIMBS: usize>(exponent: u32) -> [u64; LIMBS] {
    let mut power = [0; LIMBS];
    let mut exponent = exponent;
    for limb in &mut power {
        *limb = 1_u64.checked_shl(exponent).unwrap_or(0);
        exponent = exponent.wrapping_sub(u64::BITS);
    }
    power
}

/// Computes `1 / odd mod 2^64` by Newton's iteration. Each step doubles the number of correct bits.
fn inverse(odd: u64) -> u64 {
    let mut inverse = odd; // Correct to three bits.
    for _ in 0..5 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}
