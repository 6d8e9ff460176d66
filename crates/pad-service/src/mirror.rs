//! Mirrors: copies of dictionaries that follow untrusted servers, and store only verified contents.

use core::{fmt, time::Duration};
use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::Arc,
};

use authdict::{LookupError, NotFollowed, RepositoryError, StoredView, Version};
use pad_client::{
    Fault, Incident, Remote,
    internals::{ServerSession, Unusable},
};

use crate::{
    dictionary::{Dictionary, NotApplied},
    metrics::Metrics,
    part::Part,
    periodic_task::PeriodicTask,
};

mod notes;
mod part;
mod whole;

use notes::NotesCursor;

/// A mirror that follows untrusted upstream servers of a dictionary.
///
/// A mirror of a [`Dictionary`] fetches missing updates, verifies each update, and makes it durable
/// before serving it. Afterwards it fetches the notes on the versions. A mirror of a
/// [`Part`] fetches heads, and proofs for the keys of the part.
///
/// Failed upstream servers are queried again later. Data that does not verify is never served. It
/// is stored in files, where possible as transferable evidence. Valid updates before such data in
/// the same response are applied.
#[derive(Debug)]
pub struct Mirror {
    copy: Arc<dyn MirrorTarget>,
    upstreams: Vec<Remote>,
    /// Path from which the names of evidence files are derived.
    base: PathBuf,
    metrics: Arc<Metrics>,
    /// Last fault of each upstream server, so that each fault is logged once.
    logged: BTreeMap<String, Fault>,
    /// Progress with the notes of each upstream server.
    cursors: BTreeMap<String, NotesCursor>,
    /// Number of rounds that requested notes after the last version to copy.
    late_rounds: u32,
    /// The reason why the last round failed; `None` if it succeeded.
    failure: Option<String>,
}

/// The copy that a mirror updates: a whole dictionary, or a part.
trait MirrorTarget: fmt::Debug + Send + Sync {
    /// Latest version in the copy.
    fn latest(&self) -> Version;

    /// Last version to copy, if there is a limit.
    fn until(&self) -> Option<Version>;

    /// View of a client that has verified only the heads of this copy.
    fn seen(&self) -> Result<StoredView, NotFollowed<LookupError>>;

    /// Fetches the next missing contents up to version `wanted` from an upstream server. Adds the
    /// number of applied updates, or of versions loaded into a part, to `taken`. Returns whether to
    /// continue.
    fn take(
        &self,
        visit: &ServerSession<'_>,
        wanted: Version,
        metrics: &Metrics,
        taken: &mut usize,
    ) -> Result<bool, StopReason>;

    /// Fetches notes that the copy lacks, once its versions are up to date. Does nothing by
    /// default: a part has no notes.
    fn fill_notes(&self, _: &ServerSession<'_>, _: &mut NotesCursor) -> Result<(), NotApplied> {
        Ok(())
    }

    /// Returns whether some versions of the copy have no notes, and the copy can store notes.
    fn lacks_notes(&self) -> Result<bool, NotApplied> {
        Ok(false)
    }

    /// Returns whether the copy needs the update to each version. A part begins with any version.
    fn needs_each_version(&self) -> bool {
        true
    }

    /// Drops versions that the retention policy excludes. Returns the oldest remaining version, or
    /// `None` if no pruning is due.
    fn prune(&self) -> Result<Option<Version>, NotApplied>;

    /// Returns whether the copy contains the last version to copy.
    fn is_complete(&self) -> bool {
        self.until().is_some_and(|until| self.latest() >= until)
    }
}

/// Checks that an upstream server continues the history of the copy. Returns `false` if the server
/// is behind, and has no contents that the copy lacks.
fn goes_on(visit: &ServerSession<'_>, copy: &dyn MirrorTarget) -> Result<bool, StopReason> {
    let view = copy.seen().map_err(|error| match error {
        NotFollowed::Silent(error) => StopReason::Store(RepositoryError::from(error).into()),
        // The copy was verified when it was fetched, so its store is damaged.
        _ => StopReason::Store(
            authdict::StoreError::Damaged("the latest head does not verify").into(),
        ),
    })?;
    match view.follow(visit) {
        Ok(_) => Ok(true),
        // An upstream server that is behind may be honest. It can have new contents for a part that
        // knows later heads, and these heads verify the contents.
        Err(NotFollowed::Behind { .. }) => Ok(visit.latest_version() > copy.latest()),
        Err(error) => Err(error.into()),
    }
}

