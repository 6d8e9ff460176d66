//! The outsourced files: building a list, proving and checking 460 challenges, 300 updates at once, and
//! tags of every scheme. `bench flexlist` measures other sizes, and threads.

use std::{hint::black_box, time::Duration};

use bench::{
    fixture::id,
    flexlist::{
        audit::Audit,
        blocks::{BLOCK_BYTES, blocks, content},
        multi::operations,
        record::Order,
    },
    workload::Random,
};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use flexlist::{
    FlexList,
    list::{Sha256, verify_indices, verify_update},
    tag::{OwnerKey, TagKind, WriteId},
};
use pad_core::Workers;

const BLOCKS: u64 = 100_000;
const CHALLENGES: u32 = 460;
const UPDATES: u64 = 300;

/// Those whose keys take no time.
const KINDS: [TagKind; 3] = [TagKind::HashOnly, TagKind::PrivateMac, TagKind::PublicBls];

fn build(criterion: &mut Criterion) {
    let (blocks, alone) = (blocks(BLOCKS), Workers::sequential());
    let list = FlexList::<Sha256>::build(&blocks, &alone).expect("bench: blocks make a list");
    let parallel = FlexList::<Sha256>::build(&blocks, &Workers::all_cores());
    let parallel = parallel.expect("bench: blocks make a list");
    assert_eq!(list.root(), parallel.root());
    assert_eq!(list.total(), BLOCKS * BLOCK_BYTES);
    let mut group = criterion.benchmark_group("flexlist::build");
    group
        .throughput(Throughput::Elements(BLOCKS))
        .sample_size(10);
    for workers in [Workers::sequential(), Workers::all_cores()] {
        let name = id(&[("blocks", &BLOCKS), ("threads", &workers.threads())]);
        group.bench_function(name, |bencher| {
            bencher.iter_with_large_drop(|| FlexList::<Sha256>::build(&blocks, &workers));
        });
    }
    group.finish();
}

fn audit(criterion: &mut Criterion) {
    for kind in KINDS {
        let owner = OwnerKey::generate(kind, &Workers::all_cores());
        let owner = owner.expect("bench: the system has randomness");
        let audit = Audit::new(BLOCKS, CHALLENGES, owner.clone()).expect("bench: blocks fit");
        let (list, indices) = audit.list();
        let state = list.state();
        let proof = list.prove(indices).expect("bench: indices are in the file");
        let proven = verify_indices::<Sha256>(&proof, &state, indices);
        let proven = proven.expect("bench: honest proofs verify");
        let challenged = audit
            .assign(proven.get())
            .expect("bench: every block is challenged");
        let tags = audit
            .prove_tags(&challenged)
            .expect("bench: blocks fit their tags");
        audit
            .check(&proof, &state, &tags)
            .expect("bench: honest proofs verify");

        if kind == KINDS[0] {
            let name = id(&[("blocks", &BLOCKS), ("challenges", &CHALLENGES)]);
            let mut group = criterion.benchmark_group("flexlist::prove");
            group.throughput(Throughput::Elements(CHALLENGES.into()));
            group.bench_function(&name, |bencher| {
                bencher.iter(|| list.prove(black_box(indices)));
            });
            group.finish();
            let mut group = criterion.benchmark_group("flexlist::verify");
            group.throughput(Throughput::Elements(CHALLENGES.into()));
            group.bench_function(&name, |bencher| {
                bencher.iter(|| verify_indices::<Sha256>(black_box(&proof), &state, indices));
            });
            group.finish();
        }
        let name = id(&[("tags", &kind.name()), ("challenges", &CHALLENGES)]);
        let (opened, verifier) = (audit.opened(&challenged), owner.verifier());
        let mut group = criterion.benchmark_group("flexlist::prove_tags");
        group
            .throughput(Throughput::Elements(CHALLENGES.into()))
            .sample_size(10);
        group.bench_function(&name, |bencher| {
            bencher.iter(|| audit.prove_tags(&challenged));
        });
        group.finish();
        let mut group = criterion.benchmark_group("flexlist::verify_tags");
        group
            .throughput(Throughput::Elements(CHALLENGES.into()))
            .sample_size(10);
        group.bench_function(&name, |bencher| {
            bencher.iter(|| verifier.verify(&opened, &tags));
        });
        group.finish();
        tag(criterion, &owner);
    }
}

fn tag(criterion: &mut Criterion, owner: &OwnerKey) {
    let block = content(
        &mut Random::new(1),
        usize::try_from(BLOCK_BYTES).expect("bench: 2048"),
    );
    let mut group = criterion.benchmark_group("flexlist::tag");
    group
        .throughput(Throughput::Bytes(BLOCK_BYTES))
        .sample_size(20);
    group.bench_function(id(&[("tags", &owner.kind().name())]), |bencher| {
        bencher.iter(|| owner.tag(WriteId([1; 16]), black_box(&block)));
    });
    group.finish();
}

fn update(criterion: &mut Criterion) {
    let mut list = FlexList::<Sha256>::build(&blocks(BLOCKS), &Workers::sequential())
        .expect("bench: blocks make a list");
    let state = list.state();
    for order in [Order::Consecutive, Order::Random] {
        let operations = operations(order, BLOCKS, UPDATES, &mut Random::new(1));
        let change = list
            .update(&operations)
            .expect("bench: operations fit the file");
        let next = verify_update::<Sha256>(&change.witness, &state, &operations);
        let next = next.expect("bench: honest witnesses verify");
        assert_eq!(*next.get(), list.state());
        list.undo(change.previous);
        assert_eq!(list.state(), state);

        let name = id(&[("order", &order.name()), ("updates", &UPDATES)]);
        let mut group = criterion.benchmark_group("flexlist::update_and_undo");
        group
            .throughput(Throughput::Elements(UPDATES))
            .sample_size(20);
        group.bench_function(&name, |bencher| {
            bencher.iter_batched(
                || (),
                |()| {
                    let change = list.update(&operations).expect("bench: as before");
                    list.undo(change.previous);
                    change.witness
                },
                BatchSize::SmallInput,
            );
        });
        group.finish();
        let mut group = criterion.benchmark_group("flexlist::verify_update");
        group
            .throughput(Throughput::Elements(UPDATES))
            .sample_size(20);
        group.bench_function(&name, |bencher| {
            bencher
                .iter(|| verify_update::<Sha256>(black_box(&change.witness), &state, &operations));
        });
        group.finish();
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
    targets = build, audit, update
}
criterion_main!(benches);
