//! BLS signatures over BLS12-381: one signature of 48 bytes for any number of messages.
//!
//! This is the minimal-signature-size variant of the IETF draft, ciphersuite
//! `BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_`. Signatures are points of G1 (48 bytes), public
//! keys points of G2 (96 bytes), both in the compressed encoding. Let `H` be the hash to G1, `g`
//! the generator of G2 and `x` the secret. The public key is `x g`, and the signature on `m` is
//! `x H(m)`. It is valid if `e(H(m), x g) = e(x H(m), g)`.
//!
//! The sum of signatures by one key is a signature on all of their messages. Two pairings verify
//! the sum, regardless of the number of messages.
//!
//! # Guarantees of an aggregate
//!
//! A valid aggregate proves that the holder of this one key signed each of the messages. No proof
//! of possession is needed. Aggregates of *several* keys need proofs of possession or different
//! messages. Otherwise an attacker can choose a key as a function of another key (`y g - x g`) and
//! sign for both. Here the equation contains one key, which the client already trusts. There is no
//! sum of keys to manipulate.
//!
//! Suppose a forged aggregate is on a list that contains `m` exactly `c` times, and `m` was never
//! signed. Subtract the signatures on the other messages and divide by `c` (not zero modulo the
//! group order). This gives a forged signature on `m`. Several unsigned messages only add known
//! multiples of the public key, as in the security proof of the plain scheme (random oracle model,
//! co-Diffie-Hellman assumption).
//!
//! Messages may therefore be repeated, but each repetition counts: the aggregate for `m, m` is
//! twice the signature on `m`. Order does not count.
//!
//! An aggregate does not prove that each summand was a signature. Errors in two of them can cancel,
//! and the aggregate is still valid.
//!
//! # Decoding
//!
//! Public keys are decoded when they are read: once, with the tables for the pairing. Signatures
//! are stored as received bytes and decoded on use, before any expensive operation, so holding or
//! forwarding a million of them costs nothing.
//!
//! Both decoders accept only the one encoding of a point of the subgroup of prime order that is not
//! the identity. Equal signatures therefore have equal bytes, and each message has one signature
//! under a key.
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use pad_core::Workers;
//! use bls12::signatures::{BlsSecretKey, BlsSignature};
//!
//! let secret = BlsSecretKey::from_seed(&[7; 32]);
//! let key = secret.public_key();
//! let signature = secret.sign(b"first");
//! key.verify(b"first", &signature)?;
//!
//! let both = BlsSignature::aggregate(&[signature, secret.sign(b"second")])?;
//! key.verify_aggregate(&["first", "second"], &both, &Workers::sequential())?;
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Source: draft-irtf-cfrg-bls-signature-05, sections 2 and 4.2.1; Boneh, Lynn & Shacham 2004;
//! Boneh, Gentry, Lynn & Shacham 2003, section 3 (aggregates).

mod public_key;
#[cfg(feature = "std")]
mod secret_key;
mod signature;
mod suite;
#[cfg(test)]
mod tests;

#[cfg(feature = "std")]
pub use self::secret_key::BlsSecretKey;
pub use self::{
    public_key::BlsPublicKey,
    signature::BlsSignature,
    suite::{PUBLIC_KEY_LENGTH, SIGNATURE_LENGTH},
};
