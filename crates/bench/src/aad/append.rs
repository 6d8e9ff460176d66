//! What an author needs for each entry.

use pad_core::Workers;

use super::{
    AadBench,
    grown::{BATCH, Cuts, Grown},
    limits::{Primitives, levels},
    measured,
};
use crate::{Outcome, line, report::Report};

impl AadBench<'_> {
    /// The author's time for each of `n` entries, by the size of the versions. What would take too long is left out, except for
    /// the log that is there already.
    pub(super) fn append(
        &self,
        marked: &Grown,
        primitives: &Primitives,
        workers: &Workers,
        report: &mut Report,
    ) -> Outcome<()> {
        let n = marked.size;
        let us_each = marked.us / n as f64;
        let mut is_done = false;
        for &batch in self.batches.iter().filter(|batch| **batch <= n) {
            report.announce(format!("append {n} in batches of {batch}"));
            // Of the marked log four versions at most are shorter: no difference for long logs.
            if batch == BATCH && n >= 64 * BATCH {
                line(marked, batch, primitives, workers, report)?;
                is_done = true;
            } else if us_each * n as f64 <= self.longest.as_secs_f64() * 1e6 {
                let mut grown = Grown::new(&self.log, n, Cuts::Every(batch), workers)?;
                grown.finish()?;
                line(&grown, batch, primitives, workers, report)?;
                is_done = true;
            }
        }
        if !is_done {
            line(marked, BATCH.min(n), primitives, workers, report)?;
        }
        Ok(())
    }
}

fn line(
    grown: &Grown,
    batch: u64,
    primitives: &Primitives,
    workers: &Workers,
    report: &mut Report,
) -> Outcome<()> {
    let n = grown.size as f64;
    let append_us = grown.us / n;
    // Each node at each level: its accumulator and its certificate's quotient.
    let sums: f64 = levels(grown.size)
        .map(|level| 2.0 * primitives.sum_us(level))
        .sum();
    let signatures = primitives.sign_us * grown.versions() as f64 / n;
    let append_limit_us = sums + signatures;
    measured(
        report,
        line! {
            experiment: "aad_append",
            n: grown.size,
            batch: batch,
            threads: workers.threads(),
            append_us: append_us,
            append_limit_us: append_limit_us,
            append_ratio: append_us / append_limit_us,
        },
    )
}
