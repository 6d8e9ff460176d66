//! Measures every operation of one accumulator, next to the primitive that bounds it.

use pad_accumulators::{
    AccumulateError, Accumulator, AuthorSet, Batch, Dynamic, ElementSet, Scheme, SecretKey,
    Snapshot, Universal, Witnessed,
};
use pad_core::{Proof, Untrusted, Verified, Version, Workers};
use rayon::prelude::*;

use super::{Plan, Primitive, elements, signed};
use crate::{line, prelude::*};

/// Kind of accumulator work whose time a primitive bounds from below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundedWork {
    /// Computing the number or scalar that represents an element.
    Element,
    /// Accumulating a set with the secret key, for each element after the first.
    Factor,
    /// Accumulating a set of one element with the secret key.
    SecretOnce,
    /// Accumulating a set without the secret key, per element.
    Public,
    /// Making all witnesses of a set with the secret key, per witness.
    SecretWitness,
    /// Making all witnesses of a set without the secret key, per witness.
    PublicWitness,
    /// Verifying a witness.
    Verify,
}

/// Benchmark of an accumulator scheme: its keys, the primitives that bound its operations, and
/// measurements of operations that only this scheme has.
pub trait Bench: Sized {
    /// The measured accumulator scheme.
    type Scheme: Universal + Batch;

    /// Returns the name of the scheme, with its parameters.
    fn name(&self) -> String;
    /// Creates a secret key for sets of up to `capacity` elements.
    fn secret(&self, capacity: usize) -> Outcome<SecretKeyOf<Self>>;
    /// Returns the primitive that bounds the time of `work` on a set of `n` elements.
    fn bound(&self, work: BoundedWork, n: usize) -> Primitive;
    /// Measures operations that only this accumulator has.
    fn extras(&self, report: &mut Operations<'_, Self>) -> Outcome<()>;
}

/// The secret key of the accumulator scheme that `B` measures.
pub type SecretKeyOf<B> = <<B as Bench>::Scheme as Accumulator>::SecretKey;

/// Measures operations of one accumulator, and reports a result line for each.
pub struct Operations<'a, B> {
    bench: &'a B,
    /// Settings of the measurements: sizes, threads and time limits.
    pub plan: &'a Plan,
    report: &'a mut Report,
}

impl<B: Bench> Operations<'_, B> {
    /// Times `work` on `n` elements. Reports and returns the microseconds per element, next to the
    /// primitive of `bound`.
    pub fn measure<R>(
        &mut self,
        operation: &str,
        (n, threads): (usize, usize),
        bound: BoundedWork,
        work: impl FnMut() -> R,
    ) -> Outcome<f64> {
        self.report
            .announce(format!("{} {operation}", self.bench.name()));
        let each = self.plan.time_us(work) / n.max(1) as f64;
        self.line(operation, (n, threads), bound, each)?;
        Ok(each)
    }

    /// Returns whether work that is expected to take `us` microseconds exceeds the longest allowed
    /// time. If so, records in the report that the work is left out.
    fn leaves_out(&mut self, operation: &str, (n, threads): (usize, usize), us: f64) -> bool {
        let leaves_out = self.plan.is_too_long(us);
        if leaves_out {
            let name = self.bench.name();
            let what = format!("{name} {operation}, {n} elements, {threads} threads");
            self.report.left_out(&what, us / 1e6);
        }
        leaves_out
    }

    fn line(
        &mut self,
        operation: &str,
        (n, threads): (usize, usize),
        bound: BoundedWork,
        per_element_us: f64,
    ) -> Outcome<()> {
        let bound = self.bench.bound(bound, n);
        self.report.measured(line! {
            experiment: "accumulators", accumulator: self.bench.name(), operation, n, threads,
            per_element_us, primitive: &bound.name, primitive_us: bound.us,
            ratio: per_element_us / bound.us,
        })
    }
}

