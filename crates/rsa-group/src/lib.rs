//! Groups modulo a product of two safe primes: common arithmetic of RSA accumulators and RSA tags,
//! over GMP.
//!
//! Not a public interface: no stability between versions. Used by pad-accumulators and
//! flexlist.
//!
//! | Task | API | Cost |
//! | --- | --- | --- |
//! | Public group operations: units modulo `N`, up to sign | [`group`] | one product each |
//! | Simultaneous powers with public exponents | [`exponentiation`] | shared squarings |
//! | Powers of a public base by a published table | [`powers_table`] | products and memory |
//! | Check another party's modulus, as far as possible | [`modulus`] | |
//! | Generate a key | [`safe_primes`] | seconds to minutes |
//! | Powers with the factors, checked for faults | [`factors`] | two powers of half length |
//! | Fixed-width arithmetic in constant time | [`montgomery`] | |
//! | Integers that are wiped on drop | [`secret_integer`] | |
//! | Operation counters, for tests | [`count`] | |
//!
//! # Constant-time operations
//!
//! Powers of the base with the factors run in constant time. They use branch-free Montgomery
//! arithmetic and read whole rows of their tables. For moduli that are not about 2048 or 3072 bits
//! long, they use GMP's `mpz_powm_sec`.
//!
//! Variable-time, because of GMP's division and inversion: the reduction of exponents and of
//! results, the recombination, and the checks. Their times depend on the lengths of the operands,
//! and slightly on rare corrections of quotient digits. No attack on these is known, but consider
//! them if an attacker shares the processor. The search for primes and the primality tests are
//! variable-time too.
//!
//! # Fault checks
//!
//! A power that is wrong modulo one factor and right modulo the other reveals the factors. All
//! results modulo the single factors are therefore checked before release. So are the stored
//! numbers that they depend on, which a memory fault may change permanently: see [`factors`].
//!
//! # Wiping
//!
//! The factors, all stored values derived from them, exponents, and tables are overwritten on drop.
//! These are not overwritten:
//!
//! * GMP's own temporaries, on the stack or in freed memory. Products, divisions, powers, inverses,
//!   Legendre symbols and primality tests leave some, and so do reallocated limbs;
//! * copies of limbs on the stack and in registers: in Montgomery arithmetic, of the modulus `p` or
//!   `q` times its guard, of powers, entries of tables and digits of exponents, and wherever a Rust
//!   value moves;
//! * copies of the factors that the caller keeps as plain numbers;
//! * in the search for primes: small residues of the candidates, the sieve, and primes already
//!   found if the search is cancelled or fails.
//!
//! A process that must not leak these should disable core dumps and swapping.

// Most modules read bytes or numbers that an attacker may have chosen. Modules that compute with
// such numbers deny unchecked arithmetic too.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

pub mod count;
mod digits;
mod error;
pub mod exponentiation;
pub mod factors;
mod fixed_base;
pub mod group;
mod lanes;
mod modular_group;
pub mod modulus;
pub mod montgomery;
pub mod powers_table;
pub mod safe_primes;
pub mod secret_integer;
#[cfg(test)]
mod test_key;

pub use error::{FaultDetected, KeyError};
pub use factors::Factors;
pub use group::{ModularGroup, Residue, ResidueGroup};
pub use safe_primes::{KeySize, PrimePair, Progress};
pub use secret_integer::SecretInteger;
