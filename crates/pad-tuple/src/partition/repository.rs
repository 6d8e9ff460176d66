//! All partitions and their splitter in one process.

use pad_core::{
    ApplyError, Key, LookupError, Repository, SignedHead, Suite, Update, Version, Workers,
    head::Authority,
};
use rayon::prelude::*;

use super::{DivisibleDesign, Partition, Splitter};
use crate::{proof::TupleProof, update::TupleAttachment};

/// All partitions and their splitter, as one repository.
///
/// In one process, to be tested and measured, or as a model: on several machines the splitter sends
/// each [`PartialUpdate`](super::PartialUpdate), and who asks goes to the partition at [`Splitter::place`].
#[derive(Clone, Debug)]
pub struct PartitionedRepository<S: Suite, D: DivisibleDesign<S>> {
    splitter: Splitter<S>,
    partitions: Vec<Partition<S, D>>,
    workers: Workers,
}

impl<S: Suite, D: DivisibleDesign<S>> PartitionedRepository<S, D> {
    /// An empty repository, divided at these keys.
    ///
    /// `None` if they are not in strictly ascending order, or one is the empty key.
    pub fn new(authority: Authority, key: &D::Key, boundaries: Vec<Key>) -> Option<Self> {
        let splitter = Splitter::new::<D>(authority, boundaries)?;
        let ranges = splitter.ranges().into_iter();
        let partitions = ranges.map(|range| Partition::new(authority, key.clone(), range));
        Some(Self {
            partitions: partitions.collect(),
            splitter,
            workers: Workers::sequential(),
        })
    }

    /// Has the partitions apply updates in parallel on these threads.
    #[must_use]
    pub fn with_workers(mut self, workers: Workers) -> Self {
        self.workers = workers;
        self
    }

    /// The partitions, in ascending order of their ranges.
    pub fn partitions(&self) -> &[Partition<S, D>] {
        &self.partitions
    }

    /// The splitter.
    pub const fn splitter(&self) -> &Splitter<S> {
        &self.splitter
    }

    /// Drops the contents of all versions before `oldest`; their heads stay.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there; nothing is dropped.
    pub fn prune(&mut self, oldest: Version) -> Result<(), LookupError> {
        self.partitions
            .iter_mut()
            .try_for_each(|partition| partition.prune(oldest))
    }

    fn of(&self, key: &Key) -> &Partition<S, D> {
        &self.partitions[self.splitter.place(key)]
    }
}

impl<S: Suite, D: DivisibleDesign<S>> Repository for PartitionedRepository<S, D> {
    type Suite = S;
    type Attachment = TupleAttachment<D::Extension>;
    type Query = Key;
    type Proof = TupleProof<S, D>;

    fn latest(&self) -> Version {
        self.splitter.layers.version()
    }

    fn oldest(&self) -> Version {
        self.partitions[0].tuples.oldest()
    }

    fn apply(
        &mut self,
        update: &Update<S, TupleAttachment<D::Extension>>,
    ) -> Result<Version, ApplyError> {
        let (parts, transition) = self.splitter.divide::<D>(update)?;
        let (partitions, workers) = (&mut self.partitions, &self.workers);
        let staged: Vec<_> = workers.run(|| {
            let each = partitions.par_iter_mut().zip(&parts).with_max_len(1);
            each.map(|(partition, part)| partition.stage(part))
                .collect()
        });
        if let Some(error) = staged
            .iter()
            .find_map(|staged| staged.as_ref().err().copied())
        {
            for (partition, staged) in self.partitions.iter_mut().zip(staged) {
                if let Ok(transition) = staged {
                    partition.abandon(transition);
                }
            }
            self.splitter.layers.undo(transition);
            return Err(error);
        }
        workers.run(|| {
            let each = partitions
                .par_iter_mut()
                .zip(staged)
                .zip(&parts)
                .with_max_len(1);
            each.for_each(|((partition, staged), part)| {
                if let Ok(transition) = staged {
                    partition.commit(transition, part);
                }
            });
        });
        self.splitter.frontier.append(&update.head.head.root);
        Ok(self.latest())
    }

    fn head(&self, version: Version) -> Result<SignedHead<S>, LookupError> {
        self.partitions[0].head(version)
    }

    fn prove(&self, version: Version, key: &Key) -> Result<TupleProof<S, D>, LookupError> {
        self.of(key).prove(version, key)
    }
}
