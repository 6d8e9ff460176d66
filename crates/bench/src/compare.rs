//! `bench compare`: every scheme on the same workload, with the same measuring code.

use std::{path::PathBuf, time::Duration};

use clap::{Args, builder::PossibleValuesParser};
use comparison::{Place, Scheme, Work, Workload, schemes, workload::Replay};

use crate::{
    line,
    measure::{Record, measure},
    prelude::*,
    secret,
    tuple::macrobenchmark::Trace,
};

/// The command line of `bench compare`.
#[derive(Clone, Debug, Args)]
pub struct CompareArguments {
    #[command(flatten)]
    manner: Manner,
    /// Restricts the run to these schemes; by default all.
    #[arg(long, value_delimiter = ',',
        value_parser = PossibleValuesParser::new(schemes().iter().map(|scheme| scheme.name)))]
    schemes: Vec<String>,
    /// Numbers of keys in a dictionary; with --quick 300.
    #[arg(long, sizes("1000,10000", "300", within(1..)))]
    keys: Vec<u64>,
    /// Numbers of changed keys in each snapshot.
    #[arg(long, list("1,100", within(1..)))]
    changes: Vec<u64>,
    /// Traces to replay instead of the synthetic workload: CSV files, compressed or not.
    #[arg(long, value_delimiter = ',')]
    trace: Vec<PathBuf>,
    /// Maximum seconds for the snapshots of one scheme at one size; with --quick 0.3. A scheme is
    /// skipped if loading the keys would take ten times as long.
    #[arg(long, usually("3", "0.3"))]
    limit: f64,
}

impl CompareArguments {
    /// Measures the requested schemes on each workload, and prints the report.
    pub fn run(&self) -> Outcome<()> {
        let mut report = self.manner.report()?;
        let works = self.works()?;
        let most_keys = works.iter().map(|work| work.most_keys()).max();
        secret::reserve(most_keys.unwrap_or(0));
        for work in &works {
            for lines in self.rounds(work.as_ref(), &mut report)? {
                report.measured(Line::median(&lines, &TIMES))?;
            }
        }
        report.finish(tables)
    }

    /// Measures all requested schemes in turn, several times. So a disturbance of the machine does
    /// not meet only one scheme. Returns the lines of each scheme.
    fn rounds(&self, work: &dyn Work, report: &mut Report) -> Outcome<Vec<Vec<Line>>> {
        let shape = work.shape();
        let is_wanted = |scheme: &&Scheme| chosen(&self.schemes, scheme.name);
        let wanted: Vec<_> = schemes().iter().filter(is_wanted).collect();
        let mut lines: Vec<Vec<Line>> = vec![Vec::new(); wanted.len()];
        for round in 1..=ROUNDS {
            for (scheme, lines) in wanted.iter().zip(&mut lines) {
                let rounds = self.rounds_of(scheme, work);
                if round > rounds || lines.iter().any(|line| line.get("author_us").is_none()) {
                    continue;
                }
                report.announce(format!(
                    "{} on {}, {} keys, {} changes, {round}/{rounds}",
                    scheme.name, shape.workload, shape.keys, shape.changes
                ));
                let record = measure(scheme, work, &self.effort(rounds), self.limit())?;
                lines.push(line(scheme, &record));
            }
        }
        Ok(lines)
    }

    /// Returns how often a scheme is measured: once where most of the time is spent on loading or
    /// on the disk.
    fn rounds_of(&self, scheme: &Scheme, work: &dyn Work) -> u32 {
        let is_long = work.most_keys() > REPEATED_KEYS || scheme.place == Place::Store;
        if self.manner.quick || is_long {
            1
        } else {
            ROUNDS
        }
    }

    fn works(&self) -> Outcome<Vec<Box<dyn Work>>> {
        let mut works: Vec<Box<dyn Work>> = Vec::new();
        for path in &self.trace {
            let trace = Trace::read(path, None)?;
            works.push(Box::new(Replay::new(trace.name, trace.snapshots)));
        }
        if !works.is_empty() {
            return Ok(works);
        }
        for keys in &self.keys {
            for changes in &self.changes {
                let snapshots = if self.manner.quick { 10 } else { 100 };
                works.push(Box::new(Workload::updates(*keys, snapshots, *changes)));
            }
        }
        Ok(works)
    }

    /// Returns the effort of each of the `rounds`, with a budget of at most 150 ms for all. Half a
    /// second for each of four figures would be too long, because there are hundreds of runs.
    fn effort(&self, rounds: u32) -> Effort {
        if self.manner.quick {
            return Effort::QUICK;
        }
        Effort {
            budget: Duration::from_millis(150) / rounds,
            operations: 20_000,
            ..Effort::FULL
        }
    }

    fn limit(&self) -> Duration {
        Duration::from_secs_f64(self.limit.max(0.0))
    }
}

/// Number of rounds in which schemes take turns.
const ROUNDS: u32 = 3;
/// Maximum number of keys for more than one round.
const REPEATED_KEYS: u64 = 10_000;
/// Times whose spread over the rounds is reported.
const TIMES: [&str; 4] = ["author_us", "apply_us", "prove_us", "verify_us"];

/// Builds the result line of a measurement, with the properties of its scheme.
pub(crate) fn line(scheme: &Scheme, record: &Record) -> Line {
    let line = line! { experiment: EXPERIMENT, family: scheme.family, threads: 1 };
    line.merged(record).merged(&scheme.properties)
}

/// Value of `experiment` in the result lines of `bench compare`.
pub const EXPERIMENT: &str = "compare";

/// Makes the tables for the result lines of `bench compare`, one group for each workload.
pub fn tables(lines: &[Line]) -> Tables {
    let mut tables = Tables::default();
    let all: Vec<&Line> = lines.iter().collect();
    for group in groups(&all, &["workload", "keys", "changes", "seed"]) {
        show_of("compare", derived, &mut tables, &group);
    }
    tables.signed(lines)
}

/// Note above a table in which some rows measured only a part of a scheme's periodic cycle.
pub const PART: &str = "Rows marked part: the measured snapshots are not whole epochs or hash \
    chains, so the means lack the work at their ends.";

/// Derives the number of snapshots with a mark, the note about marked rows, and whether plots draw
/// the scheme.
pub(crate) fn derived(all: &[Line], line: &Line) -> Line {
    let is_part = |line: &Line| line.get("whole_cycles") == Some(&false.into());
    let mark = if is_part(line) { ", part" } else { "" };
    let part = if all.iter().any(is_part) { PART } else { "" };
    line! {
        of_snapshots: format!("{}{mark}", line.count("snapshots")), part,
        is_drawn: DRAWN.contains(&line.text("scheme")),
    }
}

/// Schemes that plots draw: one or two of each kind.
const DRAWN: [&str; 10] = [
    "red-black-path-copying",
    "treap-path-copying",
    "tuple-base-superseding",
    "tuple-base-lightweight",
    "tuple-spec-lightweight",
    "tuple-accumulators-rsa",
    "tuple-accumulators-bilinear",
    "aad-counted",
    "directory",
    "sign-each-entry",
];
