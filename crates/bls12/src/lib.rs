//! BLS12-381 for this workspace: everything that is the same for accumulators, signatures and tags.
//!
//! | you need | take | it costs |
//! | --- | --- | --- |
//! | points as bytes, decoded strictly (canonical form, subgroup, not the identity) | [`point`] | a square root and a check of the subgroup for each |
//! | scalars as bytes | [`scalar`] | |
//! | scalars that only their owner knows | [`SecretScalar`] | one multiplication of the kinds below for each use |
//! | hashing to G1 (RFC 9380) | [`hash`] | two maps to the curve |
//! | multiples of the generator of G1 by secret scalars | [`generator`] | additions of a table's points |
//! | signatures that add up (IETF draft on BLS signatures) | [`signatures`] | one multiplication to sign, two pairings to verify |
//! | multiples, sums and pairings for everybody | [`public`] | |
//! | parallel loops of the curve library on the threads that a caller allows | [`threads`] | |
//! | how much is computed, for tests | [`count`] | |
//!
//! Field, curve and pairing are arkworks'.
//!
//! Without the default feature `std` this crate is `no_std` (with `alloc`) and holds what a verifier needs:
//! encodings, hashes and the verification of signatures, on the calling thread.
//!
//! # Side channels: one policy
//!
//! **Use secret keys only on a machine with unshared caches.** Of the three ways below,
//! only the first reads the same memory for all scalars:
//!
//! | what | by | what a neighbour on the machine sees |
//! | --- | --- | --- |
//! | a secret times any point: signatures, tags, public keys in G2 | [`SecretScalar::times`]: windows of fixed width with odd digits, entries read as a whole, blinded coordinates | a sequence of operations that is the same for all scalars |
//! | a few multiples of the generator: values, witnesses, tags | [`generator::multiply`], [`generator::multiply_each`]: tables, each scalar split into two pseudorandom shares | times of two pseudorandom scalars; the table entries of one run tell both shares, and so the scalar |
//! | many multiples of a generator: public keys of many points, powers of a setup, all witnesses at once | [`generator::multiply_all`], and the same tables for the powers of a setup: the scalars as they are, as shares would double the cost | times and table entries of every scalar |
//!
//! Field arithmetic below all three is constant-time but for inversions and the last subtraction
//! of the modulus: nothing here is strictly constant-time. Shares keep those who only measure times
//! from relating these to scalars. Blinding and shares depend on the secret and on what is
//! multiplied, not on fresh randomness: who has one thing made many times sees the same ones.
//!
//! *Faults.* No result is checked before it is released. A faulty scalar or point makes something
//! that does not verify, and no equation as easy as that of a faulty RSA signature by the Chinese
//! remainder theorem; a fault within the arithmetic of points may leave the curve or the subgroup,
//! where multiples tell about their scalar. Verify what was made if the machine is not trusted.
//!
//! *Memory.* Secrets, their digits, their encodings, shares and what they are derived from are
//! overwritten when dropped. States of the hash function, copies in registers and on the stack, and
//! points on the way are not.

#![cfg_attr(not(feature = "std"), no_std)]
// Most of this reads bytes or numbers that anybody may have made. Modules that count with them deny
// unchecked arithmetic too.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

extern crate alloc;

pub mod count;
#[cfg(feature = "std")]
pub mod generator;
pub mod hash;
#[cfg(feature = "std")]
mod key_derivation;
pub mod point;
pub mod public;
pub mod scalar;
#[cfg(feature = "std")]
mod secret_multiple;
#[cfg(feature = "std")]
mod secret_scalar;
pub mod signatures;
pub mod threads;

#[cfg(feature = "std")]
pub use secret_scalar::SecretScalar;
