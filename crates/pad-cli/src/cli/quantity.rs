//! Numbers with units, and sizes in bytes.

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

pub(super) fn positive(number: f64) -> Result<f64, String> {
    if number.is_finite() && number > 0.0 {
        Ok(number)
    } else {
        Err("more than 0".into())
    }
}

pub(super) fn parsed(text: &str) -> Result<f64, String> {
    let number = text.replace('_', "").parse::<f64>();
    match number {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(format!("'{text}' is not a number")),
    }
}

pub(super) fn split(text: &str) -> (&str, &str) {
    let unit = text.find(|letter: char| letter.is_ascii_alphabetic());
    text.split_at(unit.unwrap_or(text.len()))
}

pub(super) fn scaled(text: &str, units: &[(&str, f64)]) -> Result<f64, String> {
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
}
