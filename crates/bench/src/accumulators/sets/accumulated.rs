//! Accumulated sets, compared by the party that makes the witnesses.
//!
//! Either the server makes witnesses, for every version or on request. Or the author makes or
//! updates them, and sends them.

use pad_accumulators::{
    Accumulator, Change, Dynamic, ElementSet, Scheme, SecretKey, Witnessed, wire,
};
use pad_core::{Proof, Untrusted, Version, Workers};

use super::{
    super::{Bench, BoundedWork, Plan, SecretKeyOf, elements, signed},
    CHANGE_BYTES, ELEMENT_BYTES, set_line, with_young_generation, young_elements,
};
use crate::{line, prelude::*, primitives::Primitives};

/// Measures one accumulator at every set size. Compares each maker of witnesses, and sets in one
/// and in two generations (explained in [`crate::accumulators::sets`]).
pub fn run<B: Bench>(bench: &B, plan: &Plan, report: &mut Report) -> Outcome<()> {
    let primitives =
        Primitives::measure::<pad_core::Sha256Ed25519>(&Effort::new(plan.manner.quick));
    let largest = plan.largest();
    let secret = bench.secret(largest.max(young_elements(largest)) + 1)?;
    let mut public_witness_us = 0.0;
    for n in plan.sizes() {
        report.announce(format!("{} elements, {}", n, bench.name()));
        let young = Scene::new(bench, plan, &secret, young_elements(n))?;
        let (young, _) = young.figures(&primitives, public_witness_us)?;
        let scene = Scene::new(bench, plan, &secret, n)?;
        // As in `operations`, the time per witness is expected to grow by half with the next size.
        let (all, each_us) = scene.figures(&primitives, public_witness_us * 1.5)?;
        public_witness_us = each_us.unwrap_or(public_witness_us);
        for figures in all {
            report.measured(set_line(&figures, n, 1))?;
            let young = young.iter().find(|it| it.agrees(&figures, &["witnesses"]));
            if let Some(young) = young {
                report.measured(set_line(&with_young_generation(&figures, young), n, 2))?;
            }
        }
    }
    Ok(())
}

/// Test data for one update that replaces one element: the set before and after the update, and
/// the witnesses for the set after it.
struct Scene<'a, B: Bench> {
    bench: &'a B,
    plan: &'a Plan,
    secret: &'a SecretKeyOf<B>,
    alone: Workers,
    set: ElementSet<B::Scheme>,
    value: Value<B>,
    /// The element that the update removes, and the element that it adds.
    exchange: [Vec<u8>; 2],
    changed: ElementSet<B::Scheme>,
    change: Change<B::Scheme>,
    witnesses: Vec<Witness<B>>,
    /// An element that is in the set before and after the update.
    wanted: Vec<u8>,
}

type Value<B> = <<B as Bench>::Scheme as Scheme>::Value;
type Witness<B> = <<B as Bench>::Scheme as Witnessed>::Witness;

/// Costs of an update and a lookup that depend on the party that makes the witnesses.
#[derive(Clone, Copy)]
struct WitnessCosts {
    witnesses: &'static str,
    /// Author's microseconds for making witnesses. `author_limit_us` is its lower bound, the time
    /// of only the primitives.
    author_us: f64,
    author_limit_us: f64,
    server_us: f64,
    prove_us: f64,
    are_sent: bool,
}

impl<'a, B: Bench> Scene<'a, B> {
    fn new(bench: &'a B, plan: &'a Plan, secret: &'a SecretKeyOf<B>, n: usize) -> Outcome<Self> {
        let (alone, elements) = (Workers::sequential(), elements(n.max(2)));
        let set = ElementSet::from_elements(secret.public_key(), &elements, &alone)?;
        let value = B::Scheme::accumulate(secret, &set, &alone)?;
        let exchange = [elements[0].clone(), vec![7; ELEMENT_BYTES]];
        let mut changed = set.clone();
        let [old, new] = exchange.each_ref().map(std::slice::from_ref);
        let change = B::Scheme::change(secret, &mut changed, &value, old, new, &alone)?;
        let witnesses = B::Scheme::witnesses(secret, &changed, &alone)?;
        Ok(Self {
            bench,
            plan,
            secret,
            alone,
            set,
            value,
            exchange,
            changed,
            change,
            witnesses,
            wanted: elements[1].clone(),
        })
    }

