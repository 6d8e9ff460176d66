//! Times of single appends under each schedule of a log: mean, median and longest.

use std::collections::BTreeSet;

use pad_log::{DictionaryScheme, Schedule};

use super::{
    AadBench, counts,
    grown::{self, GrowingLog},
    log, of_scheme,
    proofs::{self, name},
};
use crate::{line, prelude::*};

impl<S: DictionaryScheme> AadBench<'_, S> {
    /// Measures `n` versions of one entry each, with the eager and the deferred schedule. Also
    /// measures proofs of the deferred log, whose trees differ from those of an eager log.
    pub(super) fn worst_case(&self, n: u64, report: &mut Report) -> Outcome<()> {
        for schedule in [Schedule::Eager, Schedule::Deferred] {
            let log = log::<S>(self.parameters.clone(), schedule)?;
            report.announce(format!("{}: {n} appends, {}", S::NAME, name(schedule)));
            let entries = grown::entries(&BTreeSet::from([n]));
            let mut grown = GrowingLog::new(&log, entries, self.workers)?;
            grown.grow(n, 1)?;
            self.appends(&grown, report)?;
            if schedule == Schedule::Deferred {
                proofs::look_ups(&grown, (n, &[0, 1]), self.primitives, report)?;
                proofs::growth(&grown, self.primitives, report)?;
            }
        }
        Ok(())
    }

    fn appends(&self, grown: &GrowingLog<S>, report: &mut Report) -> Outcome<()> {
        let (n, shape) = (grown.size(), grown.author.log().shape());
        let sums = counts::append_us::<S>(shape, 1..=n, self.primitives);
        let mut times = grown.times.clone();
        times.sort_unstable_by(f64::total_cmp);
        let longest = times.last().copied().unwrap_or_default();
        let longest_at = grown.times.iter().position(|us| *us >= longest);
        report.measured(of_scheme::<S>(line! {
            experiment: "aad_worst_case", schedule: name(shape.schedule()), n, batch: 1,
            threads: self.workers.threads(), append_us: times.iter().sum::<f64>() / n as f64,
            append_limit_us: sums / n as f64 + self.primitives.sign_us,
            append_median_us: percentile(&times, 50), append_p99_us: percentile(&times, 99),
            append_longest_us: longest, longest_at: longest_at.map(|index| index + 1),
        }))
    }
}
