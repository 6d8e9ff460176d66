//! A version on the command line: its number, or its name.

use core::{fmt, str::FromStr};

use authdict::{
    Server, Version,
    version_notes::{only_version, versions_of},
};

use super::{Failure, Output};

/// A version on the command line, by number or by name.
///
/// Digits are a number; anything else is a name. The prefix `name:` marks any text as a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// A version number.
    Number(Version),
    /// A version name.
    Name(String),
}

impl At {
    /// Resolves the version in a store. Reports the number that a name resolves to.
    pub(super) fn in_store(
        &self,
        repository: &Server,
        output: &mut Output,
    ) -> Result<Version, Failure> {
        match self {
            Self::Number(version) => {
                let latest = repository.latest();
                number_or_name(*version, latest, || {
                    Ok(versions_of(repository.store(), &version.to_string())?)
                })
            }
            Self::Name(name) => {
                let version = only_version(name, versions_of(repository.store(), name)?)?;
                output.named(name, version, "store");
                Ok(version)
            }
        }
    }
}

/// Returns `version`, unless it is later than `latest` and the name of another version.
pub(super) fn number_or_name(
    version: Version,
    latest: Version,
    named: impl FnOnce() -> Result<Vec<Version>, Failure>,
) -> Result<Version, Failure> {
    if version > latest
        // The hint is optional: errors of the name lookup are ignored.
        && let Ok(named) = named()
        && let [named, ..] = named.as_slice()
    {
        return Err(Failure::Input(format!(
            "version {version} does not exist, the latest is {latest}; of version {named} it is the name: name:{version}"
        )));
    }
    Ok(version)
}

/// Error returned when text is neither a version number nor a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotAVersion {
    /// The text is empty.
    Empty,
    /// The number does not fit into 64 bits.
    TooGreat,
}

impl fmt::Display for NotAVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Empty => "a version has a number or a name",
            Self::TooGreat => {
                "no version has so great a number; a name of digits is given as name:DIGITS"
            }
        })
    }
}

impl core::error::Error for NotAVersion {}

impl FromStr for At {
    type Err = NotAVersion;

    fn from_str(text: &str) -> Result<Self, NotAVersion> {
        let name = text.strip_prefix("name:");
        match name.unwrap_or(text) {
            "" => Err(NotAVersion::Empty),
            digits if name.is_none() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                let number = digits.parse().map_err(|_| NotAVersion::TooGreat)?;
                Ok(Self::Number(Version::new(number)))
            }
            name => Ok(Self::Name(name.into())),
        }
    }
}

/// Parses the version number of a proof. Proofs contain no names.
pub(super) fn number(text: &str) -> Result<u64, &'static str> {
    let number = text.parse();
    number.map_err(|_| "a proof knows its version by the number alone; pad versions says which version has a name")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_numbers_unless_they_are_said_to_be_a_name() {
        let number = |number| Ok(At::Number(Version::new(number)));
        let name = |name: &str| Ok(At::Name(name.into()));
        for (text, at) in [
            ("0", number(0)),
            ("012", number(12)),
            ("18446744073709551615", number(u64::MAX)),
            ("18446744073709551616", Err(NotAVersion::TooGreat)),
            ("name:18446744073709551616", name("18446744073709551616")),
            ("name:12", name("12")),
            ("2024-12-11", name("2024-12-11")),
            ("+1", name("+1")),
            (" 1", name(" 1")),
            ("name:name:x", name("name:x")),
            ("", Err(NotAVersion::Empty)),
            ("name:", Err(NotAVersion::Empty)),
        ] {
            assert_eq!(text.parse(), at, "{text}");
        }
    }
}
