//! A pseudorandom generator without a dependency. An update of a dependency therefore cannot change
//! test vectors.

/// `SplitMix64` (Steele, Lea & Flood 2014): adds a constant (the golden ratio) to the state, and
/// mixes the output.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates the generator with the seed `seed`. Equal seeds give equal sequences.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next 64 pseudorandom bits.
    pub fn next_bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Returns a pseudorandom number less than `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next_bits() % bound
    }

    /// Returns a pseudorandom index of a list of `length` elements.
    ///
    /// # Panics
    ///
    /// If `length` is 0.
    pub fn index(&mut self, length: usize) -> usize {
        let length = u64::try_from(length).expect("lengths are below 2^64");
        usize::try_from(self.below(length)).expect("below a length")
    }

    /// Returns `length` pseudorandom bytes.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(length + 8);
        while bytes.len() < length {
            bytes.extend_from_slice(&self.next_bits().to_be_bytes());
        }
        bytes.truncate(length);
        bytes
    }
}
