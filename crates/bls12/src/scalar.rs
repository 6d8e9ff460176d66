//! Encoding of scalars, the numbers modulo the order of G1 and G2: 32 bytes, big-endian.

#![deny(clippy::arithmetic_side_effects)]

use ark_bls12_381::Fr;
use ark_ff::{BigInt, PrimeField};
use pad_core::DecodeError;
use zeroize::Zeroizing;

/// Length of an encoded scalar in bytes.
pub const SCALAR_BYTES: usize = 32;

/// Encodes a scalar as big-endian bytes.
pub fn encode(scalar: &Fr) -> [u8; SCALAR_BYTES] {
    let mut bytes = [0; SCALAR_BYTES];
    let limbs = Zeroizing::new(scalar.into_bigint());
    for (bytes, limb) in bytes.as_chunks_mut().0.iter_mut().zip(limbs.0.iter().rev()) {
        *bytes = limb.to_be_bytes();
    }
    bytes
}

/// Decodes a scalar, which may be zero.
///
/// # Errors
/// [`DecodeError::ScalarOutOfRange`] for a number that is not below the group order.
pub fn decode(bytes: &[u8; SCALAR_BYTES]) -> Result<Fr, DecodeError> {
    let mut limbs = [0; 4];
    for (limb, bytes) in limbs.iter_mut().rev().zip(bytes.as_chunks().0) {
        *limb = u64::from_be_bytes(*bytes);
    }
    Fr::from_bigint(BigInt::new(limbs)).ok_or(DecodeError::ScalarOutOfRange)
}

#[cfg(test)]
mod tests {
    use ark_ff::{AdditiveGroup, BigInteger, Field};

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
        }
    }
}
