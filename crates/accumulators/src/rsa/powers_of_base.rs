//! Published powers of `g`: a table for accumulation without squarings.
//!
//! The table can be computed and checked with the public key only. A false table produces false
//! values, against which no witness verifies. See [`rsa_group::powers_table`] for the method.

use pad_core::DecodeError;
use rsa_group::{Residue, powers_table::PowersTable};
use rug::Integer;

use super::{
    parameters::{RsaPublicKey, SCHEME},
    proof_of_exponentiation::{absorb_residue, half_challenge},
};
use crate::{
    error::AccumulateError,
    scheme::PublicKey,
    transcript::Transcript,
    wire::{self, Reader, Wire},
};

#[cfg(test)]
mod tests;

/// A table of `g^(2^(24 i))` for `i = 0, 1, 2, ...`, where `g` is the base of an RSA accumulator.
/// Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct PowersOfBase(PowersTable);

impl PowersOfBase {
    /// Computes a table that suffices to accumulate sets of up to `elements` elements.
    ///
    /// Cost: one squaring per bit of the longest exponent, on one thread. This is about one power
    /// for each element.
    pub fn compute(key: &RsaPublicKey, elements: usize) -> Self {
        let (group, base) = (key.group(), key.parameters().base());
        let bits = elements.saturating_mul(bits_of_element(key));
        Self(PowersTable::compute(group, base, bits))
    }

    /// Size of the largest set that can be accumulated with this table.
    pub fn capacity(&self, key: &RsaPublicKey) -> usize {
        self.0.bits() / bits_of_element(key)
    }

    /// Checks that the first entry is `g` and that every other entry is the previous one raised to
    /// `2^24`.
    fn is_consistent(&self, key: &RsaPublicKey) -> bool {
        let entries = self.0.entries();
        let coefficients = coefficients(key, entries, entries.len().saturating_sub(1));
        self.0.starts_with(key.parameters().base())
            && self.0.is_consistent(key.group(), &coefficients)
    }
}

impl RsaPublicKey {
    /// Adds a table of published powers to the key, which makes accumulation faster.
    ///
    /// # Errors
    /// [`AccumulateError::WrongAccumulator`] if the table has another base. The base is derived
    /// from a hash of modulus and rule.
    #[doc(hidden)]
    pub fn with_powers(self, powers: PowersOfBase) -> Result<Self, AccumulateError> {
        if !powers.0.starts_with(self.parameters().base()) {
            return Err(AccumulateError::WrongAccumulator);
        }
        Ok(self.with_table(powers.0))
    }
}

fn bits_of_element(key: &RsaPublicKey) -> usize {
    usize::try_from(key.parameters().rule().bit_length()).unwrap_or(usize::MAX)
}

/// Derives `count` coefficients of 128 bits as hashes of all entries. A party that chooses the
/// entries cannot choose the coefficients.
fn coefficients(key: &RsaPublicKey, entries: &[Residue], count: usize) -> Vec<Integer> {
    let mut transcript = Transcript::new(key.id(), "powers of base");
    for entry in entries {
        absorb_residue(&mut transcript, entry);
    }
    (0..count)
        .map(|_| half_challenge(&mut transcript))
        .collect()
}

/// Layout: number of entries (4 bytes), entries as residues. Reading checks that all entries are
/// the stated powers of `g`.
impl Wire for PowersOfBase {
    type Context = RsaPublicKey;
    const KIND: u8 = wire::KIND_POWERS;
    const SCHEME: u16 = SCHEME.0;

    fn write(&self, bytes: &mut Vec<u8>) {
        wire::write_count(self.0.entries().len(), bytes);
        for entry in self.0.entries() {
            entry.write(bytes);
        }
    }

    fn read(key: &RsaPublicKey, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let count = reader.count(key.group().length())?;
        let entries: Result<Vec<_>, _> = (0..count).map(|_| key.read_residue(reader)).collect();
        let powers = Self(PowersTable::from_entries(entries?));
        if powers.is_consistent(key) {
            Ok(powers)
        } else {
            Err(DecodeError::ParametersInvalid)
        }
    }
}