/// Measures all operations of one accumulator scheme, for each set size and number of threads.
pub(super) fn run<B: Bench>(bench: &B, plan: &Plan, report: &mut Report) -> Outcome<()> {
    let mut report = Operations {
        bench,
        plan,
        report,
    };
    let largest = plan.largest();
    // One more, for the element that is added in the end.
    let secret = bench.secret(largest + 1)?;
    bench.extras(&mut report)?;
    let mut public_witness_us = vec![0.0; plan.threads.len()];
    for n in plan.sizes() {
        let elements = elements(n);
        for (pool, witness_us) in plan.pools()?.iter().zip(&mut public_witness_us) {
            let scene = Scene::<B> {
                secret: &secret,
                elements: &elements,
                set: ElementSet::from_elements(secret.public_key(), &elements, pool)?,
                pool,
            };
            let what = (n, pool.threads());
            report.measure("representatives", what, BoundedWork::Element, || {
                ElementSet::<B::Scheme>::from_elements(scene.key(), scene.elements, pool)
            })?;
            scene.accumulate(&mut report)?;
            // The time per witness grows with the set: by about half if the set is ten times as
            // large.
            let expected = *witness_us * 1.5 * n as f64;
            if let Some(each) = scene.witnesses(&mut report, expected)? {
                *witness_us = each;
            }
        }
        single_elements::<B>(&secret, &elements, &mut report)?;
    }
    Ok(())
}

/// A set of elements and a number of threads, for which operations are measured.
struct Scene<'a, B: Bench> {
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

    fn accumulate(&self, report: &mut Operations<'_, B>) -> Outcome<()> {
        let (what, pool) = (self.what(), self.pool);
        let first = ElementSet::from_elements(self.key(), &self.elements[..1], pool)?;
        let work = || B::Scheme::accumulate(self.secret, &first, pool);
        work()?;
        let (once, bound) = ((1, what.1), BoundedWork::SecretOnce);
        let once_us = report.measure("accumulate_secret_once", once, bound, work)?;
        let work = || B::Scheme::accumulate(self.secret, &self.set, pool);
        let whole = report.plan.time_us(work);
        let further = (whole - once_us).max(0.0) / what.0 as f64;
        report.line("accumulate_secret_each", what, BoundedWork::Factor, further)?;
        let work = || B::Scheme::accumulate(self.key(), &self.set, pool);
        report.measure("accumulate_public", what, BoundedWork::Public, work)?;
        Ok(())
    }

    /// Measures making all witnesses with the secret key, and without it. Returns the microseconds
    /// per witness without the key. `None` if that measurement was left out because it would take
    /// too long.
    fn witnesses(&self, report: &mut Operations<'_, B>, expected_us: f64) -> Outcome<Option<f64>> {
        let (what, bound) = (self.what(), BoundedWork::PublicWitness);
        let (key, set, pool) = (self.key(), &self.set, self.pool);
        let made = B::Scheme::witnesses(self.secret, set, pool)?;
        let work = || B::Scheme::witnesses(self.secret, set, pool);
        report.measure("witnesses_secret", what, BoundedWork::SecretWitness, work)?;
        if report.leaves_out("witnesses_public", what, expected_us) {
            return Ok(None);
        }
        let mut equal = true;
        let each = report.measure("witnesses_public", what, bound, || {
            equal &= B::Scheme::witnesses(key, set, pool).is_ok_and(|public| public == made);
        })?;
        ensure(equal, "witnesses with and without the secret key differ")?;
        // The baseline takes quadratic time. It is left out if that exceeds the longest allowed
        // time.
        let expected_us = each * (what.0 * what.0) as f64;
        if !report.leaves_out("witnesses_one_by_one", what, expected_us) {
            report.measure("witnesses_one_by_one", what, bound, || self.one_by_one())?;
        }
        Ok(Some(each))
    }

    /// Makes the witness of every element separately and without the secret key, as in the paper.
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

/// Number of values under which witnesses are verified in turn. Verifiers keep the pairings of 16
/// recent values. With more values, each verification is like the first one under its value.
const VALUES: usize = 20;

