//! Powers of one fixed base modulo one secret prime: tables, constant time, guarded against faults.
//!
//! The exponent is read in digits of [`RADIX_BITS`] bits. Each position has a row with the powers
//! for all digits, so a power is just one product per position:
//!
//! ```text
//! exponent   d_0 + 64 d_1 + 64^2 d_2 + ...
//! row i      g^(0 * 64^i)  g^(1 * 64^i)  ...  g^(63 * 64^i)
//! power      row_0[d_0] * row_1[d_1] * row_2[d_2] * ...
//! ```
//!
//! Rows are read as a whole, so neither addresses nor times reveal the digits. Many exponents are
//! processed together, row by row, so that each row is read from memory once.
//!
//! **Faults.** A power that is wrong modulo one prime and right modulo the other reveals the
//! factors (Boneh, `DeMillo` & Lipton 1997). All computation is therefore modulo `prime * guard`,
//! where the guard is a random prime of 64 bits. At the end, the residue modulo the guard must
//! equal the result of 64-bit arithmetic (Shamir 1999, "Method and apparatus for protecting public
//! key schemes from timing and fault attacks").
//!
//! The guard has its highest bit set and the next one clear, so a random fault passes with a
//! probability from `2^-63.6` to `2^-63`. The powers are returned modulo `prime * guard`. The
//! caller reduces them modulo the prime and can check the result against them. This module stores
//! no copy of the prime.
//!
//! Source: Brickell, Gordon, `McCurley` & Wilson 1992, "Fast exponentiation with precomputation".

use pad_core::Workers;
use rug::{Complete, Integer, integer::Order};
use zeroize::{Zeroize, Zeroizing};

use crate::{
    digits::{Digits, to_usize},
    error::FaultDetected,
    montgomery::{Montgomery, lookup},
    secret_integer::SecretInteger,
};

mod lanes;
#[cfg(test)]
mod tests;

/// Length in bits of a digit of an exponent.
const RADIX_BITS: u32 = 6;
/// Number of powers in a row of the table: one for each digit.
const RADIX: usize = 1 << RADIX_BITS;
/// Number of exponents processed together. Their powers and one row take some 30 kB, the size of a
/// first-level cache.
const BLOCK: usize = 64;

/// Tables for computing powers of one base modulo one secret prime, with a guard against faults.
pub(crate) struct FixedBase {
    /// The guard: a random prime of 64 bits, modulo which every power is checked.
    guard: SecretInteger,
    /// The base, reduced modulo the guard.
    guard_base: SecretInteger,
    tables: Box<dyn Tables>,
}

impl FixedBase {
    /// Computes the tables for powers of `base` modulo `prime`, where `guard` is another prime, of
    /// 64 bits.
    ///
    /// Cost: for a 1536-bit prime, 16 400 products and 3.3 MB, or 4.2 MB with vector instructions.
    pub(crate) fn new(base: &Integer, prime: &Integer, guard: &Integer) -> Self {
        Self::with_tables(fastest_tables, base, prime, guard)
    }

    fn with_tables(
        tables: impl FnOnce(&Integer, &Integer, u32) -> Box<dyn Tables>,
        base: &Integer,
        prime: &Integer,
        guard: &Integer,
    ) -> Self {
        let modulus = SecretInteger::new((prime * guard).complete());
        Self {
            guard: SecretInteger::new(guard.clone()),
            guard_base: SecretInteger::new((base % guard).complete()),
            tables: tables(base, &modulus, prime.significant_bits()),
        }
    }

    /// Returns whether the tables contain residues modulo `modulus`, which should be prime times
    /// guard. A memory fault may have changed either.
    pub(crate) fn are_modulo(&self, modulus: &Integer) -> bool {
        self.tables.are_modulo(modulus)
    }

