//! Checkpoints: the form in which a repository in memory is stored.

use std::{collections::BTreeMap, sync::Arc};

use pad_core::{Authority, HeadLog, Key, Suite, Value, Version, Workers, codec::Message};
use pad_tree::internals::Change;
use serde::{Deserialize, Serialize};

use crate::{
    content::{HashedValue, SharedContent},
    design::{Design, TupleId},
    kept::{TupleEntry, read_number},
    layers::{Generation, Layers},
    repository::{Index, TupleRepository},
    statement::Context,
    tuple::{Content, start_of_keys},
};

/// The whole state of a repository, from which a server resumes without replaying updates.
///
/// Reading a checkpoint does not check signatures, so the storage is trusted. Keep an integrity
/// digest next to the checkpoint, or replay the updates instead.
///
/// If another party wrote the checkpoint, lookups can fail with [`pad_core::LookupError::Damaged`],
/// and clients can reject proofs. An author resumes from such a checkpoint only if the author's
/// signatures cover the latest version. Restoring checks the structure, so that no method panics on
/// such a checkpoint.
#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct TupleCheckpoint<S: Suite> {
    heads: HeadLog<S>,
    indexes: Vec<IndexOnDisk>,
    values: Vec<Value>,
    tuples: Vec<Option<TupleOnDisk>>,
    retired: Vec<(Version, TupleId)>,
    records: Vec<u8>,
    epochs: Vec<u64>,
    entries: u64,
    operations: u64,
    oldest: Version,
}

impl<S: Suite> core::fmt::Debug for TupleCheckpoint<S> {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let (tuples, versions) = (self.tuples.len(), self.heads.latest());
        write!(
            formatter,
            "TupleCheckpoint({tuples} tuples, {versions} versions)"
        )
    }
}

impl<S: Suite> Message for TupleCheckpoint<S> {
    const KIND: u8 = 68;
    const SUITE: u16 = S::ID.0;
}

/// The stored form of a generation's index (from lower ends to tuple numbers): lists of changes,
/// one for each instant. Changes are relative to the instant before, or to an empty index for the
/// oldest instant. A change is the lower end of a tuple with the number of its new tuple, or
/// without a number if the tuple was removed.
#[derive(Clone, Serialize, Deserialize)]
struct IndexOnDisk {
    oldest: Version,
    changes: Vec<Vec<(Key, Option<TupleId>)>>,
}

impl IndexOnDisk {
    fn of(index: &Index) -> Self {
        let change = |(lower, number): Change<'_>| {
            let lower = Key::new(lower).expect("a lower end is a key");
            let number = number.and_then(read_number);
            (lower, number)
        };
        let changes = index.changes().into_iter();
        Self {
            oldest: index.oldest(),
            changes: changes
                .map(|changes| changes.into_iter().map(change).collect())
                .collect(),
        }
    }

    /// Rebuilds the index; `None` if its changes are invalid or its latest instant is not `latest`.
    fn read(self, latest: Version) -> Option<Index> {
        let instants = u64::try_from(self.changes.len()).ok()?;
        if self.oldest.number().checked_add(instants)? != latest.number().checked_add(1)? {
            return None;
        }
        let mut index = Index::default();
        for _ in 1..self.oldest.number() {
            index.seal(&Workers::sequential());
        }
        for (number, changes) in self.changes.into_iter().enumerate() {
            for (lower, tuple) in &changes {
                match tuple {
                    Some(tuple) => index.insert(lower.as_bytes(), &tuple.0.to_le_bytes()),
                    None => index.remove(lower.as_bytes()).map(drop),
                }
                .ok()?;
            }
            // Instant 0 already exists, and is empty.
            if number > 0 || self.oldest > Version::EMPTY {
                index.seal(&Workers::sequential());
            } else if !changes.is_empty() {
                return None;
            }
        }
        index.prune(self.oldest);
        Some(index)
    }
}

/// The stored form of a tuple: upper end and content. A value is given by its index in the table
/// of values, because several tuples may share it.
type TupleOnDisk = (Option<Key>, Content<u32>);

