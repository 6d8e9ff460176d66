//! The author's accumulators: for each generation (a set of tuples that covers the key space), the
//! set and the value of its accumulator.

use pad_accumulators::{AccumulateError, AuthorSet, Dynamic, ElementSet, SecretKey};
use pad_core::{Suite, Version, Workers, internals::Domain};
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
pub(crate) type TupleState<S> = Option<Member<S>>;

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
}

/// The author's accumulators of all generations, youngest first. As secret as the author's key:
/// see [`AuthorSet`].
#[derive(Clone, Debug)]
pub struct AuthorState<A: Dynamic> {
    /// The version whose tuples the accumulators contain.
    version: Version,
    generations: Vec<AuthorSet<A>>,
}

impl<A: Dynamic> AuthorState<A> {
    /// Returns the values of the generations, youngest first.
    pub(crate) fn values(&self) -> impl Iterator<Item = &A::Value> {
        self.generations.iter().map(AuthorSet::value)
    }

    /// Creates the state before the first snapshot: empty accumulators for `generations`
    /// generations.
    pub(crate) fn new<S: Suite>(key: &A::SecretKey, context: Context, generations: usize) -> Self {
        let generations = (0..generations).map(|generation| {
            AuthorSet::empty(&key.with_label(&label::<S>(context, generation_index(generation))))
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
        let load = |(generation, Collection { set, value })| {
            let labelled = secret.with_label(&label::<S>(context, generation_index(generation)));
            AuthorSet::load(&labelled, set, &value, &Workers::sequential())
        };
        Ok(Self {
            version,
            generations: generations
                .into_iter()
                .enumerate()
                .map(load)
                .collect::<Result<_, _>>()?,
        })
    }

    /// Updates the accumulators for the tuples that a snapshot creates and deletes. A second call
    /// for the same version does nothing.
    ///
    /// # Errors
    /// [`AccumulateError`] if the tuples cannot be accumulated. The accumulators are then
    /// unchanged, but the [`TupleState`]s of new tuples may be set.
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
                let set = ElementSet::from_elements(labelled.public_key(), &added, workers)?;
                emptied.push(AuthorSet::new(&labelled, set, workers)?);
            } else {
                // `merged()` is the last generation of the loop, so no step after this one can
                // fail. If this one fails, its set is unchanged, and the sets in `emptied` are
                // dropped: no accumulator has changed.
                let known = change.deleted.iter().filter_map(|(_, note)| note.as_ref());
                let removed: Vec<_> = known.map(Member::element::<R>).collect();
                let set = &mut self.generations[generation];
                set.change_without_updates(&labelled, &removed, &added, workers)?;
            }
        }
        for (collection, new) in self.generations.iter_mut().zip(emptied) {
            *collection = new;
        }
        self.version = layers.version();
        Ok(())
    }
}

/// Sets the notes ([`TupleState`]s) of a generation's new tuples, and returns the elements of these
/// tuples for the accumulator.
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
