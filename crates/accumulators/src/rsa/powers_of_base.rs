//! Published powers of `g`: accumulating without squarings.
//!
//! Anybody can compute the table, and anybody can check one that was received: a false table
//! makes false values, which no witness verifies against. How it works: [`rsa_group::powers_table`].

use pad_core::DecodeError;
use rsa_group::{Residue, exponentiation::to_usize, powers_table::PowersTable};
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

/// `g^(2^(24 i))` for a number of `i`. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowersOfBase(PowersTable);

impl PowersOfBase {
    /// The powers for exponents of up to this many elements.
    ///
    /// Cost: one squaring per bit, on one thread, so about a power for each element.
    pub fn compute(key: &RsaPublicKey, elements: usize) -> Self {
        let (group, base) = (key.group(), key.parameters().base());
        let bits = elements.saturating_mul(bits_of_element(key));
        Self(PowersTable::compute(group, base, bits))
    }

    /// The number of elements for which the powers suffice.
    pub fn capacity(&self, key: &RsaPublicKey) -> usize {
        self.0.bits() / bits_of_element(key)
    }

    /// Checks that every entry follows from the one before, and the first is `g`.
    fn is_consistent(&self, key: &RsaPublicKey) -> bool {
        let entries = self.0.entries();
        let coefficients = coefficients(key, entries, entries.len().saturating_sub(1));
        self.0.starts_with(key.parameters().base())
            && self.0.is_consistent(key.group(), &coefficients)
    }
}

impl RsaPublicKey {
    /// The same key, which accumulates faster by published powers.
    ///
    /// # Errors
    /// [`AccumulateError::WrongAccumulator`] if they are powers of another base, which is a hash
    /// of modulus and rule.
    pub fn with_powers(self, powers: PowersOfBase) -> Result<Self, AccumulateError> {
        if !powers.0.starts_with(self.parameters().base()) {
            return Err(AccumulateError::WrongAccumulator);
        }
        Ok(self.with_table(powers.0))
    }
}

fn bits_of_element(key: &RsaPublicKey) -> usize {
    to_usize(key.parameters().rule().bit_length())
}

/// Coefficients of 128 bits that nobody can know before the entries.
fn coefficients(key: &RsaPublicKey, entries: &[Residue], count: usize) -> Vec<Integer> {
    let mut transcript = Transcript::new(key.id(), "powers of base");
    for entry in entries {
        absorb_residue(&mut transcript, entry);
    }
    (0..count)
        .map(|_| half_challenge(&mut transcript))
        .collect()
}

/// Number of entries (4 bytes), entries as residues. Reading checks all of them against `g`.
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
