//! Derivation of secret scalars from seeds by `KeyGen` of the IETF draft: HKDF with SHA-256.

use ark_bls12_381::Fr;
use ark_ff::{AdditiveGroup, PrimeField, Zero};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::hash::BLOCK;

/// Number of bytes that HKDF expands, 48, as two big-endian bytes (`I2OSP(48, 2)` in the draft).
const WIDE: [u8; 2] = [0, 48];

/// Derives the secret scalar of a seed. The scalar is never zero.
///
/// Source: draft-irtf-cfrg-bls-signature-05, section 2.3, with empty `key_info`.
pub(crate) fn scalar_from_seed(seed: &[u8; 32]) -> Zeroizing<Fr> {
    let mut salt: [u8; 32] = Sha256::digest(b"BLS-SIG-KEYGEN-SALT-").into();
    let mut scalar = Zeroizing::new(Fr::ZERO);
    while scalar.is_zero() {
        // Number of bytes that are reduced to a scalar: L = ceil(3 * ceil(log2(r)) / 16) = 48.
        // HKDF-Extract of the seed and I2OSP(0, 1), then HKDF-Expand with I2OSP(48, 2).
        let extracted = authenticate(&salt, &[seed, &[0]]);
        let first = authenticate(&extracted, &[&WIDE, &[1]]);
        let second = authenticate(&extracted, &[first.as_slice(), &WIDE, &[2]]);
        let mut wide = Zeroizing::new([0_u8; 48]);
        for (byte, derived) in wide.iter_mut().zip(first.iter().chain(second.iter())) {
            *byte = *derived;
        }
        *scalar = Fr::from_be_bytes_mod_order(wide.as_slice());
        salt = Sha256::digest(salt).into();
    }
    scalar
}

/// Computes HMAC-SHA-256 of the concatenated parts (RFC 2104).
fn authenticate(key: &[u8; 32], parts: &[&[u8]]) -> Zeroizing<[u8; 32]> {
    let padded = |pad: u8| {
        let mut block = Zeroizing::new([pad; BLOCK]);
        for (byte, key) in block.iter_mut().zip(key) {
            *byte ^= key;
        }
        block
    };
    let mut hasher = Sha256::new_with_prefix(padded(0x36).as_slice());
    for part in parts {
        hasher.update(part);
    }
    let inner: Zeroizing<[u8; 32]> = Zeroizing::new(hasher.finalize().into());
    let outer = Sha256::new_with_prefix(padded(0x5c).as_slice()).chain_update(inner.as_slice());
    Zeroizing::new(outer.finalize().into())
}

#[cfg(test)]
mod tests {
    use core::str::FromStr;

    use super::*;

    #[test]
    fn published_seeds_give_the_published_keys() {
        // ERC-2333, test cases 1 and 2: the master key is `KeyGen` of the seed.
        for (seed, expected) in [
            (
                "3141592653589793238462643383279502884197169399375105820974944592",
                "29757020647961307431480504535336562678282505419141012933316116377660817309383",
            ),
            (
                "0099ff991111002299dd7744ee3355bbdd8844115566cc55663355668888cc00",
                "27580842291869792442942448775674722299803720648445448686099262467207037398656",
            ),
        ] {
            let seed = hex::decode(seed).unwrap().try_into().unwrap();
            assert_eq!(*scalar_from_seed(&seed), Fr::from_str(expected).unwrap());
        }
    }

    #[test]
    fn authentication_codes_are_those_of_the_rfc() {
        // RFC 4231, test case 4: a key of 25 bytes, which zero bytes pad.
        let mut key = [0; 32];
        for (byte, value) in key.iter_mut().zip(1..=25) {
            *byte = value;
        }
        let found = authenticate(&key, &[&[0xcd; 50]]);
        let expected = "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b";
        assert_eq!(hex::encode(found.as_slice()), expected);
    }
}
