//! Runs one scheme on one load, and measures author, server and client.

use std::time::{Duration, Instant};

use crate::{
    Measurement, Outcome, Record, Scheme, SchemeFamily, Work,
    contenders::{Visitor, visit},
    lookups::{Age, Lookups},
    measurement::NotMeasured,
    roles::Roles,
    run::{Run, Sample},
    timing::Effort,
    workload::Contents,
};

/// What a scheme takes for a load; or why it was not measured.
///
/// `limit` is for the measured snapshots. Loads that would take longer, as smaller ones show, are not tried. Sixteen answers are
/// checked by a client of the family, by messages in bytes, before any is timed.
///
/// # Errors
/// The scheme's, and a wrong answer.
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
        if self.work.removes() && !properties.removes {
            return Ok(self.not_measured("nothing can be removed"));
        }
        if let Some(predicted) = self.too_long_load(&start)? {
            let reason = format!("time: loading would take {predicted:.0} s");
            return Ok(self.not_measured(&reason));
        }
        let loaded = Loaded::new(self.work, self.limit, start(self.work.most_entries())?)?;
        let measured = loaded.follow(self.work)?;
        measured.measurement(self).map(Record::Measured)
    }
}

impl Task<'_> {
    fn not_measured(&self, reason: &str) -> Record {
        Record::NotMeasured(NotMeasured {
            scheme: self.scheme.name.to_owned(),
            shape: self.work.shape(),
            reason: reason.to_owned(),
        })
    }

    /// The seconds that the load would take, if that is longer than the limit: as 64 keys and then 16 times as many show.
    fn too_long_load<T: Roles>(&self, start: &impl Fn(u64) -> Outcome<T>) -> Outcome<Option<f64>> {
        if !self.work.loads() {
            return Ok(None);
        }
        // Keys of accumulators compute tables when first used.
        start(1)?;
        let load = self.work.operations(1);
        let mut size = 64;
        while size < load.len() {
            let (begin, part) = (Instant::now(), load[..size].to_vec());
            let mut run = Run::of(start(size as u64)?, self.limit);
            run.publish(part)?;
            let predicted = begin.elapsed().as_secs_f64() * load.len() as f64 / size as f64;
            if predicted > self.limit.as_secs_f64() {
                return Ok(Some(predicted));
            }
            if predicted < self.limit.as_secs_f64() / 8.0 {
                break;
            }
            size *= 16;
        }
        Ok(None)
    }
}

/// Author and server when the measured snapshots begin.
pub struct Loaded<T: Roles> {
    /// Both, and what the measured snapshots took so far.
    pub run: Run<T>,
    /// What the server should have.
    pub contents: Contents,
    /// Microseconds of author and server together for each key.
    load_us_per_key: Option<f64>,
    memory: Option<usize>,
}

impl<T: Roles> Loaded<T> {
    /// Loads the keys, if the work begins with that. `limit` is for the snapshots after it.
    pub fn new(work: &dyn Work, limit: Duration, roles: T) -> Outcome<Self> {
        let (mut run, mut contents) = (Run::of(roles, limit), Contents::default());
        let mut load_us_per_key = None;
        if work.loads() {
            let operations = work.operations(1);
            contents.apply(&operations);
            run.publish(operations)?;
            let load = Sample::sum(&run.samples);
            load_us_per_key = Some((load.author_us + load.apply_us) / contents.len() as f64);
            run.restart();
        }
        Ok(Self {
            memory: run.roles.memory_bytes(),
            run,
            contents,
            load_us_per_key,
        })
    }