/// Result of [`Mirror::round`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoundSummary {
    /// Number of updates applied or, for a part, of versions loaded.
    pub taken: usize,
    /// Latest version after the round.
    pub latest: Version,
    /// Failures of upstream servers.
    pub incidents: Vec<Incident>,
}

/// Reason to stop fetching from an upstream server.
enum StopReason {
    /// Fault of the upstream server.
    Upstream(Unusable),
    /// Failure of the mirror's own store.
    Store(NotApplied),
}

impl<E: Into<Unusable>> From<E> for StopReason {
    fn from(error: E) -> Self {
        Self::Upstream(error.into())
    }
}

impl Mirror {
    /// Creates a mirror that keeps `dictionary` up to date with `upstreams`.
    ///
    /// Evidence is written to files next to `base`. Their names are the name of `base` with
    /// `.evidence` or `.lie`. Names of further files end in `-2`, `-3` and so on.
    pub fn new(
        dictionary: Arc<Dictionary>,
        upstreams: Vec<Remote>,
        base: PathBuf,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self::of(dictionary, upstreams, base, metrics)
    }

    /// Creates a mirror like [`Mirror::new`], for a part of the keys.
    pub fn of_part(
        part: Arc<Part>,
        upstreams: Vec<Remote>,
        base: PathBuf,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self::of(part, upstreams, base, metrics)
    }

    fn of(
        copy: Arc<dyn MirrorTarget>,
        upstreams: Vec<Remote>,
        base: PathBuf,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self {
            copy,
            upstreams,
            base,
            metrics,
            logged: BTreeMap::new(),
            cursors: BTreeMap::new(),
            late_rounds: 0,
            failure: None,
        }
    }

    /// Asks every upstream server once for its latest version, and fetches new contents. Then drops
    /// versions that the retention policy excludes.
    ///
    /// Once the last version to copy is present, servers are queried for missing notes only, in at
    /// most 10,000 further rounds. Failures of servers are then not reported.
    ///
    /// # Errors
    /// [`NotApplied`] if the mirror's own store fails, or a part exceeds its memory limit. Contents
    /// fetched before the error are kept.
    pub fn round(&mut self) -> Result<RoundSummary, NotApplied> {
        let mut mirrored = RoundSummary::default();
        let mut visits = Vec::new();
        let is_complete = self.copy.is_complete();
        if is_complete {
            self.fill_late_notes()?;
        } else {
            for upstream in &self.upstreams {
                match ServerSession::latest(upstream) {
                    Ok(visit) => visits.push(visit),
                    Err(error) => {
                        let incident = ServerSession::new(upstream).failed(error.into(), None);
                        mirrored.incidents.push(incident);
                    }
                }
            }
        }
        // Each server in turn sends one response.
        while !visits.is_empty() {
            let mut with_more = Vec::new();
            for visit in visits {
                match self.take(&visit, &mut mirrored.taken) {
                    Ok(true) => with_more.push(visit),
                    Ok(false) => {
                        let cursor = self.cursors.entry(visit.server().address()).or_default();
                        self.copy.fill_notes(&visit, cursor)?;
                    }
                    Err(StopReason::Upstream(unusable)) => {
                        let incident = visit.failed(unusable, Some(&self.base));
                        mirrored.incidents.push(incident);
                    }
                    Err(StopReason::Store(error)) => return Err(error),
                }
            }
            visits = with_more;
        }
        if let Some(oldest) = self.copy.prune()? {
            tracing::info!(oldest = oldest.number(), "dropped older versions");
        }
        mirrored.latest = self.copy.latest();
        if !is_complete {
            for upstream in &self.upstreams {
                let address = upstream.address();
                let mut incidents = mirrored.incidents.iter();
                match incidents.find(|incident| incident.server == address) {
                    Some(incident) if self.is_pruned(incident) => {
                        self.metrics.note_pruned(&address);
                    }
                    incident => self.metrics.note_upstream(&address, incident.is_none()),
                }
            }
        }
        self.log(&mirrored);
        Ok(mirrored)
    }

    /// Starts a background task for each upstream server, with a pause of `every` between rounds. A
    /// slow server does not delay other servers.
    pub fn follow(self, every: Duration) -> Vec<PeriodicTask> {
        let each = self.upstreams.into_iter().map(|upstream| {
            let (copy, metrics) = (Arc::clone(&self.copy), Arc::clone(&self.metrics));
            let mut mirror = Self::of(copy, vec![upstream], self.base.clone(), metrics);
            PeriodicTask::begin(every, move || mirror.attempt())
        });
        each.collect()
    }

