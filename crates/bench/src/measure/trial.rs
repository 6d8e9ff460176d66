//! Measurements of schemes for a user's load: calibration of this machine, and checks of an advice
//! against real runs.

use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

use comparison::{
    Cost, Load, Measurement, Scheme, Workload,
    advice::{Advice, DEFAULT, Tariff, estimate},
    records::Records,
};

use crate::{
    Outcome, line,
    line::Line,
    measure::{Record, measure},
    secret,
    timing::Effort,
};

/// Plan to measure the schemes that could be the winner of an advice. Each is measured with the
/// load's number of keys, at most 8 000, and with an eighth of it. Numbers of changes vary
/// likewise.
#[derive(Clone, Debug)]
pub struct Calibration {
    /// Planned measurements: a scheme, the number of keys, and the number of changes in a snapshot.
    pub tasks: Vec<(&'static Scheme, u64, u64)>,
    /// Load whose schemes are measured.
    pub load: Load,
}

impl Calibration {
    /// Plans the measurements for `load`: the winner of `advice`, then the other ranked schemes
    /// that cost at most [`HOPEFUL`] times as much as the cheapest.
    pub fn new(advice: &Advice, load: &Load) -> Self {
        let most = advice
            .cheapest()
            .map_or(0.0, |cheapest| cheapest.cost.total() * HOPEFUL);
        let winner = advice.winner();
        let others = advice.ranked.iter().filter(|candidate| {
            (candidate.cost.total() <= most || candidate.scheme.name == DEFAULT)
                && winner.is_some_and(|winner| winner.scheme.name != candidate.scheme.name)
        });
        let hopeful = winner.into_iter().chain(others);
        let largest = load.keys.min(CALIBRATED_KEYS).min(that_fit(load));
        let sizes = [(largest / 8).max(1), largest];
        let tasks = hopeful.flat_map(|candidate| {
            sizes.into_iter().flat_map(move |keys| {
                let changes = load.changes.min(keys);
                let mut counts = vec![(changes / 8).max(1), changes];
                counts.dedup();
                let task = move |changes| (candidate.scheme, keys, changes);
                counts.into_iter().map(task)
            })
        });
        Self {
            tasks: tasks.collect(),
            load: *load,
        }
    }

    /// Measures with few repetitions, within `time`. Passes the result for each scheme and size to
    /// `done`.
    ///
    /// If time is short, the most expensive schemes are left out. A scheme that failed is not
    /// measured again.
    pub fn run(
        &self,
        time: Duration,
        mut done: impl FnMut(&Scheme, Record) -> Outcome<()>,
    ) -> Outcome<()> {
        let start = Instant::now();
        let mut failed = HashSet::new();
        for (scheme, keys, changes) in &self.tasks {
            let left = time.saturating_sub(start.elapsed());
            if left.is_zero() {
                break;
            }
            if failed.contains(scheme.name) {
                continue;
            }
            let load = Load {
                keys: *keys,
                changes: *changes,
                ..self.load
            };
            let work = work(&load)?;
            let record = run(scheme, &work, &Effort::QUICK, left.min(STEP));
            let record = record.unwrap_or_else(|error| {
                failed.insert(scheme.name);
                Record::not_measured(scheme, &work, error.to_string())
            });
            done(scheme, record)?;
        }
        Ok(())
    }
}

/// Scales a load down to a size that can be run: fewer keys, and no more changes than keys.
pub fn scaled(load: &Load) -> Load {
    let keys = load.keys.min(TRIED_KEYS).min(that_fit(load));
    Load {
        keys,
        changes: load.changes.min(keys),
        ..*load
    }
}

/// Returns the largest number of keys, at least 1, whose entries fit into [`MOST_BYTES`] in this
/// load.
fn that_fit(load: &Load) -> u64 {
    (MOST_BYTES / (load.key_bytes + load.value_bytes).max(1)).max(1)
}

/// Runs a load with one scheme, and returns a result line with the measured and the predicted
/// figures. Returns `None` if there is no estimate or cost for this load. Also returns `None` if
/// the scheme was not measured, for example because loading would take too long for `limit`.
pub fn trial(
    scheme: &'static Scheme,
    load: &Load,
    tariff: &Tariff,
    records: &Records,
    limit: Duration,
) -> Outcome<Option<Line>> {
    let Ok(estimated) = estimate(scheme, load, tariff, records) else {
        return Ok(None);
    };
    let Record::Measured(figures) = run(scheme, &work(load)?, &EFFORT, limit)? else {
        return Ok(None);
    };
    let charged = match tariff.cryptography {
        times if times.total_cmp(&1.0).is_eq() => Some(figures.clone()),
        times => figures.with_cheaper_cryptography(times),
    };
    let monthly =
        |figures: Measurement| Cost::monthly(&figures, load, &tariff.prices, tariff.clients);
    let line = |cost: Cost| {
        let (dollars, predicted) = (cost.total(), estimated.cost.total());
        let estimated = estimated.figures;
        line! {
            dollars_per_month: dollars, predicted_dollars_per_month: predicted,
            ratio: (predicted > 0.0).then_some(dollars / predicted),
            author_us: figures.author_us, predicted_author_us: estimated.author_us,
            proof_bytes: figures.proof_bytes, predicted_proof_bytes: estimated.proof_bytes,
        }
    };
    Ok(charged.and_then(monthly).map(line))
}

fn work(load: &Load) -> Outcome<Workload> {
    Ok(Workload {
        key_bytes: usize::try_from(load.key_bytes)?.max(SHORTEST_KEY),
        value_bytes: usize::try_from(load.value_bytes)?,
        ..Workload::updates(load.keys, SNAPSHOTS, load.changes)
    })
}

fn run(scheme: &Scheme, work: &Workload, effort: &Effort, limit: Duration) -> Outcome<Record> {
    secret::reserve(TRIED_KEYS);
    measure(scheme, work, effort, limit)
}

/// Largest ratio of a scheme's estimated cost to that of the cheapest for which the scheme is
/// measured in a calibration.
pub const HOPEFUL: f64 = 3.0;

/// Maximum number of keys in a calibration: all designs load them in a few seconds.
const CALIBRATED_KEYS: u64 = 8_000;
/// Maximum number of keys in a trial.
const TRIED_KEYS: u64 = 20_000;
/// Maximum bytes of the entries in a trial. Author, server and the copy for checks each store all
/// entries.
const MOST_BYTES: u64 = 64 << 20;
/// Maximum number of snapshots in one measurement.
const SNAPSHOTS: u64 = 200;
/// Bytes of the shortest possible key in a generated workload.
const SHORTEST_KEY: usize = 8;
/// Maximum time of one measurement in a calibration.
const STEP: Duration = Duration::from_secs(3);
/// Effort of a trial: more than in a quick run, less than in a full one.
const EFFORT: Effort = Effort {
    budget: Duration::from_millis(300),
    operations: 20_000,
    ..Effort::QUICK
};
