//! Pseudorandom numbers that are the same on every machine.

/// A stream of pseudorandom numbers (`SplitMix64`), the same on every machine.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates the stream with this seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number of the stream, uniform over all 64-bit numbers.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        scramble(self.0)
    }

    /// Returns a number below `bound`, which must be far below 2^64 for nearly uniform numbers.
    pub const fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// Scrambles a number with the output function of `SplitMix64`, a bijection.
pub(crate) const fn scramble(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Increment of `SplitMix64`. It is odd, so that multiplication by it is a bijection.
pub(crate) const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
