//! One snapshot that loads all keys, then many of one new value each: means over whole epochs.

use comparison::{roles::Roles as _, run::Sample};
use pad_core::Operation;

use super::{Limits, Task, pair::Pair};
use crate::{
    Outcome, costs,
    dictionary::{Hosted, Measured, Run},
    line,
    line::Line,
    lookups::Lookups,
    primitives::signing_key,
    workload::{Random, hashed_key, put_hashed, value},
};

/// Measures one design.
pub fn measure<P: Pair>(task: &Task<'_>) -> Outcome<Line> {
    let before = Limits::measure(&task.effort);
    let most = if task.quick { 40 } else { SNAPSHOTS };
    let run = Cycles::<P::Plain>::new(task, most)?;
    let limits = before.mean(Limits::measure(&task.effort));
    let lookups = Lookups {
        repository: &run.run.roles.repository,
        effort: task.effort,
        entries: &|index| (hashed_key(index), value(run.values[index as usize])),
        number: task.keys,
        versions: run.samples().len().max(1) as u64,
    };
    let sign_us = P::signature_us(&task.effort).map_or(0.0, |(sign_us, _)| sign_us);
    let (means, snapshots) = (Sample::mean(run.samples()), run.samples().len());
    let line = line! {
        experiment: "tuple_steady",
        design: task.design,
        keys: task.keys,
        snapshots: snapshots,
        cycles: run.number,
        whole_cycles: run.whole > 0,
        threads: 1,
        author_us: means.author_us,
        snapshots_per_second: 1e6 / means.author_us,
        later_chains_us: run.later_chains_us(task.keys, sign_us),
        update_bytes: means.update_bytes,
        apply_us: means.apply_us,
        memory_bytes_per_update: run.grown_bytes / snapshots.max(1) as f64,
        proof_bytes: lookups.proof_bytes()?,
        prove_us: lookups.prove_us(),
    };
    Ok(line
        .merged(&costs::line_of(&task.prices))
        .merged(&limits.line()))
}

/// A repository after all snapshots, and which of them are whole cycles.
struct Cycles<R: Measured> {
    run: Run<R>,
    number: u64,
    /// The number of snapshots in whole cycles.
    whole: usize,
    /// What the repository grew by, in whole cycles if there is one.
    grown_bytes: f64,
    /// The index of each key's latest value.
    values: Vec<u64>,
}

impl<R: Measured> Cycles<R> {
    fn new(task: &Task<'_>, most: usize) -> Outcome<Self> {
        let mut run = Run::<R>::new(signing_key(), task.limit);
        let mut values: Vec<u64> = (0..task.keys).collect();
        run.publish((0..task.keys).map(put_hashed).collect())?;
        run.restart();
        let baseline = memory(&run);
        let (mut random, mut number, mut whole, mut grown_bytes) = (Random::new(9), 0, 0, 0.0);
        while whole < most {
            let snapshot = run.samples.len() as u64;
            let (index, new) = (random.below(task.keys), task.keys + snapshot);
            values[index as usize] = new;
            let update = run.publish(vec![Operation::Put(hashed_key(index), value(new))])?;
            if Hosted::<R>::ends_cycle(snapshot + 1, &update) {
                (number, whole) = (number + 1, run.samples.len());
                grown_bytes = memory(&run) - baseline;
            }
            if run.is_over() {
                break;
            }
        }
        if whole == 0 {
            grown_bytes = memory(&run) - baseline;
        }
        Ok(Self {
            run,
            number,
            whole,
            grown_bytes,
            values,
        })
    }

    /// Those of whole cycles, or all if there is none.
    fn samples(&self) -> &[Sample] {
        match self.whole {
            0 => &self.run.samples,
            whole => &self.run.samples[..whole],
        }
    }

    /// All chains of the oldest generation end after so many of its instants; without speculation
    /// that is within every cycle.
    fn later_chains_us(&self, keys: u64, sign_us: f64) -> f64 {
        match R::CHAIN {
            Some(length) if R::GENERATIONS > 1 && self.number <= u64::from(length) => {
                let epoch = self.samples().len() as f64 / self.number.max(1) as f64;
                keys as f64 * sign_us / (f64::from(length + 1) * epoch)
            }
            _ => 0.0,
        }
    }
}

fn memory<R: Measured>(run: &Run<R>) -> f64 {
    run.repository.memory_bytes().unwrap_or_default() as f64
}

/// How a figure grows with the number of keys: the slope of the least-squares line through the logarithms.
pub fn exponent(design: &str, quantity: &str, points: &[(u64, f64)]) -> Option<Line> {
    let number = points.len() as f64;
    let logarithms = points
        .iter()
        .map(|(keys, value)| ((*keys as f64).ln(), value.ln()));
    let (x, y): (Vec<f64>, Vec<f64>) = logarithms.unzip();
    let (mean_x, mean_y) = (
        x.iter().sum::<f64>() / number,
        y.iter().sum::<f64>() / number,
    );
    let spread: f64 = x.iter().map(|x| (x - mean_x).powi(2)).sum();
    let common: f64 = x
        .iter()
        .zip(&y)
        .map(|(x, y)| (x - mean_x) * (y - mean_y))
        .sum();
    (points.len() > 1 && spread > 0.0).then(|| {
        line! {
            experiment: "tuple_exponent",
            design: design,
            quantity: quantity,
            keys: points.iter().map(|(keys, _)| *keys).collect::<Vec<_>>(),
            values: points.iter().map(|(_, value)| *value).collect::<Vec<_>>(),
            exponent: common / spread,
        }
    })
}

/// At least so many snapshots, and on to the end of the epoch or chain.
const SNAPSHOTS: usize = 250;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_of_powers() {
        let points = [1_000, 10_000, 100_000].map(|n: u64| (n, 7.0 * (n as f64).sqrt()));
        let fitted = exponent("design", "update_bytes", &points).unwrap();
        assert!((fitted.figure("exponent") - 0.5).abs() < 1e-9);
        assert!(exponent("design", "update_bytes", &points[..1]).is_none());
    }
}
