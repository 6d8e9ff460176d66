//! Answers of tuple PADs to questions.

use std::collections::{BTreeMap, BTreeSet};

use pad_core::{Client, Key, LookupError, Suite, Untrusted, Value, Version};
use pad_tree::{Difference, KeyHistory};
#[cfg(feature = "accumulators")]
use pad_tuple::internals::{Accumulated, ChainAccumulated};
use pad_tuple::{
    SecretBytes, Tuple, TupleScheme,
    internals::{AggregateDesign, Design, PublicBytes, Signed},
};

use crate::{
    dictionary::UnprovedCallback,
    family::{check, not_offered},
    question::{Question, Refusal, Statement},
};

/// A tuple design whose keys can be stored in key files, with the kinds of questions that it
/// answers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a design of tuple dictionaries",
    label = "not a design",
    note = "designs are types such as `Base` and `SpecLightweight`"
)]
pub(crate) trait QueryableDesign<S: Suite>:
    Design<S, Secret: SecretBytes, Key: PublicBytes>
{
    /// Verifies an answer to a question about a version, and returns the verified statement. By
    /// default, questions are about one key.
    fn check_at(
        client: &Client<Tuple<Self, S>>,
        version: Version,
        question: &Question,
        answer: &[u8],
    ) -> Result<Statement, Refusal> {
        match question {
            Question::Key(key) => Ok(Statement::Lookup(check(client, version, key, answer)?)),
            question => Err(not_offered(question, <Self as TupleScheme<S>>::SCHEME).into()),
        }
    }
}

/// Designs that sign tuples answer all questions about keys, including ranges.
impl<S: Suite, G, R, const GENERATIONS: usize> QueryableDesign<S> for Signed<G, R, GENERATIONS>
where
    Self: AggregateDesign<S, Secret: SecretBytes, Key: PublicBytes>,
{
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
}

#[cfg(feature = "accumulators")]
impl<S: Suite, A, R, const GENERATIONS: usize> QueryableDesign<S> for Accumulated<A, R, GENERATIONS> where
    Self: Design<S, Secret: SecretBytes, Key: PublicBytes>
{
}

#[cfg(feature = "accumulators")]
impl<S: Suite, A, const GENERATIONS: usize> QueryableDesign<S> for ChainAccumulated<A, GENERATIONS> where
    Self: Design<S, Secret: SecretBytes, Key: PublicBytes>
{
}

/// Returns the versions after `oldest`, up to `latest`, in which a key's value changed. `value`
/// looks the key up in a version. Makes at most `lookups` lookups, or 2 if `lookups` is less. The
/// search may therefore cover only the latest versions.
pub(super) fn history_of(
    (oldest, latest): (Version, Version),
    lookups: u64,
    value: impl Fn(Version) -> Result<Option<Value>, LookupError>,
) -> Result<Untrusted<KeyHistory>, LookupError> {
    // The search needs one lookup for each version, and one for the version before these versions.
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

/// Passes each difference between the entries of two versions to `note`, in ascending order of
/// keys, until `note` stops.
pub(super) fn compare(
    before: &BTreeMap<Key, Value>,
    after: &BTreeMap<Key, Value>,
    note: &mut UnprovedCallback<'_, Difference>,
) {
    let keys: BTreeSet<&Key> = before.keys().chain(after.keys()).collect();
    for key in keys {
        let (before, after) = (before.get(key), after.get(key));
        let change = || Difference {
            key: key.clone(),
            before: before.cloned(),
            after: after.cloned(),
        };
        if before != after && note(Untrusted::new(change())).is_break() {
            return;
        }
    }
}

/// Implements the methods that repositories with tuples in memory and in a file have in common.
macro_rules! tells_of_tuples {
    () => {
        /// Returns the versions in which the key's value differs from its value in the previous
        /// version. A version that put an equal value is omitted.
        fn history_of(
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

        fn compare(
            &self,
            before: Version,
            after: Version,
            note: &mut UnprovedCallback<'_, Difference>,
        ) -> Result<(), AnswerError> {
            compare(&self.entries(before)?, &self.entries(after)?, note);
            Ok(())
        }
    };
}

pub(super) use tells_of_tuples;
