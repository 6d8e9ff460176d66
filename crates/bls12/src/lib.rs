//! BLS12-381 for accumulators, signatures and tags: encodings, hashing, and arithmetic with
//! secrets.
//!
//! Not a public interface: no stability between versions. Used by pad-accumulators, pad-log,
//! pad-tuple and flexlist.
//!
//! | Task | API | Cost |
//! | --- | --- | --- |
//! | Encode and strictly decode points | [`point`] | a square root, a subgroup check |
//! | Encode scalars | [`scalar`] | |
//! | Multiply many scalars | [`product`] | a multiplication per scalar |
//! | Transform vectors of scalars | `transform` | half a multiplication per scalar and level |
//! | Keep a secret scalar | [`SecretScalar`] | one multiplication for each use |
//! | Hash to G1 (RFC 9380) | [`hash`] | two maps to the curve |
//! | Multiply the generator of G1 by secrets | [`generator`] | additions of table entries |
//! | Aggregate signatures (IETF draft on BLS) | [`signatures`] | signing: one multiplication |
//! | Public multiples and sums | [`public`] | |
//! | Add affine points in batches | [`affine`] | six multiplications per sum |
//! | Compare products of pairings | [`pairing`] | a Miller loop per pairing, one exponentiation |
//! | Check witnesses of accumulators | [`quotient`] | one or two pairings |
//! | Split work among threads | [`threads`] | |
//! | Count operations, for tests | [`count`] | |
//!
//! Strict decoding accepts only the canonical form of a point of the subgroup that is not the
//! identity. Verifying a signature takes two pairings.
//!
//! Field and curve come from arkworks. Where blst has assembly, it decodes points and computes
//! pairings. Sums of points of G1 use montgomery-lanes where the processor has AVX-512 IFMA.
//!
//! Without the default feature `std` this crate is `no_std` (with `alloc`) and contains the
//! verifier's part: encodings, hashes and the verification of signatures, on the calling thread.
//!
//! # Side channels
//!
//! **Use secret keys only on a machine with unshared caches.**
//!
//! There are three ways to multiply by a secret, and only the first reads the same memory for all
//! scalars:
//!
//! * **A secret times any point**: signatures, tags, public keys in G2. [`SecretScalar::times`]
//!   uses windows of fixed width with odd digits, reads its whole table for every digit, and blinds
//!   coordinates. Another process on the machine sees a sequence of operations that is the same for
//!   all scalars.
//! * **A few multiples of the generator**: values, witnesses, tags. [`generator::multiply`] and
//!   [`generator::multiply_each`] use tables, with each scalar split into two pseudorandom shares.
//!   Another process can measure the times for two pseudorandom scalars. The table entries of one
//!   run reveal both shares, and so the scalar.
//! * **Many multiples of a generator**: public keys of many points, all witnesses in one batch.
//!   [`generator::multiply_all`] uses the scalars as they are, since shares would double the cost.
//!   The powers of an accumulator's setup are computed in the same way.
//!   Another process sees times and table entries of every scalar.
//!
//! Field arithmetic below all three is constant-time except for inversions and the last subtraction
//! of the modulus, so nothing here is strictly constant-time. Shares prevent an attacker that only
//! measures times from relating the times to scalars. Blinding and shares depend on the secret and
//! on the multiplied value, not on fresh randomness. An attacker that requests one result many
//! times observes the same shares.
//!
//! # Faults
//!
//! No result is checked before it is released. A faulty scalar or point produces a result that does
//! not verify. Unlike a faulty RSA signature by the Chinese remainder theorem, a faulty result here
//! gives no easy equation for the secret. A fault within the arithmetic of points may leave the
//! curve or the subgroup, where multiples reveal information about their scalar. Verify results if
//! the machine is not trusted.
//!
//! # Memory
//!
//! Secrets, their digits, their encodings, shares and the values that they are derived from are
//! overwritten on drop. States of the hash function, copies in registers and on the stack, and
//! intermediate points are not. Nor are the table entries of a multiplication, which reveal digits.

#![cfg_attr(not(feature = "std"), no_std)]
// Most modules read bytes or numbers that an attacker may have chosen. Modules that compute with
// such numbers deny unchecked arithmetic too.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

extern crate alloc;

pub mod affine;
#[cfg(has_assembly)]
mod assembly;
pub mod count;
pub mod curve;
#[cfg(feature = "std")]
pub mod generator;
pub mod hash;
#[cfg(feature = "std")]
mod key_derivation;
pub mod pairing;
pub mod point;
pub mod product;
pub mod public;
pub mod quotient;
pub mod scalar;
#[cfg(feature = "std")]
mod scalar_lanes;
#[cfg(feature = "std")]
mod secret_multiple;
#[cfg(feature = "std")]
mod secret_scalar;
pub mod signatures;
pub mod threads;
#[cfg(feature = "std")]
pub mod transform;

#[cfg(feature = "std")]
pub use secret_scalar::SecretScalar;
