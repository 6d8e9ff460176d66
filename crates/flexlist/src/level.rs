//! The levels of blocks in the skip list: the heights of their towers of nodes.

use core::fmt;

use serde::{Deserialize, Serialize};

/// The level of a block in the skip list, from 0 to 62. It is chosen when the block is inserted and
/// never changed afterwards.
///
/// The owner chooses levels. The client replays every update with these levels, so the server
/// cannot change them. A server that chose levels could put every block on level 0 and make each
/// path as long as the file. Levels must not depend on the contents of a block either. The author
/// of the contents would then choose them, and equal blocks would get equal levels.
///
/// Level 63 belongs to the two sentinels around the blocks.
///
/// Source: Esiner et al. 2013, section 2. Deviation: the paper does not define how levels are
/// chosen. The initial build here is the perfect skip list, whose proofs are a quarter smaller than
/// proofs of a random list.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(try_from = "u8", into = "u8")]
pub struct Level(u8);

/// Error returned when a number above [`Level::MAX`] is converted to a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("level {level} is above {}", Level::MAX)]
pub struct LevelTooHigh {
    /// The number that is too high for a level.
    pub level: u8,
}

impl Level {
    /// The highest level of a block: 62.
    pub const MAX: Self = Self(62);

    /// Returns the level of the block at `position` of an initial build: the number of trailing
    /// zero bits of `position`.
    ///
    /// Positions count from 1. Position 0 belongs to the left sentinel, and gives [`Level::MAX`].
    pub fn initial(position: u64) -> Self {
        Self::trailing_zeros(position)
    }

    /// Returns the level of a block that is inserted after the initial build. The level is k with
    /// probability 2^-(k+1), and at most [`Level::MAX`].
    ///
    /// `random` is 64 uniform bits that the server cannot predict: fresh ones, or derived from a
    /// secret key and the write's id.
    pub fn draw(random: u64) -> Self {
        Self::trailing_zeros(random)
    }

    fn trailing_zeros(word: u64) -> Self {
        u8::try_from(word.trailing_zeros()).map_or(Self::MAX, |zeros| Self(zeros).min(Self::MAX))
    }

    /// The level as a number.
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl TryFrom<u8> for Level {
    type Error = LevelTooHigh;

    fn try_from(level: u8) -> Result<Self, LevelTooHigh> {
        if level <= Self::MAX.0 {
            Ok(Self(level))
        } else {
            Err(LevelTooHigh { level })
        }
    }
}

impl From<Level> for u8 {
    fn from(level: Level) -> Self {
        level.0
    }
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_initial_build_is_the_perfect_skip_list() {
        let levels: Vec<u8> = (1..=16).map(|i| Level::initial(i).into()).collect();
        assert_eq!(levels, [0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0, 4]);
    }

    #[test]
    fn drawn_levels_are_geometric_and_capped() {
        assert_eq!(Level::draw(1), Level(0));
        assert_eq!(Level::draw(1 << 62), Level(62));
        assert_eq!(Level::draw(1 << 63), Level::MAX);
        assert_eq!(Level::draw(0), Level::MAX);
        assert_eq!(Level::initial(0), Level::MAX);
        // Of all 2^12 patterns of low bits, 2^(11-k) give level k.
        for level in 0..12 {
            let count = (0..1 << 12)
                .filter(|word| Level::draw(word | 1 << 12) == Level(level))
                .count();
            assert_eq!(count, 1 << (11 - level));
        }
    }

    #[test]
    fn numbers_above_62_are_no_levels() {
        assert_eq!(Level::try_from(62), Ok(Level::MAX));
        for level in 63..=u8::MAX {
            assert_eq!(Level::try_from(level), Err(LevelTooHigh { level }));
        }
    }

    #[test]
    fn decoding_checks_the_bound() {
        assert_eq!(serde_json::to_string(&Level(7)).unwrap(), "7");
        assert_eq!(serde_json::from_str::<Level>("62").unwrap(), Level::MAX);
        let refused = serde_json::from_str::<Level>("63").unwrap_err();
        assert!(refused.to_string().contains("level 63 is above 62"));
    }
}
