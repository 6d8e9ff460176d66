//! Integers that are wiped on drop.

use core::{fmt, ops::Deref};

use rug::{Assign, Integer, integer::Order};

/// An integer that is wiped on drop. `Debug` does not print the number. The time of a comparison
/// depends on the numbers.
///
/// Only this number's own limbs are overwritten. Temporaries inside GMP (on its stack, or in
/// reallocated limbs) are not: see the [crate].
#[derive(Clone, PartialEq, Eq)]
pub struct SecretInteger(Integer);

impl SecretInteger {
    /// Takes ownership of a number, which is wiped on drop.
    pub const fn new(number: Integer) -> Self {
        Self(number)
    }
}

impl Deref for SecretInteger {
    type Target = Integer;

    fn deref(&self) -> &Integer {
        &self.0
    }
}

impl fmt::Debug for SecretInteger {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SecretInteger(..)")
    }
}

impl Drop for SecretInteger {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

/// Overwrites all limbs of a number and sets it to zero.
fn wipe(number: &mut Integer) {
    // Exactly as many digits as the allocation holds, so that GMP fills it without a reallocation.
    let limbs = number.capacity() / 64;
    number.assign_digits(&vec![u64::MAX; limbs], Order::Lsf);
    number.assign(0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wiping_overwrites_in_place() {
        let mut number: Integer = (Integer::from(1) << 3000_u32) - 1_u32;
        number >>= 1500_u32; // More memory than digits.
        let capacity = number.capacity();
        let limbs = number.as_limbs().as_ptr();
        wipe(&mut number);
        assert_eq!(number, 0);
        assert_eq!(number.capacity(), capacity);
        number += 1;
        assert_eq!(number.as_limbs().as_ptr(), limbs, "the digits did not move");
    }

    #[test]
    fn secrets_do_not_print() {
        let secret = SecretInteger::new(Integer::from(123_456));
        assert_eq!(format!("{secret:?}"), "SecretInteger(..)");
    }
}
