//! Complete histories of one key, from lookups in every version.

use pad_core::Answer;
use pad_core::Version;

/// All changes of one key's value between two versions.
///
/// The list is as trustworthy as the lookups. If each lookup was verified, the list is complete for
/// these versions. The list does not cover other versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompleteHistory {
    from: Version,
    to: Version,
    first: Answer,
    changes: Vec<(Version, Answer)>,
}

impl CompleteHistory {
    /// Looks the key up in every version from `from` to `to`, both included, with one call of
    /// `lookup` per version. Version 0 needs no call. If `from` is after `to`, the history contains
    /// only the value in `from`.
    ///
    /// # Errors
    /// The first error that `lookup` returns.
    pub fn collect<E>(
        from: Version,
        to: Version,
        mut lookup: impl FnMut(Version) -> Result<Answer, E>,
    ) -> Result<Self, E> {
        // Version 0 is always the empty dictionary.
        let (from, first) = match from {
            Version::EMPTY => (from, Answer::Absent),
            from => (from, lookup(from)?),
        };
        let mut history = Self {
            from,
            to,
            first: first.clone(),
            changes: Vec::new(),
        };
        let mut last = first;
        let after = from.number().saturating_add(1);
        for version in (after..=to.number()).map(Version::new) {
            let answer = lookup(version)?;
            if answer != last {
                history.changes.push((version, answer.clone()));
                last = answer;
            }
        }
        Ok(history)
    }

    /// Returns the first version of the history. [`CompleteHistory::changes`] is complete for the
    /// versions after it. Values in earlier versions are unknown.
    pub const fn from(&self) -> Version {
        self.from
    }

    /// Returns the last version of the history.
    pub const fn to(&self) -> Version {
        self.to
    }

    /// Returns the key's value in version [`CompleteHistory::from`].
    pub const fn first(&self) -> &Answer {
        &self.first
    }

    /// Returns each version after [`CompleteHistory::from`] in which the key's value differs from
    /// its value in the previous version, with the new value.
    pub fn changes(&self) -> &[(Version, Answer)] {
        &self.changes
    }

    /// Returns whether the history starts at the empty dictionary. If so, it contains every change
    /// up to [`CompleteHistory::to`].
    pub fn is_from_the_beginning(&self) -> bool {
        self.from == Version::EMPTY
    }
}
