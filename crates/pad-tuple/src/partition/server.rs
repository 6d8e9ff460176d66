//! The server of one range of keys.

use pad_core::{
    ApplyError, Key, KeyRange, LookupError, Repository, SignedHead, Suite, VerifyError, Version,
    head::Authority,
};

use super::{DivisibleDesign, GenerationUpdate, PartialUpdate};
use crate::{
    design::{Admission, TupleId},
    layers::{Generation, PartialEdit, Transition},
    proof::TupleProof,
    repository::TupleRepository,
    scheme::{Claim, Expectation},
    tuple::{generation_index, start_of_keys},
    update::EpochExtension,
};

/// The server of one range of keys.
///
/// Space and time: those of a repository that has only the tuples which meet the range, and every
/// version's head.
#[derive(Clone, Debug)]
pub struct Partition<S: Suite, D: DivisibleDesign<S>> {
    range: KeyRange,
    /// Holds only the tuples that meet the range.
    pub(super) tuples: TupleRepository<S, D>,
}

impl<S: Suite, D: DivisibleDesign<S>> Partition<S, D> {
    /// The empty partition of a range.
    pub fn new(authority: Authority, key: D::Key, range: KeyRange) -> Self {
        let tuples = TupleRepository::new(authority, key);
        Self { range, tuples }
    }

    /// The keys that it answers for.
    pub const fn range(&self) -> &KeyRange {
        &self.range
    }

    /// The latest version.
    pub fn latest(&self) -> Version {
        self.tuples.latest()
    }

    /// Applies this partition's part of an update.
    ///
    /// # Errors
    /// [`ApplyError`]; the partition is then as it was.
    pub fn apply(&mut self, part: &PartialUpdate<S, D::Extension>) -> Result<Version, ApplyError> {
        let transition = self.stage(part)?;
        self.commit(transition, part);
        Ok(self.latest())
    }

    /// Answers a look-up.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there; [`LookupError::InvalidQuery`] for a key of another
    /// partition.
    pub fn prove(&self, version: Version, key: &Key) -> Result<TupleProof<S, D>, LookupError> {
        let (start, end) = (self.range.start.as_ref(), self.range.end.as_ref());
        if start.is_some_and(|start| key < start) || end.is_some_and(|end| key >= end) {
            return Err(LookupError::InvalidQuery);
        }
        self.tuples.prove(version, key)
    }

    /// The author's head of a version.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there.
    pub fn head(&self, version: Version) -> Result<SignedHead<S>, LookupError> {
        self.tuples.head(version)
    }

    /// Drops the contents of all versions before `oldest`; their heads stay.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there.
    pub fn prune(&mut self, oldest: Version) -> Result<(), LookupError> {
        self.tuples.prune(oldest)
    }

    /// The bytes of memory, as [`TupleRepository::memory_bytes`].
    pub fn memory_bytes(&self) -> usize {
        self.tuples.memory_bytes()
    }

    /// Checks, as a client would, what authenticates each tuple of the latest version. Returns how
    /// many there are.
    ///
    /// Cost: that of verifying a signature for each tuple.
    ///
    /// # Errors
    /// The [`VerifyError`] of a client: the splitter sent what the author did not sign.
    pub fn audit(&self) -> Result<usize, VerifyError> {
        let tuples = &self.tuples;
        let version = tuples.latest();
        let Ok(head) = tuples.head(version) else {
            return Ok(0);
        };
        let layers = &tuples.layers;
        let (mut claims, mut evidence) = (Vec::new(), Vec::new());
        for (generation, live) in layers.generations().iter().enumerate() {
            let instant = layers.instant(generation);
            for (lower, live) in live {
                let stored = tuples.stored(live.note);
                let upper = stored.and_then(|stored| stored.upper.as_ref());
                let mut view = layers.view(generation, lower, live.content.summary());
                view.upper = upper.map(Key::as_bytes);
                claims.push(Claim {
                    generation: generation_index(generation),
                    instant,
                    tuple: view.digest::<S>(),
                });
                let shown = D::evidence(&tuples.records, generation, instant, live.note);
                evidence.push(shown.ok_or(VerifyError::CountMismatch)?);
            }
        }
        let expectation = Expectation {
            authority: *tuples.authority(),
            key: tuples.key.clone(),
            version,
        };
        let seal = D::seal(&tuples.records, &head, D::GENERATIONS);
        let (count, seal) = (claims.len(), seal.ok_or(VerifyError::CountMismatch)?);
        D::check(&expectation, &claims, evidence, seal)?;
        Ok(count)
    }

