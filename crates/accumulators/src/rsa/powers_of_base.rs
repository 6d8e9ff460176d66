//! Published powers of `g`: accumulating without squarings.
//!
//! The table holds `g^(2^(24 i))` for `i = 0, 1, ...`. An exponent is read in digits; every digit
//! at bit `24 i + j` puts entry `i` into a bucket, and the buckets together make the power:
//!
//! ```text
//! entry            0         1         2           one per 24 bits of exponent
//! exponent   |....|....|....|....|....|....|...    digits of `window` bits
//! position j   0    1    2    0    1    2          one set of buckets for each j
//! ```
//!
//! Anybody can compute the table, and anybody can check one that was received: who hands out a
//! false table gets false values, which no witness verifies against.
//!
//! Source: Brickell, Gordon, `McCurley` & Wilson 1992, "Fast exponentiation with precomputation".

use std::sync::Arc;

use pad_core::{DecodeError, Workers};
use rayon::prelude::*;
use rug::{Integer, integer::Order};

use super::{
    exponentiation::{
        Buckets, Digits, multi_power, power_of_two, times, to_usize, window_of_least_cost,
    },
    group::{ModularGroup, Residue, ResidueGroup},
    parameters::{RsaPublicKey, SCHEME},
};
use crate::{
    accumulator::PublicKey,
    transcript::Transcript,
    wire::{self, Reader, Wire},
};

#[cfg(test)]
mod tests;

/// The bits between two entries.
const STRIDE: u32 = 24;
/// The length of the random coefficients of the check, in bytes: 128 bits.
const COEFFICIENT_BYTES: usize = 16;

/// `g^(2^(24 i))` for a number of `i`. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowersOfBase {
    entries: Arc<[Residue]>,
}

impl PowersOfBase {
    /// The powers for exponents of up to this many elements.
    ///
    /// Cost: one squaring per bit, on one thread, so about a power for each element.
    pub fn compute(key: &RsaPublicKey, elements: usize) -> Self {
        let group = key.group();
        let mut number = key.parameters().base().as_integer().clone();
        let mut entries = vec![key.parameters().base().clone()];
        for _ in 1..count_for(key, elements) {
            number = group.square_times(&number, STRIDE);
            entries.push(group.canonical(number.clone()));
        }
        Self {
            entries: entries.into(),
        }
    }

    /// Whether these are powers of this base.
    pub(super) fn start_with(&self, base: &Residue) -> bool {
        self.entries.first() == Some(base)
    }

    /// The number of elements for which the powers suffice.
    pub fn capacity(&self, key: &RsaPublicKey) -> usize {
        let bits = self.entries.len().saturating_mul(to_usize(STRIDE));
        bits / to_usize(key.parameters().rule().bit_length())
    }

    /// `g^exponent`, or `None` if the exponent is too long.
    ///
    /// Cost: a product for each digit, and two for each bucket.
    pub(crate) fn power(
        &self,
        group: &ResidueGroup,
        exponent: &Integer,
        workers: &Workers,
    ) -> Option<Integer> {
        let digits = Digits::new(exponent);
        let entries = to_usize(digits.bits().div_ceil(STRIDE));
        let entries = self.entries.get(..entries)?;
        let window = window_of_least_cost(|window| {
            let positions = to_usize(STRIDE.div_ceil(window));
            let buckets = power_of_two(window).saturating_mul(2);
            positions.saturating_mul(entries.len().saturating_add(buckets))
        });
        let table = Table {
            group,
            entries,
            digits: &digits,
            window,
        };
        let positions: Vec<u32> = (0..STRIDE.div_ceil(window))
            .map(|index| index.saturating_mul(window))
            .collect();
        let sums: Vec<Option<Integer>> = if workers.threads() == 1 {
            positions
                .iter()
                .map(|position| table.sum(*position))
                .collect()
        } else {
            workers.run(|| {
                positions
                    .par_iter()
                    .map(|position| table.sum(*position))
                    .collect()
            })
        };
        let mut power: Option<Integer> = None;
        for sum in sums.iter().rev() {
            power = power.map(|power| group.square_times(&power, window));
            if let Some(sum) = sum {
                power = Some(times(group, power, sum));
            }
        }
        Some(power.unwrap_or_else(|| group.one()))
    }

