//! Accumulators: every operation, next to the primitive that bounds it, measured in the same run.
//!
//! Each module is one experiment:
//!
//! - [`operations`]: the operations of Tremel 2013, section 5;
//! - [`slopes`]: the tables and round trips of Tremel 2013;
//! - [`sets`]: section 7.4 of Crosby & Wallach 2010, with each maker of witnesses;
//! - [`hints`]: the time that a server saves if an update contains the offset of an element's
//!   prime;
//! - [`keys`]: the time to generate keys, and their bytes.

use std::{
    collections::BTreeSet,
    hint::black_box,
    num::NonZeroUsize,
    time::{Duration, Instant},
};

use clap::{Args, ValueEnum};
use pad_accumulators::{Accumulator, Authority, SignedSnapshot, Snapshot, rsa::RepresentativeRule};
use pad_core::{Version, Workers};

use crate::{prelude::*, workload::hashed_key};

mod bilinear;
pub mod hints;
pub mod keys;
pub mod operations;
mod rsa;
pub mod sets;
pub mod slopes;
pub mod table;

pub use bilinear::BilinearBench;
pub(crate) use bilinear::scalars;
pub use operations::{Bench, BoundedWork, Operations, SecretKeyOf};
pub use rsa::RsaBench;

/// The command line of `bench accumulators`.
#[derive(Clone, Debug, Args)]
pub struct AccumulatorArguments {
    #[command(flatten)]
    manner: Manner,
    /// Experiments to run.
    #[arg(long, value_delimiter = ',', default_value = "operations")]
    experiment: Vec<AccumulatorExperiment>,
    /// Numbers of elements in the measured sets; with --quick 1000.
    #[arg(long, sizes("1000,10000", "1000", within(1..=10_000_000)))]
    elements: Vec<u64>,
    /// Numbers of threads on which operations are measured.
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    threads: Vec<NonZeroUsize>,
    /// Leaves out work that is expected to take more seconds than this, and reports that; with
    /// --quick 2.
    #[arg(long, usually("60", "2"))]
    longest: u64,
}

/// Experiment of `bench accumulators`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum AccumulatorExperiment {
    /// Every operation, with the primitive that bounds it.
    Operations,
    /// Time per element as a slope over several set sizes, and round trips. Needs `operations` in
    /// the same run.
    Slopes,
    /// Membership in a set, proved by a signature for each element, by a Merkle tree, and by
    /// accumulators.
    Sets,
    /// Time that a server saves if updates contain the prime offsets of elements.
    Hints,
    /// Time to generate the keys of all families of schemes, and their bytes; with --quick without
    /// keys of RSA tags.
    Keys,
}

impl AccumulatorArguments {
    /// Runs the experiments that the command line requests, and prints their report.
    pub fn run(&self) -> Outcome<()> {
        use AccumulatorExperiment as Experiment;
        let wants = |experiment| self.experiment.contains(&experiment);
        let mut report = self.manner.report()?;
        self.measure(&BilinearBench::new(self)?, &mut report)?;
        let rsa = RsaBench::new(RepresentativeRule::default(), self)?;
        self.measure(&rsa, &mut report)?;
        // The compact rule is only compared in the experiment `operations`.
        if wants(Experiment::Operations) {
            let compact = RsaBench::new(RepresentativeRule::Compact, self)?;
            operations::run(&compact, self, &mut report)?;
        }
        if wants(Experiment::Slopes) {
            slopes::run(&mut report)?;
        }
        if wants(Experiment::Sets) {
            sets::plain::run(self, &mut report)?;
            sets::conclusion::run(&mut report)?;
        }
        if wants(Experiment::Hints) {
            hints::run(self, &mut report)?;
        }
        if wants(Experiment::Keys) {
            keys::run(self, &mut report)?;
        }
        report.finish(table::table)
    }

    /// Runs the experiments that concern a single accumulator: `operations` and `sets`.
    fn measure(&self, bench: &impl Bench, report: &mut Report) -> Outcome<()> {
        if self.experiment.contains(&AccumulatorExperiment::Operations) {
            operations::run(bench, self, report)?;
        }
        if self.experiment.contains(&AccumulatorExperiment::Sets) {
            sets::accumulated::run(bench, self, report)?;
        }
        Ok(())
    }
}

/// Settings of the measurements: the command line itself.
type Plan = AccumulatorArguments;

/// Primitive that bounds an operation: its name and its time in microseconds.
#[derive(Clone, Debug)]
pub struct Primitive {
    name: String,
    us: f64,
}

impl Primitive {
    fn new(name: impl Into<String>, us: f64) -> Self {
        Self {
            name: name.into(),
            us,
        }
    }
}

impl Plan {
    /// Returns the distinct numbers of elements in the measured sets, ascending.
    fn sizes(&self) -> Vec<usize> {
        let sizes: BTreeSet<_> = self.elements.iter().map(|size| *size as usize).collect();
        sizes.into_iter().collect()
    }

    fn largest(&self) -> usize {
        self.sizes().last().copied().unwrap_or(1)
    }

    /// Reports whether work that is expected to take `us` microseconds takes too long.
    fn is_too_long(&self, us: f64) -> bool {
        us > self.longest as f64 * 1e6
    }

    /// Returns the median microseconds of `work`. Runs it at least once, and up to 15 times within
    /// two seconds. A quick run calls it once.
    fn time_us<R>(&self, mut work: impl FnMut() -> R) -> f64 {
        self.time_on(|| (), |()| work())
    }

    /// Like `time_us`, but `work` takes an input that `prepare` makes anew for each run. Preparing
    /// is not timed.
    fn time_on<T, R>(&self, mut prepare: impl FnMut() -> T, mut work: impl FnMut(T) -> R) -> f64 {
        let (budget, runs) = if self.manner.quick {
            (Duration::ZERO, 1)
        } else {
            (Duration::from_secs(2), 15)
        };
        let start = Instant::now();
        let mut times = Vec::new();
        while times.is_empty() || (times.len() < runs && start.elapsed() < budget) {
            let input = prepare();
            let start = Instant::now();
            let output = black_box(work(input));
            times.push(microseconds(start.elapsed()));
            // The time does not include freeing the output.
            drop(output);
        }
        median(times)
    }

    /// Returns the microseconds of one call of `work`, which is too short to be timed singly.
    pub fn primitive_us<R>(&self, work: impl FnMut() -> R) -> f64 {
        Effort::new(self.manner.quick).each_ns(work) / 1e3
    }

    fn pools(&self) -> Outcome<Vec<Workers>> {
        let pool = |threads: &NonZeroUsize| Ok(Workers::new(*threads)?);
        self.threads.iter().map(pool).collect()
    }
}

/// Makes `n` distinct random elements of 32 bytes.
pub(crate) fn elements(n: usize) -> Vec<Vec<u8>> {
    let elements = (0..n as u64).map(hashed_key);
    elements
        .map(|element| element.as_bytes().to_vec())
        .collect()
}

/// Signs an accumulator value as the snapshot of `version`. Also returns the keys under which
/// clients verify it.
fn signed<A: Accumulator>(
    key: &A::PublicKey,
    version: Version,
    value: A::Value,
) -> Outcome<(SignedSnapshot<A>, Authority<A>)> {
    let (author, key) = (author_key(), key.clone());
    let snapshot = Snapshot {
        key: key.clone(),
        version,
        value,
    };
    Ok((snapshot.sign(&signing_key())?, Authority { author, key }))
}
