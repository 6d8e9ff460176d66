//! The author's accumulators: a set and a value for each generation.

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
/// dictionary (16) ‖ generation (1). The label separates generations, dictionaries and designs.
pub fn label<S: Suite>(context: Context, generation: GenerationIndex) -> Vec<u8> {
    let mut bytes = Domain::TupleStatement.block::<32>().to_vec();
    bytes.extend_from_slice(&context.to_bytes::<S>());
    bytes.push(generation);
    bytes
}

/// A tuple in the set of a generation, with the instant of the tuple's creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Member<S: Suite> {
    /// The tuple's digest.
    pub tuple: S::Digest,
    /// The instant of the tuple's creation: a version, or an epoch of an older generation.
    pub since: u64,
}

impl<S: Suite> Member<S> {
    /// Returns the element that is accumulated for the tuple.
    pub(crate) fn element<R: Retention>(&self) -> Vec<u8> {
        R::element(&self.tuple, R::shown(self.since))
    }
}

/// The author's state of a tuple; `None` before the tuple is accumulated.
pub type TupleState<S> = Option<Member<S>>;

/// A generation's accumulator: the set of its tuples, and the value.
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

    /// Removes and adds elements, all or nothing.
    ///
    /// Cost: for few elements a constant number of powers, and a product of exponents for each
    /// element of the set. For many elements, all exponents are computed anew, plus one power.
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

/// Maximum number of elements that are removed and added one by one.
const FEW_ELEMENTS: usize = 8;

/// The author's state of all generations.
#[derive(Clone, Debug)]
pub struct AuthorState<A: Dynamic> {
    /// The version of the collections.
    version: Version,
    pub(crate) generations: Vec<Collection<A>>,
}

impl<A: Dynamic> AuthorState<A> {
    /// Returns the state before the first snapshot.
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

    /// Builds the state from a server's collections, if they belong to `secret`.
    ///
    /// # Errors
    /// [`AccumulateError::WrongAccumulator`] or [`AccumulateError::ValueMismatch`] if the
    /// collections do not belong to `secret`. Other [`AccumulateError`]s if the sets cannot be
    /// accumulated.
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

    /// Applies a transition once. A second call for the same version does nothing.
    ///
    /// # Errors
    /// [`AccumulateError`]; the state is then unchanged, but notes of new tuples may be set.
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

/// Notes the new tuples of a generation, and returns their elements.
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
