//! The experiments one after the other.

use super::{
    Reporter, Setting, TupleArguments, TupleLine,
    arguments::TupleExperiment,
    costs,
    growing::Growing,
    macrobenchmark::{self, Epochs, Macrobenchmark, PAPER_EPOCH, Trace},
    pair,
    record::{CostsRecord, MacrobenchmarkRecord},
    secret,
    steady::{Steady, exponent},
    threads::{self, Threads},
};
use crate::{Outcome, timing::rounded};

/// The designs whose growth with the number of keys is of interest.
const GROWTH: [&str; 3] = ["base-superseding", "spec-superseding", "spec-lightweight"];

/// The most keys of the steady experiment with accumulators.
const ACCUMULATED_KEYS: u64 = 1_000;

/// Measures what the arguments ask for.
///
/// # Errors
/// What an experiment fails with, or a line that could not be written.
pub fn run(arguments: &TupleArguments, reporter: &mut dyn Reporter) -> Outcome<()> {
    let setting = &arguments.setting();
    secret::reserve(arguments.keys);
    if arguments.wants(TupleExperiment::Growing) {
        growing(arguments, setting, reporter)?;
    }
    if arguments.wants(TupleExperiment::Steady) {
        steady(arguments, setting, reporter)?;
    }
    if arguments.wants(TupleExperiment::Threads) && arguments.wants_design(threads::DESIGN) {
        reporter.announce("threads");
        let job = Threads {
            keys: arguments.keys,
            threads: &arguments.threads,
            setting,
            reporter: &mut *reporter,
        };
        pair::run(threads::DESIGN, job).ok_or("unknown design")??;
    }
    if arguments.wants(TupleExperiment::Macrobenchmark) {
        for path in arguments.traces() {
            reporter.announce(&format!("reading {}", path.display()));
            let trace = Trace::read(&path, arguments.last)?;
            macrobenchmark(arguments, setting, &trace, reporter)?;
        }
    }
    Ok(())
}

fn growing(
    arguments: &TupleArguments,
    setting: &Setting,
    reporter: &mut dyn Reporter,
) -> Outcome<()> {
    let mut records = Vec::new();
    for design in arguments.designs() {
        reporter.announce(&format!("growing, {design}"));
        let job = Growing {
            design,
            keys: arguments.keys,
            setting,
        };
        let record = pair::run(design, job).ok_or("unknown design")??;
        reporter.line(TupleLine::Growing(Box::new(record.clone())))?;
        records.push(record);
    }
    report_costs(&costs::of_growing(&records, setting.prices), reporter)
}

fn steady(
    arguments: &TupleArguments,
    setting: &Setting,
    reporter: &mut dyn Reporter,
) -> Outcome<()> {
    let mut sizes = arguments.sizes.clone();
    sizes.push(arguments.keys);
    // Designs with accumulators have their own size: one snapshot of all keys is a matter of seconds.
    let accumulated = arguments.keys.min(ACCUMULATED_KEYS);
    if arguments.designs().into_iter().any(pair::accumulates) {
        sizes.push(accumulated);
    }
    sizes.sort_unstable();
    sizes.dedup();
    let mut records = Vec::new();
    for keys in sizes {
        let mut base_us = None;
        for design in arguments.designs() {
            let wanted = if pair::accumulates(design) {
                keys == accumulated
            } else {
                keys == arguments.keys || GROWTH.contains(&design)
            };
            if !wanted {
                continue;
            }
            reporter.announce(&format!("steady, {design}, {keys} keys"));
            let job = Steady {
                design,
                keys,
                setting,
            };
            let mut record = pair::run(design, job).ok_or("unknown design")??;
            if design == threads::DESIGN {
                base_us = Some(record.author_us);
            }
            record.times_base_superseding = base_us.map(|base| rounded(base / record.author_us));
            reporter.line(TupleLine::Steady(Box::new(record.clone())))?;
            records.push(record);
        }
    }
    for design in GROWTH {
        let of_design = records.iter().filter(|record| record.design == design);
        let (mut update, mut proof) = (Vec::new(), Vec::new());
        for record in of_design {
            update.push((record.keys, record.update_bytes));
            proof.push((record.keys, record.proof_bytes));
        }
        for (quantity, points) in [("update_bytes", update), ("proof_bytes", proof)] {
            if let Some(record) = exponent(design, quantity, &points) {
                reporter.line(TupleLine::Exponent(record))?;
            }
        }
    }
    let costs = costs::of_steady(&records, arguments.keys, setting.prices);
    report_costs(&costs, reporter)
}

fn macrobenchmark(
    arguments: &TupleArguments,
    setting: &Setting,
    trace: &Trace,
    reporter: &mut dyn Reporter,
) -> Outcome<()> {
    let mut records: Vec<MacrobenchmarkRecord> = Vec::new();
    for design in macrobenchmark::DESIGNS {
        if !arguments.wants_design(design) {
            continue;
        }
        let epochs: &[Epochs] = if design.starts_with("spec") {
            &[Epochs::Balanced, Epochs::Snapshots(PAPER_EPOCH)]
        } else {
            &[Epochs::Balanced]
        };
        for epochs in epochs {
            reporter.announce(&format!("{}, {design}", trace.name()));
            let job = Macrobenchmark {
                design,
                epochs: *epochs,
                trace,
                setting,
            };
            let mut record = pair::run(design, job).ok_or("unknown design")??;
            let base = design.replacen("spec", "base", 1);
            let base = records.iter().find(|record| record.design == base);
            if let Some(base) = base {
                record.compare_with(base);
            }
            reporter.line(TupleLine::Macrobenchmark(Box::new(record.clone())))?;
            records.push(record);
        }
    }
    report_costs(
        &costs::of_macrobenchmark(&records, setting.prices),
        reporter,
    )
}

/// The lines of a figure, and which of them is the lowest where.
fn report_costs(designs: &[CostsRecord], reporter: &mut dyn Reporter) -> Outcome<()> {
    for record in designs {
        reporter.line(TupleLine::Costs(record.clone()))?;
    }
    for record in costs::cheapest(designs) {
        reporter.line(TupleLine::Cheapest(record))?;
    }
    Ok(())
}
