//! Figure 5: block reads that path hints save in lookups. A hint comes from an earlier read or
//! write of the object, or from the prefill.

use super::{
    Bench, DirectoryArguments,
    reads::{self, Geometry},
    trace::TraceParameters,
};
use crate::{line, prelude::*};

/// Seed of all traces.
const SEED: u64 = 2010;

/// Counts the block reads of all traces, with the paper's and with our block size, with and without
/// hints.
pub(super) fn run(arguments: &DirectoryArguments, bench: &mut Bench) -> Outcome<()> {
    for &update_percent in &arguments.update_percent {
        for &prefill in &arguments.prefill {
            let what = format!("trace over {prefill}, {update_percent} % updates");
            bench.report.announce(what);
            let parameters = TraceParameters {
                seed: SEED,
                prefill,
                operations: arguments.operations,
                first_percent: 25,
                update_percent,
                spread_percent: 50,
            };
            // Lines about blocks of 68 slots name the strategy `flat`. The counts do not depend on
            // the strategy.
            for (strategy, geometry) in [("flat", Geometry::PAPER), ("merkle", Geometry::OURS)] {
                for with_hints in [false, true] {
                    let line = line(parameters, geometry, with_hints);
                    bench.measured(strategy, line)?;
                }
            }
        }
    }
    Ok(())
}

fn line(parameters: TraceParameters, geometry: Geometry, with_hints: bool) -> Line {
    let counted = reads::count(parameters, geometry, with_hints);
    let each = |count: u64| count as f64 / counted.lookups.max(1) as f64;
    let sent = (counted.sent_bytes > 0).then(|| each(counted.sent_bytes));
    let line = line! {
        experiment: "directory_hints", entries: parameters.prefill,
        block_bytes: geometry.block_bytes,
    };
    let read_bytes = each(counted.reads * geometry.block_bytes);
    line.and("proof_bytes", sent)
        .and("reads_per_lookup", each(counted.reads))
        .and("seed", parameters.seed)
        .and("operations", parameters.operations)
        .and("update_percent", parameters.update_percent)
        .and("capacity", geometry.capacity)
        .and("frames", geometry.frames)
        .and("hints", with_hints)
        .and("touched", counted.touched)
        .and("reads", counted.reads)
        .and("read_bytes_per_lookup", read_bytes)
        .and("hint_hit_rate", each(counted.hint_hits))
}
