//! Every scheme on the same work, through the one measuring core: `bench compare`.

use std::{path::PathBuf, time::Duration};

use clap::{Args, builder::PossibleValuesParser};
use comparison::{Record, Scheme, Work, Workload, measure, schemes, workload::Replay};

use crate::{
    Outcome, line,
    line::{Line, groups},
    report::Report,
    secret,
    tables::{Column, Tables, number, text},
    timing::Effort,
    tuple::macrobenchmark::Trace,
};

/// The command line of `bench compare`.
#[derive(Clone, Debug, Args)]
pub struct CompareArguments {
    /// One JSON object per line instead of tables.
    #[arg(long)]
    json: bool,
    /// Only these schemes.
    #[arg(long, value_delimiter = ',', value_parser = names())]
    schemes: Vec<String>,
    /// The numbers of keys [default: 1000,10000,100000; with --quick 1000].
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..))]
    keys: Vec<u64>,
    /// The numbers of changes in a snapshot.
    #[arg(
        long,
        value_delimiter = ',',
        default_values_t = [1, 100],
        value_parser = clap::value_parser!(u64).range(1..),
    )]
    changes: Vec<u64>,
    /// Traces to replay instead: CSV, compressed or not.
    #[arg(long, value_delimiter = ',')]
    trace: Vec<PathBuf>,
    /// The longest time for the snapshots of one scheme in one size, in seconds [default: 3; with --quick 0.3]. What would take ten
    /// times as long to load is left out.
    #[arg(long)]
    limit: Option<f64>,
    /// Where keys, values and choices come from.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Measure little: to see that everything works.
    #[arg(long)]
    quick: bool,
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(schemes().iter().map(|scheme| scheme.name))
}

impl CompareArguments {
    /// Measures what is asked for.
    pub fn run(&self) -> Outcome<()> {
        let mut report = Report::new(self.json, self.quick)?;
        let works = self.works()?;
        let most_keys = works.iter().map(|work| work.most_keys()).max();
        secret::reserve(most_keys.unwrap_or(0));
        for work in &works {
            for scheme in schemes().iter().filter(|scheme| self.wants(scheme)) {
                let shape = work.shape();
                report.announce(format!(
                    "{} on {}, {} keys, {} changes",
                    scheme.name, shape.workload, shape.keys, shape.changes
                ));
                let record = measure(scheme, work.as_ref(), &self.effort(), self.limit())?;
                report.measured(line(scheme, &record))?;
            }
        }
        report.finish(tables)
    }

    fn wants(&self, scheme: &Scheme) -> bool {
        self.schemes.is_empty() || self.schemes.iter().any(|name| name == scheme.name)
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
        let keys: &[u64] = match self.keys.as_slice() {
            [] if self.quick => &[1_000],
            [] => &[1_000, 10_000, 100_000],
            keys => keys,
        };
        for keys in keys {
            for changes in &self.changes {
                let snapshots = if self.quick { 10 } else { 100 };
                works.push(Box::new(Workload {
                    seed: self.seed,
                    ..Workload::updates(*keys, snapshots, *changes)
                }));
            }
        }
        Ok(works)
    }

    /// Half a second for each of four figures would be too long: there are two hundred runs.
    fn effort(&self) -> Effort {
        let full = Effort {
            budget: Duration::from_millis(150),
            operations: 20_000,
            ..Effort::FULL
        };
        if self.quick { Effort::QUICK } else { full }
    }

    fn limit(&self) -> Duration {
        let usual = if self.quick { 0.3 } else { 3.0 };
        Duration::from_secs_f64(self.limit.unwrap_or(usual).max(0.0))
    }
}

/// A record as a line, with what its scheme can prove.
fn line(scheme: &Scheme, record: &Record) -> Line {
    let line = line! { experiment: EXPERIMENT, family: scheme.family, threads: 1 };
    line.merged(record).merged(&scheme.properties)
}

/// What the lines of `bench compare` are called.
pub const EXPERIMENT: &str = "compare";

/// The lines of `bench compare`, for people.
pub fn tables(lines: &[Line]) -> Tables {
    let mut tables = Tables::default();
    let lines: Vec<&Line> = lines.iter().collect();
    for group in groups(&lines, &["workload", "keys", "changes", "seed"]) {
        let first = group[0];
        let title = format!(
            "{}: {} keys of {} B, values of {} B, {} changes in each snapshot, seed {}",
            first.text("workload"),
            first.count("keys"),
            first.count("key_bytes"),
            first.count("value_bytes"),
            first.count("changes"),
            first.count("seed"),
        );
        let (measured, others): (Vec<&Line>, Vec<&Line>) = group
            .into_iter()
            .partition(|line| line.get("author_us").is_some());
        let columns = [
            text("scheme", "scheme"),
            number("load us/key", "load_us_per_key"),
            Column::new("snapshots", snapshots),
            text("stopped", "stopped"),
            number("author us", "author_us"),
            number("update B", "update_bytes"),
            number("apply us", "apply_us"),
            number("prove us", "prove_us"),
            number("prove old us", "prove_old_us"),
            number("verify us", "verify_us"),
            number("proof B", "proof_bytes"),
            number("absent B", "absent_proof_bytes"),
            number("memory B/key", "memory_bytes_per_key"),
            number("B/snapshot", "memory_bytes_per_snapshot"),
        ];
        let note = if measured.iter().any(|line| is_part(line)) {
            PART
        } else {
            ""
        };
        tables.section(&title, note, &measured, &columns);
        let columns = [text("not measured", "scheme"), text("why", "reason").left()];
        if !others.is_empty() {
            tables.table(others.iter().copied(), &columns);
        }
    }
    let lines: Vec<Line> = lines.into_iter().cloned().collect();
    tables.signed(&lines)
}

/// What stands above a table with parts of cycles.
const PART: &str = "Part: these snapshots are not whole epochs or hash chains, so that what comes at their ends is not in the means.";

/// Whether its snapshots are not whole cycles of what they repeat.
fn is_part(line: &Line) -> bool {
    line.get("whole_cycles") == Some(&false.into())
}

fn snapshots(line: &Line) -> String {
    let part = if is_part(line) { ", part" } else { "" };
    format!("{}{part}", line.count("snapshots"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line;

    #[test]
    fn parts_of_cycles_are_marked() {
        let line = |whole: bool| {
            line! { workload: "updates", scheme: "tuple-base-lightweight", snapshots: 126, whole_cycles: whole, author_us: 1.0 }
        };
        let marked = tables(&[line(false)]).to_string();
        assert!(
            marked.contains("| 126, part |") && marked.contains(PART),
            "{marked}"
        );
        let whole = tables(&[line(true)]).to_string();
        assert!(
            whole.contains(" 126 |") && !whole.contains("part"),
            "{whole}"
        );
    }
}
