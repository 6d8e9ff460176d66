//! What a tuple PAD is asked.

use std::collections::BTreeMap;

use pad_core::{
    Answer, Client, Key, KeyRange, Keys, LookupError, Repository, SnapshotHead, Suite, Untrusted,
    Value, Verified, VerifyError, Version,
};
use pad_tree::{Difference, KeyHistory};
use pad_tuple::{
    AggregateDesign, Design, PublicBytes, SecretBytes, Signed, Tuple, TupleRepository, TupleScheme,
};

use super::TupleSetup;
use crate::{
    answering::{AnswerError, AnsweringRepository, Noted},
    family::{answer, check, checked, not_offered},
    question::{Question, Refusal, Statement},
    repository::CheckError,
};

type Answered = Result<Vec<u8>, AnswerError>;

/// A design with keys for key files, and the questions that it answers.
pub(crate) trait AskedDesign<S: Suite>:
    Design<S, Secret: SecretBytes, Key: PublicBytes>
{
    /// The answer to a question as a message.
    fn answer(
        repository: &TupleRepository<S, Self>,
        version: Version,
        question: &Question,
    ) -> Answered;

    /// What such an answer establishes for a client.
    fn check_at(
        client: &Client<Tuple<Self, S>>,
        version: Version,
        question: &Question,
        answer: &[u8],
    ) -> Result<Statement, Refusal>;

    /// As [`AnsweringRepository::checked_answers`].
    fn checked_answers(
        repository: &TupleRepository<S, Self>,
        head: &Verified<SnapshotHead<S>>,
        keys: &Keys,
    ) -> Result<Vec<(Key, Answer)>, CheckError>;

    /// Whether [`Self::check_contents`] shows that nothing is missing.
    const SHOWS_ALL: bool;

    /// As [`AnsweringRepository::check_contents`].
    fn check_contents(
        repository: &TupleRepository<S, Self>,
        head: &Verified<SnapshotHead<S>>,
    ) -> Result<(), CheckError>;
}

/// Signed designs answer everything.
impl<S: Suite, G, R, const GENERATIONS: usize> AskedDesign<S> for Signed<G, R, GENERATIONS>
where
    Self: AggregateDesign<S, Secret: SecretBytes, Key: PublicBytes>,
{
    fn answer(
        repository: &TupleRepository<S, Self>,
        version: Version,
        question: &Question,
    ) -> Answered {
        Ok(match question {
            Question::Key(key) => answer(repository, version, key)?,
            Question::Keys(keys) => answer(repository, version, keys)?,
            Question::Range(range) => answer(repository, version, range)?,
            question => return Err(not_offered(question, <Self as TupleScheme<S>>::SCHEME).into()),
        })
    }

    fn check_at(
        client: &Client<Tuple<Self, S>>,
        version: Version,
        question: &Question,
        answer: &[u8],
    ) -> Result<Statement, Refusal> {
        Ok(match question {
            Question::Key(key) => Statement::Lookup(check(client, version, key, answer)?),
            Question::Keys(keys) => Statement::Lookups(check(client, version, keys, answer)?),
            Question::Range(range) => Statement::Range(check(client, version, range, answer)?),
            question => return Err(not_offered(question, <Self as TupleScheme<S>>::SCHEME).into()),
        })
    }

    fn checked_answers(
        repository: &TupleRepository<S, Self>,
        head: &Verified<SnapshotHead<S>>,
        keys: &Keys,
    ) -> Result<Vec<(Key, Answer)>, CheckError> {
        Ok(checked(repository, &trusted(repository), head, keys)?.answers)
    }

    const SHOWS_ALL: bool = true;

    fn check_contents(
        repository: &TupleRepository<S, Self>,
        head: &Verified<SnapshotHead<S>>,
    ) -> Result<(), CheckError> {
        let version = head.get().version;
        let proved = checked(repository, &trusted(repository), head, &KeyRange::ALL)?;
        if proved.entries.into_iter().eq(repository.entries(version)?) {
            Ok(())
        } else {
            Err(CheckError::Version(version, VerifyError::RootMismatch))
        }
    }
}

