//! Block directories: the paper's experiments on `FastAD`, repeated with sound proofs.
//!
//! Source: Stanton, `McKeown`, Burns & Ateniese 2010, section 4.

use clap::{Args, ValueEnum};

use crate::{line, prelude::*};

mod alternatives;
pub mod contender;
mod digests;
mod durable;
mod images;
mod inserts;
pub mod lru;
mod operations;
mod pairwise;
mod postponed;
mod primitives;
pub mod reads;
mod right_edge;
mod sizes;
mod stored;
mod strategies;
pub mod table;
pub mod trace;

use primitives::Primitives;

/// The command line of `bench directory`.
#[derive(Clone, Debug, Args)]
pub struct DirectoryArguments {
    #[command(flatten)]
    manner: Manner,
    /// Experiments to run; the primitives are always measured, too.
    #[arg(long = "experiment", value_delimiter = ',', default_value = ALL)]
    experiments: Vec<Experiment>,
    /// Numbers of entries of the directories whose operations are measured.
    #[arg(long, list("1000000,10000000", within(1_000..=1 << 30)))]
    entries: Vec<u64>,
    /// Number of insertions in figures 3 and 4.
    #[arg(long, default_value = "100000", value_parser = within(1..=1 << 30))]
    inserts: u64,
    /// Block sizes in figures 3 and 4, in bytes. Each slot of a block takes 240 bytes.
    #[arg(long, list("512,1024,2048,4096,8192,16384,32768,65536", within(512..=240_000)))]
    block_bytes: Vec<u64>,
    /// Numbers of entries that a directory already has when a trace of figure 5 starts.
    #[arg(long, list(
        "100000,200000,500000,1000000,2000000,5000000,10000000,100000000",
        within(1..=1 << 40)
    ))]
    prefill: Vec<u64>,
    /// Number of operations in each trace of figure 5.
    #[arg(long, default_value = "400000", value_parser = within(1..=1 << 32))]
    operations: u64,
    /// Percentages of updates in the traces: writes to known objects that overwrite the object
    /// instead of inserting another one.
    #[arg(long, list("0,25,50,100", within(0..=100)))]
    update_percent: Vec<u64>,
    /// Skips a contender of figures 3 and 4 if its primitives alone would take more seconds than
    /// this; with --quick 1.
    #[arg(long, usually("60", "1"))]
    longest: u64,
}

/// Names of all experiments.
const ALL: &str = "inserts,hints,operations,stored,strategies,beside";

/// Experiment of `bench directory`. Figures are those of Stanton et al. 2010.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Experiment {
    /// Figures 3 and 4: time of single insertions, by block size.
    Inserts,
    /// Figure 5: block reads of lookups in a trace, with and without path hints from clients.
    Hints,
    /// Updates, appends, proofs and verification of a directory in memory.
    Operations,
    /// A directory on disk: loading, durable updates, reading blocks, reopening.
    Stored,
    /// Changes of one block under each digest strategy, next to the primitives; and proofs.
    Strategies,
    /// Alternatives over the same ids: a plain map on disk and an authenticated tree.
    Beside,
}

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
                Experiment::Hints => reads::run(self, &mut bench)?,
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
