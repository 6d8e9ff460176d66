//! Runs one scheme on one workload, and measures author, server and client.

pub mod contenders;
pub mod counting;
pub mod cryptography;
pub mod dictionary;
mod loaded;
pub mod lookups;
pub mod primitives;
pub mod roles;
pub mod run;
pub mod secret;
pub mod trial;

use std::time::{Duration, Instant};

use comparison::{Measurement, Scheme, SchemeFamily, Shape, Work};
use serde::Serialize;

pub use self::loaded::{FinishedRun, LoadedRun};
use self::{
    contenders::{Visitor, visit},
    lookups::Age,
    roles::Roles,
    run::{Run, Sample},
};
use crate::{Outcome, timing::Effort};

/// Scheme that was not measured under a workload, with the reason.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NotMeasured {
    /// Name of the scheme in [`comparison::schemes()`].
    pub scheme: String,
    /// Shape of the workload: its name and its numbers of keys and changes.
    #[serde(flatten)]
    pub shape: Shape,
    /// Reason: an ability that the scheme lacks, a failure, or a run that would take too long.
    pub reason: String,
}

/// Result of measuring one scheme under one workload.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(
    clippy::large_enum_variant,
    reason = "there are few records, and nearly all of them are measurements"
)]
#[serde(untagged)]
pub enum Record {
    /// The scheme was measured, with these figures.
    Measured(Measurement),
    /// The scheme was not measured, for this reason.
    NotMeasured(NotMeasured),
}

impl Record {
    /// Records why a scheme was not measured.
    pub fn not_measured(scheme: &Scheme, work: &dyn Work, reason: impl Into<String>) -> Self {
        Self::NotMeasured(NotMeasured {
            scheme: scheme.name.to_owned(),
            shape: work.shape(),
            reason: reason.into(),
        })
    }
}

/// Measures a scheme under a workload, or reports why it was not measured.
///
/// `limit` bounds the time of the measured snapshots. A scheme whose load is expected to take more
/// than ten times `limit` is not measured. Before timing, a client of the family checks answers of
/// each kind that the scheme gives, as encoded messages.
pub fn measure(
    scheme: &Scheme,
    work: &dyn Work,
    effort: &Effort,
    limit: Duration,
) -> Outcome<Record> {
    let task = Task {
        scheme,
        work,
        effort,
        limit,
    };
    visit(scheme.name, task).ok_or("no such scheme")?
}

#[derive(Clone, Copy)]
struct Task<'a> {
    scheme: &'a Scheme,
    work: &'a dyn Work,
    effort: &'a Effort,
    limit: Duration,
}

impl Visitor for Task<'_> {
    type Output = Outcome<Record>;

    fn visit<T: Roles>(self, start: impl Fn(u64) -> Outcome<T>) -> Outcome<Record> {
        let properties = &self.scheme.properties;
        let not_measured = |reason| Record::not_measured(self.scheme, self.work, reason);
        if self.work.removes() && !properties.removes {
            return Ok(not_measured("nothing can be removed".to_owned()));
        }
        if let Some(predicted) = self.too_long_load(&start)? {
            let reason = format!("time: loading would take {predicted:.1} s");
            return Ok(not_measured(reason));
        }
        let loaded = LoadedRun::new(self.work, self.limit, start(self.work.most_entries())?)?;
        let followed = loaded.follow(self.work)?;
        self.measurement(&followed).map(Record::Measured)
    }
}

impl Task<'_> {
    /// Estimates the seconds that loading all keys would take. Returns them if they exceed
    /// [`LOADS`] times the limit, otherwise `None`.
    ///
    /// Extrapolates from a load of 64 keys. While the result is neither over the limit nor far
    /// below it, repeats this with 16 times as many keys. For logs it begins with 16 keys, because
    /// 64 can take longer than everything else that is measured. For stores it begins with 4096,
    /// because few keys take only as long as the disk.
    fn too_long_load<T: Roles>(&self, start: &impl Fn(u64) -> Outcome<T>) -> Outcome<Option<f64>> {
        if !self.work.loads() {
            return Ok(None);
        }
        // Accumulator keys compute tables on first use.
        start(1)?;
        let load = self.work.operations(1);
        let limit = (self.limit * LOADS).as_secs_f64();
        // Logs are made for their final number of entries.
        let (entries, mut size) = match self.scheme.family {
            SchemeFamily::Log => (self.work.most_entries() as usize, 16),
            _ if T::IS_STORED => (load.len(), 4096),
            _ => (load.len(), 64),
        };
        while size < entries {
            let part = load[..size.min(load.len())].to_vec();
            let begin = Instant::now();
            let mut run = Run::of(start(size as u64)?, self.limit);
            run.publish(part)?;
            let predicted = begin.elapsed().as_secs_f64() * entries as f64 / size as f64;
            if predicted > limit {
                return Ok(Some(predicted));
            }
            if predicted < limit / 8.0 {
                break;
            }
            size *= 16;
        }
        Ok(None)
    }

    fn measurement<T: Roles>(&self, followed: &FinishedRun<T>) -> Outcome<Measurement> {
        let (samples, shape, effort) = (followed.samples(), self.work.shape(), self.effort);
        let means = Sample::mean(samples);
        let lookups = followed.loaded.lookups(self.scheme);
        lookups.check()?;
        let [memory_bytes_per_key, file_bytes_per_key] = followed.bytes_per_key(shape.keys)?;
        let [memory_bytes_per_snapshot, file_bytes_per_snapshot] = followed.bytes_per_snapshot();
        let wait = |us| T::IS_STORED.then_some(us);
        Ok(Measurement {
            scheme: self.scheme.name.to_owned(),
            snapshots: samples.len() as u64,
            whole_cycles: followed.is_whole(),
            stopped: followed.loaded.run.stopped.to_owned(),
            load_us_per_key: followed.loaded.load_us_per_key,
            author_us: means.author_us,
            update_bytes: means.update_bytes,
            apply_us: means.apply_us,
            prove_us: Some(lookups.prove_us(effort, Age::Latest)?),
            prove_old_us: lookups.prove_old_us(effort)?,
            proof_bytes: Some(followed.proof_bytes),
            absent_proof_bytes: lookups.absent_proof_bytes(effort)?,
            verify_us: Some(lookups.verify_us(effort)?),
            memory_bytes_per_key,
            memory_bytes_per_snapshot,
            file_bytes_per_key,
            file_bytes_per_snapshot,
            author_wait_us: wait(means.author_wait_us),
            apply_wait_us: wait(means.apply_wait_us),
            author_cryptography_us: has_timed_cryptography(self.scheme)
                .then_some(means.signature_us),
            // Verification has no hook for a clock.
            apply_cryptography_us: None,
            verify_cryptography_us: None,
            shape,
        })
    }
}

/// Largest ratio of the time of a load to the time limit of the measured snapshots.
const LOADS: u32 = 10;

/// Reports whether the author's cryptography, except hashing, consists only of signatures with the
/// key of heads. BLS signatures, accumulators and commitments are not timed, because other threads
/// compute them.
fn has_timed_cryptography(scheme: &Scheme) -> bool {
    let signs = !matches!(
        scheme.family,
        SchemeFamily::AccumulatedTuples | SchemeFamily::Log
    );
    signs && !scheme.name.ends_with("-bls")
}
