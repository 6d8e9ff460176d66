//! Divides updates between partitions.

use core::ops::Bound;

use pad_core::{
    ApplyError, Key, KeyRange, Suite, Update, head::Authority, head_log::check_next,
    history::Frontier,
};

use super::{DivisibleDesign, GenerationUpdate, PartialUpdate};
use crate::{
    content::Content,
    layers::{Generation, Layers, Transition},
    repository::TupleRepository,
    tuple::start_of_keys,
    update::TupleAttachment,
};

/// Divides updates between partitions.
///
/// Space: keys and values of the latest version. Time for each update: `O(log n)` for each operation
/// and each entry that is merged, and one hash over all of the update.
#[derive(Clone, Debug)]
pub struct Splitter<S: Suite> {
    authority: Authority,
    pub(super) layers: Layers<S, ()>,
    pub(super) frontier: Frontier<S>,
    boundaries: Vec<Key>,
}

impl<S: Suite> Splitter<S> {
    /// The splitter for the partitions between these boundaries: one more than there are boundaries.
    ///
    /// `None` if the boundaries are not in strictly ascending order, or one is the empty key.
    pub fn new<D: DivisibleDesign<S>>(authority: Authority, boundaries: Vec<Key>) -> Option<Self> {
        let ascending = boundaries.is_sorted_by(|a, b| a < b);
        let proper = boundaries
            .first()
            .is_none_or(|first| *first > start_of_keys());
        (ascending && proper).then(|| Self {
            authority,
            layers: Layers::new(D::GENERATIONS),
            frontier: Frontier::default(),
            boundaries,
        })
    }

    /// The ranges of the partitions, in ascending order.
    pub fn ranges(&self) -> Vec<KeyRange> {
        let starts = core::iter::once(None).chain(self.boundaries.iter().cloned().map(Some));
        let ends = self.boundaries.iter().cloned().map(Some).chain([None]);
        starts
            .zip(ends)
            .map(|(start, end)| KeyRange { start, end })
            .collect()
    }

    /// The number of the partition that answers for a key.
    pub fn place(&self, key: &Key) -> usize {
        self.boundaries.partition_point(|boundary| boundary <= key)
    }

    /// The part of an update for each partition, in their order.
    ///
    /// # Errors
    /// [`ApplyError`], as [`pad_core::Repository::apply`]; the splitter is then as it was.
    pub fn split<D: DivisibleDesign<S>>(
        &mut self,
        update: &Update<S, TupleAttachment<D::Extension>>,
    ) -> Result<Vec<PartialUpdate<S, D::Extension>>, ApplyError> {
        let (parts, _) = self.divide::<D>(update)?;
        self.frontier.append(&update.head.head.root);
        Ok(parts)
    }

    /// As [`Self::split`], but the layers can be taken back and the history has not moved.
    #[allow(clippy::type_complexity, reason = "parts, and how to take them back")]
    pub(super) fn divide<D: DivisibleDesign<S>>(
        &mut self,
        update: &Update<S, TupleAttachment<D::Extension>>,
    ) -> Result<(Vec<PartialUpdate<S, D::Extension>>, Transition<S, ()>), ApplyError> {
        let history = Some(self.frontier.root());
        let latest = self.layers.version();
        check_next(&self.authority, latest, history, update.base, &update.head)?;
        self.layers.check(&update.operations)?;
        let operations = TupleRepository::<S, D>::check_root(update)?;
        let ranges = self.ranges();
        let before: Vec<Vec<Option<Key>>> = ranges.iter().map(|range| self.firsts(range)).collect();
        let merged = usize::from(update.attachment.merged);
        let transition = self.layers.apply(&update.operations, merged)?;
        let extensions = &update.attachment.extensions;
        let generations = self.layers.generations();
        let complete = extensions.len() == transition.changes.len()
            && extensions
                .iter()
                .zip(generations)
                .all(|(extension, tuples)| D::tuples_in(extension) == tuples.len());
        if !complete {
            self.layers.undo(transition);
            return Err(ApplyError::AttachmentMismatch);
        }
        let parts = ranges
            .iter()
            .zip(&before)
            .map(|(range, before)| PartialUpdate {
                base: update.base,
                head: update.head,
                operations,
                generations: (0..extensions.len())
                    .map(|generation| {
                        let (extension, before) =
                            (&extensions[generation], before[generation].as_ref());
                        self.part::<D>(range, before, (generation, &transition), extension)
                    })
                    .collect(),
            });
        let parts = parts.collect();
        Ok((parts, transition))
    }

    /// The lower end of each generation's first tuple that meets a range.
    fn firsts(&self, range: &KeyRange) -> Vec<Option<Key>> {
        let generations = self.layers.generations().iter();
        generations
            .map(|tuples| first(tuples, range).cloned())
            .collect()
    }

    /// What happened to the tuples of one generation that meet a range, or met it before.
    fn part<D: DivisibleDesign<S>>(
        &self,
        range: &KeyRange,
        before: Option<&Key>,
        (generation, transition): (usize, &Transition<S, ()>),
        extension: &D::Extension,
    ) -> GenerationUpdate<D::Extension> {
        let tuples = &self.layers.generations()[generation];
        let done = &transition.changes[generation];
        let below = |key: &Key| range.end.as_ref().is_none_or(|end| key < end);
        let first = first(tuples, range).expect("splitter: every generation has a first tuple");
        let created = done
            .created
            .iter()
            .filter(|lower| *lower >= first && below(lower));
        let held = |lower: &Key| before.is_some_and(|before| lower >= before) && below(lower);
        let deleted = if generation < transition.merged() {
            Vec::new()
        } else {
            let gone = done.deleted.iter().map(|(lower, ())| lower);
            gone.filter(|lower| held(lower)).cloned().collect()
        };
        let start = tuples.range::<Key, _>(..first).count();
        let meeting = tuples
            .range::<Key, _>(first..)
            .take_while(|(lower, _)| below(lower))
            .count();
        let places = start..start + meeting;
        GenerationUpdate {
            deleted,
            created: created
                .map(|lower| (lower.clone(), (&tuples[lower].content).into()))
                .collect(),
            upper: tuples.keys().nth(places.end).cloned(),
            extension: D::divide(extension, places)
                .expect("splitter: there is an item for each tuple"),
        }
    }

    /// The bytes of memory that keys and values take, without those of the maps.
    pub fn memory_bytes(&self) -> usize {
        let tuples = self.layers.generations().iter().flatten();
        let contents = tuples.map(|(key, live)| {
            let value = match &live.content {
                Content::Value(value) => value.value.as_bytes().len() + size_of::<S::Digest>(),
                Content::Nothing | Content::Removed => 0,
            };
            key.as_bytes().len() + value + size_of::<(Key, Content<S>)>()
        });
        contents.sum()
    }
}

/// The lower end of the first tuple that meets a range, if there are tuples.
fn first<'a, S: Suite, M>(tuples: &'a Generation<S, M>, range: &KeyRange) -> Option<&'a Key> {
    let start = range.start.clone().unwrap_or_else(start_of_keys);
    let up_to = (Bound::Unbounded, Bound::Included(start));
    tuples
        .range::<Key, _>(up_to)
        .next_back()
        .map(|(lower, _)| lower)
}
