//! Limbs of 52 bits, and their conversion to and from words of 64 bits.

/// Number of lanes.
pub const LANES: usize = 8;

/// Number of bits of a limb.
pub const LIMB_BITS: u32 = 52;

/// Mask of the bits of a limb.
pub(crate) const LIMB: u64 = (1 << LIMB_BITS) - 1;

/// Greatest number of limbs for which columns fit 64 bits.
pub(crate) const MOST_LIMBS: usize = 512;

/// Length in bits of a number of 52-bit limbs.
pub(crate) fn length(limbs: &[u64]) -> u32 {
    let mut below = 0;
    let mut bits = 0;
    for limb in limbs {
        if *limb != 0 {
            bits = below + u64::BITS - limb.leading_zeros();
        }
        below += LIMB_BITS;
    }
    bits
}

/// Splits a number of little-endian 64-bit words into 52-bit limbs. Returns `None` if it does not
/// fit.
pub(crate) fn split(words: &[u64], limbs: &mut [u64]) -> Option<()> {
    let mut places = limbs.iter_mut();
    // Bits of the words that are in no limb yet: at most 51, then one word more.
    let (mut rest, mut bits) = (0_u128, 0_u32);
    for word in words {
        rest |= u128::from(*word) << bits;
        bits += u64::BITS;
        while bits >= LIMB_BITS {
            push(&mut places, &mut rest)?;
            bits -= LIMB_BITS;
        }
    }
    push(&mut places, &mut rest)
}

/// Moves the lowest limb of `rest` to the next place. Returns `None` if there is no place for a
/// limb other than zero.
fn push<'a>(places: &mut impl Iterator<Item = &'a mut u64>, rest: &mut u128) -> Option<()> {
    let limb = u64::try_from(*rest & u128::from(LIMB)).unwrap_or(0);
    *rest >>= LIMB_BITS;
    match places.next() {
        Some(place) => *place = limb,
        None if limb != 0 => return None,
        None => {}
    }
    Some(())
}

/// Joins 52-bit limbs to little-endian 64-bit words. Bits that do not fit are dropped.
pub(crate) fn join<const WORDS: usize>(limbs: &[u64]) -> [u64; WORDS] {
    let mut words = [0; WORDS];
    let mut position = 0_u32;
    for limb in limbs {
        let index = usize::try_from(position / u64::BITS).unwrap_or(usize::MAX);
        let spread = u128::from(*limb) << (position % u64::BITS);
        let halves = [spread, spread >> u64::BITS].map(|half| half & u128::from(u64::MAX));
        for (word, half) in words.iter_mut().skip(index).zip(halves) {
            *word |= u64::try_from(half).unwrap_or(0);
        }
        position += LIMB_BITS;
    }
    words
}

/// Computes `1 / odd mod 2^64` by Newton's iteration. Each step doubles the number of correct bits.
pub(crate) fn inverse(odd: u64) -> u64 {
    let mut inverse = odd; // Correct to three bits.
    for _ in 0..5 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}