    /// Raises the base to each exponent, modulo prime times guard.
    ///
    /// Exponents must be from 1 to below the prime. The running time depends only on the number of
    /// exponents and the length of the prime. Exceptions are GMP's reductions of exponents and
    /// powers modulo the guard.
    ///
    /// # Errors
    /// [`FaultDetected`] if a power is wrong modulo the guard.
    pub(crate) fn powers(
        &self,
        exponents: &[SecretInteger],
        workers: &Workers,
    ) -> Result<Vec<SecretInteger>, FaultDetected> {
        let length = match workers.threads() {
            1 => BLOCK,
            // At least two blocks for each thread, if there are as many exponents.
            threads => exponents.len().div_ceil(threads * 2).clamp(1, BLOCK),
        };
        let blocks: Vec<&[SecretInteger]> = exponents.chunks(length).collect();
        let powers = workers.map(&blocks, |block| self.block(block)).into_iter();
        let powers: Vec<Vec<SecretInteger>> = powers.collect::<Result<_, _>>()?;
        Ok(powers.into_iter().flatten().collect())
    }

    fn block(&self, exponents: &[SecretInteger]) -> Result<Vec<SecretInteger>, FaultDetected> {
        let powers = self.tables.powers(exponents);
        let powers = powers.into_iter().zip(exponents);
        let powers = powers.map(|(power, exponent)| self.checked(power, exponent));
        powers.collect()
    }

    /// Returns `power` if it equals the base raised to `exponent`, modulo the guard.
    fn checked(
        &self,
        power: SecretInteger,
        exponent: &Integer,
    ) -> Result<SecretInteger, FaultDetected> {
        // Fermat: exponents modulo guard - 1, but not zero, which GMP's secure power rejects.
        let order = SecretInteger::new((&*self.guard - 1_u32).complete());
        let short = SecretInteger::new((exponent % &*order).complete() + &*order);
        let expected = self.guard_base.secure_pow_mod_ref(&short, &self.guard);
        let expected = SecretInteger::new(Integer::from(expected));
        let found = SecretInteger::new((&*power % &*self.guard).complete());
        if *expected == *found {
            Ok(power)
        } else {
            Err(FaultDetected)
        }
    }

    /// Flips one bit of the tables, to simulate a hardware fault.
    #[cfg(test)]
    pub(crate) fn break_tables(&mut self) {
        self.tables.break_one_bit();
    }
}

/// A way of computing powers of one base modulo prime times guard, with or without tables.
trait Tables: Send + Sync {
    fn are_modulo(&self, modulus: &Integer) -> bool;

    fn powers(&self, exponents: &[SecretInteger]) -> Vec<SecretInteger>;

    #[cfg(test)]
    fn break_one_bit(&mut self);
}

/// Creates tables that fit the width of `modulus`, which is prime times guard. There are tables for
/// RSA keys of 2048 and 3072 bits, and for keys shorter by less than 128 bits. Other keys use
/// [`NoTables`].
fn tables(base: &Integer, modulus: &Integer, bits: u32) -> Box<dyn Tables> {
    match modulus.significant_digits::<u64>() {
        17 => Rows::<17>::new(base, modulus, bits).map_or_else(no_tables(base, modulus), boxed),
        25 => Rows::<25>::new(base, modulus, bits).map_or_else(no_tables(base, modulus), boxed),
        _ => no_tables(base, modulus)(),
    }
}

/// Creates tables for vector instructions if the processor has them, and otherwise [`tables`].
fn fastest_tables(base: &Integer, modulus: &Integer, bits: u32) -> Box<dyn Tables> {
    let in_lanes = montgomery_lanes::are_fast().then(|| lanes::tables(base, modulus, bits));
    in_lanes
        .flatten()
        .unwrap_or_else(|| tables(base, modulus, bits))
}

fn boxed<T: Tables + 'static>(tables: T) -> Box<dyn Tables> {
    Box::new(tables)
}

fn no_tables(base: &Integer, modulus: &Integer) -> impl FnOnce() -> Box<dyn Tables> {
    let base = SecretInteger::new((base % modulus).complete());
    let modulus = SecretInteger::new(modulus.clone());
    move || boxed(NoTables { base, modulus })
}

