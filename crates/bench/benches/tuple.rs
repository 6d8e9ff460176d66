//! The tuple dictionaries: author, server and client, beside the signatures and chain steps that bound
//! them. `bench tuple` measures other sizes, and all designs.

use std::{hint::black_box, time::Duration};

use bench::{
    author::put_all,
    fixture::id,
    primitives::{author_key, signing_key},
    tuple::{
        contender::{Contender, Reply},
        instrument::PlainSuite,
        pair::{self, Job, Pair, STATEMENT},
    },
    workload::{hashed_key, value},
};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use pad_core::{Dictionary, Operation, Repository, Suite, Version, Workers};
use pad_tree::Answer;
use pad_tuple::chain;
use signature::Signer;

const KEYS: u64 = 1_000;
const DESIGNS: [&str; 3] = ["base-superseding", "spec-superseding", "spec-lightweight"];

/// Benches one design.
struct Design<'a> {
    design: &'static str,
    criterion: &'a mut Criterion,
}

impl Job for Design<'_> {
    type Output = ();

    fn run<P: Pair>(self) {
        roles::<P::Plain>(self.design, self.criterion);
    }
}

/// An author and a server after a snapshot of all keys.
fn loaded<C: Contender>() -> (C::Author, C::Repository) {
    let (mut author, mut repository) = (C::author(&Workers::sequential()), C::repository());
    let load = (0..KEYS).map(|i| Operation::Put(hashed_key(i), value(i)));
    put_all(&mut author, load.collect());
    let update = C::snapshot(&mut author).expect("bench: a key in memory signs");
    repository
        .apply(&update)
        .expect("bench: the author's updates apply");
    (author, repository)
}

fn roles<C: Contender>(design: &str, criterion: &mut Criterion) {
    let (mut author, mut repository) = loaded::<C>();
    let name = id(&[("design", &design), ("keys", &KEYS)]);
    let mut group = criterion.benchmark_group("tuple::snapshot");
    group.throughput(Throughput::Elements(1)).sample_size(20);
    let mut round = 0;
    let mut next = || {
        round += 1;
        (hashed_key(round % KEYS), value(KEYS + round))
    };
    group.bench_function(&name, |bencher| {
        bencher.iter_batched(
            &mut next,
            |(key, value)| {
                author.put(key, value);
                C::snapshot(&mut author)
            },
            BatchSize::LargeInput,
        );
    });
    group.finish();

    let (mut author, _) = loaded::<C>();
    let mut group = criterion.benchmark_group("tuple::apply");
    group.throughput(Throughput::Elements(1)).sample_size(20);
    group.bench_function(&name, |bencher| {
        let update = || {
            let (key, value) = next();
            author.put(key, value);
            C::snapshot(&mut author).expect("bench: a key in memory signs")
        };
        let apply = |update| {
            repository
                .apply(&update)
                .expect("bench: the author's updates apply")
        };
        bencher.iter_batched(update, apply, BatchSize::LargeInput);
    });
    group.finish();
    lookups::<C>(&name, criterion);
}

fn lookups<C: Contender>(name: &str, criterion: &mut Criterion) {
    let (_, repository) = loaded::<C>();
    let (version, key) = (Version::new(1), hashed_key(KEYS / 3));
    let expectation = C::expectation(version);
    let reply = Reply::<C>::of(&repository, version, &key).expect("bench: the version exists");
    let lookup = C::check(&expectation, reply.clone(), &key).expect("bench: honest proofs verify");
    assert_eq!(lookup.answer, Answer::Present(value(KEYS / 3)));

    let mut group = criterion.benchmark_group("tuple::prove");
    group.throughput(Throughput::Elements(1));
    group.bench_function(name, |bencher| {
        bencher.iter(|| repository.prove(version, black_box(&key)));
    });
    group.finish();
    let mut group = criterion.benchmark_group("tuple::verify");
    group.throughput(Throughput::Elements(1));
    group.bench_function(name, |bencher| {
        let check = |reply| C::check(&expectation, reply, &key);
        bencher.iter_batched(|| reply.clone(), check, BatchSize::SmallInput);
    });
    group.finish();
}

/// What bounds snapshots and checks.
fn limits(criterion: &mut Criterion) {
    let (signer, public, message) = (signing_key(), author_key(), [7; STATEMENT]);
    let signature = signer.sign(&message);
    assert!(public.verify(&message, &signature).is_ok());
    let start = PlainSuite::value(b"start");
    let mut group = criterion.benchmark_group("tuple::limit");
    group.throughput(Throughput::Elements(1));
    group.bench_function("primitive=sign", |bencher| {
        bencher.iter(|| signer.sign(black_box(&message)));
    });
    group.bench_function("primitive=verify", |bencher| {
        bencher.iter(|| public.verify(black_box(&message), black_box(&signature)));
    });
    group.bench_function("primitive=chain_step", |bencher| {
        bencher.iter(|| chain::walk::<PlainSuite>(black_box(start), &start, 1));
    });
    group.finish();
}

fn designs(criterion: &mut Criterion) {
    limits(criterion);
    for design in DESIGNS {
        pair::run(design, Design { design, criterion }).expect("bench: a design's name");
    }
}

fn short() -> Criterion {
    let (warm_up, measurement) = (Duration::from_millis(500), Duration::from_secs(2));
    Criterion::default()
        .warm_up_time(warm_up)
        .measurement_time(measurement)
}

criterion_group! {
    name = benches;
    config = short();
    targets = designs
}
criterion_main!(benches);
