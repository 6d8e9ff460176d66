//! Timestamps of cosignatures.

use core::fmt;

/// A POSIX time in seconds since 1970-01-01 UTC, without leap seconds.
///
/// The caller supplies the time: this crate reads no clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The latest time of the format.
    #[doc(hidden)]
    pub const LATEST: Self = Self(u64::MAX >> 1);

    /// Creates a time from `seconds` since 1970; `None` from 2^63 seconds on, which the format
    /// excludes.
    pub fn from_seconds(seconds: u64) -> Option<Self> {
        i64::try_from(seconds).is_ok().then_some(Self(seconds))
    }

    /// Formats the time in UTC, as `2026-11-27T06:30:00Z` (ISO 8601).
    pub fn utc(self) -> String {
        utc(self.0)
    }

    /// Returns the seconds since 1970.
    pub const fn seconds(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// Formats `seconds` since 1970 in UTC (ISO 8601) by the Gregorian calendar.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "divisors are constants, and sums stay far below 2^64"
)]
#[doc(hidden)]
pub fn utc(seconds: u64) -> String {
    const DAY: u64 = 86_400;
    // Days since March 1 of year 0, in eras of 400 years. All eras have equally many days.
    let days = seconds / DAY + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Counted from March, each group of five months has 153 days.
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let rest = seconds % DAY;
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_with_their_date() {
        for (seconds, shown) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_764_225_000, "2025-11-27T06:30:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (4_107_456_000, "2100-02-28T00:00:00Z"),
        ] {
            assert_eq!(utc(seconds), shown);
        }
        let latest = Timestamp::LATEST.seconds();
        assert_eq!(Timestamp::from_seconds(latest), Some(Timestamp::LATEST));
        assert_eq!(Timestamp::from_seconds(latest + 1), None);
        // Version notes in a store may contain any number.
        for seconds in [latest, u64::MAX] {
            assert!(utc(seconds).ends_with('Z'));
        }
    }
}