/// A verified accumulator value, and a witness of one element of its set.
type Known<B> = (
    Verified<Snapshot<<B as Bench>::Scheme>>,
    <<B as Bench>::Scheme as Witnessed>::Witness,
);

/// Makes values of sets that contain `element` and one other element each, with the witnesses of
/// `element`. The size of a set does not change the work of a verification.
fn snapshots_with<B: Bench>(secret: &SecretKeyOf<B>, element: &[u8]) -> Outcome<Vec<Known<B>>> {
    let (key, alone) = (secret.public_key(), &Workers::sequential());
    let version = Version::new(1);
    let mut known = Vec::new();
    for number in 0..VALUES {
        let pair = [element.to_vec(), format!("other {number}").into_bytes()];
        let set = ElementSet::<B::Scheme>::from_elements(key, &pair, alone)?;
        let value = B::Scheme::accumulate(secret, &set, alone)?;
        let (snapshot, authority) = signed::<B::Scheme>(key, version, value)?;
        let snapshot = Untrusted::new(snapshot).verify(&authority, &version)?;
        let witness = B::Scheme::witness(secret, &set, element, alone)?;
        witness.clone().check(&snapshot, element)?;
        known.push((snapshot, witness));
    }
    Ok(known)
}

/// Measures on one thread: verification of a witness, of a batch and of absence, and making a proof
/// of absence. Also adding an element with the secret key, and updating a witness after that.
fn single_elements<B: Bench>(
    secret: &SecretKeyOf<B>,
    elements: &[Vec<u8>],
    report: &mut Operations<'_, B>,
) -> Outcome<()> {
    let (key, alone) = (secret.public_key(), &Workers::sequential());
    let n = elements.len();
    let set = ElementSet::<B::Scheme>::from_elements(key, elements, alone)?;
    let value = B::Scheme::accumulate(secret, &set, alone)?;
    let version = Version::new(1);
    let (snapshot, authority) = signed::<B::Scheme>(key, version, value)?;
    let snapshot = Untrusted::new(snapshot).verify(&authority, &version)?;
    let witnesses = B::Scheme::witnesses(secret, &set, alone)?;
    let (witness, element) = (&witnesses[n / 2], &elements[n / 2]);
    witness.clone().check(&snapshot, element)?;
    let others = snapshots_with::<B>(secret, element)?;
    let mut turns = others.iter().cycle();
    report.measure("verify", (1, 1), BoundedWork::Verify, || {
        let (snapshot, witness) = turns.next()?;
        Some(witness.clone().check(snapshot, element))
    })?;
    let size = n.min(1000);
    let batch = <B::Scheme as Witnessed>::WitnessBatch::from(witnesses[..size].to_vec());
    batch.clone().check(&snapshot, &elements[..size])?;
    report.measure("verify_batch", (size, 1), BoundedWork::Verify, || {
        batch.clone().check(&snapshot, &elements[..size])
    })?;
    let stranger = b"not an element";
    let made = B::Scheme::non_membership_witness(secret, &set, stranger, alone)?;
    made.clone().check(&snapshot, stranger)?;
    report.measure("verify_absence", (1, 1), BoundedWork::Verify, || {
        made.clone().check(&snapshot, stranger)
    })?;
    report.measure("absence_public", (n, 1), BoundedWork::Public, || {
        B::Scheme::non_membership_witness(key, &set, stranger, alone)
    })?;
    let author = AuthorSet::new(secret, set.clone(), alone)?;
    let (none, fresh): (&[&[u8]], &[&[u8]]) = (&[], &[b"fresh"]);
    let change = |mut author: AuthorSet<B::Scheme>| {
        let change = author.change(secret, none, fresh, alone);
        (change, author)
    };
    let change_us = report.plan.time_on(|| author.clone(), change);
    report.line("change_secret", (1, 1), BoundedWork::Verify, change_us)?;
    let log = [change(author).0?];
    report.measure("update_witness", (1, 1), BoundedWork::Verify, || {
        B::Scheme::update_witness(key, &set.elements()[n / 2], witness, &log)
    })?;
    Ok(())
}
