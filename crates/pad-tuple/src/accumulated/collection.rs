//! The author's accumulators: for each generation (a set of tuples that covers the key space), the
//! set and the value of its accumulator.

use pad_accumulators::{AccumulateError, Dynamic, ElementSet, SecretKey};
use pad_core::{Domain, Suite, Version, Workers};
use serde::{Deserialize, Serialize};

use super::Retention;
use crate::{
    design::UnsignedSnapshot,
    layers::{GenerationChange, Layers},
    statement::Context,
    tuple::{GenerationIndex, generation_index},
};

/// Returns the label of a generation's accumulator: tag (32 bytes) ‖ suite (2) ‖ scheme (2) ‖
/// dictionary (16) ‖ generation (1). Different generations, dictionaries or designs have different
/// labels.
pub fn label<S: Suite>(context: Context, generation: GenerationIndex) -> Vec<u8> {
    let mut bytes = Domain::TupleStatement.block::<32>().to_vec();
    bytes.extend_from_slice(&context.to_bytes::<S>());
    bytes.push(generation);
    bytes
}

/// A tuple in the set of a generation, with the instant (version or epoch) of the tuple's creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Member<S: Suite> {
    /// The digest of the tuple.
    pub tuple: S::Digest,
    /// The instant of the tuple's creation: a version, or an epoch of an older generation.
    pub since: u64,
}

impl<S: Suite> Member<S> {
    /// Returns the bytes that represent the tuple as an element of its generation's accumulator.
    pub(crate) fn element<R: Retention>(&self) -> Vec<u8> {
        R::element(&self.tuple, R::shown(self.since))
    }
}

/// The data that an author stores with each tuple: its digest and creation instant. `None` before
/// the tuple is accumulated.
pub type TupleState<S> = Option<Member<S>>;

/// The accumulator of one generation: the set of elements for its tuples, and the accumulator
/// value.
#[derive(Clone, Debug)]
pub(crate) struct Collection<A: Dynamic> {
    pub(crate) set: ElementSet<A>,
    pub(crate) value: A::Value,
}

impl<A: Dynamic> Collection<A> {
    pub(crate) fn new(key: &A::PublicKey) -> Self {
        Self {
            set: ElementSet::new(key),
            value: A::empty_value(key),
        }
    }

    /// Removes the elements `removed` and adds the elements `added`. On an error, nothing is
    /// changed.
    ///
    /// Cost: for few elements, a constant number of powers, and a product of exponents for each
    /// element of the set. For many elements, one power and all exponents.
    fn change(
        &mut self,
        secret: &A::SecretKey,
        (removed, added): (&[Vec<u8>], &[Vec<u8>]),
        workers: &Workers,
    ) -> Result<(), AccumulateError> {
        if removed.len() + added.len() <= FEW_ELEMENTS {
            let (set, value) = (&mut self.set, &self.value);
            self.value = A::change(secret, set, value, removed, added, workers)?.after;
            return Ok(());
        }
        let mut set = self.set.clone();
        set.remove_all(removed)?;
        set.insert_all(secret.public_key(), added, workers)?;
        let value = A::accumulate(secret, &set, workers)?;
        *self = Self { set, value };
        Ok(())
    }
}

/// The maximum number of changed elements for which the accumulator value is updated. For more
/// elements it is computed anew.
const FEW_ELEMENTS: usize = 8;

/// The author's accumulators of all generations, youngest first.
#[derive(Clone, Debug)]
pub struct AuthorState<A: Dynamic> {
    /// The version whose tuples the accumulators contain.
    version: Version,
    pub(crate) generations: Vec<Collection<A>>,
}

impl<A: Dynamic> AuthorState<A> {
    /// Creates empty accumulators for `generations` generations, as they are before the first
    /// snapshot.
    pub(crate) fn new<S: Suite>(key: &A::SecretKey, context: Context, generations: usize) -> Self {
        let generations = (0..generations).map(|generation| {
            let labelled = key.with_label(&label::<S>(context, generation_index(generation)));
            Collection::new(labelled.public_key())
        });
        Self {
            version: Version::EMPTY,
            generations: generations.collect(),
        }
    }

    /// Takes over the accumulators of a server at `version`, after checking that they belong to
    /// `secret`.
    ///
    /// # Errors
    /// [`AccumulateError::WrongAccumulator`] or [`AccumulateError::ValueMismatch`] if the
    /// collections do not belong to `secret` or a value does not match its set. Other
    /// [`AccumulateError`]s if the sets cannot be accumulated.
    pub(crate) fn of_collections<S: Suite>(
        secret: &A::SecretKey,
        context: Context,
        version: Version,
        generations: Vec<Collection<A>>,
    ) -> Result<Self, AccumulateError> {
        for (generation, collection) in generations.iter().enumerate() {
            let labelled = secret.with_label(&label::<S>(context, generation_index(generation)));
            let workers = Workers::sequential();
            let value = A::accumulate(&labelled, &collection.set, &workers)?;
            if value != collection.value {
                return Err(AccumulateError::ValueMismatch);
            }
        }
        Ok(Self {
            version,
            generations,
        })
    }

    /// Updates the accumulators for the tuples that a snapshot creates and deletes. A second call
    /// for the same version does nothing.
    ///
    /// # Errors
    /// [`AccumulateError`] if the tuples cannot be accumulated. The accumulators are then
    /// unchanged, but the notes of new tuples may be set.
    pub(crate) fn advance<S: Suite, R: Retention>(
        &mut self,
        secret: &A::SecretKey,
        snapshot: &mut UnsignedSnapshot<'_, S, TupleState<S>>,
    ) -> Result<(), AccumulateError> {
        let UnsignedSnapshot {
            context,
            layers,
            transition,
            workers,
        } = snapshot;
        if self.version == layers.version() {
            return Ok(());
        }
        let mut emptied = Vec::new();
        for (generation, change) in transition.changes.iter().enumerate() {
            let labelled = secret.with_label(&label::<S>(*context, generation_index(generation)));
            let added = note_created::<S, R>(layers, generation, change);
            if generation < transition.merged() {
                let mut collection = Collection::new(labelled.public_key());
                collection.change(&labelled, (&[], &added), workers)?;
                emptied.push(collection);
            } else {
                // The last step that can fail; on failure it changes nothing.
                let known = change.deleted.iter().filter_map(|(_, note)| note.as_ref());
                let removed: Vec<_> = known.map(Member::element::<R>).collect();
                self.generations[generation].change(&labelled, (&removed, &added), workers)?;
            }
        }
        for (collection, new) in self.generations.iter_mut().zip(emptied) {
            *collection = new;
        }
        self.version = layers.version();
        Ok(())
    }
}

/// Sets the notes (digest and creation instant) of a generation's new tuples, and returns their
/// accumulator elements.
fn note_created<S: Suite, R: Retention>(
    layers: &mut Layers<S, TupleState<S>>,
    generation: usize,
    change: &GenerationChange<S, TupleState<S>>,
) -> Vec<Vec<u8>> {
    let since = layers.instant(generation);
    let note = |lower| {
        let content = layers.generations()[generation]
            .get(lower)?
            .content
            .summary();
        let tuple = layers.view(generation, lower, content).digest::<S>();
        let member = Member { tuple, since };
        layers.generation_mut(generation).get_mut(lower)?.note = Some(member);
        Some(member.element::<R>())
    };
    change.created.iter().filter_map(note).collect()
}
