//! The accumulators: every operation, beside the primitive that bounds it, measured in the same run.

#![allow(
    missing_debug_implementations,
    clippy::missing_errors_doc,
    reason = "nobody prints a bench; its errors go to whoever runs it"
)]

use std::{
    hint::black_box,
    num::NonZeroUsize,
    time::{Duration, Instant},
};

use accumulators::{
    AccumulateError, Accumulator, Authority, Batch, Dynamic, ElementSet, Scheme, SecretKey,
    SignedSnapshot, Snapshot, Universal, Witnessed,
};
use ed25519_dalek::SigningKey;
use pad_core::{AuthorKey, Proof, Untrusted, Verified, Version, Workers};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    Outcome,
    machine::Machine,
    timing::{median, microseconds, rounded},
    workload::Random,
};

mod bilinear;
mod rsa;
mod table;

pub use bilinear::BilinearBench;
pub use rsa::{RsaBench, factors as rsa_factors};
pub use table::table;

/// One line of `bench accumulators --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AccumulatorRecord {
    /// Always `accumulators`.
    pub experiment: String,
    /// The scheme, and what distinguishes its parameters.
    pub accumulator: String,
    /// What was done.
    pub operation: String,
    /// The number of elements in the set, or in the batch or subset.
    pub n: usize,
    /// The number of threads of the operation; primitives always have one.
    pub threads: usize,
    /// Time of the operation, divided by the number of elements that it made or checked.
    pub per_element_us: f64,
    /// What bounds it.
    pub primitive: String,
    /// Its time on one core, measured in the same run.
    pub primitive_us: f64,
    /// `per_element_us / primitive_us`.
    pub ratio: f64,
    /// Where.
    #[serde(flatten)]
    pub machine: Machine,
}

/// What to measure.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The numbers of elements, ascending.
    pub sizes: Vec<usize>,
    /// The numbers of threads.
    pub threads: Vec<NonZeroUsize>,
    /// What is expected to take longer than this is left out.
    pub longest: Duration,
    /// Measure little.
    pub quick: bool,
}

/// A primitive's name and its time in microseconds.
#[derive(Clone, Debug)]
pub struct Primitive {
    name: String,
    us: f64,
}

impl Primitive {
    fn new(name: impl Into<String>, us: f64) -> Self {
        Self {
            name: name.into(),
            us,
        }
    }
}

/// A scheme's keys, the primitives that bound its operations, and what only it can do.
pub trait Bench {
    /// The scheme.
    type Scheme: Universal + Batch;

    /// The scheme, and what distinguishes its parameters.
    fn name(&self) -> String;
    /// A secret key for sets of up to `capacity` elements.
    fn secret(&self, capacity: usize) -> Outcome<SecretKeyOf<Self>>;
    /// What bounds making a representative.
    fn element_bound(&self) -> Primitive;
    /// What bounds each further element of a set accumulated with the secret key.
    fn factor_bound(&self) -> Primitive;
    /// What bounds accumulating with the secret key beyond that, once.
    fn accumulate_secret_bound(&self) -> Primitive;
    /// What bounds accumulating a set of `n` elements without it, per element.
    fn accumulate_public_bound(&self, n: usize) -> Primitive;
    /// What bounds each of all witnesses with the secret key.
    fn witness_secret_bound(&self, n: usize) -> Primitive;
    /// What bounds each of all witnesses without it.
    fn witness_public_bound(&self, n: usize) -> Primitive;
    /// What bounds verifying.
    fn verify_bound(&self) -> Primitive;
    /// What else there is to measure.
    fn extras(&self, report: &mut Report<'_>) -> Outcome<()>;
}

/// The secret key of a scheme.
pub type SecretKeyOf<B> = <<B as Bench>::Scheme as Accumulator>::SecretKey;

/// Collects lines, and passes each on as soon as it is there.
pub struct Report<'a> {
    accumulator: String,
    plan: &'a Plan,
    machine: &'a Machine,
    emit: &'a mut dyn FnMut(AccumulatorRecord) -> Outcome<()>,
}

