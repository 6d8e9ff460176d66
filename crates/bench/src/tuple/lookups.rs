//! Look-ups: making proofs, and checking them.

use std::hint::black_box;

use pad_core::{Key, Repository, Value, Version};
use pad_tree::Answer;

use super::{
    contender::{Contender, Reply},
    instrument::Cryptography,
    record::{LimitFigures, LookupFigures},
};
use crate::{
    Outcome,
    timing::{Effort, rounded},
    workload::Random,
};

/// A repository, and what it contains.
pub(super) struct Lookups<'a, C: Contender> {
    pub(super) repository: &'a C::Repository,
    pub(super) effort: Effort,
    pub(super) entries: &'a dyn Fn(u64) -> (Key, Value),
    pub(super) number: u64,
    /// Of so many of the latest versions, each proof is in a random one; 1: all are in the latest.
    pub(super) versions: u64,
}

impl<C: Contender> Lookups<'_, C> {
    /// Everything, against the primitives: `verify_us` is a tuple's signature, or a head's; `None` if
    /// signatures are not what bounds a check.
    pub(super) fn measure(
        &self,
        limits: &LimitFigures,
        verify_us: Option<f64>,
    ) -> Outcome<LookupFigures> {
        self.check_answers()?;
        let prove_us = self.prove_us();
        let measured_us = self.verify_us();
        let needed = self.cryptography()?;
        let limit = verify_us.map(|verify_us| {
            needed.signatures * verify_us + needed.chain_steps * limits.chain_step_ns / 1e3
        });
        let share = needed.us(limits.chain_step_ns) / measured_us;
        Ok(LookupFigures {
            prove_us: rounded(prove_us),
            lookups_per_second: rounded(1e6 / prove_us),
            verify_us: rounded(measured_us),
            verifications_per_second: rounded(1e6 / measured_us),
            verify_cryptography_share: rounded(share.min(1.0)),
            signatures_per_proof: limit.map(|_| rounded(needed.signatures)),
            chain_steps_per_proof: rounded(needed.chain_steps),
            verify_limit_us: limit.map(rounded),
            verify_ratio: limit.map(|limit| rounded(measured_us / limit)),
            proof_bytes: rounded(self.proof_bytes()?),
        })
    }

    /// The bytes of an answer, mean over random present keys.
    pub(super) fn proof_bytes(&self) -> Outcome<f64> {
        let samples = self.effort.operations.min(2_000);
        let mut random = Random::new(5);
        let mut bytes = 0;
        for _ in 0..samples {
            let (key, _) = self.random_entry(&mut random);
            let version = self.version(&mut random);
            bytes += C::reply_bytes(&Reply::<C>::of(self.repository, version, &key)?);
        }
        Ok(bytes as f64 / samples as f64)
    }

    fn random_entry(&self, random: &mut Random) -> (Key, Value) {
        (self.entries)(random.below(self.number))
    }

    fn latest(&self) -> Version {
        self.repository.latest()
    }

    fn version(&self, random: &mut Random) -> Version {
        let age = random.below(self.versions);
        Version::new(self.latest().number().saturating_sub(age))
    }

    fn reply(&self, key: &Key) -> Outcome<Reply<C>> {
        Ok(Reply::<C>::of(self.repository, self.latest(), key)?)
    }

    /// A few answers, checked before anything is timed.
    fn check_answers(&self) -> Outcome<()> {
        let expectation = C::expectation(self.latest());
        let mut random = Random::new(1);
        for _ in 0..8 {
            let (key, value) = self.random_entry(&mut random);
            let lookup = C::check(&expectation, self.reply(&key)?, &key)?;
            if lookup.answer != Answer::Present(value) {
                return Err(format!("the wrong answer for {key}").into());
            }
        }
        Ok(())
    }

    /// Microseconds of a proof of a random present key.
    pub(super) fn prove_us(&self) -> f64 {
        let mut random = Random::new(2);
        let prepare = |chunk| -> Vec<(Version, Key)> {
            let query = |_| {
                let (key, _) = self.random_entry(&mut random);
                (self.version(&mut random), key)
            };
            (0..chunk).map(query).collect()
        };
        let prove = |queries: Vec<(Version, Key)>| {
            for (version, key) in queries {
                let proof = black_box(self.repository.prove(version, &key));
                proof.expect("bench: the version exists");
            }
        };
        self.effort.repeat(CHUNK, prepare, prove).mean_us()
    }

    fn replies(&self, random: &mut Random, number: usize) -> Vec<(Key, Reply<C>)> {
        let reply = |_| {
            let (key, _) = self.random_entry(random);
            let reply = self.reply(&key).expect("bench: the version exists");
            (key, reply)
        };
        (0..number).map(reply).collect()
    }

    fn verify_us(&self) -> f64 {
        let (mut random, expectation) = (Random::new(6), C::expectation(self.latest()));
        let prepare = |chunk| self.replies(&mut random, chunk);
        let check = |replies: Vec<(Key, Reply<C>)>| {
            for (key, reply) in replies {
                let lookup = black_box(C::check(&expectation, reply, &key));
                lookup.expect("bench: honest proofs verify");
            }
        };
        self.effort.repeat(CHUNK, prepare, check).mean_us()
    }

    /// What cryptography a check takes, mean over random keys.
    fn cryptography(&self) -> Outcome<Cryptography> {
        let samples = self.effort.operations.min(500);
        let expectation = C::expectation(self.latest());
        let mut total = Cryptography::default();
        for (key, reply) in self.replies(&mut Random::new(7), samples) {
            let (own, lookup) = Cryptography::of(|| C::check(&expectation, reply, &key));
            lookup?;
            total += own;
        }
        Ok(total.divided_by(samples as f64))
    }
}

const CHUNK: usize = 256;
