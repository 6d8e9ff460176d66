//! Experiment `steady`: one snapshot that loads all keys, then many of one new value each. Figures
//! are means over whole epochs or hash chains.

use super::{
    Task,
    lookups::{self, Age},
    pair::Pair,
};
use crate::{
    accumulators::slopes::regression,
    costs,
    dictionary::{HostedDictionary, MeasuredRepository, has_longer_chains},
    line,
    measure::{FinishedRun, LoadedRun, run::Sample},
    prelude::*,
    workload::Workload,
};

/// Measures the design `P` at a constant number of keys, and returns the result line.
pub fn measure<P: Pair>(task: &Task<'_>) -> Outcome<Line> {
    let work = Workload {
        key_bytes: 32,
        ..Workload::updates(task.keys, if task.quick { 40 } else { SNAPSHOTS }, 1)
    };
    let roles = HostedDictionary::<P::Plain>::new(signing_key());
    let run = LoadedRun::new(&work, task.limit, roles)?.follow(&work)?;
    let lookups = lookups::of_server(&run.loaded.run.roles, &run.loaded.contents)?;
    let sign_us = P::signature_us(&task.effort).map_or(0.0, |(sign_us, _)| sign_us);
    let (means, snapshots) = (Sample::mean(run.samples()), run.samples().len());
    let line = line! {
        experiment: "tuple_steady", design: task.design, keys: task.keys, snapshots,
        cycles: run.cycles, whole_cycles: run.cycles > 0, threads: 1, author_us: means.author_us,
        snapshots_per_second: 1e6 / means.author_us,
        later_chains_us: later_chains_us(&run, task.keys, sign_us),
        update_bytes: means.update_bytes, apply_us: means.apply_us,
        memory_bytes_per_update: run.bytes_per_snapshot()[0].unwrap_or_default(),
        proof_bytes: lookups.proof_bytes(&task.effort, Age::Any)?,
        prove_us: lookups.prove_us(&task.effort, Age::Any)?,
    };
    Ok(line.merged(&costs::line_of(&costs::of_2010())))
}

/// Returns the author's microseconds per snapshot for hash chains that end only after the run:
/// tuples of the oldest generation must then be signed again.
///
/// Returns 0 without speculation, because chains then end within every cycle.
fn later_chains_us<R: MeasuredRepository>(
    run: &FinishedRun<HostedDictionary<R>>,
    keys: u64,
    sign_us: f64,
) -> f64 {
    match R::CHAIN {
        Some(length) if has_longer_chains::<R>(run.cycles) => {
            let epoch = run.samples().len() as f64 / run.cycles.max(1) as f64;
            keys as f64 * sign_us / (f64::from(length + 1) * epoch)
        }
        _ => 0.0,
    }
}

/// Computes how a figure grows with the number of keys: the exponent of the power of `keys` that
/// fits `points` (number of keys, figure) best. It is the slope of the least-squares line through
/// the logarithms. `None` with fewer than two numbers of keys.
pub fn exponent(design: &str, quantity: &str, points: &[(u64, f64)]) -> Option<Line> {
    let (keys, values): (Vec<u64>, Vec<f64>) = points.iter().copied().unzip();
    let logarithms = points
        .iter()
        .map(|(keys, value)| ((*keys as f64).ln(), value.ln()));
    let exponent = regression(&logarithms.collect::<Vec<_>>()).us;
    let has_several = keys.iter().any(|size| *size != keys[0]);
    has_several
        .then(|| line! { experiment: "tuple_exponent", design, quantity, keys, values, exponent })
}

/// Minimum number of measured snapshots. A run continues to the end of the epoch or hash chain.
const SNAPSHOTS: u64 = 250;
