//! A mirror: follows servers that it does not trust, and keeps what it has verified.

use core::{fmt, time::Duration};
use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use pad::{
    LookupError, RepositoryError, Version,
    client_view::{NotFollowed, StoredView},
};
use pad_client::{Fault, Incident, Server, Unusable, Visit};

use crate::{
    dictionary::{Dictionary, NotApplied},
    following::Following,
    metrics::Metrics,
    part::Part,
};

mod part;
mod whole;

/// Follows servers of a dictionary, its upstreams: takes the updates that they have and it has not, verifies each of
/// them, and makes it durable before it is served. A [`Part`] takes the heads, and of what they stand for the proofs that show it the keys
/// which it keeps.
///
/// Upstreams that fail are asked again later. What one of them says that does not verify is kept, as evidence that
/// convinces others where there is such, and changes nothing: what was verified last goes on being served.
#[derive(Debug)]
pub struct Mirror {
    copy: Arc<dyn Copied>,
    upstreams: Vec<Server>,
    /// Lies are kept in files beside this one.
    beside: PathBuf,
    metrics: Arc<Metrics>,
    /// What went wrong with an upstream last, so that it is logged once.
    logged: BTreeMap<String, Fault>,
}

/// What follows upstreams.
trait Copied: fmt::Debug + Send + Sync {
    /// The latest version that is here.
    fn latest(&self) -> Version;

    /// The last version that is ever to be here.
    fn until(&self) -> Option<Version>;

    /// What a client has seen that has asked nobody else.
    fn seen(&self) -> Result<StoredView, NotFollowed<LookupError>>;

    /// Takes what an upstream has that is new, up to this version, as much as comes at once; whether it goes on from there.
    fn take(
        &self,
        visit: &Visit<'_>,
        wanted: Version,
        metrics: &Metrics,
        taken: &mut usize,
    ) -> Result<bool, Stopped>;

    /// Drops the versions that are not kept, if it is time to; the oldest one that is kept then.
    fn prune(&self) -> Result<Option<Version>, NotApplied>;

    /// Whether the last version that is kept is here.
    fn is_complete(&self) -> bool {
        self.until().is_some_and(|until| self.latest() >= until)
    }
}