impl<S: Suite, D: Design<S>> TupleRepository<S, D> {
    /// Returns a checkpoint with the whole state of the repository. Copies the contents.
    ///
    /// # Panics
    /// Never: tuples are numbered with 32 bits, and there are no more values than tuples.
    #[doc(hidden)]
    pub fn checkpoint(&self) -> TupleCheckpoint<S> {
        let mut places = BTreeMap::new();
        let mut values = Vec::new();
        let mut place = |value: &Arc<HashedValue<S>>| {
            *places.entry(Arc::as_ptr(value)).or_insert_with(|| {
                values.push(value.value.clone());
                u32::try_from(values.len() - 1).expect("tuples are numbered with 32 bits")
            })
        };
        let tuples = self.tuples.iter().map(|tuple| {
            let tuple = tuple.as_ref()?;
            Some((tuple.upper.clone(), tuple.content.map(&mut place)))
        });
        let tuples = tuples.collect();
        TupleCheckpoint {
            heads: self.heads.clone(),
            indexes: self.indexes.iter().map(IndexOnDisk::of).collect(),
            values,
            tuples,
            retired: self.retired.iter().copied().collect(),
            records: D::store(&self.records),
            epochs: self.epochs.clone(),
            entries: u64::try_from(self.entries).unwrap_or(u64::MAX),
            operations: self.operations,
            oldest: self.oldest,
        }
    }

    /// Restores a repository from a checkpoint. Returns `None` if the checkpoint belongs to another
    /// dictionary, design or author, or if its parts are inconsistent. For example:
    /// - An index is malformed.
    /// - An index of the latest version names a missing tuple, or names a tuple twice.
    /// - A tuple is both live and deleted.
    ///
    /// Time: proportional to the changes of the indexes, and a constant for each version. Transient
    /// memory: linear in the checkpoint. Accumulators also need time and memory for the
    /// representatives of the latest tuples.
    #[doc(hidden)]
    pub fn restore(
        checkpoint: TupleCheckpoint<S>,
        authority: Authority,
        key: D::Key,
    ) -> Option<Self> {
        let width = D::GENERATIONS - 1;
        let latest = checkpoint.heads.latest();
        let versions = latest.number().checked_sub(checkpoint.oldest.number())?;
        let fits = *checkpoint.heads.authority() == authority
            && authority.scheme == D::SCHEME
            && checkpoint.indexes.len() == D::GENERATIONS
            && u64::try_from(checkpoint.epochs.len()).ok()
                == u64::try_from(width)
                    .ok()?
                    .checked_mul(versions.checked_add(1)?);
        if !fits {
            return None;
        }
        let tuples = read_tuples(checkpoint.values, checkpoint.tuples)?;
        let epochs = &checkpoint.epochs[checkpoint.epochs.len() - width..];
        let mut numbers = Numbers::of(&tuples);
        let indexes = read_indexes(latest, epochs, checkpoint.indexes)?;
        let layers = read_layers::<S>(latest, epochs, &indexes, &tuples, &mut numbers)?;
        let mut retired = checkpoint.retired.iter();
        let entries = usize::try_from(checkpoint.entries).ok()?;
        if !retired.all(|(_, number)| numbers.take(*number)) || count_entries(&layers) != entries {
            return None;
        }
        let free = (0..).map(TupleId).zip(&tuples);
        let context = Context::of(&authority);
        Some(Self {
            free: free
                .filter(|(_, tuple)| tuple.is_none())
                .map(|(number, _)| number)
                .collect(),
            records: D::restore(&key, context, &checkpoint.records)?,
            heads: checkpoint.heads,
            key,
            layers,
            indexes,
            tuples,
            retired: checkpoint.retired.into(),
            epochs: checkpoint.epochs,
            entries,
            operations: checkpoint.operations,
            oldest: checkpoint.oldest,
            workers: Workers::sequential(),
        })
    }
}

