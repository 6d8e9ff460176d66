//! The secret multipliers `alpha_j` of a block's sectors (15 bytes each), derived from the key on
//! first use.

use alloc::{boxed::Box, vec::Vec};
use core::fmt;

use once_cell::race::OnceBox;
use zeroize::{Zeroize, Zeroizing};

use super::field::{Element, Multiplier};

/// The number of multipliers in the first stretch (a part derived at one time). Each later stretch
/// contains twice as many as the one before it.
const FIRST: usize = 256;
/// The number of stretches. With sectors of 15 bytes, the stretches suffice for a block of
/// 15 * 256 * (2^14 - 1) bytes. The longest block is shorter.
const STRETCHES: usize = 14;

/// The multipliers of sectors 0, 1, 2 and so on. They are derived and stored in stretches of
/// growing length.
pub(super) struct Multipliers {
    key: Zeroizing<[u8; 32]>,
    stretches: [OnceBox<Stretch>; STRETCHES],
}

struct Stretch(Vec<Multiplier>);

impl Drop for Stretch {
    fn drop(&mut self) {
        self.0.as_flattened_mut().zeroize();
    }
}

impl fmt::Debug for Multipliers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Multipliers(..)")
    }
}

impl Multipliers {
    pub(super) const fn new(key: Zeroizing<[u8; 32]>) -> Self {
        Self {
            key,
            stretches: [const { OnceBox::new() }; STRETCHES],
        }
    }

    /// Iterates over the stretches in order and derives those not used before. Together they cover
    /// more sectors than any block has.
    pub(super) fn stretches(&self) -> impl Iterator<Item = &[Multiplier]> {
        self.stretches.iter().enumerate().map(|(number, stretch)| {
            let stretch = stretch.get_or_init(|| Box::new(self.stretch(number)));
            stretch.0.as_slice()
        })
    }

    /// Derives the stretch with this `number`, from 0. Multiplier `i`, counted over all stretches,
    /// comes from bytes `32 i .. 32 i + 32` of the keyed hash's output.
    fn stretch(&self, number: usize) -> Stretch {
        let length = FIRST << number;
        let before = u64::try_from(length.saturating_sub(FIRST)).unwrap_or(u64::MAX);
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(b"multipliers");
        let mut output = hasher.finalize_xof();
        output.set_position(before.saturating_mul(32));
        let mut bytes = Zeroizing::new([0; 32]);
        // The capacity is reserved: a vector that grows would leave a copy behind.
        let mut stretch = Stretch(Vec::with_capacity(length));
        for _ in 0..length {
            output.fill(bytes.as_mut_slice());
            stretch.0.push(Element::from_random(&bytes).multiplier());
        }
        stretch
    }
}