    /// Everything that can fail: after it, [`Self::commit`] or [`Self::abandon`].
    pub(super) fn stage(
        &mut self,
        part: &PartialUpdate<S, D::Extension>,
    ) -> Result<Transition<S, TupleId>, ApplyError> {
        let tuples = &mut self.tuples;
        tuples.heads.check(part.base, &part.head)?;
        let ascending = |generation: &GenerationUpdate<D::Extension>| {
            let created = &generation.created;
            created.is_sorted_by(|(first, _), (second, _)| first < second)
        };
        if !part.generations.iter().all(ascending) {
            return Err(ApplyError::AttachmentMismatch);
        }
        let edits = part.generations.iter().map(|generation| PartialEdit {
            deleted: &generation.deleted,
            created: generation
                .created
                .iter()
                .map(|(lower, shown)| (lower.clone(), shown.into()))
                .collect(),
        });
        let transition = tuples.layers.take_over(edits.collect())?;
        // Every key of the range is in some tuple's interval.
        let start = self.range.start.clone().unwrap_or_else(start_of_keys);
        let holds_start = |generation: &Generation<S, TupleId>| {
            let first = generation.first_key_value();
            first.is_some_and(|(lower, _)| *lower <= start)
        };
        if !tuples.layers.generations().iter().all(holds_start) {
            tuples.layers.undo(transition);
            return Err(ApplyError::AttachmentMismatch);
        }
        if let Err(error) = tuples.number_tuples(&transition) {
            tuples.layers.undo(transition);
            return Err(error);
        }
        let extensions: Vec<D::Extension> = extensions(part);
        let edited = tuples.edit_indexes(&transition).map_err(ApplyError::Input);
        if let Err(error) = edited.and_then(|()| {
            let fits = D::fits(&tuples.records, &tuples.layers, &extensions);
            if fits {
                Ok(())
            } else {
                Err(ApplyError::AttachmentMismatch)
            }
        }) {
            self.abandon(transition);
            return Err(error);
        }
        Ok(transition)
    }

    pub(super) fn abandon(&mut self, transition: Transition<S, TupleId>) {
        self.tuples.roll_back(transition);
    }

    pub(super) fn commit(
        &mut self,
        transition: Transition<S, TupleId>,
        part: &PartialUpdate<S, D::Extension>,
    ) {
        let tuples = &mut self.tuples;
        let admission = Admission {
            authority: tuples.heads.authority(),
            layers: &tuples.layers,
            transition: &transition,
            extensions: &extensions(part),
            operations: part.operations,
        };
        D::admit(
            &tuples.key,
            &mut tuples.records,
            &admission,
            &tuples.workers,
        )
        .expect("partition: the extensions fit, as staging found");
        tuples.commit(transition);
        for (generation, update) in part.generations.iter().enumerate() {
            let last = tuples.layers.generations()[generation].last_key_value();
            let (_, live) = last.expect("partition: every generation has a tuple");
            // Its upper end is not a lower end here, so the layers do not know it.
            if let Some(stored) = &mut tuples.tuples[live.note.position()] {
                stored.upper.clone_from(&update.upper);
            }
        }
        tuples.heads.append(&part.head);
    }
}

fn extensions<S: Suite, T: EpochExtension>(part: &PartialUpdate<S, T>) -> Vec<T> {
    let generations = part.generations.iter();
    generations
        .map(|generation| generation.extension.clone())
        .collect()
}
