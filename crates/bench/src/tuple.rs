//! Benchmarks of tuple dictionaries, compared with a red-black tree: the paper's tables 7 to 11,
//! and figures 7 and 8.
//!
//! The times of author and client are also compared with the time of only their signatures.
//!
//! - [`list`] lists the compared designs, each a [`pair`]. [`instrument`] records their
//!   cryptography.
//! - [`growing`] (tables 7 to 9), [`steady`] and [`threads`] (many snapshots at one size),
//!   [`macrobenchmark`] (tables 10 and 11) and [`scaling`] (section 9) are experiments. They use a
//!   [`crate::dictionary::Run`].
//! - [`costs`] computes figures 7 and 8 from the measurements of these experiments, and
//!   [`conclusion`] names the cheapest designs.
//! - [`figure7`] computes the effect of other prices, and [`witness_policy`] of other divisions of
//!   the work for witnesses.
//!
//! Source: Crosby & Wallach 2010, sections 5.3, 7 and 8.

use std::{collections::BTreeSet, num::NonZeroUsize, path::PathBuf, time::Duration};

use clap::{Args, ValueEnum, builder::PossibleValuesParser};

pub mod conclusion;
pub mod costs;
pub mod figure7;
pub mod growing;
pub mod instrument;
pub mod list;
pub mod lookups;
pub mod macrobenchmark;
pub mod pair;
pub mod scaling;
pub mod steady;
pub mod table;
pub mod threads;
pub mod witness_policy;

use crate::{prelude::*, primitives::Primitives, secret};
use instrument::{PlainSuite, chain_step_ns};
use list::{Contender, contenders};
use macrobenchmark::{Epoch, PAPER_EPOCH, Trace, compared};
use steady::exponent;
use witness_policy::Policy;

/// Task of measuring one design in one experiment.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// Name of the design.
    pub design: &'a str,
    /// Number of keys in the dictionary.
    pub keys: u64,
    /// Maximum time for the design in the experiment.
    pub limit: Duration,
    /// Whether this is a quick run, with few repetitions.
    pub quick: bool,
    /// Time budget and number of repetitions for lookups and primitives.
    pub effort: Effort,
}

/// Times of the primitives that bound every design, measured in the same run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Times of signatures and hashes.
    pub primitives: Primitives,
    /// Time of one step of a hash chain, in nanoseconds.
    pub chain_step_ns: f64,
}

impl Limits {
    /// Measures all primitives.
    pub fn measure(effort: &Effort) -> Self {
        Self {
            primitives: Primitives::measure::<PlainSuite>(effort),
            chain_step_ns: chain_step_ns(effort),
        }
    }

    /// Averages two measurements. They are made before and after the work whose lower bound is
    /// computed from their mean.
    #[must_use]
    pub fn mean(self, other: Self) -> Self {
        Self {
            primitives: self.primitives.mean(other.primitives),
            chain_step_ns: self.chain_step_ns.midpoint(other.chain_step_ns),
        }
    }
}

/// The command line of `bench tuple`.
#[derive(Clone, Debug, Args)]
pub struct TupleArguments {
    #[command(flatten)]
    manner: Manner,
    /// Restricts the run to these experiments; by default all.
    #[arg(long, value_delimiter = ',')]
    pub experiment: Vec<TupleExperiment>,
    /// Number of keys in the experiments `growing` and `steady`; with --quick 200.
    #[arg(long, size("10000", "200", within(2..)))]
    pub keys: u64,
    /// Further numbers of keys in the experiment `steady`, for designs whose growth with the number
    /// of keys is computed; with --quick 1000.
    #[arg(long, value_delimiter = ',', usually("1000,100000", "1000"))]
    pub sizes: Vec<u64>,
    /// Restricts the run to these designs of dictionaries; by default all.
    #[arg(long, value_delimiter = ',',
        value_parser = PossibleValuesParser::new(contenders().iter().map(|design| design.name)))]
    pub designs: Vec<String>,
    /// Numbers of threads that sign in the experiment `threads`, or look up in `scaling`. Other
    /// experiments use one thread.
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    pub threads: Vec<NonZeroUsize>,
    /// Maximum seconds for one design in one experiment; with --quick 1.
    #[arg(long, usually("5", "1"))]
    pub limit: u64,
    /// Traces of the experiment `macrobenchmark`; by default the prices and exchange rates in
    /// `data`.
    #[arg(long, value_delimiter = ',')]
    pub trace: Vec<PathBuf>,
    /// Replays only this number of last snapshots of each trace; by default all, with --quick 20.
    /// The first of them also loads the contents before it.
    #[arg(long, default_value_if("quick", "true", "20"))]
    pub last: Option<usize>,
}

/// Experiment of `bench tuple`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum TupleExperiment {
    /// Dictionaries that grow from empty, with one new key in each snapshot.
    Growing,
    /// Dictionaries of constant size: many snapshots, each with one new value.
    Steady,
    /// Snapshots in which all tuples are signed, on several numbers of threads.
    Threads,
    /// Replay of recorded traces.
    Macrobenchmark,
    /// Several machines as mirrors: each with a part of the keys, or each with all keys.
    Scaling,
}

