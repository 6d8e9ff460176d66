//! Groups modulo a product of two safe primes: everything that is the same for RSA accumulators and
//! RSA tags, over GMP.
//!
//! | you need | take | it costs |
//! | --- | --- | --- |
//! | the group for everybody: units modulo `N`, canonical elements up to sign | [`group`] | a product modulo `N` for each operation |
//! | many powers at once, for everybody | [`exponentiation`] | the squarings of one, and products for each |
//! | powers of a public base by a published table | [`powers_table`] | products alone, and the table's memory |
//! | to check a modulus from elsewhere, as far as that can be done | [`modulus`] | |
//! | a new key | [`safe_primes`] | seconds to minutes |
//! | powers of one base by the holder of the factors, checked for faults | [`factors`] | two powers of half the length |
//! | fixed-width arithmetic in constant time | [`montgomery`] | |
//! | integers that are overwritten before their memory is given back | [`secret_integer`] | |
//! | how much is computed, for tests | [`count`] | |
//!
//! # What runs in constant time
//!
//! | with the factors | how |
//! |---|---|
//! | powers of the base | branch-free Montgomery arithmetic, tables read as a whole; for moduli other than 2048 and 3072 bits GMP's `mpz_powm_sec` |
//!
//! Not in constant time are, by GMP's division and inversion: the reduction of exponents and of
//! results, the recombination, and the checks. Their times depend on the lengths of the operands,
//! and slightly on rare corrections of quotient digits, for which no attack is known; but an owner
//! who shares a processor with an attacker should know it. Searching for primes and testing them is
//! variable-time too.
//!
//! # What is checked
//!
//! A power that is wrong modulo one factor and right modulo the other gives the factors away. So
//! everything computed modulo the factors apart is checked before it leaves, and so are the numbers
//! that are kept for it, which a fault of the memory may change for good: see [`factors`].
//!
//! # What is wiped
//!
//! The factors, everything derived from them that is kept, exponents, and tables are overwritten when
//! dropped. Not overwritten are
//!
//! * GMP's own temporaries: in products, divisions, powers, inverses, Legendre symbols and tests of
//!   primality, on the stack or in freed memory, and limbs that grew and moved;
//! * copies of limbs on the stack: in Montgomery arithmetic, of the modulus `p` or `q` times its
//!   guard, and wherever a value of Rust moves;
//! * what the caller keeps of the factors as plain numbers;
//! * in the search for primes, small residues of the candidates and which of them small primes rule
//!   out, and the first of two primes if the search is cancelled.
//!
//! A process that must not leak them should not dump core and not swap.

// Most of this reads bytes or numbers that anybody may have made. Modules that count with them deny
// unchecked arithmetic too.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

pub mod count;
mod error;
pub mod exponentiation;
pub mod factors;
mod fixed_base;
pub mod group;
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