/// A table with one row of powers for each digit position.
struct Rows<const LIMBS: usize> {
    field: Montgomery<LIMBS>,
    entries: Vec<[u64; LIMBS]>,
}

impl<const LIMBS: usize> Rows<LIMBS> {
    fn new(base: &Integer, modulus: &Integer, bits: u32) -> Option<Self> {
        let base = SecretInteger::new((base % modulus).complete());
        let field = Montgomery::new(*limbs(modulus))?;
        let positions = to_usize(bits.div_ceil(RADIX_BITS));
        let mut entries = Vec::with_capacity(positions.saturating_mul(RADIX));
        let mut unit = field.to_form(&limbs(&base));
        for _ in 0..positions {
            let mut entry = *field.one();
            for _ in 0..RADIX {
                entries.push(entry);
                entry = field.mul(&entry, &unit);
            }
            unit = entry;
            entry.zeroize();
        }
        unit.zeroize();
        Some(Self { field, entries })
    }
}

impl<const LIMBS: usize> Tables for Rows<LIMBS> {
    fn are_modulo(&self, modulus: &Integer) -> bool {
        let own = SecretInteger::new(Integer::from_digits(self.field.modulus(), Order::Lsf));
        *own == *modulus
    }

    fn powers(&self, exponents: &[SecretInteger]) -> Vec<SecretInteger> {
        let digits = exponents.iter().map(|exponent| Digits::new(exponent));
        let digits: Vec<Digits> = digits.collect();
        let mut powers = vec![*self.field.one(); exponents.len()];
        let mut position = 0;
        for row in self.entries.chunks(RADIX) {
            for (power, digits) in powers.iter_mut().zip(&digits) {
                let mut factor = lookup(row, digits.bits_at(position, RADIX_BITS));
                *power = self.field.mul(power, &factor);
                factor.zeroize();
            }
            position = position.saturating_add(RADIX_BITS);
        }
        let results = powers
            .iter()
            .map(|power| {
                let number = Zeroizing::new(self.field.from_form(power));
                SecretInteger::new(Integer::from_digits(&*number, Order::Lsf))
            })
            .collect();
        powers.zeroize();
        results
    }

    #[cfg(test)]
    fn break_one_bit(&mut self) {
        // The digit at the first position may have any value.
        for entry in self.entries.iter_mut().take(RADIX) {
            entry[0] ^= 1;
        }
    }
}

impl<const LIMBS: usize> Drop for Rows<LIMBS> {
    fn drop(&mut self) {
        self.entries.zeroize();
        self.field.zeroize();
    }
}

/// Computes powers by GMP's constant-time function, without tables. Used for keys of unusual
/// lengths.
struct NoTables {
    base: SecretInteger,
    modulus: SecretInteger,
}

impl Tables for NoTables {
    fn are_modulo(&self, modulus: &Integer) -> bool {
        *self.modulus == *modulus
    }

    fn powers(&self, exponents: &[SecretInteger]) -> Vec<SecretInteger> {
        exponents
            .iter()
            .map(|exponent| Integer::from(self.base.secure_pow_mod_ref(exponent, &self.modulus)))
            .map(SecretInteger::new)
            .collect()
    }

    #[cfg(test)]
    fn break_one_bit(&mut self) {
        self.base = SecretInteger::new((&*self.base + 1_u32).complete());
    }
}

fn limbs<const LIMBS: usize>(number: &Integer) -> Zeroizing<[u64; LIMBS]> {
    let mut limbs = Zeroizing::new([0; LIMBS]);
    for (limb, digit) in limbs.iter_mut().zip(words(number).iter()) {
        *limb = *digit;
    }
    limbs
}

/// Returns the 64-bit words of a nonnegative number, lowest first.
fn words(number: &Integer) -> Zeroizing<Vec<u64>> {
    Zeroizing::new(number.to_digits(Order::Lsf))
}
