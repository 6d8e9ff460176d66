//! What a tuple PAD is asked.

use std::collections::BTreeMap;

use pad_core::{
    Key, LookupError, Repository, SnapshotHead, Suite, Untrusted, Value, Verified, VerifyError,
    Version, codec,
};
use pad_tree::{Answer, Change, KeyHistory, KeyRange, Keys};
use pad_tuple::{AggregateDesign, Design, TupleRepository};

use super::TupleSetup;
use crate::{
    answering::{AnswerError, AnsweringRepository},
    bundle::{Bundle, ProofUnderHead},
    check::CheckError,
    question::Question,
};

impl<S: Suite, D: AggregateDesign<S>> AnsweringRepository for TupleRepository<S, D> {
    fn answer(&self, version: Version, question: &Question) -> Result<Vec<u8>, AnswerError> {
        Ok(match question {
            Question::Key(key) => bundle(self, version, self.prove(version, key)?)?,
            Question::Keys(keys) => bundle(self, version, self.prove_many(version, keys)?)?,
            Question::Range(range) => bundle(self, version, self.prove_range(version, range)?)?,
        })
    }

    /// A put of the value that the key had already leaves no trace, and is not listed.
    fn history(&self, key: &Key) -> Result<Untrusted<KeyHistory>, AnswerError> {
        let (oldest, latest) = (self.oldest(), self.latest());
        let mut before = self.lookup(oldest, key)?;
        let mut changes = Vec::new();
        for version in (oldest.number() + 1..=latest.number()).map(Version::new) {
            let after = self.lookup(version, key)?;
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

    fn diff(&self, before: Version, after: Version) -> Result<Untrusted<Vec<Change>>, AnswerError> {
        let changes = compare(self.entries(before)?, self.entries(after)?);
        Ok(Untrusted::new(changes))
    }

    fn checked_answers(
        &self,
        head: &Verified<SnapshotHead<S>>,
        keys: &Keys,
    ) -> Result<Vec<(Key, Answer)>, CheckError> {
        let proof = self.prove_many(head.get().version, keys)?;
        Ok(checked(self, head, keys, proof)?.answers)
    }

    fn check_contents(&self, head: &Verified<SnapshotHead<S>>) -> Result<(), CheckError> {
        let version = head.get().version;
        let proof = self.prove_range(version, &KeyRange::ALL)?;
        let proved = checked(self, head, &KeyRange::ALL, proof)?;
        if proved.entries.into_iter().eq(self.entries(version)?) {
            Ok(())
        } else {
            Err(CheckError::Version(version, VerifyError::RootMismatch))
        }
    }
}

fn bundle<S: Suite, D: Design<S>>(
    repository: &TupleRepository<S, D>,
    version: Version,
    proof: impl ProofUnderHead<S>,
) -> Result<Vec<u8>, LookupError> {
    Ok(codec::encode(&Bundle::new(repository, version, proof)?))
}

/// What a proof establishes for a client.
fn checked<S: Suite, D: Design<S>, P>(
    repository: &TupleRepository<S, D>,
    head: &Verified<SnapshotHead<S>>,
    query: &P::Query,
    proof: P,
) -> Result<P::Statement, CheckError>
where
    P: ProofUnderHead<S, Trust = TupleSetup<D::Key>>,
{
    let setup = TupleSetup {
        authority: *repository.authority(),
        key: repository.key().clone(),
    };
    let verified = proof.verify_under(head, &setup, query);
    verified.map_err(|error| CheckError::Version(head.get().version, error))
}

fn compare(before: BTreeMap<Key, Value>, mut after: BTreeMap<Key, Value>) -> Vec<Change> {
    let mut changes: Vec<Change> = before
        .into_iter()
        .map(|(key, value)| Change {
            after: after.remove(&key),
            before: Some(value),
            key,
        })
        .filter(|change| change.before != change.after)
        .collect();
    changes.extend(after.into_iter().map(|(key, value)| Change {
        key,
        before: None,
        after: Some(value),
    }));
    changes.sort_unstable_by(|one, other| one.key.cmp(&other.key));
    changes
}
