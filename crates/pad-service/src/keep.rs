//! Retention policies for versions on a server.

use core::{fmt, num::NonZeroU64, str::FromStr};

use authdict::{NotOffered, SchemeName, Version};

/// Retention policy for versions. The heads of dropped versions are always kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// All versions of the store.
    #[default]
    All,
    /// All versions from this version on, written `12..`.
    From(Version),
    /// All versions from the first to the second, both included, written `12..40`. Later versions
    /// are not fetched.
    Between(Version, Version),
    /// At least this number of latest versions, written `last:100`.
    ///
    /// Older versions are dropped once there are more than twice as many versions. A pruning copies
    /// the retained versions. For `last:N`, it is due about once in N new versions.
    Last(NonZeroU64),
}

/// Error returned when text is not a retention policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnreadableKeep {
    /// The text has none of the forms of [`Keep`].
    #[error("invalid versions to keep: expected A..B (both are kept), A.. or last:N")]
    Form,
    /// The range is empty or ends at version 0, or the number of versions is 0.
    #[error("the range of versions is empty")]
    Empty,
}

/// Error returned when a dictionary does not support a retention policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CannotKeep {
    /// The scheme family does not support dropping versions.
    #[error(
        "scheme {} cannot drop versions",
        SchemeName::from_id(.0.scheme).map_or("with an unknown number", SchemeName::name)
    )]
    NotPruned(NotOffered),
    /// Stores in an object store do not support dropping versions.
    #[error("a store in objects keeps all versions: keep a copy in files")]
    InObjects,
    /// The store no longer contains the first version of the policy.
    #[error("versions from {wanted} on cannot be kept: the store was pruned to version {oldest}")]
    Gone {
        /// First version of the policy.
        wanted: Version,
        /// Oldest version in the store.
        oldest: Version,
    },
}

impl Keep {
    /// Returns the last retained version, if the policy has one.
    pub const fn until(self) -> Option<Version> {
        match self {
            Self::Between(_, last) => Some(last),
            Self::All | Self::From(_) | Self::Last(_) => None,
        }
    }

    /// Returns the first retained version, if the policy fixes it.
    pub const fn from(self) -> Option<Version> {
        match self {
            Self::From(first) | Self::Between(first, _) => Some(first),
            Self::All | Self::Last(_) => None,
        }
    }

    /// Returns the first version to retain after a pruning of a store that contains versions
    /// `oldest` to `latest`. Returns `None` if no pruning is due.
    pub(crate) fn prune_to(self, oldest: Version, latest: Version) -> Option<Version> {
        let first = match self {
            Self::All => return None,
            Self::From(first) | Self::Between(first, _) => first,
            Self::Last(count) => {
                let kept = latest.number().saturating_sub(oldest.number());
                if kept < count.get().saturating_mul(2) {
                    return None;
                }
                Version::new(
                    latest
                        .number()
                        .saturating_sub(count.get())
                        .saturating_add(1),
                )
            }
        };
        // Version 0 takes no space, so dropping only version 0 is useless.
        let is_worth_it = first > oldest && first > Version::new(1);
        (is_worth_it && first <= latest).then_some(first)
    }

    /// Returns whether this policy ever drops versions.
    pub(crate) fn drops(self) -> bool {
        match self {
            Self::All => false,
            Self::From(first) | Self::Between(first, _) => first > Version::new(1),
            Self::Last(_) => true,
        }
    }
}

impl FromStr for Keep {
    type Err = UnreadableKeep;

    fn from_str(text: &str) -> Result<Self, UnreadableKeep> {
        let number = |text: &str| text.parse().map_err(|_| UnreadableKeep::Form);
        let version = |text: &str| number(text).map(Version::new);
        if let Some(count) = text.strip_prefix("last:") {
            let count = NonZeroU64::new(number(count)?);
            return count.map(Self::Last).ok_or(UnreadableKeep::Empty);
        }
        match text.split_once("..") {
            None => Err(UnreadableKeep::Form),
            Some((first, "")) => Ok(Self::From(version(first)?)),
            Some((first, last)) => {
                let (first, last) = (version(first)?, version(last)?);
                if last < first || last == Version::EMPTY {
                    return Err(UnreadableKeep::Empty);
                }
                Ok(Self::Between(first, last))
            }
        }
    }
}

impl fmt::Display for Keep {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => formatter.write_str("all versions"),
            Self::From(first) => write!(formatter, "the versions from {first} on"),
            Self::Between(first, last) => write!(formatter, "versions {first} to {last}"),
            Self::Last(count) => write!(formatter, "the last {count} versions"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_to_keep_have_three_forms() {
        let version = Version::new;
        for (text, expected) in [
            ("3..9", Ok(Keep::Between(version(3), version(9)))),
            ("3..3", Ok(Keep::Between(version(3), version(3)))),
            ("0..1", Ok(Keep::Between(version(0), version(1)))),
            ("3..", Ok(Keep::From(version(3)))),
            ("last:2", Ok(Keep::Last(NonZeroU64::new(2).unwrap()))),
            ("3..2", Err(UnreadableKeep::Empty)),
            ("0..0", Err(UnreadableKeep::Empty)),
            ("last:0", Err(UnreadableKeep::Empty)),
            ("..9", Err(UnreadableKeep::Form)),
            ("3", Err(UnreadableKeep::Form)),
            ("last:-1", Err(UnreadableKeep::Form)),
            ("3..9..12", Err(UnreadableKeep::Form)),
        ] {
            assert_eq!(text.parse::<Keep>(), expected, "{text}");
        }
    }

    #[test]
    fn versions_are_dropped_when_it_is_time_to() {
        for (text, oldest, latest, expected) in [
            ("3..9", 0, 2, None),
            ("3..9", 0, 3, Some(3)),
            ("3..9", 3, 9, None),
            ("3..9", 5, 9, None),
            ("0..9", 0, 9, None),
            ("1..", 0, 9, None),
            ("2..", 0, 9, Some(2)),
            ("last:3", 0, 5, None),
            ("last:3", 0, 6, Some(4)),
            ("last:3", 4, 9, None),
            ("last:3", 4, 10, Some(8)),
            ("last:1", 0, 1, None),
            ("last:1", 1, 3, Some(3)),
        ] {
            let keep: Keep = text.parse().unwrap();
            let first = keep.prune_to(Version::new(oldest), Version::new(latest));
            assert_eq!(
                first,
                expected.map(Version::new),
                "{text} {oldest} {latest}"
            );
        }
    }
}
