//! Lookup, inclusion and append-only proofs: bytes, and the times of server and client.

use std::time::Duration;

use pad_accumulators::wire;
use pad_core::Key;
use pad_log::{
    AppendOnlyProof, DictionaryScheme, Growth, InclusionProof, LONGEST_GROWTH, LONGEST_LOOKUP,
    LONGEST_PROOF, LookupProof, Schedule, Shape,
};

use super::{
    AadBench,
    counts::{self, Points},
    grown::GrowingLog,
};
use crate::{line, prelude::*};

/// Numbers of values of the keys that are looked up.
pub(super) const VALUES: [u64; 8] = [0, 1, 2, 4, 8, 16, 32, 100];

/// Number of random pairs of log sizes whose append-only proofs are averaged.
const PAIRS: usize = 32;

/// Base-2 logarithm of the size of the largest log for which the bytes of lookups are computed
/// instead of measured.
const COMPUTED: u8 = 20;

impl<S: DictionaryScheme> AadBench<'_, S> {
    /// Measures lookups in the current log, of one key for each number of values in `values`.
    /// `size` is the size for which `grown::entries` placed these keys. Skips numbers without a
    /// key.
    pub(super) fn look_ups(
        &mut self,
        grown: &GrowingLog<S>,
        size: u64,
        values: &[u64],
    ) -> Outcome<()> {
        let with_key = |values: &u64| Some((*values, grown.key_with(*values, size)?));
        for (values, key) in values.iter().filter_map(with_key) {
            self.report
                .announce(format!("{}: {values} values in {}", S::NAME, grown.size()));
            let line = self.look_up(grown, values, &key)?;
            self.measured(line)?;
        }
        Ok(())
    }

    fn look_up(&self, grown: &GrowingLog<S>, values: u64, key: &Key) -> Outcome<Line> {
        let (entries, n) = (grown.author.entries(), grown.size());
        let at = grown.at(n)?;
        let proof = wire::encode(&entries.prove_values(n, key.as_bytes())?);
        let check = || -> Outcome<usize> {
            let proof = wire::decode::<LookupProof<S>>(&(), &proof, LONGEST_LOOKUP)?;
            Ok(proof.verify(&at, key)?.get().values.len())
        };
        let found = check()?;
        let is_all = found as u64 == values;
        ensure(is_all, &format!("{found} values of a key with {values}"))?;
        let shape = grown.author.log().shape();
        let positions = entries.positions(key.as_bytes(), n);
        let points = Points::of_look_up::<S>(shape, n, positions);
        let prove = || entries.prove_values(n, key.as_bytes());
        let times = self.times(&self.short(), prove, check, points);
        let prove_limit_us = counts::prove_us::<S>((shape, n), positions, &self.primitives);
        let line = line! {
            experiment: "aad_lookup", schedule: name(shape.schedule()), n, values,
            trees: shape.forest(n).count(), threads: self.workers.threads(), prove_limit_us,
            prove_ratio: times[0] / prove_limit_us, proof_bytes: proof.len(), is_computed: false,
        };
        Ok(line.merged(&line_of(times)))
    }

    /// Measures the inclusion proof of the entry in the middle of the log.
    pub(super) fn inclusion(&mut self, grown: &GrowingLog<S>) -> Outcome<()> {
        let (entries, n) = (grown.author.entries(), grown.size());
        let (position, at) = (n / 2, grown.at(n)?);
        let entry = entries.entry(position).ok_or("no such entry")?;
        let proof = wire::encode(&entries.prove_inclusion(n, position));
        let check = || -> Outcome<u64> {
            let proof = wire::decode::<InclusionProof<S>>(&(), &proof, LONGEST_PROOF)?;
            Ok(proof.verify(&at, entry)?.get().position)
        };
        ensure(check()? == position, "another position")?;
        let points = Points::of_inclusion(grown.author.log().shape(), n, position);
        let prove = || entries.prove_inclusion(n, position);
        let times = self.times(&self.short(), prove, check, points);
        let line = line! {
            experiment: "aad_inclusion", n, threads: 1, proof_bytes: proof.len(),
        };
        self.measured(line.merged(&line_of(times)))
    }

    /// Returns the median microseconds of `prove` and of `check`, and the lower bound of the
    /// latter, which verifies a proof of these `points`.
    fn times<P, R>(
        &self,
        effort: &Effort,
        prove: impl Fn() -> P,
        check: impl Fn() -> R,
        points: Points,
    ) -> [f64; 3] {
        let prove_us = effort.repeat_each(64, || (), |()| prove()).median_us();
        let verify_us = effort.repeat_each(64, || (), |()| check()).median_us();
        [prove_us, verify_us, points.verify_us(&self.primitives)]
    }

    /// Measures append-only proofs over the last entry, over a doubling of the log, and between
    /// random sizes. The log's size must be a power of two.
    pub(super) fn growth(&mut self, grown: &GrowingLog<S>) -> Outcome<()> {
        let (n, effort) = (grown.size(), self.short());
        let schedule = name(grown.author.log().shape().schedule());
        let names = |pair: &str, from: Option<u64>, to: u64| {
            line! { experiment: "aad_append_only", schedule, pair, from, n: to, threads: 1 }
        };
        for (pair, from, to) in [
            ("one entry, to one tree", n - 1, n),
            ("doubled, to one tree", n / 2, n),
            ("doubled, most trees", n / 2 - 1, n - 1),
        ] {
            self.report
                .announce(format!("{}: append-only from {from} to {to}", S::NAME));
            let means = self.means(grown, &[(from, to)], &effort)?;
            self.measured(names(pair, Some(from), to).merged(&means))?;
        }
        let mut random = Random::new(n);
        let mut any = || 1 + random.below(n);
        let pairs = core::iter::repeat_with(|| (any(), any())).filter(|(from, to)| from < to);
        let pairs: Vec<_> = pairs.take(self.report.rounds(PAIRS, 2)).collect();
        self.report
            .announce(format!("{}: append-only up to {n}", S::NAME));
        let mut effort = self.report.effort();
        effort.budget = effort.budget.min(Duration::from_millis(100));
        let means = self.means(grown, &pairs, &effort)?;
        self.measured(names("random versions", None, n).merged(&means))
    }

    /// Reports the bytes of lookups in logs larger than `largest` entries, computed from the
    /// message layout.
    pub(super) fn computed(&mut self, largest: u64) -> Outcome<()> {
        let shape = Shape::new(COMPUTED, Schedule::Eager).ok_or("no such shape")?;
        for level in largest.ilog2() + 1..=u32::from(COMPUTED) {
            for n in [(1 << level) - 1, 1 << level] {
                for values in [0, 1] {
                    let none = None::<f64>;
                    self.measured(line! {
                        experiment: "aad_lookup", schedule: name(Schedule::Eager), n, values,
                        trees: shape.forest(n).count(), prove_limit_us: none, prove_ratio: none,
                        verify_ratio: none,
                        proof_bytes: counts::look_up_bytes::<S>((shape, n), values),
                        is_computed: true,
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Returns a measuring effort with a quarter of the usual time budget, because there are many
    /// figures.
    fn short(&self) -> Effort {
        let mut effort = self.report.effort();
        effort.budget /= 4;
        effort
    }

    /// Returns mean times and bytes of append-only proofs, over pairs (older, newer) of log sizes.
    fn means(&self, grown: &GrowingLog<S>, pairs: &[(u64, u64)], effort: &Effort) -> Outcome<Line> {
        let (mut means, mut bytes) = ([0.0; 3], 0);
        let (entries, shape) = (grown.author.entries(), grown.author.log().shape());
        for &(from, to) in pairs {
            let message = wire::encode(&entries.prove_append_only(from, to));
            let growth = Growth::new(grown.at(from)?, grown.at(to)?)?;
            let check = || -> Outcome<u64> {
                let proof = wire::decode::<AppendOnlyProof<S>>(&(), &message, LONGEST_GROWTH)?;
                Ok(proof.verify(&growth, &())?.get().to_size)
            };
            check()?;
            let prove = || entries.prove_append_only(from, to);
            let times = self.times(effort, prove, check, Points::of_growth(shape, from, to));
            for (mean, time) in means.iter_mut().zip(times) {
                *mean += time / pairs.len() as f64;
            }
            bytes += message.len();
        }
        Ok(line_of(means).with("proof_bytes", bytes as f64 / pairs.len() as f64))
    }
}

/// Builds the figures of a result line from the times of proving and verifying.
fn line_of([prove_us, verify_us, verify_limit_us]: [f64; 3]) -> Line {
    line! { prove_us, verify_us, verify_limit_us, verify_ratio: verify_us / verify_limit_us }
}

/// Returns the name of a schedule in result lines.
pub(super) const fn name(schedule: Schedule) -> &'static str {
    match schedule {
        Schedule::Eager => "eager",
        Schedule::Deferred => "deferred",
    }
}
