//! Operations of accumulators over a set of 200, on one thread (Tremel 2013, section 5).
//!
//! `bench accumulators` measures other sizes and thread counts, each with its primitive.

#![allow(clippy::as_conversions, reason = "lengths fit 64 bits")]

use std::{hint::black_box, time::Duration};

use bench::{
    accumulators::{Bench, BilinearBench, Plan, RsaBench, signed_and_verified},
    fixture::id,
};
use criterion::{Bencher, Criterion, Throughput};
use pad_accumulators::{
    Accumulator, ElementSet, SecretKey, Universal, Witnessed, rsa::RepresentativeRule,
};
use pad_core::{Proof, Workers};

use crate::{Each, ONE, measure, size, timed};

/// The size of the set.
fn elements() -> usize {
    size(200, 10)
}

fn scheme<B: Bench>(criterion: &mut Criterion, bench: &B) {
    let alone = &Workers::sequential();
    let elements = elements();
    let secret = bench.secret(elements).expect("a secret key");
    let key = secret.public_key();
    let names: Vec<Vec<u8>> = (0..elements).map(|i| i.to_be_bytes().to_vec()).collect();
    let set = ElementSet::<B::Scheme>::from_elements(key, &names, alone).expect("distinct");
    let value = B::Scheme::accumulate(&secret, &set, alone).expect("a value");
    let witnesses = B::Scheme::witnesses(&secret, &set, alone).expect("witnesses");
    assert_eq!(B::Scheme::accumulate(key, &set, alone).as_ref(), Ok(&value));
    let snapshot = signed_and_verified::<B::Scheme>(key, value);
    let snapshot = snapshot.expect("bench: an honest signature");
    let name = |what: &str| id(&[("accumulator", &bench.name()), ("do", &what)]);

    let mut set_of = |what: &str, work: &mut dyn FnMut(&mut Bencher<'_>)| {
        let each = Each(Throughput::Elements(elements as u64), 10);
        measure(criterion, "accumulators::set", &name(what), each, work);
    };
    set_of("representatives", &mut |bencher| {
        timed(bencher, || {
            ElementSet::<B::Scheme>::from_elements(key, black_box(&names), alone)
        });
    });
    set_of("accumulate_secret", &mut |bencher| {
        timed(bencher, || {
            B::Scheme::accumulate(&secret, black_box(&set), alone)
        });
    });
    set_of("accumulate_public", &mut |bencher| {
        timed(bencher, || {
            B::Scheme::accumulate(key, black_box(&set), alone)
        });
    });
    let batch = <B::Scheme as Witnessed>::WitnessBatch::from(witnesses.clone());
    set_of("verify_batch", &mut |bencher| {
        timed(bencher, || {
            black_box(&batch).clone().check(&snapshot, &names)
        });
    });

    by_threads(criterion, (bench, &secret), &set);

    let absence = B::Scheme::non_membership_witness(&secret, &set, b"", alone);
    let absence = absence.expect("the empty element is not in the set");
    let mut one = |what: &str, work: &mut dyn FnMut(&mut Bencher<'_>)| {
        measure(criterion, "accumulators::one", &name(what), ONE, work);
    };
    one("verify", &mut |bencher| {
        timed(bencher, || {
            black_box(&witnesses[0]).clone().check(&snapshot, &names[0])
        });
    });
    one("verify_absence", &mut |bencher| {
        timed(bencher, || {
            black_box(&absence).clone().check(&snapshot, b"")
        });
    });
}

/// Benches the witnesses of all elements, with and without the secret key, on one and all threads.
fn by_threads<B: Bench>(
    criterion: &mut Criterion,
    (bench, secret): (&B, &<B::Scheme as Accumulator>::SecretKey),
    set: &ElementSet<B::Scheme>,
) {
    let (elements, key) = (elements(), secret.public_key());
    for workers in [Workers::sequential(), Workers::all_cores()] {
        let threads = workers.threads();
        let mut by = |who: &str, work: &mut dyn FnMut(&mut Bencher<'_>)| {
            let name = id(&[
                ("accumulator", &bench.name()),
                ("by", &who),
                ("threads", &threads),
            ]);
            let each = Each(Throughput::Elements(elements as u64), 10);
            measure(criterion, "accumulators/witnesses", &name, each, work);
        };
        by("author", &mut |bencher| {
            timed(bencher, || {
                B::Scheme::witnesses(secret, black_box(set), &workers)
            });
        });
        by("server", &mut |bencher| {
            timed(bencher, || {
                B::Scheme::witnesses(key, black_box(set), &workers)
            });
        });
    }
}

pub(crate) fn schemes(criterion: &mut Criterion) {
    let plan = Plan {
        sizes: vec![elements()],
        threads: Vec::new(),
        longest: Duration::ZERO,
        quick: true,
    };
    scheme(criterion, &BilinearBench::new(&plan).expect("a thread"));
    let rsa = RsaBench::new(RepresentativeRule::Wide, &plan).expect("a key");
    scheme(criterion, &rsa);
}
