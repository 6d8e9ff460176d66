//! Memory of an author's process per entry of its log.

use std::collections::BTreeSet;

use pad_core::Workers;
use pad_log::{AadCounted, AadFrontier, DictionaryScheme, Schedule, Scheme as _};

use super::{
    LogKind,
    grown::{self, BATCH, ENTRY_BYTES, GrowingLog},
    log, of_scheme, parameters,
};
use crate::{line, memory, prelude::*};

/// Measures the memory of `scheme` in a new process, which has no freed memory to reuse. Runs this
/// program again, and copies its result lines into `report`.
pub(super) fn of_another_process(
    scheme: LogKind,
    largest: u64,
    report: &mut Report,
) -> Outcome<()> {
    let (name, elements) = match scheme {
        LogKind::Counted => (AadCounted::NAME, "--elements"),
        LogKind::Frontier => (AadFrontier::NAME, "--frontier-elements"),
    };
    report.announce(format!("{name}: memory of {largest}"));
    let largest = largest.to_string();
    let rest = ["--scheme", name, elements, &largest];
    let output = run_alone("aad --json --experiment memory".split(' ').chain(rest))?;
    for line in String::from_utf8(output)?.lines() {
        report.line(serde_json::from_str::<Line>(line)?)?;
    }
    Ok(())
}

/// Measures how much the memory of this process grows while an author appends `largest` entries.
pub(super) fn of_this_process<S: DictionaryScheme>(
    largest: u64,
    report: &mut Report,
) -> Outcome<()> {
    let log = log::<S>(parameters::<S>(largest)?, Schedule::Eager)?;
    let before = memory::resident_bytes();
    memory::reset_peak();
    let entries = grown::entries(&BTreeSet::from([largest]));
    let mut grown = GrowingLog::new(&log, entries, &Workers::sequential())?;
    grown.grow(largest, BATCH)?;
    grown.forget_entries();
    let each = |bytes: u64| (bytes.saturating_sub(before) as f64) / largest as f64;
    let (rest, peak) = (memory::resident_bytes(), memory::peak_resident_bytes());
    report.measured(of_scheme::<S>(line! {
        experiment: "aad_memory", n: largest, batch: BATCH, threads: 1,
        memory_bytes_per_element: each(rest), peak_bytes_per_element: each(peak),
        entry_bytes: ENTRY_BYTES,
    }))
}
