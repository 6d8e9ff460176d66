//! What the verifier asks for.

use serde::{Deserialize, Serialize};

/// Which bytes a challenge asks for. Only this travels: both sides derive the rest from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Challenge {
    /// `count` bytes drawn at random from the whole file, with replacement.
    Sample {
        /// 32 fresh random bytes.
        seed: [u8; 32],
        /// How many bytes.
        count: u32,
    },
    /// Every block that overlaps `start..end`.
    Every {
        /// 32 fresh random bytes.
        seed: [u8; 32],
        /// The first byte.
        start: u64,
        /// One past the last byte.
        end: u64,
    },
}