    /// Checks that every entry follows from the one before, and the first is `g`.
    ///
    /// With random coefficients `c_i` that depend on all entries, the product of the
    /// `entry_(i+1)^(c_i)` must be that of the `entry_i^(c_i)`, squared 24 times. A false table
    /// passes with probability `2^-128`, unless its errors have an order that is known and not
    /// large, of which the group has none that anybody could find.
    ///
    /// Source: Bellare, Garay & Rabin 1998, "Fast batch verification for modular exponentiation
    /// and digital signatures" (small exponents); Boneh, Bünz & Fisch 2019 (groups of unknown
    /// order).
    fn is_consistent(&self, key: &RsaPublicKey) -> bool {
        if !self.start_with(key.parameters().base()) {
            return false;
        }
        let group = key.group();
        let numbers: Vec<Integer> = self
            .entries
            .iter()
            .map(|entry| entry.as_integer().clone())
            .collect();
        let (Some((_, later)), Some((_, earlier))) = (numbers.split_first(), numbers.split_last())
        else {
            return false;
        };
        let coefficients = coefficients(key, &self.entries, later.len());
        let squared = multi_power(group, earlier, &coefficients);
        let squared = group.square_times(&squared, STRIDE);
        group.same(&squared, &multi_power(group, later, &coefficients))
    }
}

/// A table and an exponent that is read against it.
struct Table<'a> {
    group: &'a ResidueGroup,
    entries: &'a [Residue],
    digits: &'a Digits,
    window: u32,
}

impl Table<'_> {
    /// What the digits at one position of every stride contribute.
    fn sum(&self, position: u32) -> Option<Integer> {
        // The last digit of a stride ends with it.
        let width = self.window.min(STRIDE.saturating_sub(position));
        let mut buckets = Buckets::new(width);
        for (stride, entry) in (0_u32..).zip(self.entries) {
            let start = stride.saturating_mul(STRIDE).saturating_add(position);
            buckets.multiply(self.group, self.digits.at(start, width), entry.as_integer());
        }
        buckets.total(self.group)
    }
}

/// The entries that exponents of this many elements need; one at least.
fn count_for(key: &RsaPublicKey, elements: usize) -> usize {
    let bits = elements.saturating_mul(to_usize(key.parameters().rule().bit_length()));
    bits.div_ceil(to_usize(STRIDE)).max(1)
}

/// Coefficients that nobody can know before the entries.
fn coefficients(key: &RsaPublicKey, entries: &[Residue], count: usize) -> Vec<Integer> {
    let mut transcript = Transcript::new(key.id(), "powers of base");
    let mut bytes = Vec::new();
    for entry in entries {
        bytes.clear();
        entry.write(&mut bytes);
        transcript.absorb(&bytes);
    }
    (0..count)
        .map(|_| {
            let challenge = transcript.challenge();
            let (digits, _) = challenge.split_at(COEFFICIENT_BYTES);
            Integer::from_digits(digits, Order::Msf)
        })
        .collect()
}

/// Number of entries (4 bytes), entries as residues. Reading checks all of them against `g`.
impl Wire for PowersOfBase {
    type Context = RsaPublicKey;
    const KIND: u8 = wire::KIND_POWERS;
    const SCHEME: u16 = SCHEME.0;

    fn write(&self, bytes: &mut Vec<u8>) {
        wire::write_count(self.entries.len(), bytes);
        for entry in &*self.entries {
            entry.write(bytes);
        }
    }

    fn read(key: &RsaPublicKey, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let count = reader.count(key.group().length())?;
        let entries: Result<Vec<_>, _> = (0..count).map(|_| key.group().read(reader)).collect();
        let powers = Self {
            entries: entries?.into(),
        };
        if powers.is_consistent(key) {
            Ok(powers)
        } else {
            Err(DecodeError::ParametersInvalid)
        }
    }
}