    /// The server, to be asked.
    pub fn lookups<'a>(&'a self, (scheme, work): (&'a Scheme, &'a dyn Work)) -> Lookups<'a, T> {
        Lookups {
            roles: &self.run.roles,
            contents: &self.contents,
            work,
            properties: &scheme.properties,
        }
    }

    /// Publishes the measured snapshots; on to the end of a cycle, unless that is far away.
    fn follow(mut self, work: &dyn Work) -> Outcome<Measured<T>> {
        let first = self.run.roles.latest().number() + 1;
        let last = work.versions();
        let farthest = last + FARTHEST * (last + 1 - first);
        let (mut whole, mut memory) = (0, None);
        for version in first..=farthest {
            if version > last && (whole > 0 || !work.goes_on()) {
                break;
            }
            let operations = work.operations(version);
            self.contents.apply(&operations);
            let update = self.run.publish(operations)?;
            if T::ends_cycle(version + 1 - first, &update) {
                whole = self.run.samples.len();
                memory = self.run.roles.memory_bytes();
            }
            if self.run.is_over() {
                break;
            }
        }
        let ends_whole = whole > 0;
        if !ends_whole {
            whole = self.run.samples.len();
            memory = self.run.roles.memory_bytes();
        }
        Ok(Measured {
            whole,
            ends_whole,
            grown: self
                .memory
                .zip(memory)
                .map(|(before, after)| after as f64 - before as f64),
            loaded: self,
        })
    }
}

/// Whether all that the author does beside hashing is to sign with the key of heads. BLS signatures, accumulators and
/// commitments are made elsewhere, by threads of their own.
fn has_timed_cryptography(scheme: &Scheme) -> bool {
    let signs = !matches!(
        scheme.family,
        SchemeFamily::AccumulatedTuples | SchemeFamily::Log
    );
    signs && !scheme.name.ends_with("-bls")
}

/// Cycles that are longer than so many times the measured snapshots are not followed to their end.
const FARTHEST: u64 = 4;

/// Author and server after all snapshots.
struct Measured<T: Roles> {
    loaded: Loaded<T>,
    /// The number of snapshots that the figures are taken over.
    whole: usize,
    ends_whole: bool,
    /// What the server's memory grew by meanwhile.
    grown: Option<f64>,
}

impl<T: Roles> Measured<T> {
    fn measurement(&self, task: Task<'_>) -> Outcome<Measurement> {
        let Loaded { run, contents, .. } = &self.loaded;
        let samples = &run.samples[..self.whole];
        let means = Sample::mean(samples);
        let (lookups, effort) = (self.loaded.lookups((task.scheme, task.work)), task.effort);
        lookups.check()?;
        let keys = match self.loaded.load_us_per_key {
            Some(_) => task.work.shape().keys,
            None => contents.len(),
        };
        let memory = match self.loaded.load_us_per_key {
            Some(_) => self.loaded.memory,
            None => run.roles.memory_bytes(),
        };
        Ok(Measurement {
            scheme: task.scheme.name.to_owned(),
            shape: task.work.shape(),
            snapshots: samples.len() as u64,
            whole_cycles: self.ends_whole,
            stopped: run.stopped.to_owned(),
            load_us_per_key: self.loaded.load_us_per_key,
            author_us: means.author_us,
            update_bytes: means.update_bytes,
            apply_us: means.apply_us,
            prove_us: Some(lookups.prove_us(effort, Age::Latest)?),
            prove_old_us: lookups.prove_old_us(effort)?,
            proof_bytes: Some(lookups.proof_bytes(effort)?),
            absent_proof_bytes: lookups.absent_proof_bytes(effort)?,
            verify_us: Some(lookups.verify_us(effort)?),
            memory_bytes_per_key: memory.map(|bytes| bytes as f64 / keys.max(1) as f64),
            memory_bytes_per_snapshot: self.grown.map(|grown| grown / samples.len().max(1) as f64),
            author_cryptography_us: has_timed_cryptography(task.scheme)
                .then(|| run.cryptography.signature_us / run.samples.len().max(1) as f64),
            // What verifies has no hook for a clock.
            apply_cryptography_us: None,
            verify_cryptography_us: None,
        })
    }
}
