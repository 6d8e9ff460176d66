//! A version on the command line: its number, its name, or a date.

use core::str::FromStr;

use authdict::{
    Server, Version, VersionNote, VersionNotes,
    internals::version_notes::{NameError, last_second, newest_at, only_version, versions_of},
};

use super::{Failure, Output, Result};

/// A version on the command line, by number, by name or by date.
///
/// Text of digits only is a number; any other text is a name. The prefix `name:` marks any text as
/// a name. A date or a time in UTC that is no name selects the newest version up to then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum VersionSelector {
    Number(Version),
    Name(String),
    /// A version name, or a date with its last second.
    NameOrDate(String, u64),
}

/// The names and dates of versions, as a store or a server states them.
pub(super) trait VersionNames {
    fn latest(&self) -> Version;

    /// Returns the notes (names, times and numbers of changes) on versions `first` to `last`. Notes
    /// without a signature are unverified.
    fn notes(&self, first: Version, last: Version) -> Result<VersionNotes>;

    fn versions_of(&self, name: &str) -> Result<Vec<Version>>;

    /// Returns the kind of this source, `store` or `server`, to name the origin of data without
    /// a signature.
    fn word_of(&self) -> &'static str;
}

impl VersionNames for Server {
    fn latest(&self) -> Version {
        (**self).latest()
    }

    fn notes(&self, first: Version, last: Version) -> Result<VersionNotes> {
        let notes = VersionNotes::read(self.store(), first, last)?;
        let verified = notes.verify(&self.public_key()?);
        verified.map_err(|error| {
            let text = format!("notes on versions {first} to {last} are refused: {error}");
            Failure::Refused(text).help(BY_NUMBER)
        })?;
        Ok(notes)
    }

    fn versions_of(&self, name: &str) -> Result<Vec<Version>> {
        Ok(versions_of(self.store(), name)?)
    }

    fn word_of(&self) -> &'static str {
        "store"
    }
}

impl VersionSelector {
    /// Returns the selected version. A name or a date is looked up in `names`, and the number found
    /// is reported to `output`.
    pub(super) fn resolve(
        &self,
        names: &(impl VersionNames + ?Sized),
        output: &mut Output,
    ) -> Result<Version> {
        let named = |name: &str| Ok::<_, Failure>(only_version(name, names.versions_of(name)?));
        let (text, found) = match self {
            Self::Number(version) => {
                let latest = names.latest();
                if *version > latest
                    // The lookup only serves for advice, so its errors are ignored.
                    && let Ok(named) = names.versions_of(&version.to_string())
                    && let [named, ..] = named.as_slice()
                {
                    let text = format!("version {version} does not exist, the latest is {latest}");
                    return Err(Failure::Input(text).help(format!(
                        "use name:{version} for version {named} of this name"
                    )));
                }
                return Ok(*version);
            }
            Self::Name(name) => (name, named(name)?),
            Self::NameOrDate(text, seconds) => match named(text)? {
                Err(NameError::Unknown(_)) => {
                    let read = |first, last| names.notes(first, last);
                    let found = newest_at((text, *seconds), names.latest(), read)?;
                    let claim = claim(names, found.0, |note| note.seconds == found.1)?;
                    output.dated(text, found, claim);
                    return Ok(found.0);
                }
                found => (text, found),
            },
        };
        let version = found?;
        let claim = claim(names, version, |note| note.name.as_ref() == Some(text))?;
        output.named(text, version, claim);
        Ok(version)
    }
}

/// Returns the origin of a version's name or date. `is_found` returns whether the note has the name
/// or time that the source stated before.
///
/// # Errors
/// [`Failure::Refused`] if the author signed another name or time of the version.
fn claim(
    names: &(impl VersionNames + ?Sized),
    version: Version,
    is_found: impl FnOnce(&VersionNote) -> bool,
) -> Result<Claim> {
    let (notes, word_of) = (names.notes(version, version)?, names.word_of());
    let mut claim = Claim {
        word_of,
        is_signed: false,
    };
    if let Some(note) = notes.get(version).filter(|note| note.signature.is_some()) {
        claim.is_signed = is_found(note);
        if !claim.is_signed {
            let text = format!(
                "version {version} is refused: the author signed another name or time than the \
                 {word_of} states"
            );
            return Err(Failure::Refused(text).help(BY_NUMBER));
        }
    }
    Ok(claim)
}

/// The origin of a version's name or date.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim {
    /// The kind of source that stated it, `store` or `server`.
    pub(super) word_of: &'static str,
    /// Whether it is signed with the key that verifies answers.
    pub(super) is_signed: bool,
}

const BY_NUMBER: &str = "select versions by number";
const EMPTY: &str = "expected the number, name or date of a version";
const TOO_GREAT: &str = "version number too large; for a name of digits use name:DIGITS";

impl FromStr for VersionSelector {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let name = text.strip_prefix("name:");
        match name.unwrap_or(text) {
            "" => Err(EMPTY),
            digits if name.is_none() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                let number = digits.parse().map_err(|_| TOO_GREAT)?;
                Ok(Self::Number(Version::new(number)))
            }
            text if name.is_none()
                && let Some(seconds) = last_second(text) =>
            {
                Ok(Self::NameOrDate(text.into(), seconds))
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
        let date = |date: &str, last| Ok(VersionSelector::NameOrDate(date.into(), last));
        for (text, at) in [
            ("0", number(0)),
            ("012", number(12)),
            ("18446744073709551615", number(u64::MAX)),
            ("18446744073709551616", Err(TOO_GREAT)),
            ("name:18446744073709551616", name("18446744073709551616")),
            ("name:12", name("12")),
            ("2024-12-11", date("2024-12-11", 1_733_961_599)),
            (
                "2024-12-11T00:00:00Z",
                date("2024-12-11T00:00:00Z", 1_733_875_200),
            ),
            ("name:2024-12-11", name("2024-12-11")),
            ("2024-12-32", name("2024-12-32")),
            ("+1", name("+1")),
            (" 1", name(" 1")),
            ("name:name:x", name("name:x")),
            ("", Err(EMPTY)),
            ("name:", Err(EMPTY)),
        ] {
            assert_eq!(text.parse(), at, "{text}");
        }
    }
}
