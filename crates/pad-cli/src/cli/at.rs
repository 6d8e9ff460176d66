//! A version on the command line: its number, or its name.

use core::{fmt, str::FromStr};

use authdict::{
    Server, Version,
    internals::version_notes::{only_version, versions_of},
};

use super::{Failure, Output};

/// A version on the command line, by number or by name.
///
/// Text of digits only is a number; any other text is a name. The prefix `name:` marks any text as
/// a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum VersionSelector {
    /// A version number.
    Number(Version),
    /// A version name.
    Name(String),
}

impl VersionSelector {
    /// Returns the selected version of `repository`. A name is looked up in the store, and the
    /// number found is reported to `output`.
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

/// Returns `version`, which the user gave as a number. Fails if it is later than `latest` and some
/// version has this number as its name. `named` returns the versions with that name.
pub(super) fn number_or_name(
    version: Version,
    latest: Version,
    named: impl FnOnce() -> Result<Vec<Version>, Failure>,
) -> Result<Version, Failure> {
    if version > latest
        // The lookup only serves for advice, so its errors are ignored.
        && let Ok(named) = named()
        && let [named, ..] = named.as_slice()
    {
        return Err(Failure::Input(format!(
            "version {version} does not exist, the latest is {latest}"
        ))
        .help(format!(
            "use name:{version} for version {named} of this name"
        )));
    }
    Ok(version)
}

/// Error returned when text is neither a version number nor a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VersionSelectorError {
    /// The text is empty.
    Empty,
    /// The number does not fit into 64 bits.
    TooGreat,
}

impl fmt::Display for VersionSelectorError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Empty => "expected the number or name of a version",
            Self::TooGreat => "version number too large; for a name of digits use name:DIGITS",
        })
    }
}

impl core::error::Error for VersionSelectorError {}

impl FromStr for VersionSelector {
    type Err = VersionSelectorError;

    fn from_str(text: &str) -> Result<Self, VersionSelectorError> {
        let name = text.strip_prefix("name:");
        match name.unwrap_or(text) {
            "" => Err(VersionSelectorError::Empty),
            digits if name.is_none() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                let number = digits.parse().map_err(|_| VersionSelectorError::TooGreat)?;
                Ok(Self::Number(Version::new(number)))
            }
            name => Ok(Self::Name(name.into())),
        }
    }
}

/// Parses a version number. Names are not accepted, because proofs contain no names.
pub(super) fn number(text: &str) -> Result<u64, &'static str> {
    let number = text.parse();
    number.map_err(|_| {
        "expected a version number: a proof contains no names; pad versions shows \
         the number of a name"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_numbers_unless_they_are_said_to_be_a_name() {
        let number = |number| Ok(VersionSelector::Number(Version::new(number)));
        let name = |name: &str| Ok(VersionSelector::Name(name.into()));
        for (text, at) in [
            ("0", number(0)),
            ("012", number(12)),
            ("18446744073709551615", number(u64::MAX)),
            ("18446744073709551616", Err(VersionSelectorError::TooGreat)),
            ("name:18446744073709551616", name("18446744073709551616")),
            ("name:12", name("12")),
            ("2024-12-11", name("2024-12-11")),
            ("+1", name("+1")),
            (" 1", name(" 1")),
            ("name:name:x", name("name:x")),
            ("", Err(VersionSelectorError::Empty)),
            ("name:", Err(VersionSelectorError::Empty)),
        ] {
            assert_eq!(text.parse(), at, "{text}");
        }
    }
}
