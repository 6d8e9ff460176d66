//! Parsers for numbers with units: sizes in bytes, counts, rates, durations and shares.

use authdict::pad_core::{MAX_KEY_LENGTH, MAX_VALUE_LENGTH};
#[cfg(feature = "network")]
use clap::builder::RangedU64ValueParser;

/// Returns the parser of an option that accepts numbers from 1 on.
#[cfg(feature = "network")]
pub(super) fn at_least_one() -> RangedU64ValueParser {
    clap::value_parser!(u64).range(1..)
}

/// Parses a size, as in `500`, `4GB` or `4GiB`, into bytes.
pub(super) fn bytes(text: &str) -> Result<f64, String> {
    positive(scaled(text, &BYTES)?)
}

/// Parses an amount of memory in bytes, from 64 KiB to 1 TB.
pub(super) fn memory(text: &str) -> Result<usize, String> {
    let bytes = usize::try_from(whole(bytes(text)?)).unwrap_or(usize::MAX);
    if (LEAST_MEMORY..=MOST_MEMORY).contains(&bytes) {
        Ok(bytes)
    } else {
        Err("from 64KiB to 1TB".into())
    }
}

/// Parses a number with an optional suffix `k`, `M` or `G`, as in `10k`; at least 1 and less than
/// 9e15.
pub(super) fn count(text: &str) -> Result<u64, String> {
    let number = scaled(text, &COUNTS)?;
    if (1.0..9e15).contains(&number) {
        Ok(whole(number))
    } else {
        Err("a number from 1 to 9e15".into())
    }
}

pub(super) fn key_bytes(text: &str) -> Result<u64, String> {
    at_most(count(text)?, MAX_KEY_LENGTH)
}

pub(super) fn value_bytes(text: &str) -> Result<u64, String> {
    let bytes = if text == "0" { 0 } else { count(text)? };
    at_most(bytes, MAX_VALUE_LENGTH)
}

fn at_most(bytes: u64, most: usize) -> Result<u64, String> {
    match usize::try_from(bytes) {
        Ok(length) if length <= most => Ok(bytes),
        _ => Err(format!("at most {most}")),
    }
}

/// Parses a rate, as in `1/s`, `10k/s`, `24/day` or `1/h`, into a number per day.
pub(super) fn per_day(text: &str) -> Result<f64, String> {
    let (times, unit) = text
        .split_once('/')
        .ok_or("times in a unit of time, as 10k/s or 24/day")?;
    let times = positive(scaled(times, &COUNTS)?)?;
    positive(times * 86_400.0 / seconds_of(unit)?)
}

/// Parses a duration, as in `30d`, `12h`, `90s` or `10ms`, into seconds.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let (number, unit) = split(text);
    positive(positive(parsed(number)?)? * seconds_of(unit)?)
}

/// Parses a share, as in `10%` or `0.1`, into a number from 0 to 1.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let share = match text.strip_suffix('%') {
        Some(hundredths) => parsed(hundredths)? / 100.0,
        None => parsed(text)?,
    };
    if (0.0..=1.0).contains(&share) {
        Ok(share)
    } else {
        Err("a share from 0% to 100%".into())
    }
}

/// Parses a positive factor that prices are divided by, as for `--bandwidth-cheaper`. A factor
/// below 1 raises the price.
pub(super) fn times(text: &str) -> Result<f64, String> {
    positive(parsed(text)?)
}

fn seconds_of(unit: &str) -> Result<f64, String> {
    let names = |names: &str| names.split(' ').any(|name| name == unit);
    let found = TIMES.iter().find(|(all, _)| names(all));
    found.map(|(_, seconds)| *seconds).ok_or_else(|| {
        format!(
            "'{unit}' is not a unit of time, which are ms, s, min, h, day, week, month and year"
        )
    })
}

fn positive(number: f64) -> Result<f64, String> {
    if number.is_finite() && number > 0.0 {
        Ok(number)
    } else {
        Err("more than 0".into())
    }
}

fn parsed(text: &str) -> Result<f64, String> {
    let number = text.replace('_', "").parse::<f64>();
    match number {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(format!("'{text}' is not a number")),
    }
}

fn split(text: &str) -> (&str, &str) {
    let unit = text.find(|letter: char| letter.is_ascii_alphabetic());
    text.split_at(unit.unwrap_or(text.len()))
}