    fn key(&self) -> &<B::Scheme as Scheme>::PublicKey {
        self.secret.public_key()
    }

    /// Returns the figures for each maker of witnesses, and the server's microseconds per witness.
    ///
    /// Leaves out witnesses that the server makes for every version if they are expected to take
    /// too long; the microseconds are then `None`. `expected_us` is the expected time per witness.
    fn figures(
        &self,
        primitives: &Primitives,
        expected_us: f64,
    ) -> Outcome<(Vec<Line>, Option<f64>)> {
        let (signed_bytes, witness_bytes, verify_us) = self.check()?;
        let bound_us = |work| self.bench.bound(work, 1).us;
        // The author computes the accumulator value after the update, with the secret key.
        let [old, new] = self.exchange.each_ref().map(std::slice::from_ref);
        let change = |mut set| {
            let made = B::Scheme::change(self.secret, &mut set, &self.value, old, new, &self.alone);
            (made, set)
        };
        let change_us = self.plan.time_on(|| self.set.clone(), change) + primitives.sign_us;
        let change_limit_us = bound_us(BoundedWork::SecretOnce) + primitives.sign_us;
        let verify_limit_us = bound_us(BoundedWork::Verify) + primitives.verify_signature_us;
        let (makers, each_us) = self.makers(expected_us)?;
        let n = self.changed.len();
        let all_if = |are_there| if are_there { n * witness_bytes } else { 0 };
        let figures = |made: WitnessCosts| {
            line! {
                contender: self.bench.name(), witnesses: made.witnesses,
                author_us: change_us + made.author_us,
                author_limit_us: change_limit_us + made.author_limit_us,
                update_bytes: CHANGE_BYTES + signed_bytes + all_if(made.are_sent),
                apply_us: primitives.verify_signature_us + made.server_us,
                prove_us: made.prove_us, proof_bytes: signed_bytes + witness_bytes, verify_us,
                verify_limit_us,
                stored_bytes: n * ELEMENT_BYTES + signed_bytes + all_if(made.witnesses != LAZILY),
            }
        };
        Ok((makers.into_iter().map(figures).collect(), each_us))
    }

    /// Verifies a witness as a client. Returns the bytes of the signed value and of the witness,
    /// and the microseconds of the verification.
    fn check(&self) -> Outcome<(usize, usize, f64)> {
        let version = Version::new(2);
        let value = self.change.after.clone();
        let (signed, authority) = signed::<B::Scheme>(self.key(), version, value)?;
        let witness = &self.witnesses[self.changed.position(&self.wanted)?];
        let verify = || -> Outcome<()> {
            let known = Untrusted::new(signed.clone()).verify(&authority, &version)?;
            witness.clone().check(&known, &self.wanted)?;
            Ok(())
        };
        verify()?;
        let [signed_bytes, witness_bytes] =
            [wire::encode_body(&signed), wire::encode_body(witness)].map(|bytes| bytes.len());
        Ok((signed_bytes, witness_bytes, self.plan.primitive_us(verify)))
    }

