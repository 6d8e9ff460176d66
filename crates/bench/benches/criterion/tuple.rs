//! The tuple dictionaries: author, server and client, beside the signatures and chain steps that bound
//! them. `bench tuple` measures other sizes, and all designs.

use std::{hint::black_box, time::Duration};

use bench::{
    dictionary::{Hosted, Measured, Run, check_answers, publish},
    fixture::id,
    lookups::{Checker, Reply},
    primitives::{author_key, signing_key},
    tuple::{instrument::PlainSuite, pair::STATEMENT},
    workload::{hashed_key, put_hashed, value},
};
use criterion::{BatchSize, Criterion, Throughput};
use pad_core::{Answer, Operation, Suite, Version};
use pad_tuple::{BaseSuperseding, SpecLightweight, SpecSuperseding, TupleRepository, chain};
use signature::Signer;

use crate::{Each, ONE, measure};

const KEYS: u64 = 1_000;

/// An author and a server after a snapshot of all keys.
fn loaded<R: Measured>() -> Run<R> {
    let mut run = Run::new(signing_key(), Duration::MAX);
    let loaded = run.publish((0..KEYS).map(put_hashed).collect());
    loaded.expect("bench: the author's updates apply");
    run
}

fn roles<R: Measured>(design: &str, criterion: &mut Criterion) {
    let name = id(&[("design", &design), ("keys", &KEYS)]);
    lookups::<R>(&name, criterion);
    let Hosted {
        mut author,
        mut repository,
        ..
    } = loaded::<R>().roles;
    let mut round = 0;
    let mut next = || {
        round += 1;
        vec![Operation::Put(
            hashed_key(round % KEYS),
            value(KEYS + round),
        )]
    };
    let each = Each(Throughput::Elements(1), 20);
    measure(criterion, "tuple::apply", &name, each, |bencher| {
        let update = || publish(&mut author, next()).expect("bench: a key in memory signs");
        let apply = |update| {
            let applied = repository.apply(&update);
            applied.expect("bench: the author's updates apply")
        };
        bencher.iter_batched(update, apply, BatchSize::LargeInput);
    });
    let each = Each(Throughput::Elements(1), 20);
    measure(criterion, "tuple::snapshot", &name, each, |bencher| {
        let snapshot = |operations| publish(&mut author, operations);
        bencher.iter_batched(&mut next, snapshot, BatchSize::LargeInput);
    });
}

fn lookups<R: Measured>(name: &str, criterion: &mut Criterion) {
    let repository = loaded::<R>().roles.repository;
    let (version, key) = (Version::new(1), hashed_key(KEYS / 3));
    let expected = (version, key.clone(), Answer::Present(value(KEYS / 3)));
    check_answers(&repository, [expected]).expect("bench: honest proofs verify");
    measure(criterion, "tuple::prove", name, ONE, |bencher| {
        bencher.iter(|| repository.prove_answer(version, black_box(&key)));
    });
    let checker = Checker::new(&repository, version).expect("bench: the version exists");
    measure(criterion, "tuple::verify", name, ONE, |bencher| {
        let reply = || Reply::of(&repository, version, &key).expect("bench: the version exists");
        let check = |reply| checker.check(reply, &key);
        bencher.iter_batched(reply, check, BatchSize::SmallInput);
    });
}

/// What bounds snapshots and checks.
fn limits(criterion: &mut Criterion) {
    let (signer, public, message) = (signing_key(), author_key(), [7; STATEMENT]);
    let signature = signer.sign(&message);
    assert!(public.verify(&message, &signature).is_ok());
    let start = PlainSuite::value(b"start");
    let group = "tuple::limit";
    measure(criterion, group, "primitive=sign", ONE, |bencher| {
        bencher.iter(|| signer.sign(black_box(&message)));
    });
    measure(criterion, group, "primitive=verify", ONE, |bencher| {
        bencher.iter(|| public.verify(black_box(&message), black_box(&signature)));
    });
    measure(criterion, group, "primitive=chain_step", ONE, |bencher| {
        bencher.iter(|| chain::walk::<PlainSuite>(black_box(start), &start, 1));
    });
}

pub(crate) fn designs(criterion: &mut Criterion) {
    limits(criterion);
    roles::<TupleRepository<PlainSuite, BaseSuperseding>>("base-superseding", criterion);
    roles::<TupleRepository<PlainSuite, SpecSuperseding>>("spec-superseding", criterion);
    roles::<TupleRepository<PlainSuite, SpecLightweight>>("spec-lightweight", criterion);
}
