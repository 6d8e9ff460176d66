//! Experiment `macrobenchmark`: replay of a recorded trace from its first snapshot to its last, for
//! tables 10 and 11.

use std::{collections::BTreeMap, num::NonZeroUsize, path::Path};

use authdict::trace::TraceReader;
use pad_core::{Key, Operation};
use pad_tuple::Speculation;

use super::{Limits, Task, lookups, pair::Pair};
use crate::{
    costs,
    cryptography::TimedSigner,
    dictionary::{MeasuredRepository, Run},
    line,
    measure::run::Sample,
    prelude::*,
    workload::Contents,
};

/// Names of the designs in tables 10 and 11.
pub const DESIGNS: [&str; 5] = [
    "base-superseding",
    "base-lightweight",
    "spec-superseding",
    "spec-lightweight",
    TREE,
];

/// Name of the tree that tuple designs are compared with.
pub const TREE: &str = "red-black";

/// A recorded trace of a dictionary's changes.
pub struct Trace {
    /// Name of the trace's file, without extensions.
    pub name: String,
    /// Changes of each snapshot.
    pub snapshots: Vec<Vec<Operation>>,
}

impl Trace {
    /// Reads a trace, or only its last `last` snapshots. The first of these then also loads the
    /// contents before it.
    pub fn read(path: &Path, last: Option<usize>) -> Outcome<Self> {
        let explain = |error| format!("{}: {error}", path.display());
        let mut snapshots = Vec::new();
        for snapshot in TraceReader::open(path).map_err(explain)? {
            snapshots.push(snapshot.map_err(explain)?.operations);
        }
        if let Some(last) = last.filter(|last| (1..snapshots.len()).contains(last)) {
            let rest = snapshots.split_off(snapshots.len() - last);
            let earlier = std::mem::replace(&mut snapshots, rest);
            // The last operation of each key determines the contents.
            let operations = earlier.iter().flatten().map(|it| (it.key(), it));
            let operations: BTreeMap<&Key, &Operation> = operations.collect();
            let is_put = |operation: &&Operation| matches!(operation, Operation::Put(..));
            let loads = operations.into_values().filter(is_put).cloned();
            snapshots[0].splice(0..0, loads);
        }
        let name = trace_name(path);
        Ok(Self { name, snapshots })
    }
}

/// Number of snapshots in an epoch, as in the paper. `None` if an author merges generations at
/// snapshots that depend on the number of tuples: [`Speculation::Balanced`].
pub type Epoch = Option<usize>;

/// Returns the author's rule for merging generations in one snapshot; the first is number 0.
pub fn speculation(epoch: Epoch, snapshot: usize) -> Speculation {
    match epoch {
        None => Speculation::Balanced,
        Some(number) if snapshot.is_multiple_of(number) => Speculation::Size(NonZeroUsize::MIN),
        Some(_) => Speculation::Size(NonZeroUsize::MAX),
    }
}

/// Number of snapshots in the paper's epochs, after which generations are merged.
pub const PAPER_EPOCH: usize = 6;

/// Replays `trace` with the design `P`, and returns the result line.
pub fn measure<P: Pair>(task: &Task<'_>, trace: &Trace, epoch: Epoch) -> Outcome<Line> {
    let before = Limits::measure(&task.effort);
    let mut run = Run::<P::Timed>::new(TimedSigner::default(), task.limit);
    for (number, operations) in trace.snapshots.iter().enumerate() {
        if number > 0 && run.is_over() {
            break;
        }
        run.roles.author = P::Timed::with_speculation(run.roles.author, speculation(epoch, number));
        run.publish(operations.clone())?;
    }
    let limits = before.mean(Limits::measure(&task.effort));
    let of_tuple = P::signature_us(&task.effort);
    let verify_us = of_tuple.map_or(limits.primitives.verify_signature_us, |(_, us)| us);
    let processed = run.samples.len();
    let mut contents = Contents::default();
    for operations in &trace.snapshots[..processed] {
        contents.apply(operations);
    }
    let primitives = ((!P::ACCUMULATES).then_some(verify_us), limits.chain_step_ns);
    let lookups = lookups::measure(&run.roles, &contents, &task.effort, primitives)?;
    let sum = Sample::sum(&run.samples);
    let epochs = match epoch {
        _ if P::Plain::GENERATIONS == 1 => "none".to_owned(),
        Some(snapshots) => format!("{snapshots} snapshots"),
        None => "balanced".to_owned(),
    };
    let line = line! {
        experiment: "tuple_macrobenchmark", trace: &trace.name, design: task.design, epochs,
        snapshots: trace.snapshots.len(), processed, stopped: run.stopped,
        keys: contents.len(), author_seconds: sum.author_us / 1e6,
        server_seconds: sum.apply_us / 1e6, update_bytes: sum.update_bytes / processed as f64,
        signatures: run.cryptography.signatures as u64,
        update_kilobytes_per_second: sum.update_bytes * 1e3 / (sum.author_us + sum.apply_us),
    };
    let prices = costs::line_of(&costs::of_2010());
    Ok(line.merged(&lookups).merged(&prices))
}

/// Adds to the line of a design with speculation its savings over the same design without it. The
/// savings are null unless `others` contain a line of the latter, with equally many snapshots.
pub fn compared(line: Line, others: &[Line]) -> Line {
    let base = line.text("design").replacen("spec", "base", 1);
    let mut others = others
        .iter()
        .filter(|other| other.agrees(&line, &["processed"]));
    let base = others.find(|other| other.text("design") == base);
    let saved = base.map(|base| 1.0 - line.figure("signatures") / base.figure("signatures"));
    let times = base.map(|base| base.figure("author_seconds") / line.figure("author_seconds"));
    line.with("signatures_saved_by_speculation", saved)
        .with("times_without_speculation", times)
}