    /// Returns the costs for each maker of witnesses, and the server's microseconds per witness.
    /// The time per witness is `None` if its measurement was left out because it would take too
    /// long.
    fn makers(&self, expected_us: f64) -> Outcome<(Vec<WitnessCosts>, Option<f64>)> {
        let (n, plan, alone) = (self.changed.len(), self.plan, &self.alone);
        let all_us = |work| n as f64 * self.bench.bound(work, n).us;
        // The server updates its set. This includes computing the new element's representative, but
        // no witness.
        let [old, new] = self.exchange.each_ref().map(std::slice::from_ref);
        let exchange = |mut set: ElementSet<B::Scheme>| {
            let removed = set.remove_all(old);
            let inserted = set.insert_all(self.key(), new, alone);
            (removed, inserted, set)
        };
        let exchange_us = plan.time_on(|| self.set.clone(), exchange);
        let find = || {
            let place = self.changed.position(&self.wanted);
            place.map(|place| self.witnesses[place].clone())
        };
        find()?;
        // The author makes all witnesses again with the secret key, and the server stores them.
        let author = WitnessCosts {
            witnesses: AUTHOR,
            author_us: plan.time_us(|| B::Scheme::witnesses(self.secret, &self.changed, alone)),
            author_limit_us: all_us(BoundedWork::SecretWitness),
            server_us: exchange_us + plan.time_us(|| self.witnesses.clone()),
            prove_us: plan.primitive_us(find),
            are_sent: true,
        };
        let updates = WitnessCosts {
            witnesses: AUTHOR_UPDATES,
            author_us: self.update_us()?,
            // One power or multiplication for each witness. The update adds the new element to it,
            // and takes out the removed one.
            author_limit_us: all_us(BoundedWork::SecretOnce),
            ..author
        };
        let make = || B::Scheme::witness(self.key(), &self.changed, &self.wanted, alone);
        make()?;
        let lazily = WitnessCosts {
            witnesses: LAZILY,
            author_us: 0.0,
            author_limit_us: 0.0,
            server_us: exchange_us,
            prove_us: plan.time_us(make),
            are_sent: false,
        };
        let mut makers = vec![author, updates, lazily];
        if plan.is_too_long(expected_us * n as f64) {
            return Ok((makers, None));
        }
        let public_us = self.public_us()?;
        makers.push(WitnessCosts {
            witnesses: SERVER,
            server_us: exchange_us + public_us,
            prove_us: author.prove_us,
            ..lazily
        });
        Ok((makers, Some(public_us / n as f64)))
    }

    /// Returns the microseconds in which the server makes all witnesses and the value. Fails unless
    /// they equal the author's.
    fn public_us(&self) -> Outcome<f64> {
        let (key, mut equal) = (self.key(), true);
        let us = self.plan.time_us(|| {
            let made = B::Scheme::witnesses_and_value(key, &self.changed, &self.alone);
            equal &= made
                .is_ok_and(|(made, value)| made == self.witnesses && value == self.change.after);
        });
        ensure(equal, "witnesses with and without the secret key differ")?;
        Ok(us)
    }

    /// Returns the microseconds of updating the witnesses of all elements that stay in the set,
    /// each from its previous witness. The secret key would not save time.
    fn update_us(&self) -> Outcome<f64> {
        let before = B::Scheme::witnesses(self.secret, &self.set, &self.alone)?;
        let before = self.set.elements().iter().cloned().zip(before);
        let before: Vec<_> = before.collect();
        let change = std::slice::from_ref(&self.change);
        let update = || B::Scheme::update_witnesses(self.key(), &before, change, &self.alone);
        let updated = update()?;
        let place = self.set.position(&self.wanted)?;
        let known = &self.witnesses[self.changed.position(&self.wanted)?];
        let is_same = updated[place].as_ref() == Some(known);
        ensure(is_same, "an updated witness differs from one made anew")?;
        Ok(self.plan.time_us(update))
    }
}

/// The server makes all witnesses for every version. This constant and those below name the makers
/// of witnesses in result lines.
const SERVER: &str = "server";
/// The server makes a witness only on request.
const LAZILY: &str = "server-lazily";
const AUTHOR: &str = "author";
const AUTHOR_UPDATES: &str = "author-updates";
