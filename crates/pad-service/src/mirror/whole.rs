//! A dictionary in a store follows upstreams: by their updates.

use pad::{RepositoryError, Version, client_view::StoredView, question::Refusal};
use pad_client::{FetchError, Unusable, Visit};

use super::{Copied, Stopped, goes_on};
use crate::{
    dictionary::{Dictionary, NotApplied},
    metrics::Metrics,
};

impl Copied for Dictionary {
    fn latest(&self) -> Version {
        self.latest()
    }

    fn until(&self) -> Option<Version> {
        self.keep().until()
    }

    fn take(
        &self,
        visit: &Visit<'_>,
        metrics: &Metrics,
        taken: &mut usize,
    ) -> Result<bool, Stopped> {
        let view = StoredView::new(self.description().public.clone());
        if !goes_on(visit, self.read(|repository| view.follow(repository)))? {
            return Ok(false);
        }
        let offered = visit.latest_version();
        let wanted = self.until().map_or(offered, |until| offered.min(until));
        let latest = self.latest();
        if latest >= wanted {
            return Ok(false);
        }
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
            Err(error) => return Err(Stopped::Store(error)),
        }
        // Otherwise all that is missing would be in memory at once.
        visit.forget();
        let now = self.latest();
        if now == latest {
            return Err(FetchError::Unusable("update that is new").into());
        }
        Ok(now < wanted)
    }

    fn prune(&self) -> Result<Option<Version>, NotApplied> {
        Ok(self.prune()?)
    }
}
