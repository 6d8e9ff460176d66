//! Look-ups in a dictionary of any family: making proofs, and checking them.

use std::hint::black_box;

use pad_core::{
    Answer, Answers, Key, PublicKey, SignedHead, SnapshotHead, Untrusted, Value, Verified, Version,
    hosting::ProofOf,
};

use crate::{
    cryptography::{Cryptography, timed},
    dictionary::{Measured, check_answers, proof_bytes, public_key},
    line,
    prelude::*,
};

/// What a server sends: the head and the proof, decoded.
pub struct Reply<R: Measured> {
    head: SignedHead<R::Suite>,
    proof: ProofOf<R, Key>,
}

impl<R: Measured> Reply<R> {
    /// A server's answer.
    pub fn of(repository: &R, version: Version, key: &Key) -> Outcome<Self> {
        Ok(Self {
            head: repository.head(version)?,
            proof: repository.prove_answer(version, key)?,
        })
    }

    /// Its bytes without envelope: the proof, and what a client does not know of a head that it needs.
    pub fn bytes(&self) -> usize {
        proof_bytes::<R>(&self.proof)
    }
}

/// The part of a client's check that is timed: what [`pad_core::Client::check_at`] does once an answer is
/// decoded. Decoding is timed apart, and heads are verified only where proofs need them, so that the time
/// can stand beside that of the signatures and hashes in it.
pub struct Checker<R: Measured> {
    public: PublicKey<R::Family>,
    version: Version,
    head: Verified<SnapshotHead<R::Suite>>,
}

impl<R: Measured> Checker<R> {
    /// Checks answers about one version.
    pub fn new(repository: &R, version: Version) -> Outcome<Self> {
        let public = public_key::<R>();
        let head =
            Untrusted::new(repository.head(version)?).verify(public.authority(), &version)?;
        Ok(Self {
            public,
            version,
            head,
        })
    }

    /// Checks one.
    pub fn check(&self, reply: Reply<R>, key: &Key) -> Outcome<Answer> {
        let head = if R::NEEDS_HEAD {
            let head = Untrusted::new(reply.head);
            timed(1, || head.verify(self.public.authority(), &self.version))?
        } else {
            self.head
        };
        let proof = Untrusted::new(reply.proof);
        let lookup = <R::Family as Answers<Key>>::verify(proof, &self.public, &head, key)?;
        Ok(lookup.into_inner().answer)
    }
}

/// A repository, and what it contains.
pub struct Lookups<'a, R: Measured> {
    /// The repository.
    pub repository: &'a R,
    /// How long and how often to measure.
    pub effort: Effort,
    /// The entries of the latest version, by index.
    pub entries: &'a dyn Fn(u64) -> (Key, Value),
    /// Their number.
    pub number: u64,
    /// Of so many of the latest versions, each proof is in a random one; 1: all are in the latest.
    pub versions: u64,
}

impl<R: Measured> Lookups<'_, R> {
    /// Everything, against the verification of a tuple's signature, or of a head's, and steps of hash chains;
    /// no time if signatures are not what bounds a check.
    pub fn measure(&self, signature_us: Option<f64>, chain_step_ns: f64) -> Outcome<Line> {
        self.check_answers()?;
        let (prove_us, verify_us) = (self.prove_us(), self.verify_us()?);
        let needed = self.cryptography()?;
        let limit_us = signature_us.map(|signature_us| {
            needed.signatures * signature_us + needed.chain_steps * chain_step_ns / 1e3
        });
        let share = needed.us(chain_step_ns) / verify_us;
        Ok(line! {
            prove_us, lookups_per_second: 1e6 / prove_us, verify_us,
            verifications_per_second: 1e6 / verify_us, verify_cryptography_share: share.min(1.0),
            signatures_per_proof: limit_us.map(|_| needed.signatures),
            chain_steps_per_proof: needed.chain_steps, verify_limit_us: limit_us,
            verify_ratio: limit_us.map(|limit_us| verify_us / limit_us),
            proof_bytes: self.proof_bytes()?,
        })
    }

    /// The bytes of an answer, mean over random present keys.
    pub fn proof_bytes(&self) -> Outcome<f64> {
        let samples = self.effort.operations.min(2_000);
        let mut bytes = 0;
        for (version, key) in self.queries(&mut Random::new(5), samples) {
            bytes += Reply::of(self.repository, version, &key)?.bytes();
        }
        Ok(bytes as f64 / samples as f64)
    }

    /// Random present keys, in random ones of the versions.
    fn queries(&self, random: &mut Random, number: usize) -> Vec<(Version, Key)> {
        let latest = self.repository.latest().number();
        let query = |_| {
            let (key, _) = (self.entries)(random.below(self.number));
            let age = random.below(self.versions);
            (Version::new(latest.saturating_sub(age)), key)
        };
        (0..number).map(query).collect()
    }

    /// A few answers, checked before anything is timed.
    fn check_answers(&self) -> Outcome<()> {
        let (mut random, latest) = (Random::new(1), self.repository.latest());
        let expected = (0..8).map(|_| {
            let (key, value) = (self.entries)(random.below(self.number));
            (latest, key, Answer::Present(value))
        });
        check_answers(self.repository, expected)
    }

    /// Microseconds of a proof of a random present key.
    pub fn prove_us(&self) -> f64 {
        let mut random = Random::new(2);
        let prepare = |chunk| self.queries(&mut random, chunk);
        let prove = |queries: Vec<(Version, Key)>| {
            for (version, key) in queries {
                let proof = black_box(self.repository.prove_answer(version, &key));
                proof.expect("bench: the version exists");
            }
        };
        self.effort.repeat(CHUNK, prepare, prove).mean_us()
    }

    fn replies(&self, random: &mut Random, number: usize) -> Vec<(Key, Reply<R>)> {
        let latest = self.repository.latest();
        let reply = |_| {
            let (key, _) = (self.entries)(random.below(self.number));
            let reply = Reply::of(self.repository, latest, &key);
            (key, reply.expect("bench: the version exists"))
        };
        (0..number).map(reply).collect()
    }

    fn verify_us(&self) -> Outcome<f64> {
        let checker = Checker::new(self.repository, self.repository.latest())?;
        let mut random = Random::new(6);
        let prepare = |chunk| self.replies(&mut random, chunk);
        let check = |replies: Vec<(Key, Reply<R>)>| {
            for (key, reply) in replies {
                let answer = black_box(checker.check(reply, &key));
                answer.expect("bench: honest proofs verify");
            }
        };
        Ok(self.effort.repeat(CHUNK, prepare, check).mean_us())
    }

    /// What cryptography a check takes, mean over random keys.
    fn cryptography(&self) -> Outcome<Cryptography> {
        let samples = self.effort.operations.min(500);
        let checker = Checker::new(self.repository, self.repository.latest())?;
        let mut total = Cryptography::default();
        for (key, reply) in self.replies(&mut Random::new(7), samples) {
            let (own, answer) = Cryptography::of(|| checker.check(reply, &key));
            answer?;
            total += own;
        }
        Ok(total.divided_by(samples as f64))
    }
}

const CHUNK: usize = 256;
