//! Runs one scheme on one load, and measures author, server and client.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use pad_core::{Answer, Key, Version};

use crate::{
    Measurement, Outcome, Properties, Record, Scheme, Work,
    contenders::{Visitor, visit},
    measurement::NotMeasured,
    roles::Roles,
    run::{Run, Sample},
    timing::Effort,
    workload::{Contents, Random, absent_key},
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
struct Loaded<T: Roles> {
    run: Run<T>,
    contents: Contents,
    /// Microseconds of author and server together for each key.
    load_us_per_key: Option<f64>,
    memory: Option<usize>,
}

impl<T: Roles> Loaded<T> {
    fn new(work: &dyn Work, limit: Duration, roles: T) -> Outcome<Self> {
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
        let lookups = Lookups {
            roles: &run.roles,
            contents,
            work: task.work,
            effort: task.effort,
            properties: &task.scheme.properties,
        };
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
            prove_us: Some(lookups.prove_us(Age::Latest)?),
            prove_old_us: lookups.prove_old_us()?,
            proof_bytes: Some(lookups.proof_bytes()?),
            absent_proof_bytes: lookups.absent_proof_bytes()?,
            verify_us: Some(lookups.verify_us()?),
            memory_bytes_per_key: memory.map(|bytes| bytes as f64 / keys.max(1) as f64),
            memory_bytes_per_snapshot: self.grown.map(|grown| grown / samples.len().max(1) as f64),
            author_cryptography_us: None,
            apply_cryptography_us: None,
            verify_cryptography_us: None,
        })
    }
}

/// Which versions are asked about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Age {
    Latest,
    Any,
}

/// A server to be asked, and what it should answer.
struct Lookups<'a, T: Roles> {
    roles: &'a T,
    contents: &'a Contents,
    work: &'a dyn Work,
    effort: &'a Effort,
    properties: &'a Properties,
}

impl<T: Roles> Lookups<'_, T> {
    /// A random version of that age, and a random key that it has.
    fn query(&self, random: &mut Random, age: Age) -> (Version, &Key) {
        let latest = self.roles.latest();
        loop {
            let place = self.work.choose(random, self.contents.len());
            let key = self.contents.key(place);
            let version = match age {
                Age::Latest => return (latest, key),
                Age::Any => 1 + random.below(latest.number()),
            };
            if self.contents.answer(version, key) != Answer::Absent {
                return (Version::new(version), key);
            }
        }
    }

    /// Asks as a client does that knows nothing, for keys that are present and keys that are absent, in all versions that can be
    /// asked about.
    fn check(&self) -> Outcome<()> {
        let mut random = Random::new(1);
        let mut ages = vec![Age::Latest];
        if self.properties.proves_any_old_version {
            ages.push(Age::Any);
        }
        for age in ages {
            for _ in 0..CHECKED {
                let (version, key) = self.query(&mut random, age);
                self.check_one(version, key)?;
            }
            if self.properties.proves_absence {
                self.check_one(self.roles.latest(), &absent_key(random.next()))?;
            }
        }
        Ok(())
    }

    fn check_one(&self, version: Version, key: &Key) -> Outcome<()> {
        let answer = self.roles.check(version, key)?;
        if answer == self.contents.answer(version.number(), key) {
            return Ok(());
        }
        Err(format!("version {version}: the wrong answer for {key}").into())
    }

    fn questions(
        &self,
        random: &mut Random,
        age: Age,
        number: usize,
    ) -> Vec<(Version, T::Question)> {
        let question = |_| {
            let (version, key) = self.query(random, age);
            (version, self.roles.question(key))
        };
        (0..number).map(question).collect()
    }

    fn prove_us(&self, age: Age) -> Outcome<f64> {
        let mut random = Random::new(2);
        let prepare = |chunk| self.questions(&mut random, age, chunk);
        let mut done: Outcome<()> = Ok(());
        let timings = self.effort.repeat(CHUNK, prepare, |questions| {
            for (version, question) in questions {
                if let Err(error) = black_box(self.roles.prove(version, &question)) {
                    done = Err(error);
                }
            }
        });
        done.map(|()| timings.median_us())
    }

    fn prove_old_us(&self) -> Outcome<Option<f64>> {
        let proves = self.properties.proves_any_old_version;
        proves.then(|| self.prove_us(Age::Any)).transpose()
    }

    fn proof_bytes(&self) -> Outcome<f64> {
        let (samples, mut bytes) = (self.effort.operations.min(SAMPLES), 0);
        for (version, question) in self.questions(&mut Random::new(3), Age::Latest, samples) {
            let proof = self.roles.prove(version, &question)?;
            bytes += self.roles.proof_bytes(&proof);
        }
        Ok(bytes as f64 / samples as f64)
    }

    fn absent_proof_bytes(&self) -> Outcome<Option<f64>> {
        if !self.properties.proves_absence {
            return Ok(None);
        }
        let (samples, mut bytes) = (self.effort.operations.min(SAMPLES / 8), 0);
        for index in 0..samples as u64 {
            let question = self.roles.question(&absent_key(index));
            let proof = self.roles.prove(self.roles.latest(), &question)?;
            bytes += self.roles.proof_bytes(&proof);
        }
        Ok(Some(bytes as f64 / samples as f64))
    }

    fn verify_us(&self) -> Outcome<f64> {
        let head = self.roles.head(self.roles.latest())?;
        let mut random = Random::new(4);
        let mut done: Outcome<()> = Ok(());
        let prepare = |chunk| -> Vec<(T::Question, Outcome<T::Proof>)> {
            let questions = self.questions(&mut random, Age::Latest, chunk).into_iter();
            let prove = |(version, question)| {
                let proof = self.roles.prove(version, &question);
                (question, proof)
            };
            questions.map(prove).collect()
        };
        let timings = self.effort.repeat(CHUNK, prepare, |proofs| {
            for (question, proof) in proofs {
                let answer = proof.and_then(|proof| self.roles.verify(&head, proof, &question));
                if let Err(error) = black_box(answer) {
                    done = Err(error);
                }
            }
        });
        done.map(|()| timings.median_us())
    }
}

/// The answers of each age that are checked.
const CHECKED: usize = 8;
/// The proofs whose bytes are averaged.
const SAMPLES: usize = 256;
/// The operations that are timed together.
const CHUNK: usize = 256;
