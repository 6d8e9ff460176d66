//! From empty, one key of 32 bytes in each snapshot: tables 7, 8 and 9.
//!
//! Author and server take turns in one process, so that updates, which reach hundreds of kilobytes,
//! need not be kept.

use std::time::Instant;

use pad_core::{Dictionary, Repository, Workers, codec};

use super::{
    Setting,
    contender::Contender,
    instrument::Cryptography,
    lookups::Lookups,
    pair::{Job, Pair},
    record::{GrowingRecord, LimitFigures, Stopped},
};
use crate::{
    Outcome,
    timing::{microseconds, rounded},
    workload::{hashed_key, value},
};

/// Measures one design.
pub struct Growing<'a> {
    /// The design's name.
    pub design: &'a str,
    /// The number of keys.
    pub keys: u64,
    /// The rest.
    pub setting: &'a Setting,
}

impl Job for Growing<'_> {
    type Output = Outcome<GrowingRecord>;

    fn run<P: Pair>(self) -> Self::Output {
        let before = self.setting.limits();
        let run = Run::<P::Timed>::new(self.keys, self.setting)?;
        let limits = before.mean(self.setting.limits());
        let (tuple_sign_us, tuple_verify_us) = P::signature_us(&self.setting.effort())
            .unwrap_or((limits.sign_us, limits.verify_signature_us));
        let lookups = Lookups::<P::Timed> {
            repository: &run.repository,
            effort: self.setting.effort(),
            entries: &|index| (hashed_key(index), value(index)),
            number: run.samples.len() as u64,
            versions: 1,
        };
        let bound = (!P::ACCUMULATES).then_some(tuple_verify_us);
        let lookups = lookups.measure(&limits, bound)?;
        let all = Means::of(&run.samples);
        let last = Means::of(&run.samples[run.samples.len() - run.samples.len().div_ceil(10)..]);
        let own = run.cryptography.divided_by(run.samples.len() as f64);
        // One of the signatures is the head's.
        let author_limit_us = (!P::ACCUMULATES).then_some(
            limits.sign_us
                + (own.signatures - 1.0) * tuple_sign_us
                + own.chain_steps * limits.chain_step_ns / 1e3,
        );
        let server_us = limits.verify_signature_us + all.accumulator_us;
        let prices = self.setting.prices;
        Ok(GrowingRecord {
            design: self.design.to_owned(),
            keys: self.keys,
            inserted: run.samples.len() as u64,
            stopped: run.stopped,
            threads: 1,
            inserts_per_second: rounded(1e6 / all.author_us),
            author_us: rounded(all.author_us),
            author_last_tenth_us: rounded(last.author_us),
            author_cryptography_share: rounded(own.us(limits.chain_step_ns) / all.author_us),
            signatures_per_snapshot: rounded(own.signatures),
            chain_steps_per_snapshot: rounded(own.chain_steps),
            signature_us: rounded(own.signature_us / own.signatures),
            author_limit_us: author_limit_us.map(rounded),
            author_ratio: author_limit_us.map(|limit| rounded(all.author_us / limit)),
            update_bytes: rounded(last.update_bytes),
            update_overall_bytes: rounded(all.update_bytes),
            apply_us: rounded(all.apply_us),
            apply_last_tenth_us: rounded(last.apply_us),
            updates_per_second: rounded(1e6 / all.apply_us),
            server_cryptography_share: rounded((server_us / all.apply_us).min(1.0)),
            memory_bytes: P::Timed::memory_bytes(&run.repository) as u64,
            update_kilobytes_per_second: rounded(
                all.update_bytes * 1e3 / (all.author_us + all.apply_us),
            ),
            lookup_kilobytes_per_second: rounded(lookups.proof_bytes * 1e3 / lookups.prove_us),
            lookups,
            equilibrium_kilobytes_per_second: rounded(prices.equilibrium()),
            prices,
            tuple_sign_us: rounded(tuple_sign_us),
            tuple_verify_us: rounded(tuple_verify_us),
            limits: limits.rounded(),
            machine: self.setting.machine.clone(),
        })
    }
}

