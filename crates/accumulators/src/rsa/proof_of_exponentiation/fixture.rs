//! Fixtures for tests of proofs in the RSA accumulator: a key, sets, verified snapshots, altered
//! residues.

use pad_core::{Verified, Workers};
use rsa_group::{group::Residue, modulus::write_fixed};
use rug::{Complete, Integer};

use crate::{
    accumulator::{Accumulator, SecretKey},
    rsa::{Rsa, RsaPublicKey, RsaSecretKey, RsaValue, test_key},
    set::ElementSet,
    snapshot::Snapshot,
    testing,
    wire::{self, Wire},
};

/// Maximum length in bytes that the tests pass when they decode messages.
pub(in crate::rsa) const LIMIT: usize = 1 << 20;

/// Returns a secret key whose modulus has 2048 bits.
pub(in crate::rsa) fn secret() -> RsaSecretKey {
    test_key::secret().with_label(b"proofs")
}

/// Returns the public key of [`secret`].
pub(in crate::rsa) fn public() -> RsaPublicKey {
    secret().public_key().clone()
}

/// Returns `prefix 0`, `prefix 1`, ..., and so on. Up to ten names are in ascending order.
pub(in crate::rsa) fn names(prefix: &str, count: usize) -> Vec<Vec<u8>> {
    let names = (0..count).map(|index| format!("{prefix} {index}").into_bytes());
    names.collect()
}

/// Returns the set of these elements under the key of [`secret`], and its accumulator value.
pub(in crate::rsa) fn set_of(names: &[Vec<u8>]) -> (ElementSet<Rsa>, RsaValue) {
    let workers = Workers::sequential();
    let set = ElementSet::from_elements(&public(), names, &workers).unwrap();
    let value = Rsa::accumulate(&secret(), &set, &workers).unwrap();
    (set, value)
}

/// Signs `value` as the snapshot of `version` with a test author's key, and verifies the signature.
pub(in crate::rsa) fn verified(
    key: &RsaPublicKey,
    version: u64,
    value: &RsaValue,
) -> Verified<Snapshot<Rsa>> {
    testing::verified(key, version, value)
}

/// Multiplies the residue by a number.
pub(in crate::rsa) fn times(residue: &Residue, factor: &Integer) -> Residue {
    let group = public();
    let group = group.group();
    group.canonical((residue.as_integer() * factor).complete() % group.modulus())
}

/// Computes a square root of 1 that is neither 1 nor -1, which requires the factors of the modulus.
pub(in crate::rsa) fn root_of_one() -> Integer {
    let secret = secret();
    let [p, q] = secret.factors().primes();
    let inverse = Integer::from(p.invert_ref(q).unwrap());
    // 1 modulo p, -1 modulo q.
    let root = Integer::from(q - 2_u32) * inverse % q * p + 1_u32;
    let modulus = public().group().modulus().clone();
    assert_eq!(root.square_ref().complete() % &modulus, 1);
    assert!(root != 1 && root != Integer::from(&modulus - 1_u32));
    root
}

/// Replaces the encoding of `residue` in an encoded message by that of `number`. The encoding of
/// `residue` must occur once.
pub(in crate::rsa) fn replaced(bytes: &[u8], residue: &Residue, number: &Integer) -> Vec<u8> {
    let length = public().group().length();
    let mut old = Vec::new();
    residue.write(&mut old);
    let mut new = Vec::new();
    write_fixed(number, length, &mut new);
    let places: Vec<usize> = (0..=bytes.len() - length)
        .filter(|place| bytes[*place..].starts_with(&old))
        .collect();
    assert_eq!(places.len(), 1, "the residue occurs once");
    [&bytes[..places[0]], &new, &bytes[places[0] + length..]].concat()
}

/// Asserts that malformed variants of `message` are refused, and that `message` itself decodes
/// unchanged.
///
/// The variants replace each of `residues` by a number that is out of range, not canonical or not
/// invertible. Others are truncated or extended messages.
pub(in crate::rsa) fn check_layout<W>(message: &W, residues: &[&Residue])
where
    W: Wire<Context = RsaPublicKey> + Clone + PartialEq + core::fmt::Debug,
{
    use pad_core::DecodeError;
    let key = public();
    let bytes = wire::encode(message);
    let back = wire::decode::<W>(&key, &bytes, LIMIT).unwrap();
    assert_eq!(back.as_unverified(), message);
    for length in 0..bytes.len() {
        let refused = wire::decode::<W>(&key, &bytes[..length], LIMIT);
        assert!(refused.is_err(), "cut at {length}");
    }
    let longer = [bytes.as_slice(), &[0]].concat();
    let error = wire::decode::<W>(&key, &longer, LIMIT).unwrap_err();
    assert_eq!(error, DecodeError::TrailingBytes);

    let modulus = key.group().modulus();
    let secret = secret();
    let [p, _] = secret.factors().primes();
    for residue in residues {
        let other_sign = (modulus - residue.as_integer()).complete();
        let last = (modulus - 1_u32).complete();
        let refused = [
            (other_sign, DecodeError::ResidueNotCanonical),
            (Integer::ZERO, DecodeError::ResidueOutOfRange),
            (modulus.clone(), DecodeError::ResidueOutOfRange),
            (last, DecodeError::ResidueNotCanonical),
            (p.clone(), DecodeError::ResidueNotUnit),
        ];
        for (number, expected) in refused {
            let error = wire::decode::<W>(&key, &replaced(&bytes, residue, &number), LIMIT);
            assert_eq!(error.unwrap_err(), expected, "{number}");
        }
    }
}

/// Returns a number as a residue, for tests that build their own messages.
pub(in crate::rsa) fn residue(number: u32) -> Residue {
    public().group().canonical(Integer::from(number))
}