/// Whether an upstream goes on from what is here.
fn goes_on(visit: &Visit<'_>, copy: &dyn Copied) -> Result<bool, Stopped> {
    let view = copy.seen().map_err(|error| match error {
        NotFollowed::Silent(error) => Stopped::Store(RepositoryError::from(error).into()),
        // What is here was verified when it was taken.
        _ => Stopped::Store(pad::StoreError::Damaged("its latest head does not verify").into()),
    })?;
    match view.follow(visit) {
        Ok(_) => Ok(true),
        // An upstream that is late has nothing for us, and may be honest.
        Err(NotFollowed::Behind { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// What came of a round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mirrored {
    /// How many updates were taken.
    pub taken: usize,
    /// The latest version now.
    pub latest: Version,
    /// How upstreams failed.
    pub incidents: Vec<Incident>,
}

/// Why an upstream was not followed to its end.
enum Stopped {
    /// It is the upstream's fault.
    Upstream(Unusable),
    /// The mirror's own store failed.
    Store(NotApplied),
}

impl<E: Into<Unusable>> From<E> for Stopped {
    fn from(error: E) -> Self {
        Self::Upstream(error.into())
    }
}

impl Mirror {
    /// The mirror that keeps the dictionary up with these servers. Lies are kept in files beside `beside`: its name with
    /// `.evidence` or `.lie` at the end, and a number.
    pub fn new(
        dictionary: Arc<Dictionary>,
        upstreams: Vec<Server>,
        beside: PathBuf,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self::of(dictionary, upstreams, beside, metrics)
    }

    /// The same for some of the keys.
    pub fn of_part(
        part: Arc<Part>,
        upstreams: Vec<Server>,
        beside: PathBuf,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self::of(part, upstreams, beside, metrics)
    }

    fn of(
        copy: Arc<dyn Copied>,
        upstreams: Vec<Server>,
        beside: PathBuf,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self {
            copy,
            upstreams,
            beside,
            metrics,
            logged: BTreeMap::new(),
        }
    }

    /// Asks every upstream once, takes what is new, and drops the versions that are not kept. Once it has the last one that is, it asks
    /// nobody any more.
    ///
    /// # Errors
    /// [`NotApplied`] if the mirror's own store fails; what was taken before is durable.
    pub fn round(&mut self) -> Result<Mirrored, NotApplied> {
        let mut mirrored = Mirrored::default();
        let mut visits = Vec::new();
        if !self.copy.is_complete() {
            for upstream in &self.upstreams {
                match Visit::latest(upstream) {
                    Ok(visit) => visits.push(visit),
                    Err(error) => {
                        let incident = Visit::new(upstream).failed(error.into(), None);
                        mirrored.incidents.push(incident);
                    }
                }
            }
        }
        // One answer of each in turn.
        while !visits.is_empty() {
            let mut with_more = Vec::new();
            for visit in visits {
                match self.take(&visit, &mut mirrored.taken) {
                    Ok(true) => with_more.push(visit),
                    Ok(false) => {}
                    Err(Stopped::Upstream(unusable)) => {
                        let incident = visit.failed(unusable, Some(&self.beside));
                        mirrored.incidents.push(incident);
                    }
                    Err(Stopped::Store(error)) => return Err(error),
                }
            }
            visits = with_more;
        }
        if let Some(oldest) = self.copy.prune()? {
            tracing::info!(oldest = oldest.number(), "dropped older versions");
        }
        mirrored.latest = self.copy.latest();
        self.log(&mirrored);
        Ok(mirrored)
    }

    /// Goes on with this, with this pause between two rounds, on a thread for each upstream: one that is slow keeps no other from
    /// being asked.
    pub fn follow(self, every: Duration) -> Vec<Following> {
        let each = self.upstreams.into_iter().map(|upstream| {
            let mut mirror = Self {
                copy: Arc::clone(&self.copy),
                upstreams: vec![upstream],
                beside: self.beside.clone(),
                metrics: Arc::clone(&self.metrics),
                logged: BTreeMap::new(),
            };
            Following::begin(every, move || {
                if let Err(error) = mirror.round() {
                    tracing::error!(%error, "the mirror cannot go on");
                }
            })
        });
        each.collect()
    }

    /// Takes what an upstream has that is new, as much as comes at once; whether there is more.
    fn take(&self, visit: &Visit<'_>, taken: &mut usize) -> Result<bool, Stopped> {
        let copy = self.copy.as_ref();
        if !goes_on(visit, copy)? {
            return Ok(false);
        }
        let offered = visit.latest_version();
        let wanted = copy.until().map_or(offered, |until| offered.min(until));
        if copy.latest() >= wanted || !copy.take(visit, wanted, &self.metrics, taken)? {
            return Ok(false);
        }
        // Otherwise all that is missing would be in memory at once.
        visit.forget();
        Ok(copy.latest() < wanted)
    }

    fn log(&mut self, mirrored: &Mirrored) {
        if mirrored.taken > 0 {
            let (taken, latest) = (mirrored.taken, mirrored.latest.number());
            tracing::info!(taken, latest, "took updates");
            if self.copy.is_complete() {
                tracing::info!(latest, "all versions that are kept are here");
            }
        }
        let mut failing = BTreeMap::new();
        for incident in &mirrored.incidents {
            if self.logged.get(&incident.server) != Some(&incident.fault) {
                tracing::warn!(upstream = %incident.server, "{incident}");
            }
            failing.insert(incident.server.clone(), incident.fault.clone());
        }
        self.logged = failing;
    }
}
