//! Mirroring of a whole dictionary, from updates.

use authdict::{LookupError, NotFollowed, Refusal, RepositoryError, StoredView, Version};
use pad_client::{
    FetchError,
    internals::{ServerSession, Unusable},
};

use super::{MirrorTarget, NotesCursor, StopReason};
use crate::{
    dictionary::{Dictionary, NotApplied},
    metrics::Metrics,
};

impl MirrorTarget for Dictionary {
    fn latest(&self) -> Version {
        self.latest()
    }

    fn until(&self) -> Option<Version> {
        self.keep().until()
    }

    fn seen(&self) -> Result<StoredView, NotFollowed<LookupError>> {
        let view = StoredView::new(self.public().clone());
        self.read(|repository| view.follow(&**repository))
    }

    fn take(
        &self,
        visit: &ServerSession<'_>,
        wanted: Version,
        metrics: &Metrics,
        taken: &mut usize,
    ) -> Result<bool, StopReason> {
        let latest = self.latest();
        let first = Version::new(latest.number().saturating_add(1));
        let updates = visit.updates(first, wanted)?;
        match self.apply(&updates) {
            Ok(applied) => {
                *taken = taken.saturating_add(applied.taken);
                for _ in 0..applied.taken {
                    metrics.count_update(true);
                }
            }
            Err(NotApplied::Repository(RepositoryError::Refused(error))) => {
                metrics.count_update(false);
                let reason = format!("the update after version {}: {error}", self.latest());
                return Err(Unusable::lie(reason).into());
            }
            Err(NotApplied::Repository(RepositoryError::Unreadable(error))) => {
                metrics.count_update(false);
                return Err(Refusal::from(error).into());
            }
            Err(
                error
                @ (NotApplied::Gap { .. } | NotApplied::NotKept { .. } | NotApplied::Other(_)),
            ) => {
                metrics.count_update(false);
                return Err(Unusable::lie(error.to_string()).into());
            }
            Err(error) => return Err(StopReason::Store(error)),
        }
        if self.latest() == latest {
            return Err(FetchError::Unusable("update that is new").into());
        }
        let noted = self.follow_notes(visit, (first, self.latest()));
        noted.map_err(StopReason::Store)?;
        Ok(true)
    }

    fn fill_notes(
        &self,
        visit: &ServerSession<'_>,
        cursor: &mut NotesCursor,
    ) -> Result<(), NotApplied> {
        self.fill_from(visit, cursor)
    }

    fn lacks_notes(&self) -> Result<bool, NotApplied> {
        let latest = self.latest().number();
        Ok(self.note_count()?.is_some_and(|count| count < latest))
    }

    fn prune(&self) -> Result<Option<Version>, NotApplied> {
        Ok(self.prune()?)
    }
}