impl Report<'_> {
    /// Times `work`, which handles `n` elements, and reports the time of one.
    ///
    /// Returns that time, or `None` if the work was left out: `expected_us` in all is too long.
    pub fn measure<R>(
        &mut self,
        operation: &str,
        (n, threads): (usize, usize),
        bound: &Primitive,
        expected_us: f64,
        work: impl FnMut() -> R,
    ) -> Outcome<Option<f64>> {
        if expected_us > microseconds(self.plan.longest) {
            return Ok(None);
        }
        let each = self.plan.time_us(work) / n.max(1) as f64;
        self.line(operation, (n, threads), bound, each)?;
        Ok(Some(each))
    }

    fn line(
        &mut self,
        operation: &str,
        (n, threads): (usize, usize),
        bound: &Primitive,
        per_element_us: f64,
    ) -> Outcome<()> {
        (self.emit)(AccumulatorRecord {
            experiment: "accumulators".to_owned(),
            accumulator: self.accumulator.clone(),
            operation: operation.to_owned(),
            n,
            threads,
            per_element_us: rounded(per_element_us),
            primitive: bound.name.clone(),
            primitive_us: rounded(bound.us),
            ratio: rounded(per_element_us / bound.us),
            machine: self.machine.clone(),
        })
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        self.plan
    }
}

impl Plan {
    /// The time of `work` in microseconds: the median of up to 15 runs within two seconds, of at
    /// least one run.
    fn time_us<R>(&self, mut work: impl FnMut() -> R) -> f64 {
        let (budget, runs) = if self.quick {
            (Duration::ZERO, 1)
        } else {
            (Duration::from_secs(2), 15)
        };
        let start = Instant::now();
        let mut times = Vec::new();
        while times.is_empty() || (times.len() < runs && start.elapsed() < budget) {
            let start = Instant::now();
            black_box(work());
            times.push(microseconds(start.elapsed()));
        }
        median(times)
    }

    /// The time of one call of a short `work`, in microseconds.
    pub fn primitive_us<R>(&self, mut work: impl FnMut() -> R) -> f64 {
        crate::timing::Effort::new(self.quick).primitive_ns(|calls| {
            for _ in 0..calls {
                black_box(work());
            }
        }) / 1e3
    }

    fn pools(&self) -> Outcome<Vec<Workers>> {
        let pool = |threads: &NonZeroUsize| Ok(Workers::new(*threads)?);
        self.threads.iter().map(pool).collect()
    }
}

/// Measures one scheme.
///
/// # Errors
/// What the scheme refuses, or a line that could not be written.
pub fn run<B: Bench>(
    bench: &B,
    plan: &Plan,
    emit: &mut dyn FnMut(AccumulatorRecord) -> Outcome<()>,
) -> Outcome<()> {
    let machine = Machine::current();
    let mut report = Report {
        accumulator: bench.name(),
        plan,
        machine: &machine,
        emit,
    };
    let largest = plan.sizes.iter().copied().max().unwrap_or(1);
    // One more, for the element that is added in the end.
    let secret = bench.secret(largest + 1)?;
    bench.extras(&mut report)?;
    let mut public_witness_us = vec![0.0; plan.threads.len()];
    for &n in &plan.sizes {
        let elements = elements(n);
        for (pool, witness_us) in plan.pools()?.iter().zip(&mut public_witness_us) {
            let scene = Scene::<B> {
                bench,
                secret: &secret,
                elements: &elements,
                set: ElementSet::from_elements(secret.public_key(), &elements, pool)?,
                pool,
            };
            scene.representatives(&mut report)?;
            scene.accumulate(&mut report)?;
            // Grows faster than linearly, but hardly: half as much again for ten times the set.
            let expected = *witness_us * 1.5 * n as f64;
            if let Some(each) = scene.witnesses(&mut report, expected)? {
                *witness_us = each;
            }
        }
        single_elements(bench, &secret, &elements, &mut report)?;
    }
    Ok(())
}