    /// Runs [`Mirror::round`]. If the mirror's own store fails, or the round panics, marks the
    /// upstream servers as being of no use, so that the health check reports it.
    fn attempt(&mut self) {
        match catch_unwind(AssertUnwindSafe(|| self.round())) {
            Ok(Ok(_)) => {
                self.failure = None;
                return;
            }
            Ok(Err(error)) => self.note_failure(error.to_string()),
            Err(_) => self.note_failure("a round panicked".to_owned()),
        }
        for upstream in &self.upstreams {
            self.metrics.note_upstream(&upstream.address(), false);
        }
    }

    /// Logs the failure of a round, unless the round before failed for the same reason.
    fn note_failure(&mut self, reason: String) {
        if self.failure.as_ref() != Some(&reason) {
            tracing::error!(reason, "the mirror cannot go on");
            self.failure = Some(reason);
        }
    }

    /// Fetches the next missing contents from an upstream server, like [`MirrorTarget::take`].
    /// Returns whether to continue with this server.
    fn take(&self, visit: &ServerSession<'_>, taken: &mut usize) -> Result<bool, StopReason> {
        let copy = self.copy.as_ref();
        if !goes_on(visit, copy)? {
            return Ok(false);
        }
        let offered = visit.latest_version();
        let wanted = copy.until().map_or(offered, |until| offered.min(until));
        if copy.latest() >= wanted || !copy.take(visit, wanted, &self.metrics, taken)? {
            return Ok(false);
        }
        // The response is dropped here. Otherwise, all missing contents would be in memory at the
        // same time.
        visit.forget();
        Ok(copy.latest() < wanted)
    }

    /// Returns whether the fault of the upstream server is only that it lacks versions that the
    /// copy needs.
    fn is_pruned(&self, incident: &Incident) -> bool {
        self.copy.needs_each_version() && incident.is_elsewhere()
    }

    fn log(&mut self, mirrored: &RoundSummary) {
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
                let server = &incident.server;
                if self.is_pruned(incident) {
                    tracing::warn!(upstream = %server, "{incident}: {UPSTREAM_PRUNED}");
                } else {
                    tracing::warn!(upstream = %server, "{incident}");
                }
            }
            failing.insert(incident.server.clone(), incident.fault.clone());
        }
        self.logged = failing;
    }
}

/// Warning and advice for an upstream server that does not keep versions that a mirror needs.
pub(crate) const UPSTREAM_PRUNED: &str = "an upstream server says that it has pruned, or does \
    not keep, versions that this mirror needs: start from a copy of its store, or name another --from";

#[cfg(test)]
mod tests {
    use pad_client::HttpOptions;

    use super::*;

    /// A copy that panics at every use, like a store with a damaged page.
    #[derive(Debug)]
    struct DamagedCopy;

    impl MirrorTarget for DamagedCopy {
        fn latest(&self) -> Version {
            panic!("damaged")
        }

        fn until(&self) -> Option<Version> {
            panic!("damaged")
        }

        fn seen(&self) -> Result<StoredView, NotFollowed<LookupError>> {
            panic!("damaged")
        }

        fn take(
            &self,
            _: &ServerSession<'_>,
            _: Version,
            _: &Metrics,
            _: &mut usize,
        ) -> Result<bool, StopReason> {
            panic!("damaged")
        }

        fn fill_notes(&self, _: &ServerSession<'_>, _: &mut NotesCursor) -> Result<(), NotApplied> {
            panic!("damaged")
        }

        fn lacks_notes(&self) -> Result<bool, NotApplied> {
            panic!("damaged")
        }

        fn prune(&self) -> Result<Option<Version>, NotApplied> {
            panic!("damaged")
        }
    }

    #[test]
    fn a_round_that_panics_is_a_failure_of_the_mirror() {
        let address = "http://127.0.0.1:1/v1/dictionaries/d";
        let upstream = Remote::connect(address, HttpOptions::default()).unwrap();
        let metrics = Arc::<Metrics>::default();
        metrics.note_upstream(address, true);
        let (copy, base) = (Arc::new(DamagedCopy), PathBuf::new());
        let mut mirror = Mirror::of(copy, vec![upstream], base, Arc::clone(&metrics));
        mirror.attempt();
        assert!(metrics.are_all_upstreams_down());
    }
}
