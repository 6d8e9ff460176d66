//! Checks of a modulus, and encodings of numbers.

use core::ops::RangeInclusive;

use pad_core::DecodeError;
use rug::{
    Integer,
    integer::{IsPrime, Order},
};
use zeroize::Zeroizing;

/// Checks the modulus `N` of another party. Refuses a number that is clearly not a product of two
/// different large primes.
///
/// # Errors
/// [`DecodeError::ParametersInvalid`] if the modulus is even, a perfect power or prime, or if its
/// length is not in the range `bits`. A check for two large prime factors is impossible, so the
/// modulus must come from a trusted source.
pub fn require_usable(modulus: &Integer, bits: RangeInclusive<u32>) -> Result<(), DecodeError> {
    let usable = bits.contains(&modulus.significant_bits())
        && modulus.is_odd()
        && !modulus.is_perfect_power()
        && modulus.is_probably_prime(1) == IsPrime::No;
    if usable {
        Ok(())
    } else {
        Err(DecodeError::ParametersInvalid)
    }
}

/// Decodes a big-endian number.
pub fn read(bytes: &[u8]) -> Integer {
    Integer::from_digits(bytes, Order::Msf)
}

/// Appends a number as exactly `length` big-endian bytes. The number must fit. It may be secret, so
/// the internal copy of its digits is wiped. The caller must ensure that `bytes` is not
/// reallocated.
pub fn write_fixed(number: &Integer, length: usize, bytes: &mut Vec<u8>) {
    let digits = Zeroizing::new(number.to_digits::<u8>(Order::Msf));
    let padding = length.saturating_sub(digits.len());
    bytes.resize(bytes.len().saturating_add(padding), 0);
    bytes.extend_from_slice(&digits);
}