/// Distinct elements of 32 bytes.
fn elements(n: usize) -> Vec<Vec<u8>> {
    let mut random = Random::new(n as u64);
    let words = |random: &mut Random| [(); 4].map(|()| random.next().to_be_bytes());
    (0..n).map(|_| words(&mut random).concat()).collect()
}

/// One set and one number of threads.
struct Scene<'a, B: Bench> {
    bench: &'a B,
    secret: &'a SecretKeyOf<B>,
    elements: &'a [Vec<u8>],
    set: ElementSet<B::Scheme>,
    pool: &'a Workers,
}

impl<B: Bench> Scene<'_, B> {
    fn key(&self) -> &<B::Scheme as Scheme>::PublicKey {
        self.secret.public_key()
    }

    fn what(&self) -> (usize, usize) {
        (self.elements.len(), self.pool.threads())
    }

    fn representatives(&self, report: &mut Report<'_>) -> Outcome<()> {
        let represent =
            || ElementSet::<B::Scheme>::from_elements(self.key(), self.elements, self.pool);
        report.measure(
            "representatives",
            self.what(),
            &self.bench.element_bound(),
            0.0,
            represent,
        )?;
        Ok(())
    }

    fn accumulate(&self, report: &mut Report<'_>) -> Outcome<()> {
        let (n, threads) = self.what();
        let pool = self.pool;
        let once = &self.bench.accumulate_secret_bound();
        let first = ElementSet::from_elements(self.key(), &self.elements[..1], pool)?;
        let work = || B::Scheme::accumulate(self.secret, &first, pool);
        work()?;
        let once_us = report.measure("accumulate_secret_once", (1, threads), once, 0.0, work)?;
        let whole = report
            .plan
            .time_us(|| B::Scheme::accumulate(self.secret, &self.set, pool));
        let further = (whole - once_us.unwrap_or(0.0)).max(0.0) / n as f64;
        let factor = self.bench.factor_bound();
        report.line("accumulate_secret_each", (n, threads), &factor, further)?;
        let bound = self.bench.accumulate_public_bound(n);
        let work = || B::Scheme::accumulate(self.key(), &self.set, pool);
        report.measure("accumulate_public", (n, threads), &bound, 0.0, work)?;
        Ok(())
    }

    /// Returns the time of each of all witnesses without the secret key.
    fn witnesses(&self, report: &mut Report<'_>, expected_us: f64) -> Outcome<Option<f64>> {
        let (n, threads) = self.what();
        let (key, set, pool) = (self.key(), &self.set, self.pool);
        let bound = self.bench.witness_secret_bound(n);
        let made = B::Scheme::witnesses(self.secret, set, pool)?;
        let work = || B::Scheme::witnesses(self.secret, set, pool);
        report.measure("witnesses_secret", (n, threads), &bound, 0.0, work)?;
        let bound = self.bench.witness_public_bound(n);
        let mut equal = true;
        let each = report.measure(
            "witnesses_public",
            (n, threads),
            &bound,
            expected_us,
            || {
                equal &= B::Scheme::witnesses(key, set, pool).is_ok_and(|public| public == made);
            },
        )?;
        if !equal {
            return Err("witnesses with and without the secret key differ".into());
        }
        // The quadratic baseline is only run where it takes seconds.
        let expected = each.unwrap_or(f64::MAX) * (n * n) as f64;
        let work = || self.one_by_one();
        report.measure("witnesses_one_by_one", (n, threads), &bound, expected, work)?;
        Ok(each)
    }

    /// Every witness made on its own, as in the paper.
    fn one_by_one(&self) -> Result<Vec<<B::Scheme as Witnessed>::Witness>, AccumulateError> {
        let (key, set, alone) = (self.key(), &self.set, Workers::sequential());
        let witness = |element: &Vec<u8>| B::Scheme::witness(key, set, element, &alone);
        if self.pool.threads() == 1 {
            return self.elements.iter().map(witness).collect();
        }
        let elements = self.elements;
        self.pool.run(|| elements.par_iter().map(witness).collect())
    }
}