fn scaled(text: &str, units: &[(&str, f64)]) -> Result<f64, String> {
    let (number, unit) = split(text);
    let factor = units.iter().find(|(name, _)| *name == unit);
    let (_, factor) = factor.ok_or_else(|| unknown(unit, units))?;
    Ok(parsed(number.trim_end())? * factor)
}

fn unknown(unit: &str, units: &[(&str, f64)]) -> String {
    let names = units.iter().map(|(name, _)| *name);
    let known: Vec<_> = names.filter(|name| !name.is_empty()).collect();
    format!("'{unit}' is not one of {}", known.join(", "))
}

#[allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "conversions of floating-point numbers saturate, and this one is positive"
)]
pub(super) fn whole(number: f64) -> u64 {
    number.round() as u64
}

const COUNTS: [(&str, f64); 4] = [("", 1.0), ("k", 1e3), ("M", 1e6), ("G", 1e9)];
const TIMES: [(&str, f64); 8] = [
    ("ms", 1e-3),
    ("s sec second", 1.0),
    ("m min minute", 60.0),
    ("h hour", 3600.0),
    ("d day days", 86_400.0),
    ("w week weeks", 604_800.0),
    ("month months", 2_629_800.0),
    ("y year years", 31_557_600.0),
];
const BYTES: [(&str, f64); 10] = [
    ("", 1.0),
    ("B", 1.0),
    ("kB", 1e3),
    ("KB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
];
const LEAST_MEMORY: usize = 1 << 16;
const MOST_MEMORY: usize = 1_000_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_by_hand() {
        assert_eq!(memory("64KiB"), Ok(1 << 16));
        assert_eq!(memory("512MiB"), Ok(512 << 20));
        assert_eq!(memory("1GiB"), Ok(1 << 30));
        assert_eq!(memory("1.5GB"), Ok(1_500_000_000));
        assert_eq!(memory("1_000_000"), Ok(1_000_000));
        for text in [
            "", "0", "-1GiB", "63KiB", "1.1TB", "1e99GB", "1 giga", "GiB",
        ] {
            assert!(memory(text).is_err(), "{text}");
        }
    }

    fn near(result: Result<f64, String>, expected: f64) {
        let number = result.unwrap();
        assert!((number - expected).abs() <= 1e-9 * expected, "{number}");
    }

    #[test]
    fn quantities_by_hand() {
        assert_eq!(count("1_000_000"), Ok(1_000_000));
        assert_eq!(count("2.5M"), Ok(2_500_000));
        assert_eq!((value_bytes("0"), key_bytes("4096")), (Ok(0), Ok(4096)));
        near(bytes("4GiB"), 4_294_967_296.0);
        near(bytes("1.5kB"), 1500.0);
        near(per_day("10k/s"), 864_000_000.0);
        near(per_day("24/day"), 24.0);
        near(per_day("1/week"), 1.0 / 7.0);
        near(seconds("30d"), 2_592_000.0);
        near(seconds("10ms"), 0.01);
        near(share("25%"), 0.25);
        near(share("0.25"), 0.25);
    }

    #[test]
    fn what_is_no_quantity_is_refused() {
        for text in ["", "0", "-1", "1e99", "nan", "inf", "1x", "k", "1 k k"] {
            assert!(count(text).is_err(), "{text}");
        }
        for text in ["0", "4097", "1M"] {
            assert!(key_bytes(text).is_err(), "{text}");
        }
        assert!(value_bytes("20M").is_err());
        let nines = "9".repeat(308);
        assert!(
            per_day(&format!("{nines}/ms")).is_err() && seconds(&format!("{nines}year")).is_err()
        );
        for text in ["1", "1/", "/s", "0/s", "-1/s", "1/fortnight", "nan/s"] {
            assert!(per_day(text).is_err(), "{text}");
        }
        for text in ["", "s", "0s", "5", "5 parsecs"] {
            assert!(seconds(text).is_err(), "{text}");
        }
        for text in ["101%", "-1%", "1.5", "half"] {
            assert!(share(text).is_err(), "{text}");
        }
        assert!(
            bytes("1PB")
                .unwrap_err()
                .contains("'PB' is not one of B, kB")
        );
        assert!(times("0").is_err() && times("inf").is_err());
    }
}
