//! Read replicas: several repositories that apply one author's updates, behind one look-up interface.
//!
//! Every replica applies the whole stream of updates and can answer everything, so reads are spread
//! over them in turn. Each has a lock of its own: while one takes an update in, the others answer.
//! Readers never wait for a replica to catch up; one that lags does not know the version yet, and the
//! next one is asked.
//!
//! Nothing is trusted here: what a replica answers is worth what its proof establishes, and an update
//! is applied only if the author's head vouches for it. A replica that refuses the update that follows its
//! latest version, which another one takes, differs from it by a fault; it is taken out of service and
//! reported. One that lags behind is not at fault, and neither are the others when it catches up:
//! publish the updates that it lacks again ([`Replicated::lagging`]), and those who have them stay as they are.
//!
//! Source: Crosby & Wallach 2010, section 9 ("Faster client query rates").

use std::sync::{
    Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard,
    atomic::{AtomicUsize, Ordering},
};

use pad_core::{ApplyError, LookupError, Repository, SignedHead, Update, Version};

/// Why a replica is out of service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplicaFailure {
    /// It refused an update that another replica took.
    #[error("the replica refused an update: {0}")]
    Refused(ApplyError),
    /// A thread panicked while the replica was changed, which may have left it half changed.
    #[error("a thread panicked while it changed the replica")]
    Panicked,
}

/// A replica that was taken out of service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// Its place among the replicas, from 0.
    pub replica: usize,
    /// Why it is out of service.
    pub failure: ReplicaFailure,
}

/// What became of an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// The version that it made.
    pub version: Version,
    /// The replicas that this update took out of service.
    pub dropped: Vec<Dropped>,
    /// The replicas in service that lack an earlier update, and their latest versions.
    pub lagging: Vec<(usize, Version)>,
}

#[derive(Debug)]
struct Replica<R> {
    repository: RwLock<R>,
    failure: OnceLock<ReplicaFailure>,
}

/// One writer and several readers' replicas of a repository.
///
/// Shared by reference between threads: any number of readers, and writers that wait for each other.
///
/// Space: that of one repository for each replica; nothing is shared between them.
#[derive(Debug)]
pub struct Replicated<R> {
    replicas: Vec<Replica<R>>,
    next: AtomicUsize,
    /// Held by the thread that publishes.
    writing: Mutex<()>,
}

impl<R: Repository> Replicated<R> {
    /// Repositories of one dictionary. One that lags behind answers for the versions that it has, and
    /// takes further updates once the missing ones were published again.
    ///
    /// `None` if there are no repositories.
    pub fn new(repositories: impl IntoIterator<Item = R>) -> Option<Self> {
        let replicas: Vec<_> = repositories
            .into_iter()
            .map(|repository| Replica {
                repository: RwLock::new(repository),
                failure: OnceLock::new(),
            })
            .collect();
        (!replicas.is_empty()).then(|| Self {
            replicas,
            next: AtomicUsize::new(0),
            writing: Mutex::new(()),
        })
    }

    /// Has every replica in service whose latest version the update follows apply it, one after the other.
    ///
    /// If some take it and others refuse, those that refuse are taken out of service. Replicas at another
    /// version are left alone, whether the update is old to them or they lag behind it.
    ///
    /// # Errors
    /// The first replica's [`ApplyError`] if all refuse: then the update is bad, nothing changes and
    /// all stay in service. [`ApplyError::VersionGap`] if it follows no replica's latest version, or none
    /// is in service. [`ApplyError::HistoryMismatch`] if a replica has another head for the update's
    /// version, so that one that lags does not follow another fork.
    pub fn publish(
        &self,
        update: &Update<R::Suite, R::Attachment>,
    ) -> Result<Published, ApplyError> {
        // What the lock protects is in the replicas, so a panic of another writer leaves it usable.
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        self.require_same_history(update)?;
        let (mut taken, mut refusals, mut dropped) = (None, Vec::new(), Vec::new());
        let gap = ApplyError::VersionGap {
            expected: self.latest(),
            actual: update.base,
        };
        for (number, replica) in self.replicas.iter().enumerate() {
            if replica.failure.get().is_some() {
                continue;
            }
            match replica.repository.write() {
                Ok(repository) if repository.latest() != update.base => {}
                Ok(mut repository) => match repository.apply(update) {
                    Ok(version) => taken = Some(version),
                    Err(error) => refusals.push((number, error)),
                },
                Err(_) => dropped.push(replica.fail(number, ReplicaFailure::Panicked)),
            }
        }
        let Some(version) = taken else {
            return Err(refusals.first().map_or(gap, |(_, error)| *error));
        };
        for (number, error) in refusals {
            let replica = &self.replicas[number];
            dropped.push(replica.fail(number, ReplicaFailure::Refused(error)));
        }
        Ok(Published {
            version,
            dropped,
            lagging: self.lagging(),
        })
    }