/// What clients do, and what servers do for one element: on one thread.
fn single_elements<B: Bench>(
    bench: &B,
    secret: &SecretKeyOf<B>,
    elements: &[Vec<u8>],
    report: &mut Report<'_>,
) -> Outcome<()> {
    let (key, alone) = (secret.public_key(), &Workers::sequential());
    let n = elements.len();
    let set = ElementSet::<B::Scheme>::from_elements(key, elements, alone)?;
    let value = B::Scheme::accumulate(secret, &set, alone)?;
    let snapshot = signed_and_verified::<B::Scheme>(key, value)?;
    let witnesses = B::Scheme::witnesses(secret, &set, alone)?;
    let bound = bench.verify_bound();
    let (witness, element) = (&witnesses[n / 2], &elements[n / 2]);
    witness.clone().check(&snapshot, element)?;
    report.measure("verify", (1, 1), &bound, 0.0, || {
        witness.clone().check(&snapshot, element)
    })?;
    let size = n.min(1000);
    let batch = <B::Scheme as Witnessed>::WitnessBatch::from(witnesses[..size].to_vec());
    batch.clone().check(&snapshot, &elements[..size])?;
    report.measure("verify_batch", (size, 1), &bound, 0.0, || {
        batch.clone().check(&snapshot, &elements[..size])
    })?;
    let stranger = b"not an element";
    let made = B::Scheme::non_membership_witness(secret, &set, stranger, alone)?;
    made.clone().check(&snapshot, stranger)?;
    report.measure("verify_absence", (1, 1), &bound, 0.0, || {
        made.clone().check(&snapshot, stranger)
    })?;
    let bound = bench.accumulate_public_bound(n);
    report.measure("absence_public", (n, 1), &bound, 0.0, || {
        B::Scheme::non_membership_witness(key, &set, stranger, alone)
    })?;
    changes(bench, secret, &set, report)
}

/// One element removed and one added, and a witness that follows.
fn changes<B: Bench>(
    bench: &B,
    secret: &SecretKeyOf<B>,
    set: &ElementSet<B::Scheme>,
    report: &mut Report<'_>,
) -> Outcome<()> {
    let (key, alone) = (secret.public_key(), &Workers::sequential());
    let value = B::Scheme::accumulate(secret, set, alone)?;
    let (none, fresh): (&[&[u8]], &[&[u8]]) = (&[], &[b"fresh"]);
    let bound = bench.verify_bound();
    let n = set.len();
    report.measure("change_secret", (1, 1), &bound, 0.0, || {
        let mut set = set.clone();
        B::Scheme::change(secret, &mut set, &value, none, fresh, alone)
    })?;
    let mut changed = set.clone();
    let change = B::Scheme::change(secret, &mut changed, &value, none, fresh, alone)?;
    let element = &set.elements()[n / 2];
    let witnesses = B::Scheme::witnesses(secret, set, alone)?;
    report.measure("update_witness", (1, 1), &bound, 0.0, || {
        let log = core::slice::from_ref(&change);
        B::Scheme::update_witness(key, element, &witnesses[n / 2], log)
    })?;
    Ok(())
}

fn signed_and_verified<A: Accumulator>(
    key: &A::PublicKey,
    value: A::Value,
) -> Outcome<Verified<Snapshot<A>>> {
    let signer = SigningKey::from_bytes(&[7; 32]);
    let version = Version::new(1);
    let snapshot = Snapshot::<A> {
        key: key.clone(),
        version,
        value,
    };
    let authority = Authority {
        author: AuthorKey::from_bytes(signer.verifying_key().as_bytes())?,
        key: key.clone(),
    };
    let signed: SignedSnapshot<A> = snapshot.sign(&signer)?;
    Ok(Untrusted::new(signed).verify(&authority, &version)?)
}
