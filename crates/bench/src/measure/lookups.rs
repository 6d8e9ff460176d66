//! Lookups in a dictionary of any family: checks of answers, times and bytes.

use comparison::Properties;
use pad_core::{Answer, Key, Version};

use crate::{
    Outcome,
    measure::roles::Roles,
    timing::Effort,
    workload::{Contents, Random, absent_key},
};

/// Versions in which keys are looked up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Age {
    /// Only the latest version.
    Latest,
    /// Any version that the server has.
    Any,
}

/// A server to query, and the answers that it should give.
pub struct Lookups<'a, T: Roles> {
    /// The server, together with its author.
    pub roles: &'a T,
    /// Entries that the server must have, by version.
    pub contents: &'a Contents,
    /// Properties of the scheme, such as whether it proves absence or old versions.
    pub properties: &'a Properties,
}

impl<T: Roles> Lookups<'_, T> {
    /// Chooses a random version, as `age` allows, and a random key that this version contains.
    fn query(&self, random: &mut Random, age: Age) -> (Version, &Key) {
        let latest = self.roles.latest();
        loop {
            let place = random.below(self.contents.len().max(1));
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

    /// Checks some answers as a client that knows only the public key.
    ///
    /// Looks up present keys, in the latest version and, if the scheme proves old versions, in
    /// random ones. If the scheme proves absence, also looks up absent keys in the latest version.
    pub fn check(&self) -> Outcome<()> {
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

    /// Chooses `number` random versions, as `age` allows, with a question about a random present
    /// key for each.
    pub fn questions(
        &self,
        random: &mut Random,
        age: Age,
        number: usize,
    ) -> Vec<(Version, T::Question)> {
        (0..number).map(|_| self.question(random, age)).collect()
    }

    fn question(&self, random: &mut Random, age: Age) -> (Version, T::Question) {
        let (version, key) = self.query(random, age);
        (version, self.roles.question(key))
    }

    /// Returns the median microseconds of making a proof for a random present key.
    pub fn prove_us(&self, effort: &Effort, age: Age) -> Outcome<f64> {
        let mut random = Random::new(2);
        let ask = || self.question(&mut random, age);
        let prove =
            |(version, question): (Version, T::Question)| self.roles.prove(version, &question);
        Ok(effort.try_repeat_each(CHUNK, ask, prove)?.median_us())
    }

    /// Like [`Self::prove_us`] in random versions; `None` if the scheme cannot prove old versions.
    pub fn prove_old_us(&self, effort: &Effort) -> Outcome<Option<f64>> {
        let proves = self.properties.proves_any_old_version;
        proves.then(|| self.prove_us(effort, Age::Any)).transpose()
    }

    /// Returns the mean bytes of a proof of a random present key.
    pub fn proof_bytes(&self, effort: &Effort, age: Age) -> Outcome<f64> {
        let (samples, mut bytes) = (effort.operations.min(SAMPLES), 0);
        for (version, question) in self.questions(&mut Random::new(3), age, samples) {
            let proof = self.roles.prove(version, &question)?;
            bytes += self.roles.proof_bytes(&proof);
        }
        Ok(bytes as f64 / samples as f64)
    }

    /// Returns the mean bytes of a proof of an absent key; `None` if the scheme does not prove
    /// absence.
    pub fn absent_proof_bytes(&self, effort: &Effort) -> Outcome<Option<f64>> {
        if !self.properties.proves_absence {
            return Ok(None);
        }
        let (samples, mut bytes) = (effort.operations.min(SAMPLES / 8), 0);
        for index in 0..samples as u64 {
            let question = self.roles.question(&absent_key(index));
            let proof = self.roles.prove(self.roles.latest(), &question)?;
            bytes += self.roles.proof_bytes(&proof);
        }
        Ok(Some(bytes as f64 / samples as f64))
    }

    /// Verifies a decoded proof of the latest version, whose head is `head`. Includes verifying the
    /// head if the proof needs it.
    pub fn verify(
        &self,
        head: &T::Head,
        proof: T::Proof,
        question: &T::Question,
    ) -> Outcome<Answer> {
        if T::NEEDS_HEAD {
            let head = self.roles.head(self.roles.latest())?;
            return self.roles.verify(&head, proof, question);
        }
        self.roles.verify(head, proof, question)
    }

    /// Returns the median microseconds in which a client verifies a decoded proof of a random
    /// present key. Includes verifying the head's signature if the proof needs the head.
    pub fn verify_us(&self, effort: &Effort) -> Outcome<f64> {
        let head = self.roles.head(self.roles.latest())?;
        let mut random = Random::new(4);
        let prove = || {
            let (version, question) = self.question(&mut random, Age::Latest);
            let proof = self.roles.prove(version, &question);
            (question, proof)
        };
        let verify = |(question, proof): (T::Question, Outcome<T::Proof>)| {
            self.verify(&head, proof?, &question)
        };
        Ok(effort.try_repeat_each(CHUNK, prove, verify)?.median_us())
    }
}

/// Number of present keys that [`Lookups::check`] looks up for each [`Age`].
const CHECKED: usize = 8;
/// Number of proofs whose bytes are averaged.
const SAMPLES: usize = 256;
/// Number of operations that are timed together.
const CHUNK: usize = 256;
