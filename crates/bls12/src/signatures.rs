//! BLS signatures over BLS12-381: one signature of 48 bytes for any number of messages.
//!
//! The minimal-signature-size variant of the IETF draft, ciphersuite
//! `BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_`: signatures are points of G1 (48 bytes), public
//! keys points of G2 (96 bytes), both in the compressed encoding. With `H` the hash to G1, `g` the
//! generator of G2 and `x` the secret, the public key is `x g`, the signature on `m` is `x H(m)`,
//! and it is good if `e(H(m), x g) = e(x H(m), g)`.
//!
//! The sum of signatures by one key is a signature on all of their messages: two pairings verify
//! it, whatever their number.
//!
//! # What an aggregate shows, and why no proof of possession is needed
//!
//! That the holder of this one key signed each of the messages. Aggregates of *several* keys need
//! proofs of possession or different messages, because someone can choose their own key as a
//! function of another one's (`y g - x g`) and sign for both. Here one key, which the client
//! trusted before, stands on one side of the equation: there is no sum of keys to choose anything
//! for. A forged aggregate on a list in which `m` stands `c` times and was never signed gives, with
//! the signatures on the other messages taken off and divided by `c` (not zero modulo the group
//! order), a forged signature on `m`; several unsigned messages only add known multiples of the
//! public key, as in the security proof of the plain scheme (random oracle model, co-Diffie-Hellman
//! assumption). So messages may be repeated, but then each repetition counts: the aggregate for
//! `m, m` is twice the signature on `m`. Order does not count.
//!
//! What it does not show: that each summand was a signature. Errors in two of them can cancel, and
//! the aggregate is good all the same.
//!
//! # Decoding
//!
//! Public keys are decoded when they are read: once, with the tables for the pairing. Signatures
//! stay the bytes that they came as, and are decoded by what uses them, before anything expensive:
//! to hold or to pass on a million of them costs nothing. Both decoders refuse all but the one
//! encoding of a point of the curve, of the subgroup of prime order, that is not the identity. So
//! equal bytes are equal signatures, and no message has two.
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
