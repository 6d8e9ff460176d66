//! Values of the RSA accumulator.

#![deny(clippy::arithmetic_side_effects)]

use pad_core::DecodeError;

use super::parameters::{RsaPublicKey, SCHEME};
use crate::wire::{self, Reader, Wire};
use rsa_group::group::Residue;

/// The accumulator value of a set: one residue modulo `N`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RsaValue(Residue);

impl RsaValue {
    pub(crate) const fn new(residue: Residue) -> Self {
        Self(residue)
    }

    /// Returns the residue: the base `g`, raised to the product of the primes of the set's
    /// elements.
    #[doc(hidden)]
    pub const fn residue(&self) -> &Residue {
        &self.0
    }
}

/// Layout: the residue, which is not 1 (big-endian, as long as the modulus).
impl Wire for RsaValue {
    type Context = RsaPublicKey;
    const KIND: u8 = wire::KIND_VALUE;
    const SCHEME: u16 = SCHEME.0;

    fn write(&self, bytes: &mut Vec<u8>) {
        self.0.write(bytes);
    }

    fn read(key: &RsaPublicKey, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        key.read_but_one(reader).map(Self)
    }
}
