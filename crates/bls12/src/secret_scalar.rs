//! Secret scalars, which are wiped on drop.

#![deny(clippy::arithmetic_side_effects)]

use ark_bls12_381::{Fq, Fr};
use ark_ec::short_weierstrass::{Affine, SWCurveConfig};
use ark_ff::{AdditiveGroup, Field, PrimeField, Zero};
use pad_core::DecodeError;
use zeroize::Zeroizing;

use crate::{
    count::Counted,
    hash, key_derivation,
    scalar::{SCALAR_BYTES, decode, encode},
    secret_multiple,
};

/// Domain separation tag for deriving the factors by which [`SecretScalar::times`] blinds
/// coordinates.
const BLINDING: &[u8] = b"PAD_BLINDING_BLS12381_XMD:SHA-256";
/// Domain separation tag for deriving the shares into which [`generator`](crate::generator) splits
/// scalars.
const SHARES: &[u8] = b"PAD_SHARES_BLS12381_XMD:SHA-256";

/// A secret scalar. It cannot be printed, is overwritten on drop, and is stored at a fixed address.
#[derive(Clone)]
#[expect(
    missing_debug_implementations,
    reason = "a secret has no business in a log"
)]
pub struct SecretScalar(Box<Zeroizing<Fr>>);

/// Takes the same time for all scalars.
impl PartialEq for SecretScalar {
    fn eq(&self, other: &Self) -> bool {
        let limbs = self.expose().0.0.iter().zip(&other.expose().0.0);
        limbs.fold(0, |difference, (left, right)| difference | (left ^ right)) == 0
    }
}

impl Eq for SecretScalar {}

impl SecretScalar {
    /// Derives a secret scalar from a seed, which must be 32 secret random bytes. Never zero.
    ///
    /// Source: draft-irtf-cfrg-bls-signature-05, section 2.3 (`KeyGen`), with empty `key_info`.
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(Box::new(key_derivation::scalar_from_seed(seed)))
    }

    /// Stores a scalar as a secret, which is overwritten on drop.
    pub fn new(scalar: Zeroizing<Fr>) -> Self {
        Self(Box::new(scalar))
    }

    /// Generates a scalar from 64 bytes of the operating system. Never zero.
    ///
    /// # Errors
    /// [`getrandom::Error`] if the operating system provides no random bytes.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = Zeroizing::new([0_u8; 64]);
        let mut scalar = Zeroizing::new(Fr::ZERO);
        while scalar.is_zero() {
            getrandom::fill(bytes.as_mut_slice())?;
            *scalar = Fr::from_be_bytes_mod_order(bytes.as_slice());
        }
        Ok(Self::new(scalar))
    }

    /// Decodes a secret scalar.
    ///
    /// # Errors
    /// [`DecodeError::ScalarOutOfRange`] for zero, and for a number that is not below the group
    /// order.
    pub fn from_bytes(bytes: &[u8; SCALAR_BYTES]) -> Result<Self, DecodeError> {
        let scalar = Zeroizing::new(decode(bytes)?);
        if scalar.is_zero() {
            return Err(DecodeError::ScalarOutOfRange);
        }
        Ok(Self::new(scalar))
    }

    /// Encodes the secret scalar, big-endian. The bytes are wiped on drop.
    pub fn to_bytes(&self) -> Zeroizing<[u8; SCALAR_BYTES]> {
        Zeroizing::new(encode(&self.0))
    }

    /// Exposes the secret number for field arithmetic. Multiply points only with
    /// [`SecretScalar::times`] and [`generator`](crate::generator).
    pub fn expose(&self) -> &Fr {
        &self.0
    }

    /// Multiplies a point of a subgroup, which must not be the identity, by this scalar.
    ///
    /// `context` identifies the point. The factor that blinds the coordinates is a hash of
    /// `context` and the secret.
    ///
    /// Cost: 252 doublings and 63 additions for every scalar. The table of odd multiples of the
    /// point takes one doubling and 8 additions more.
    pub fn times<C>(&self, point: &Affine<C>, context: &[u8]) -> Affine<C>
    where
        C: SWCurveConfig<ScalarField = Fr>,
        C::BaseField: secret_multiple::Choose + Field<BasePrimeField = Fq>,
    {
        Counted::Multiples.add(1);
        let blinding = hash::hash_to_field(&[&*self.to_bytes(), context], BLINDING);
        secret_multiple::multiply(point, &self.0, blinding)
    }

    /// Derives a pseudorandom share of `scalar`, a hash of this secret and `scalar`. The other
    /// share is `scalar` minus this share.
    pub(crate) fn share_of(&self, scalar: &Fr) -> Zeroizing<Fr> {
        let scalar = Zeroizing::new(encode(scalar));
        let parts: [&[u8]; 2] = [&*self.to_bytes(), &*scalar];
        let wide = Zeroizing::new(hash::expand::<2>(&parts, SHARES));
        Zeroizing::new(Fr::from_be_bytes_mod_order(wide.as_flattened()))
    }
}

#[cfg(test)]
mod tests {
    use ark_ff::BigInteger;

    use super::*;

    #[test]
    fn secret_scalars_come_back_and_are_neither_zero_nor_too_large() {
        let order: [u8; 32] = Fr::MODULUS.to_bytes_be().try_into().unwrap();
        for bytes in [[0; 32], order, [0xff; 32]] {
            let secret = SecretScalar::from_bytes(&bytes).map(drop);
            assert_eq!(secret, Err(DecodeError::ScalarOutOfRange));
        }
        let secret = SecretScalar::random().unwrap();
        let again = SecretScalar::from_bytes(&secret.to_bytes()).unwrap();
        assert_eq!(again.expose(), secret.expose());
    }
}
