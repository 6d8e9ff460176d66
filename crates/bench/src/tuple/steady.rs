//! One snapshot that loads all keys, then many of one new value each: means over whole epochs.

use pad_core::{Dictionary, Operation, Workers};

use super::{
    Setting,
    contender::Contender,
    growing::{Means, Sample},
    lookups::Lookups,
    pair::{Job, Pair},
    record::{ExponentRecord, SteadyRecord},
};
use crate::{
    Outcome,
    author::put_all,
    timing::rounded,
    workload::{Random, hashed_key, value},
};

/// Measures one design.
pub struct Steady<'a> {
    /// The design's name.
    pub design: &'a str,
    /// The number of keys.
    pub keys: u64,
    /// The rest.
    pub setting: &'a Setting,
}

impl Job for Steady<'_> {
    type Output = Outcome<SteadyRecord>;

    fn run<P: Pair>(self) -> Self::Output {
        let before = self.setting.limits();
        let run = Run::<P::Plain>::new(self.keys, self.setting)?;
        let limits = before.mean(self.setting.limits());
        let lookups = Lookups::<P::Plain> {
            repository: &run.repository,
            effort: self.setting.effort(),
            entries: &|index| (hashed_key(index), value(run.values[index as usize])),
            number: self.keys,
            versions: run.samples.len().max(1) as u64,
        };
        let sign_us = P::signature_us(&self.setting.effort()).map_or(0.0, |(sign_us, _)| sign_us);
        let means = Means::of(&run.samples);
        let snapshots = run.samples.len() as u64;
        Ok(SteadyRecord {
            design: self.design.to_owned(),
            keys: self.keys,
            snapshots,
            cycles: run.cycles,
            whole_cycles: run.whole_cycles,
            threads: 1,
            author_us: rounded(means.author_us),
            snapshots_per_second: rounded(1e6 / means.author_us),
            times_base_superseding: None,
            later_chains_us: rounded(run.later_chains_us(self.keys, sign_us)),
            update_bytes: rounded(means.update_bytes),
            apply_us: rounded(means.apply_us),
            memory_bytes_per_update: rounded(run.grown_bytes / snapshots.max(1) as f64),
            proof_bytes: rounded(lookups.proof_bytes()?),
            prove_us: rounded(lookups.prove_us()),
            prices: self.setting.prices,
            limits: limits.rounded(),
            machine: self.setting.machine.clone(),
        })
    }
}

/// A repository after all snapshots, and what those of whole cycles took.
struct Run<C: Contender> {
    repository: C::Repository,
    samples: Vec<Sample>,
    cycles: u64,
    whole_cycles: bool,
    grown_bytes: f64,
    /// The index of each key's latest value.
    values: Vec<u64>,
}

impl<C: Contender> Run<C> {
    fn new(keys: u64, setting: &Setting) -> Outcome<Self> {
        let mut author = C::author(&Workers::sequential());
        let mut repository = C::repository();
        let mut values: Vec<u64> = (0..keys).collect();
        let load = values
            .iter()
            .map(|&i| Operation::Put(hashed_key(i), value(i)));
        let load: Vec<Operation> = load.collect();
        Sample::take::<C>(&mut repository, || {
            put_all(&mut author, load);
            C::snapshot(&mut author)
        })?;
        let baseline = C::memory_bytes(&repository) as f64;
        let (mut random, stopwatch) = (Random::new(9), setting.stopwatch());
        let most = if setting.quick { 40 } else { SNAPSHOTS };
        let (mut samples, mut cycles, mut whole, mut grown) = (Vec::new(), 0, 0, 0.0);
        while whole < most {
            let (index, new) = (random.below(keys), keys + samples.len() as u64);
            values[index as usize] = new;
            let (key, value) = (hashed_key(index), value(new));
            let (sample, update) = Sample::take::<C>(&mut repository, || {
                author.put(key, value);
                C::snapshot(&mut author)
            })?;
            samples.push(sample);
            if C::ends_cycle(samples.len() as u64, C::merged(&update)) {
                (cycles, whole) = (cycles + 1, samples.len());
                grown = C::memory_bytes(&repository) as f64 - baseline;
            }
            if stopwatch.stops().is_some() {
                break;
            }
        }
        let whole_cycles = whole > 0;
        if whole_cycles {
            samples.truncate(whole);
        } else {
            grown = C::memory_bytes(&repository) as f64 - baseline;
        }
        Ok(Self {
            repository,
            samples,
            cycles,
            whole_cycles,
            grown_bytes: grown,
            values,
        })
    }

    /// All chains of the oldest generation end after so many of its instants; without speculation
    /// that is within every cycle.
    fn later_chains_us(&self, keys: u64, sign_us: f64) -> f64 {
        match C::CHAIN {
            Some(length) if C::GENERATIONS > 1 && self.cycles <= u64::from(length) => {
                let epoch = self.samples.len() as f64 / self.cycles.max(1) as f64;
                keys as f64 * sign_us / (f64::from(length + 1) * epoch)
            }
            _ => 0.0,
        }
    }
}

/// What a contender's snapshots repeat after.
trait Cycle: Contender {
    /// Whether a cycle ends with this snapshot, counted from 1 after the load.
    fn ends_cycle(snapshot: u64, merged: usize) -> bool {
        match (Self::GENERATIONS, Self::CHAIN) {
            (1, None) => true,
            (1, Some(length)) => snapshot.is_multiple_of(u64::from(length) + 1),
            (generations, _) => merged + 1 == generations,
        }
    }
}

impl<C: Contender> Cycle for C {}

/// The exponent with which `values` grow: the slope of the least-squares line through the logarithms.
pub fn exponent(design: &str, quantity: &str, points: &[(u64, f64)]) -> Option<ExponentRecord> {
    let number = points.len() as f64;
    let logarithms: Vec<(f64, f64)> = points
        .iter()
        .map(|(keys, value)| ((*keys as f64).ln(), value.ln()))
        .collect();
    let mean_x = logarithms.iter().map(|point| point.0).sum::<f64>() / number;
    let mean_y = logarithms.iter().map(|point| point.1).sum::<f64>() / number;
    let spread: f64 = logarithms.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    let common: f64 = logarithms
        .iter()
        .map(|(x, y)| (x - mean_x) * (y - mean_y))
        .sum();
    (points.len() > 1 && spread > 0.0).then(|| ExponentRecord {
        design: design.to_owned(),
        quantity: quantity.to_owned(),
        keys: points.iter().map(|(keys, _)| *keys).collect(),
        values: points.iter().map(|(_, value)| *value).collect(),
        exponent: rounded(common / spread),
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
        assert!((fitted.exponent - 0.5).abs() < 1e-9);
        assert!(exponent("design", "update_bytes", &points[..1]).is_none());
    }
}
