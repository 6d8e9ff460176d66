//! Lists from which nothing is missing, because every version was looked at.

use pad_core::Version;
use pad_tree::Answer;

/// All changes of one key's value from one version on up to another.
///
/// It is as good as the look-ups that it is made from: if each of them was verified, the list is
/// complete for these versions, and says nothing about others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompleteHistory {
    from: Version,
    to: Version,
    first: Answer,
    changes: Vec<(Version, Answer)>,
}

impl CompleteHistory {
    /// Looks the key up in every version from `from` to `to`: one look-up for each.
    ///
    /// # Errors
    /// The first that `lookup` returns.
    pub fn collect<E>(
        from: Version,
        to: Version,
        mut lookup: impl FnMut(Version) -> Result<Answer, E>,
    ) -> Result<Self, E> {
        // Version 0 is the empty dictionary, by definition.
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

    /// The version from which on no change is missing; what was before is not known, unless this is
    /// version 0.
    pub const fn from(&self) -> Version {
        self.from
    }

    /// The last version looked at.
    pub const fn to(&self) -> Version {
        self.to
    }

    /// The value in [`CompleteHistory::from`].
    pub const fn first(&self) -> &Answer {
        &self.first
    }

    /// The versions after [`CompleteHistory::from`] in which the value is another than in the one before.
    pub fn changes(&self) -> &[(Version, Answer)] {
        &self.changes
    }

    /// Whether it goes back to the empty dictionary, so that no change at all is missing up to
    /// [`CompleteHistory::to`].
    pub fn is_from_the_beginning(&self) -> bool {
        self.from == Version::EMPTY
    }
}
