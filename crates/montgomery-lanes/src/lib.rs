//! Modular arithmetic on eight numbers at once: Montgomery products in 52-bit limbs.
//!
//! Not a public interface: no stability between versions. Used by bls12, pad-accumulators
//! and rsa-group.
//!
//! A processor with AVX-512 IFMA multiplies eight pairs of 52-bit limbs per instruction. Each of
//! the eight **lanes** holds a number of its own, and may have a modulus of its own:
//!
//! ```text
//!             lane 0      lane 1            lane 7
//! row 0     [ limb 0      limb 0    ...     limb 0     ]   weight 2^0
//! row 1     [ limb 1      limb 1    ...     limb 1     ]   weight 2^52
//! ...
//! row L-1   [ limb L-1    limb L-1  ...     limb L-1   ]   weight 2^(52 (L - 1))
//! ```
//!
//! A chain of dependent products cannot fill eight lanes. There the limbs of a single number are
//! spread over the lanes, in rows of eight.
//!
//! | Task | API |
//! | --- | --- |
//! | Eight numbers, and arithmetic modulo a number per lane | [`Numbers`], [`Moduli`] |
//! | One number spread over the lanes, and arithmetic modulo one number | [`Number`], [`Modulus`] |
//! | Check whether the fast kernels are in use | [`are_fast`] |
//!
//! Without the instructions everything works, in portable code that is slower than a good library
//! for single numbers. Callers therefore ask [`are_fast`] first, and use such a library otherwise.
//! The environment variable `PAD_LANES=off` switches the instructions off. It is read once.
//!
//! # Invariants
//!
//! `R = 2^(52 L)` is the radix. Every modulus `n` is odd and below `R / 4`.
//!
//! * **Limbs.** Every limb of a [`Numbers`] is below `2^52`.
//! * **Values.** Arguments and results of [`Moduli`] are below `2n`. A product needs no final
//!   subtraction: `(a b + m n) / R < (4 n^2 + R n) / R < 2n`.
//! * **Columns.** A product sums its limb products by weight, in 64 bits, and propagates carries
//!   only at its end. A column collects at most `4 L` halves of limb products, each below `2^52`.
//!   So it stays below `2^64` for `L` up to 512. Tests compute the same columns with checked
//!   additions.
//!
//! # Secrets
//!
//! Times and addresses of arithmetic, selection and lookup depend only on the number of limbs, the
//! lengths of slices, and counts. Exceptions:
//!
//! * [`Moduli::new`] and [`Modulus::new`] take time that depends on the length of the modulus.
//! * Conversions reveal whether a number fits.
//! * `==` on [`Number`] and [`Numbers`] is not constant-time.
//!
//! Values on the stack and in registers are not wiped. All types implement `Zeroize` for
//! the caller.
//!
//! # Unsafe code
//!
//! One block: it calls a kernel that is compiled with the target features, after a runtime check
//! for them. The intrinsics in use are safe inside such functions.
//!
//! # Sources
//!
//! * Montgomery 1985, "Modular multiplication without trial division".
//! * Walter 1999, "Montgomery exponentiation needs no final subtractions".
//! * Gueron & Krasnov 2012, "Software implementation of modular exponentiation, using advanced
//!   vector instructions architectures" (limbs of one number in the lanes, redundant columns).

mod arguments;
#[cfg(target_arch = "x86_64")]
mod ifma;
mod limbs;
mod moduli;
mod modulus;
mod number;
mod numbers;
mod path;
mod portable;

pub use limbs::{LANES, LIMB_BITS};
pub use moduli::Moduli;
pub use modulus::Modulus;
pub use number::Number;
pub use numbers::Numbers;
pub use path::are_fast;