/// Designs with accumulators answer for one key at a time.
#[cfg(feature = "accumulators")]
macro_rules! one_key_at_a_time {
    ([$($parameters:tt)+] $design:ty) => {
        impl<S: Suite, $($parameters)+> AskedDesign<S> for $design
        where
            Self: Design<S, Secret: SecretBytes, Key: PublicBytes>,
        {
            fn answer(
                repository: &TupleRepository<S, Self>,
                version: Version,
                question: &Question,
            ) -> Answered {
                match question {
                    Question::Key(key) => Ok(answer(repository, version, key)?),
                    question => Err(not_offered(question, <Self as TupleScheme<S>>::SCHEME).into()),
                }
            }

            fn check_at(
                client: &Client<Tuple<Self, S>>,
                version: Version,
                question: &Question,
                answer: &[u8],
            ) -> Result<Statement, Refusal> {
                match question {
                    Question::Key(key) => {
                        Ok(Statement::Lookup(check(client, version, key, answer)?))
                    }
                    question => Err(not_offered(question, <Self as TupleScheme<S>>::SCHEME).into()),
                }
            }

            fn checked_answers(
                repository: &TupleRepository<S, Self>,
                head: &Verified<SnapshotHead<S>>,
                keys: &Keys,
            ) -> Result<Vec<(Key, Answer)>, CheckError> {
                let public = trusted(repository);
                let answers = keys.as_slice().iter().map(|key| {
                    let lookup = checked(repository, &public, head, key)?;
                    Ok((lookup.key, lookup.answer))
                });
                answers.collect()
            }

            const SHOWS_ALL: bool = false;

            /// Every entry.
            fn check_contents(
                repository: &TupleRepository<S, Self>,
                head: &Verified<SnapshotHead<S>>,
            ) -> Result<(), CheckError> {
                let version = head.get().version;
                let public = trusted(repository);
                for (key, value) in repository.entries(version)? {
                    let lookup = checked(repository, &public, head, &key)?;
                    if lookup.answer.value() != Some(&value) {
                        return Err(CheckError::Version(version, VerifyError::RootMismatch));
                    }
                }
                Ok(())
            }
        }
    };
}

#[cfg(feature = "accumulators")]
one_key_at_a_time!([A, R, const GENERATIONS: usize] pad_tuple::Accumulated<A, R, GENERATIONS>);
#[cfg(feature = "accumulators")]
one_key_at_a_time!([A, const GENERATIONS: usize] pad_tuple::ChainAccumulated<A, GENERATIONS>);

/// What the clients of a repository trust.
fn trusted<S: Suite, D: Design<S>>(repository: &TupleRepository<S, D>) -> TupleSetup<S, D> {
    let authority = repository.authority();
    let key = repository.key().clone();
    TupleSetup::<S, D>::new(authority.author, authority.dictionary, key)
}

impl<S: Suite, D: AskedDesign<S>> AnsweringRepository for TupleRepository<S, D> {
    fn answer(&self, version: Version, question: &Question) -> Answered {
        D::answer(self, version, question)
    }

    /// A put of the value that the key had already leaves no trace, and is not listed.
    fn history_page(
        &self,
        key: &Key,
        last: Version,
        lookups: u64,
    ) -> Result<Untrusted<KeyHistory>, AnswerError> {
        let versions = (self.oldest(), last.min(self.latest()));
        Ok(history_of(versions, lookups, |version| {
            self.lookup(version, key)
        })?)
    }

    fn differences(
        &self,
        before: Version,
        after: Version,
        note: &mut Noted<'_, Difference>,
    ) -> Result<(), AnswerError> {
        compare(self.entries(before)?, self.entries(after)?, note);
        Ok(())
    }

    fn checked_answers(
        &self,
        head: &Verified<SnapshotHead<S>>,
        keys: &Keys,
    ) -> Result<Vec<(Key, Answer)>, CheckError> {
        D::checked_answers(self, head, keys)
    }

    fn unproved_contents(
        &self,
        version: Version,
    ) -> Result<Option<BTreeMap<Key, Value>>, LookupError> {
        if D::SHOWS_ALL {
            return Ok(None);
        }
        self.entries(version).map(Some)
    }

    fn check_contents(&self, head: &Verified<SnapshotHead<S>>) -> Result<(), CheckError> {
        D::check_contents(self, head)
    }
}

/// The versions up to a latest one in which a value is another one than before: since an oldest version, or as many from the last one back as so
/// many look-ups find.
pub(super) fn history_of(
    (oldest, latest): (Version, Version),
    lookups: u64,
    value: impl Fn(Version) -> Result<Option<Value>, LookupError>,
) -> Result<Untrusted<KeyHistory>, LookupError> {
    // One look-up for each version, and one for the version before them.
    let reached = latest
        .number()
        .saturating_sub(lookups.saturating_sub(1).max(1));
    let oldest = oldest.max(Version::new(reached)).min(latest);
    let mut before = value(oldest)?;
    let mut changes = Vec::new();
    for version in (oldest.number() + 1..=latest.number()).map(Version::new) {
        let after = value(version)?;
        if after != before {
            changes.push(version);
        }
        before = after;
    }
    Ok(Untrusted::new(KeyHistory {
        since: oldest,
        changes,
    }))
}

pub(super) fn compare(
    before: BTreeMap<Key, Value>,
    mut after: BTreeMap<Key, Value>,
    note: &mut Noted<'_, Difference>,
) {
    let mut changes: Vec<Difference> = before
        .into_iter()
        .map(|(key, value)| Difference {
            after: after.remove(&key),
            before: Some(value),
            key,
        })
        .filter(|change| change.before != change.after)
        .collect();
    changes.extend(after.into_iter().map(|(key, value)| Difference {
        key,
        before: None,
        after: Some(value),
    }));
    changes.sort_unstable_by(|one, other| one.key.cmp(&other.key));
    for change in changes {
        if note(Untrusted::new(change)).is_break() {
            return;
        }
    }
}
