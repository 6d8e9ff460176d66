//! Levels of blocks.

use serde::{Deserialize, Serialize};

/// How high a block's tower is: 0 to 62.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(try_from = "u8", into = "u8")]
pub struct Level(u8);

impl Level {
    /// The highest level of a block; the sentinels are one higher.
    pub const MAX: Self = Self(62);

    /// The level of the block at this position of an initial build, counted from 1.
    pub const fn initial(position: u64) -> Self {
        let zeros = position.trailing_zeros();
        if zeros > 62 {
            Self::MAX
        } else {
            Self(zeros.to_le_bytes()[0])
        }
    }

    /// The level as a number.
    pub const fn get(self) -> u8 {
        self.0
    }
}

/// A level above [`Level::MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelTooHigh(pub u8);

impl core::fmt::Display for LevelTooHigh {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "level {} is above {}", self.0, Level::MAX.0)
    }
}

impl core::error::Error for LevelTooHigh {}

impl TryFrom<u8> for Level {
    type Error = LevelTooHigh;

    fn try_from(level: u8) -> Result<Self, LevelTooHigh> {
        if level <= Self::MAX.0 {
            Ok(Self(level))
        } else {
            Err(LevelTooHigh(level))
        }
    }
}

impl From<Level> for u8 {
    fn from(level: Level) -> Self {
        level.0
    }
}
