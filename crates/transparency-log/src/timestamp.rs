//! Times as cosignatures state them.

use core::fmt;

/// A time in seconds since the beginning of 1970, UTC, of which leap seconds are no part (POSIX).
///
/// It comes from outside: nothing here looks at a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The time this many seconds after the beginning of 1970, or `None` from 2^63 seconds on, which the format
    /// excludes.
    pub fn from_seconds(seconds: u64) -> Option<Self> {
        i64::try_from(seconds).is_ok().then_some(Self(seconds))
    }

    /// The seconds since the beginning of 1970.
    pub const fn seconds(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
