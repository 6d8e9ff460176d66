//! Measures the author's time to append entries to an append-only log: in versions of many entries,
//! and one by one under each schedule.

use std::{collections::BTreeSet, time::Duration};

use pad_log::{DictionaryScheme, Log, Schedule};

use super::{
    AadBench, counts,
    grown::{self, GrowingLog},
    log,
    proofs::name,
};
use crate::{line, prelude::*};

impl<S: DictionaryScheme> AadBench<'_, S> {
    /// Measures the author's mean time per entry in a log of `n` entries, for each number of
    /// entries per version in `batches`. Skips numbers above `n`, and those for which the sums in
    /// G1 are expected to take more than `longest`.
    pub(super) fn append(&mut self, n: u64, batches: &[u64], longest: Duration) -> Outcome<()> {
        for &batch in batches.iter().filter(|batch| **batch <= n) {
            let versions = (1..n).filter(|size| size.is_multiple_of(batch)).chain([n]);
            let sums = counts::append_us::<S>(self.log.shape(), versions, &self.primitives);
            let what = format!("{}: append {n} in batches of {batch}", S::NAME);
            if sums > microseconds(longest) {
                self.report.left_out(&what, sums / 1e6);
                continue;
            }
            self.report.announce(what);
            let grown = self.grown(&self.log, n, batch)?;
            let append_us = grown.times.iter().sum::<f64>() / n as f64;
            let signatures = self.primitives.sign_us * grown.times.len() as f64;
            let append_limit_us = (sums + signatures) / n as f64;
            let longest = grown.times.iter().copied().fold(0.0, f64::max);
            self.measured(line! {
                experiment: "aad_append", n, batch, threads: self.workers.threads(), append_us,
                append_limit_us, append_ratio: append_us / append_limit_us,
                longest_version_us: longest,
            })?;
        }
        Ok(())
    }

    /// Measures `n` versions of one entry each, with the eager and the deferred schedule. Also
    /// measures proofs of the deferred log, whose trees differ from those of an eager log.
    pub(super) fn worst_case(&mut self, n: u64) -> Outcome<()> {
        for schedule in [Schedule::Eager, Schedule::Deferred] {
            let log = log::<S>(self.parameters.clone(), schedule)?;
            self.report
                .announce(format!("{}: {n} appends, {}", S::NAME, name(schedule)));
            let grown = self.grown(&log, n, 1)?;
            self.appends(&grown)?;
            if schedule == Schedule::Deferred {
                self.look_ups(&grown, n, &[0, 1])?;
                self.growth(&grown)?;
            }
        }
        Ok(())
    }

    /// Appends `n` entries to an empty log, in versions of `batch` entries.
    fn grown(&self, log: &Log<S>, n: u64, batch: u64) -> Outcome<GrowingLog<S>> {
        let entries = grown::entries(&BTreeSet::from([n]));
        let mut grown = GrowingLog::new(log, entries, self.workers)?;
        grown.grow(n, batch)?;
        Ok(grown)
    }

    fn appends(&mut self, grown: &GrowingLog<S>) -> Outcome<()> {
        let (n, shape) = (grown.size(), grown.author.log().shape());
        let sums = counts::append_us::<S>(shape, 1..=n, &self.primitives);
        let mut times = grown.times.clone();
        times.sort_unstable_by(f64::total_cmp);
        let longest = times.last().copied().unwrap_or_default();
        let longest_at = grown.times.iter().position(|us| *us >= longest);
        self.measured(line! {
            experiment: "aad_worst_case", schedule: name(shape.schedule()), n, batch: 1,
            threads: self.workers.threads(), append_us: times.iter().sum::<f64>() / n as f64,
            append_limit_us: sums / n as f64 + self.primitives.sign_us,
            append_median_us: percentile(&times, 50), append_p99_us: percentile(&times, 99),
            append_longest_us: longest, longest_at: longest_at.map(|index| index + 1),
        })
    }
}