    /// The replicas in service that lack updates which others have, and their latest versions.
    pub fn lagging(&self) -> Vec<(usize, Version)> {
        let latest = self.latest();
        let replicas = self.replicas.iter().enumerate();
        replicas
            .filter_map(|(number, replica)| Some((number, replica.read()?.latest())))
            .filter(|(_, version)| *version < latest)
            .collect()
    }

    /// Refuses an update to a version of which a replica has another head.
    fn require_same_history(
        &self,
        update: &Update<R::Suite, R::Attachment>,
    ) -> Result<(), ApplyError> {
        let version = update.head.head.version;
        let mut heads = self
            .replicas
            .iter()
            .filter_map(|replica| replica.read()?.head(version).ok());
        if heads.all(|head| head.head == update.head.head) {
            Ok(())
        } else {
            Err(ApplyError::HistoryMismatch)
        }
    }

    /// Asks one replica after the other until one answers, beginning with the next in turn.
    ///
    /// # Errors
    /// The question's [`LookupError`]: [`LookupError::InvalidQuery`] at once; if no replica has the
    /// version, that of the replica that was asked last. [`LookupError::UnknownVersion`] with
    /// version 0 as the latest if none is in service.
    pub fn ask<T>(
        &self,
        version: Version,
        question: impl Fn(&R) -> Result<T, LookupError>,
    ) -> Result<T, LookupError> {
        let first = self.next.fetch_add(1, Ordering::Relaxed);
        let mut refusal = LookupError::UnknownVersion {
            version,
            latest: Version::EMPTY,
        };
        for offset in 0..self.replicas.len() {
            let number = first.wrapping_add(offset) % self.replicas.len();
            let Some(repository) = self.replicas[number].read() else {
                continue;
            };
            match question(&repository) {
                Err(error @ (LookupError::UnknownVersion { .. } | LookupError::Pruned { .. })) => {
                    refusal = error;
                }
                answer => return answer,
            }
        }
        Err(refusal)
    }

    /// The latest version that a replica in service has.
    pub fn latest(&self) -> Version {
        let in_service = self.replicas.iter().filter_map(Replica::read);
        in_service
            .map(|repository| repository.latest())
            .max()
            .unwrap_or(Version::EMPTY)
    }

    /// The replicas that are out of service.
    pub fn dropped(&self) -> Vec<Dropped> {
        let replicas = self.replicas.iter().enumerate();
        replicas
            .filter_map(|(replica, state)| {
                let panicked = || {
                    let poisoned = state.repository.is_poisoned();
                    poisoned.then_some(ReplicaFailure::Panicked)
                };
                let failure = state.failure.get().copied().or_else(panicked)?;
                Some(Dropped { replica, failure })
            })
            .collect()
    }
}

impl<R> Replica<R> {
    /// The repository, if it is in service.
    fn read(&self) -> Option<RwLockReadGuard<'_, R>> {
        if self.failure.get().is_some() {
            return None;
        }
        self.repository.read().ok()
    }

    fn fail(&self, replica: usize, failure: ReplicaFailure) -> Dropped {
        let failure = *self.failure.get_or_init(|| failure);
        Dropped { replica, failure }
    }
}

impl<R: Repository> Repository for Replicated<R> {
    type Suite = R::Suite;
    type Attachment = R::Attachment;
    type Query = R::Query;
    type Proof = R::Proof;

    fn latest(&self) -> Version {
        Self::latest(self)
    }

    /// The oldest version that some replica has.
    fn oldest(&self) -> Version {
        let in_service = self.replicas.iter().filter_map(Replica::read);
        in_service
            .map(|repository| repository.oldest())
            .min()
            .unwrap_or(Version::EMPTY)
    }

    fn apply(&mut self, update: &Update<R::Suite, R::Attachment>) -> Result<Version, ApplyError> {
        self.publish(update).map(|published| published.version)
    }

    fn head(&self, version: Version) -> Result<SignedHead<R::Suite>, LookupError> {
        self.ask(version, |repository| repository.head(version))
    }

    fn prove(&self, version: Version, query: &R::Query) -> Result<R::Proof, LookupError> {
        self.ask(version, |repository| repository.prove(version, query))
    }
}
