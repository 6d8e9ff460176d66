//! Scalars: numbers modulo the order of the groups, 32 bytes, big-endian.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use ark_bls12_381::{Fq, Fr};
use ark_ec::short_weierstrass::{Affine, SWCurveConfig};
use ark_ff::{AdditiveGroup, BigInt, Field, PrimeField, Zero};
use pad_core::DecodeError;
use zeroize::Zeroizing;

use crate::{hash, key_derivation, ladder};

/// Bytes of a scalar.
pub const SCALAR_BYTES: usize = 32;

/// The domain separation tag of the factors that blind coordinates, which nobody sees.
const BLINDING: &[u8] = b"PAD_BLINDING_BLS12381_XMD:SHA-256";
/// The domain separation tag of shares of scalars, which nobody sees.
const SHARES: &[u8] = b"PAD_SHARES_BLS12381_XMD:SHA-256";

/// The encoding of a scalar.
pub fn encode(scalar: &Fr) -> [u8; SCALAR_BYTES] {
    let mut bytes = [0; SCALAR_BYTES];
    let limbs = Zeroizing::new(scalar.into_bigint());
    for (bytes, limb) in bytes.as_chunks_mut().0.iter_mut().zip(limbs.0.iter().rev()) {
        *bytes = limb.to_be_bytes();
    }
    bytes
}

/// The scalar with this encoding; zero is one.
///
/// # Errors
/// [`DecodeError::ScalarOutOfRange`] for the order of the groups or more.
pub fn decode(bytes: &[u8; SCALAR_BYTES]) -> Result<Fr, DecodeError> {
    let mut limbs = [0; 4];
    for (limb, bytes) in limbs.iter_mut().rev().zip(bytes.as_chunks().0) {
        *limb = u64::from_be_bytes(*bytes);
    }
    Fr::from_bigint(BigInt::new(limbs)).ok_or(DecodeError::ScalarOutOfRange)
}

/// A scalar that only its owner knows. Not printable, overwritten when dropped, and kept where it
/// does not move.
#[expect(
    missing_debug_implementations,
    reason = "a secret has no business in a log"
)]
pub struct SecretScalar(Box<Zeroizing<Fr>>);

impl SecretScalar {
    /// The secret scalar of a seed, which must be 32 secret random bytes. Never zero.
    ///
    /// Source: draft-irtf-cfrg-bls-signature-05, section 2.3 (`KeyGen`), with empty `key_info`.
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(Box::new(key_derivation::scalar_from_seed(seed)))
    }

    /// This scalar, from now on a secret.
    pub fn new(scalar: Zeroizing<Fr>) -> Self {
        Self(Box::new(scalar))
    }

    /// A new scalar from 64 bytes of the operating system. Never zero.
    ///
    /// # Errors
    /// If the operating system gives no randomness.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = Zeroizing::new([0_u8; 64]);
        let mut scalar = Zeroizing::new(Fr::ZERO);
        while scalar.is_zero() {
            getrandom::fill(bytes.as_mut_slice())?;
            *scalar = Fr::from_be_bytes_mod_order(bytes.as_slice());
        }
        Ok(Self::new(scalar))
    }

    /// The scalar with this encoding.
    ///
    /// # Errors
    /// [`DecodeError::ScalarOutOfRange`] for zero, and for the order of the groups or more.
    pub fn from_bytes(bytes: &[u8; SCALAR_BYTES]) -> Result<Self, DecodeError> {
        let scalar = Zeroizing::new(decode(bytes)?);
        if scalar.is_zero() {
            return Err(DecodeError::ScalarOutOfRange);
        }
        Ok(Self::new(scalar))
    }

    /// The encoding.
    pub fn to_bytes(&self) -> Zeroizing<[u8; SCALAR_BYTES]> {
        Zeroizing::new(encode(&self.0))
    }

    /// The number, for arithmetic in the field. Points are multiplied by [`SecretScalar::times`] and
    /// [`generator`](crate::generator) alone.
    pub fn expose(&self) -> &Fr {
        &self.0
    }

    /// This multiple of a point of a subgroup that is not the identity.
    ///
    /// `context` says what is multiplied, and blinds the computation together with the secret.
    ///
    /// Cost: 255 additions and 255 doublings, for every scalar.
    pub fn times<C>(&self, point: &Affine<C>, context: &[u8]) -> Affine<C>
    where
        C: SWCurveConfig<ScalarField = Fr>,
        C::BaseField: ladder::Swap + Field<BasePrimeField = Fq>,
    {
        let blinding = hash::hash_to_field(&[&*self.to_bytes(), context], BLINDING);
        ladder::multiply(point, &self.0, blinding)
    }

    /// A pseudorandom scalar that depends on the secret and on this scalar.
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
    fn scalars_come_back_and_have_one_encoding() {
        for scalar in [Fr::ZERO, Fr::ONE, -Fr::ONE, Fr::from(7_u64).pow([99])] {
            let bytes = encode(&scalar);
            assert_eq!(bytes.to_vec(), scalar.into_bigint().to_bytes_be());
            assert_eq!(decode(&bytes), Ok(scalar));
        }
        let order: [u8; 32] = Fr::MODULUS.to_bytes_be().try_into().unwrap();
        for bytes in [order, [0xff; 32]] {
            assert_eq!(decode(&bytes), Err(DecodeError::ScalarOutOfRange));
            let secret = SecretScalar::from_bytes(&bytes).map(drop);
            assert_eq!(secret, Err(DecodeError::ScalarOutOfRange));
        }
        let zero = SecretScalar::from_bytes(&[0; 32]).map(drop);
        assert_eq!(zero, Err(DecodeError::ScalarOutOfRange));
        let secret = SecretScalar::random().unwrap();
        let again = SecretScalar::from_bytes(&secret.to_bytes()).unwrap();
        assert_eq!(again.expose(), secret.expose());
    }
}
