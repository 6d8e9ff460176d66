//! Measures the author's time to append entries to an append-only log.

use std::{collections::BTreeSet, time::Duration};

use pad_log::DictionaryScheme;

use super::{
    AadBench, counts,
    grown::{self, GrowingLog},
    of_scheme,
};
use crate::{line, prelude::*};

impl<S: DictionaryScheme> AadBench<'_, S> {
    /// Measures the author's mean time per entry in a log of `n` entries, for each number of
    /// entries per version in `batches`. Skips numbers above `n`, and those for which the sums in
    /// G1 are expected to take more than `longest`.
    pub(super) fn append(
        &self,
        n: u64,
        (batches, longest): (&[u64], Duration),
        report: &mut Report,
    ) -> Outcome<()> {
        for &batch in batches.iter().filter(|batch| **batch <= n) {
            let versions = (1..n).filter(|size| size.is_multiple_of(batch)).chain([n]);
            let sums = counts::append_us::<S>(self.log.shape(), versions, self.primitives);
            if sums > microseconds(longest) {
                let what = format!("{}: append {n} in batches of {batch}", S::NAME);
                report.left_out(&what, sums / 1e6);
                continue;
            }
            report.announce(format!("{}: append {n} in batches of {batch}", S::NAME));
            let entries = grown::entries(&BTreeSet::from([n]));
            let mut grown = GrowingLog::new(&self.log, entries, self.workers)?;
            grown.grow(n, batch)?;
            let append_us = grown.times.iter().sum::<f64>() / n as f64;
            let signatures = self.primitives.sign_us * grown.times.len() as f64;
            let append_limit_us = (sums + signatures) / n as f64;
            let longest = grown.times.iter().copied().fold(0.0, f64::max);
            report.measured(of_scheme::<S>(line! {
                experiment: "aad_append", n, batch, threads: self.workers.threads(), append_us,
                append_limit_us, append_ratio: append_us / append_limit_us,
                longest_version_us: longest,
            }))?;
        }
        Ok(())
    }
}