/// What one snapshot took.
pub(super) struct Sample {
    pub(super) author_us: f64,
    pub(super) apply_us: f64,
    /// Of `apply_us` what accumulators take.
    pub(super) accumulator_us: f64,
    pub(super) update_bytes: f64,
}

/// Means over snapshots.
pub(super) type Means = Sample;

impl Sample {
    /// The means, of at least one sample.
    pub(super) fn of(samples: &[Self]) -> Self {
        let mean = |figure: fn(&Self) -> f64| {
            samples.iter().map(figure).sum::<f64>() / samples.len().max(1) as f64
        };
        Self {
            author_us: mean(|sample| sample.author_us),
            apply_us: mean(|sample| sample.apply_us),
            accumulator_us: mean(|sample| sample.accumulator_us),
            update_bytes: mean(|sample| sample.update_bytes),
        }
    }

    /// Takes a snapshot of what waits and applies it; `author` puts and takes the snapshot.
    pub(super) fn take<C: Contender>(
        repository: &mut C::Repository,
        author: impl FnOnce() -> Outcome<super::contender::UpdateOf<C>>,
    ) -> Outcome<(Self, super::contender::UpdateOf<C>)> {
        let start = Instant::now();
        let update = author()?;
        let author_us = microseconds(start.elapsed());
        let update_bytes = codec::encode(&update).len() as f64;
        let start = Instant::now();
        let (cryptography, applied) = Cryptography::of(|| repository.apply(&update));
        let apply_us = microseconds(start.elapsed());
        applied?;
        let sample = Self {
            author_us,
            apply_us,
            accumulator_us: cryptography.accumulator_us,
            update_bytes,
        };
        Ok((sample, update))
    }
}

/// A repository after all snapshots, and what they took.
struct Run<C: Contender> {
    repository: C::Repository,
    samples: Vec<Sample>,
    cryptography: Cryptography,
    stopped: Stopped,
}

impl<C: Contender> Run<C> {
    fn new(keys: u64, setting: &Setting) -> Outcome<Self> {
        let mut author = C::author(&Workers::sequential());
        let mut run = Self {
            repository: C::repository(),
            samples: Vec::new(),
            cryptography: Cryptography::default(),
            stopped: Stopped::Finished,
        };
        warm_up::<C>()?;
        let stopwatch = setting.stopwatch();
        for index in 0..keys {
            let (key, value) = (hashed_key(index), value(index));
            let mut own = Cryptography::default();
            let (sample, _) = Sample::take::<C>(&mut run.repository, || {
                let (cryptography, update) = Cryptography::of(|| {
                    author.put(key, value);
                    C::snapshot(&mut author)
                });
                own = cryptography;
                update
            })?;
            run.cryptography += own;
            run.samples.push(sample);
            if let Some(stopped) = stopwatch.stops().filter(|_| index + 1 < keys) {
                run.stopped = stopped;
                break;
            }
        }
        Ok(run)
    }
}

/// A first snapshot of another dictionary: keys of accumulators compute tables when first used.
fn warm_up<C: Contender>() -> Outcome<()> {
    let mut author = C::author(&Workers::sequential());
    Sample::take::<C>(&mut C::repository(), || {
        author.put(hashed_key(0), value(0));
        C::snapshot(&mut author)
    })?;
    Ok(())
}

impl LimitFigures {
    /// The means of two measurements, before and after what they are compared with.
    #[must_use]
    pub fn mean(self, other: Self) -> Self {
        Self {
            sign_us: self.sign_us.midpoint(other.sign_us),
            verify_signature_us: self.verify_signature_us.midpoint(other.verify_signature_us),
            chain_step_ns: self.chain_step_ns.midpoint(other.chain_step_ns),
            hash_ns: self.hash_ns.midpoint(other.hash_ns),
        }
    }

    /// With three decimals.
    #[must_use]
    pub fn rounded(self) -> Self {
        Self {
            sign_us: rounded(self.sign_us),
            verify_signature_us: rounded(self.verify_signature_us),
            chain_step_ns: rounded(self.chain_step_ns),
            hash_ns: rounded(self.hash_ns),
        }
    }
}
