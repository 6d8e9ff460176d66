//! Block directories: the paper's experiments on `FastAD`, repeated with sound proofs.
//!
//! Source: Stanton, `McKeown`, Burns & Ateniese 2010, section 4.

use crate::{line, prelude::*};

mod alternatives;
mod arguments;
pub mod contender;
mod digests;
mod durable;
mod hints;
mod images;
mod inserts;
pub mod lru;
mod operations;
mod pairwise;
mod postponed;
mod primitives;
pub mod reads;
mod right_edge;
pub mod shape;
mod signing_time;
mod sizes;
mod stored;
mod strategies;
pub mod table;
pub mod trace;

pub use arguments::DirectoryArguments;
use arguments::Experiment;
use primitives::Primitives;

impl DirectoryArguments {
    /// Runs the experiments that the command line requests, and prints their report.
    pub fn run(&self) -> Outcome<()> {
        let report = self.manner.report()?;
        report.announce("primitives");
        let primitives = Primitives::measure(&report.effort());
        let mut bench = Bench { report, primitives };
        for experiment in &self.experiments {
            match experiment {
                Experiment::Inserts => inserts::run(self, &mut bench)?,
                Experiment::Hints => hints::run(self, &mut bench)?,
                Experiment::Strategies => strategies::run(&mut bench)?,
                Experiment::Operations => {
                    sizes::run(&mut bench)?;
                    for entries in &self.entries {
                        operations::run(*entries, &mut bench)?;
                    }
                }
                Experiment::Stored => {
                    for entries in &self.entries {
                        stored::run(*entries, &mut bench)?;
                        durable::run(*entries, &mut bench)?;
                    }
                }
                Experiment::Beside => {
                    for entries in &self.entries {
                        alternatives::run(*entries, &mut bench)?;
                    }
                }
            }
        }
        bench.report.finish(table::report)
    }
}

/// Report of a run, and the primitives that were measured in it.
struct Bench {
    report: Report,
    primitives: Primitives,
}

impl Bench {
    /// Reports the result line of an update of strategy `merkle`: its microseconds, the lower
    /// bound, the ratio of both, and `others`.
    fn updated(
        &mut self,
        experiment: &str,
        entries: u64,
        (update_us, limit_us): (f64, f64),
        others: &Line,
    ) -> Outcome<()> {
        let line = line! {
            experiment, entries, update_us, update_limit_us: limit_us,
            update_ratio: update_us / limit_us,
        };
        self.measured("merkle", line.merged(others))
    }

    /// Reports a result line of `strategy`, with the run's primitives. Adds null for each of
    /// [`KEYS`] that the line lacks.
    fn measured(&mut self, strategy: &str, line: Line) -> Outcome<()> {
        let line = line.with_all(KEYS).and("strategy", strategy);
        let line = line.with("primitives", self.primitives);
        self.report.measured(line)
    }
}

/// Keys that every result line has, in addition to `experiment` and `strategy`.
const KEYS: &str = "entries block_bytes update_us update_limit_us prove_us verify_us proof_bytes \
    reads_per_lookup written_bytes_per_update memory_bytes";
