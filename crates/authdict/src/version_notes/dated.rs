//! Lookup of the version of a date, by the times of version notes.

use pad_core::Version;
use transparency_log::utc;

use super::{NameError, VersionNotes};

/// Parses a day in UTC such as `2026-10-24`, or a time such as `2026-10-24T06:30:00Z`. Returns the
/// last second of the day, or the second of the time, counted from 1970. Returns `None` for other
/// text.
pub fn last_second(text: &str) -> Option<u64> {
    let (date, time) = match text.split_once('T') {
        None => (text, "23:59:59"),
        Some((date, time)) => (date, time.strip_suffix('Z')?),
    };
    let [year, month, day] = numbers(date, '-')?;
    let [hour, minute, second] = numbers(time, ':')?;
    if year > LAST_YEAR || !(1..=12).contains(&month) || day == 0 {
        return None;
    }
    // Years and months are counted from March, so that February is the last month.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year.checked_sub(1)?, month + 9)
    };
    let leap_days = year / 4 - year / 100 + year / 400;
    let days = 365 * year + leap_days + (153 * month + 2) / 5 + day - 1;
    let seconds = days.checked_sub(DAYS_TO_1970)? * 86_400 + hour * 3600 + minute * 60 + second;
    // This also refuses days, hours and minutes that do not exist, and numbers in another form.
    (utc(seconds) == format!("{date}T{time}Z")).then_some(seconds)
}

/// Splits `text` at `separator` into three numbers of at most four digits.
fn numbers(text: &str, separator: char) -> Option<[u64; 3]> {
    let parts: Vec<_> = text.split(separator).take(4).collect();
    let number = |part: &&str| part.parse().ok().filter(|_| part.len() <= 4);
    let numbers: Option<Vec<u64>> = parts.iter().map(number).collect();
    numbers?.try_into().ok()
}

/// Finds the version of the date `text`: the newest one up to `latest` whose note has a time of at
/// most `seconds`. Returns the version, its time, and the number of newer versions without a date.
///
/// `read` returns the notes of the versions between its arguments, at most [`PAGE`] versions. It is
/// called from the newest versions on, at most [`MOST_PAGES`] times. Times need not ascend. Notes
/// on other versions than those asked for are ignored.
///
/// # Errors
/// [`NameError::Undated`], [`NameError::Before`] or [`NameError::TooOld`]; the errors of `read`.
pub fn newest_at<E: From<NameError>>(
    (text, seconds): (&str, u64),
    latest: Version,
    mut read: impl FnMut(Version, Version) -> Result<VersionNotes, E>,
) -> Result<(Version, u64, u64), E> {
    let mut last = latest.number();
    // Number of newer versions with a later date.
    let mut later = 0_u64;
    let mut earliest: Option<(u64, Version)> = None;
    for _ in 0..MOST_PAGES {
        if last == 0 {
            let error = match earliest {
                None => NameError::Undated(text.into()),
                Some((time, version)) => NameError::Before {
                    date: text.into(),
                    version,
                    time: utc(time),
                },
            };
            return Err(error.into());
        }
        let first = last.saturating_sub(PAGE - 1).max(1);
        let notes = read(Version::new(first), Version::new(last))?;
        let dated = notes.iter().map(|(version, note)| (note.seconds, version));
        let dated = dated.filter(|(_, version)| (first..=last).contains(&version.number()));
        let dated: Vec<_> = dated.collect();
        let found = dated.iter().rposition(|(time, _)| *time <= seconds);
        let newer = found.map_or(dated.len(), |found| dated.len() - found - 1);
        later = later.saturating_add(u64::try_from(newer).unwrap_or(u64::MAX));
        if let Some((time, version)) = found.and_then(|found| dated.get(found)) {
            let newer = latest.number().saturating_sub(version.number());
            return Ok((*version, *time, newer.saturating_sub(later)));
        }
        earliest = dated.into_iter().chain(earliest).min();
        last = first - 1;
    }
    Err(NameError::TooOld(text.into()).into())
}

/// Number of days from March 1 of year 0 to 1970-01-01.
const DAYS_TO_1970: u64 = 719_468;
const LAST_YEAR: u64 = 9999;
/// Maximum number of versions whose notes are read or sent together.
pub const PAGE: u64 = 1000;
/// Maximum number of pages of notes that are read to find a date.
pub const MOST_PAGES: u64 = 1000;

#[cfg(test)]
mod tests {
    use super::{super::VersionNote, *};

    #[test]
    fn days_and_times_are_parsed() {
        for (text, seconds) in [
            ("1970-01-01", Some("1970-01-01T23:59:59Z")),
            ("2024-02-29", Some("2024-02-29T23:59:59Z")),
            ("2026-10-24", Some("2026-10-24T23:59:59Z")),
            ("2026-10-24T06:30:00Z", Some("2026-10-24T06:30:00Z")),
            ("9999-12-31", Some("9999-12-31T23:59:59Z")),
            ("2026-02-29", None),
            ("2026-13-01", None),
            ("2026-00-01", None),
            ("2026-01-00", None),
            ("2026-1-1", None),
            ("+026-01-01", None),
            ("1969-12-31", None),
            ("0000-01-01", None),
            ("10000-01-01", None),
            ("2026-10-24T24:00:00Z", None),
            ("2026-10-24T06:30:00", None),
            ("2026-10-24T06:30Z", None),
            ("2026-10-24-1", None),
            ("99999999999999999999-01-01", None),
            ("", None),
        ] {
            let parsed = last_second(text).map(utc);
            assert_eq!(parsed.as_deref(), seconds, "{text}");
        }
    }

    /// Looks up a time among versions 1, 2 and so on with the given times.
    fn found(times: &[Option<u64>], seconds: u64) -> Result<(u64, u64), NameError> {
        let notes = (1..).zip(times).filter_map(|(version, seconds)| {
            let note = VersionNote {
                name: None,
                seconds: (*seconds)?,
                changes: 1,
                entries: 1,
                signature: None,
            };
            Some((Version::new(version), note))
        });
        let notes: VersionNotes = notes.collect();
        let latest = Version::new(u64::try_from(times.len()).unwrap());
        // A source may also show notes that were not asked for.
        let read = |_, _| Ok::<_, NameError>(notes.clone());
        newest_at(("then", seconds), latest, read)
            .map(|(version, _, undated)| (version.number(), undated))
    }

    #[test]
    fn a_date_selects_the_newest_version_that_is_not_later() {
        let times = [None, Some(5), Some(9), Some(7), None];
        for (seconds, version) in [(5, 2), (6, 2), (7, 4), (8, 4), (9, 4), (u64::MAX, 4)] {
            assert_eq!(found(&times, seconds), Ok((version, 1)), "{seconds}");
        }
        let before = NameError::Before {
            date: "then".into(),
            version: Version::new(2),
            time: utc(5),
        };
        assert_eq!(found(&times, 4), Err(before));
        let undated = Err(NameError::Undated("then".into()));
        assert_eq!(found(&[None; 3], 4), undated);
        assert_eq!(found(&[], 4), undated);
        // The date is on another page than the latest version.
        let many: Vec<_> = (1..=2500).map(Some).collect();
        assert_eq!(found(&many, 3), Ok((3, 0)));
    }

    #[test]
    fn the_number_of_pages_is_bounded() {
        let mut pages = 0;
        let sought = newest_at(("then", 4), Version::new(u64::MAX), |_, _| {
            pages += 1;
            Ok::<_, NameError>(VersionNotes::default())
        });
        assert_eq!(sought, Err(NameError::TooOld("then".into())));
        assert_eq!(pages, MOST_PAGES);
    }
}