impl TupleArguments {
    /// Runs the experiments that the command line requests, and prints their report.
    pub fn run(&self) -> Outcome<()> {
        secret::reserve(self.keys);
        let mut report = self.manner.report()?;
        let mut contenders = contenders();
        contenders.retain(|contender| chosen(&self.designs, contender.name));
        // The design that the other ones are compared with comes first.
        contenders.sort_by_key(|contender| contender.name != threads::DESIGN);
        if self.wants(TupleExperiment::Growing) {
            self.growing(&contenders, &mut report)?;
        }
        if self.wants(TupleExperiment::Steady) {
            self.steady(&contenders, &mut report)?;
        }
        if self.wants(TupleExperiment::Threads) && chosen(&self.designs, threads::DESIGN) {
            report.announce("threads");
            let task = self.task(threads::DESIGN, self.keys);
            threads::run(&task, &self.threads, &mut report)?;
        }
        if self.wants(TupleExperiment::Scaling) {
            for (design, measure) in scaling::DESIGNS {
                if chosen(&self.designs, design) {
                    report.announce(format!("scaling, {design}"));
                    measure(&self.task(design, self.keys), &self.threads, &mut report)?;
                }
            }
        }
        if self.wants(TupleExperiment::Macrobenchmark) {
            for path in traces(&self.trace, &TRACES) {
                report.announce(format!("reading {}", path.display()));
                let trace = Trace::read(&path, self.last)?;
                self.macrobenchmark(&contenders, &trace, &mut report)?;
            }
        }
        report.finish(table::report)
    }

    fn task<'a>(&self, design: &'a str, keys: u64) -> Task<'a> {
        Task {
            design,
            keys,
            limit: Duration::from_secs(self.limit),
            quick: self.manner.quick,
            effort: Effort::new(self.manner.quick),
        }
    }

    fn wants(&self, experiment: TupleExperiment) -> bool {
        self.experiment.is_empty() || self.experiment.contains(&experiment)
    }

    fn growing(&self, contenders: &[Contender], report: &mut Report) -> Outcome<()> {
        for contender in contenders {
            report.announce(format!("growing, {}", contender.name));
            let line = (contender.growing)(&self.task(contender.name, self.keys))?;
            report.measured(line.clone())?;
            for policy in Policy::ALL {
                if let Some(line) = policy.measure(&line)? {
                    report.measured(line)?;
                }
            }
        }
        let mut follow = figure7::lines(report.lines()).into_iter();
        follow.try_for_each(|line| report.line(line))
    }

    fn steady(&self, contenders: &[Contender], report: &mut Report) -> Outcome<()> {
        let mut sizes: BTreeSet<u64> = self.sizes.iter().copied().collect();
        sizes.insert(self.keys);
        // Designs with accumulators have their own size: one snapshot of all keys takes seconds.
        let accumulated = self.keys.min(ACCUMULATED_KEYS);
        if contenders.iter().any(|contender| contender.accumulates) {
            sizes.insert(accumulated);
        }
        let mut lines: Vec<Line> = Vec::new();
        for keys in sizes {
            let mut base_us = None;
            let is_wanted = |it: &&Contender| {
                let is_size = keys == self.keys || GROWTH.contains(&it.name);
                (it.accumulates && keys == accumulated) || (!it.accumulates && is_size)
            };
            for Contender { name, steady, .. } in contenders.iter().filter(is_wanted) {
                report.announce(format!("steady, {name}, {keys} keys"));
                let line = steady(&self.task(name, keys))?;
                let author_us = line.figure("author_us");
                if *name == threads::DESIGN {
                    base_us = Some(author_us);
                }
                let times = base_us.map(|base_us| base_us / author_us);
                let line = line.with("times_base_superseding", times);
                report.measured(line.clone())?;
                lines.push(line);
            }
        }
        for design in GROWTH {
            for quantity in QUANTITIES {
                let of_design = lines.iter().filter(|line| line.text("design") == design);
                let points = of_design.map(|line| (line.count("keys"), line.figure(quantity)));
                if let Some(line) = exponent(design, quantity, &points.collect::<Vec<_>>()) {
                    report.line(line)?;
                }
            }
        }
        conclusion::report("tuple", &costs::of_steady(&lines, self.keys), report)
    }

    fn macrobenchmark(
        &self,
        contenders: &[Contender],
        trace: &Trace,
        report: &mut Report,
    ) -> Outcome<()> {
        let mut lines: Vec<Line> = Vec::new();
        for design in macrobenchmark::DESIGNS {
            let Some(contender) = contenders.iter().find(|contender| contender.name == design)
            else {
                continue;
            };
            let epochs: &[Epoch] = if contender.generations > 1 {
                &[None, Some(PAPER_EPOCH)]
            } else {
                &[None]
            };
            for &epoch in epochs {
                report.announce(format!("{}, {design}", trace.name));
                let line = (contender.macrobenchmark)(&self.task(design, 0), trace, epoch)?;
                let line = compared(line, &lines);
                report.measured(line.clone())?;
                lines.push(line);
            }
        }
        conclusion::report("tuple", &costs::of_macrobenchmark(&lines), report)
    }
}

/// Designs whose growth with the number of keys is computed in the experiment `steady`.
/// [`QUANTITIES`] are the figures whose growth is computed.
const GROWTH: [&str; 3] = ["base-superseding", "spec-superseding", "spec-lightweight"];
const QUANTITIES: [&str; 2] = ["update_bytes", "proof_bytes"];

/// Maximum number of keys in the experiment `steady` for designs with accumulators.
const ACCUMULATED_KEYS: u64 = 1_000;

/// Files of the bundled traces. The first has many keys in few snapshots, as in the paper. The
/// second has few keys, nearly all of which change in every snapshot.
const TRACES: [&str; 2] = ["prices.csv.zst", "exchange-rates.csv.zst"];