fn read_tuples<S: Suite>(
    values: Vec<Value>,
    tuples: Vec<Option<TupleOnDisk>>,
) -> Option<Vec<Option<TupleEntry<S>>>> {
    let contents: Vec<SharedContent<S>> = values.into_iter().map(Content::of).collect();
    let read = |(upper, content): TupleOnDisk| {
        let content = match content {
            Content::Nothing => Content::Nothing,
            Content::Value(place) => contents.get(usize::try_from(place).ok()?)?.clone(),
            Content::Removed => Content::Removed,
        };
        Some(TupleEntry { upper, content })
    };
    let read_slot =
        |slot: Option<TupleOnDisk>| slot.map_or(Some(None), |tuple| Some(Some(read(tuple)?)));
    tuples.into_iter().map(read_slot).collect()
}

/// For each tuple number, whether a stored tuple has this number and [`Numbers::take`] has not
/// taken it yet.
struct Numbers(Vec<bool>);

impl Numbers {
    fn of<T>(tuples: &[Option<T>]) -> Self {
        Self(tuples.iter().map(Option::is_some).collect())
    }

    /// Marks a number as used. Returns false if no tuple has it, or if it was used before.
    fn take(&mut self, number: TupleId) -> bool {
        let slot = self.0.get_mut(number.position());
        slot.is_some_and(|free| core::mem::replace(free, false))
    }
}

/// Returns the number of keys with a value. The youngest generation that contains a key decides
/// whether the key has a value.
fn count_entries<S: Suite>(layers: &Layers<S, TupleId>) -> usize {
    let generations = layers.generations();
    let is_decided = |generation: usize, key: &Key| {
        let mut younger = generations.iter().take(generation);
        younger.any(|tuples| {
            tuples
                .get(key)
                .is_some_and(|live| !matches!(live.content, Content::Nothing))
        })
    };
    let entries = generations.iter().enumerate().map(|(generation, tuples)| {
        let present = tuples.iter().filter(|(key, live)| {
            matches!(live.content, Content::Value(_)) && !is_decided(generation, key)
        });
        present.count()
    });
    entries.sum()
}

fn read_indexes(latest: Version, epochs: &[u64], stored: Vec<IndexOnDisk>) -> Option<Vec<Index>> {
    let instants = core::iter::once(latest.number()).chain(epochs.iter().copied());
    let read = |(stored, instant): (IndexOnDisk, u64)| {
        let instant = Version::new(instant);
        (instant <= latest).then(|| stored.read(instant)).flatten()
    };
    stored.into_iter().zip(instants).map(read).collect()
}

/// Rebuilds the tuples of all generations at version `latest` from the indexes.
fn read_layers<S: Suite>(
    latest: Version,
    epochs: &[u64],
    indexes: &[Index],
    tuples: &[Option<TupleEntry<S>>],
    numbers: &mut Numbers,
) -> Option<Layers<S, TupleId>> {
    let mut layers = Layers::at(latest, epochs.to_vec());
    let mut owners = BTreeMap::new();
    for (generation, index) in indexes.iter().enumerate() {
        let instant = Version::new(layers.instant(generation));
        for (lower, number) in index.entries(instant)? {
            let number = read_number(number)?;
            let stored = tuples.get(number.position())?.as_ref()?;
            let lower = Key::new(lower).ok()?;
            if !numbers.take(number) {
                return None;
            }
            if let Content::Value(value) = &stored.content {
                // Only tuples of one key may share a value. Otherwise a few bytes could expand to
                // the values of many keys.
                let owner = owners.entry(Arc::as_ptr(value));
                if *owner.or_insert_with(|| lower.clone()) != lower {
                    return None;
                }
            }
            layers.place(generation, lower, stored.content.clone(), number);
        }
    }
    let starts = |tuples: &Generation<S, TupleId>| tuples.contains_key(&start_of_keys());
    let holds_all_keys = |tuples: &Generation<S, TupleId>| match latest {
        Version::EMPTY => tuples.is_empty(),
        _ => starts(tuples),
    };
    layers
        .generations()
        .iter()
        .all(holds_all_keys)
        .then_some(layers)
}
