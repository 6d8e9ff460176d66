//! Block directories: the paper's experiments on `FastAD`, repeated with sound proofs.
//!
//! Source: Stanton, `McKeown`, Burns & Ateniese 2010, section 4.

use crate::prelude::*;

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
use inserts::Inserts;
use primitives::Primitives;

impl DirectoryArguments {
    /// Runs the experiments that the command line requests, and prints their report.
    pub fn run(&self) -> Outcome<()> {
        let mut report = self.manner.report()?;
        report.announce("primitives");
        let primitives = Primitives::measure(&report.effort());
        for experiment in &self.experiments {
            match experiment {
                Experiment::Inserts => self.inserts(&primitives, &mut report)?,
                Experiment::Hints => hints::run(self, &primitives, &mut report)?,
                Experiment::Strategies => strategies::run(&primitives, &mut report)?,
                Experiment::Operations => {
                    sizes::run(&primitives, &mut report)?;
                    for entries in &self.entries {
                        operations::run(*entries, &primitives, &mut report)?;
                    }
                }
                Experiment::Stored => {
                    for entries in &self.entries {
                        stored::run(*entries, &primitives, &mut report)?;
                        durable::run(*entries, &primitives, &mut report)?;
                    }
                }
                Experiment::Beside => {
                    for entries in &self.entries {
                        alternatives::run(*entries, &primitives, &mut report)?;
                    }
                }
            }
        }
        report.finish(table::report)
    }

    fn inserts(&self, primitives: &Primitives, report: &mut Report) -> Outcome<()> {
        for block_bytes in &self.block_bytes {
            let inserts = Inserts {
                entries: self.inserts,
                block_bytes: *block_bytes,
                longest: self.longest(),
                primitives,
            };
            inserts.run(report)?;
        }
        Ok(())
    }
}

/// Reports a result line of `strategy`, with the run's primitives. Adds null for each of [`KEYS`]
/// that the line lacks.
fn measured(
    report: &mut Report,
    (strategy, primitives): (&str, &Primitives),
    line: Line,
) -> Outcome<()> {
    let line = line.with_all(KEYS).and("strategy", strategy);
    report.measured(line.with("primitives", primitives))
}

/// Keys that every result line has, in addition to `experiment` and `strategy`.
const KEYS: &str = "entries block_bytes update_us update_limit_us prove_us verify_us proof_bytes \
    reads_per_lookup written_bytes_per_update memory_bytes";
