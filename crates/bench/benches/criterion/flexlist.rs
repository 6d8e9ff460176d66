//! Outsourced files: building a list, proving and checking 460 challenges, 300 updates in one
//! batch, and tags of every scheme.
//!
//! `bench flexlist` measures other sizes and numbers of threads.

use std::hint::black_box;

use bench::{
    Outcome,
    fixture::id,
    flexlist::{
        audit::Audit,
        blocks::{BLOCK_BYTES, Order, blocks, content},
        multi::operations,
    },
    workload::Random,
};
use criterion::{BatchSize, Criterion, Throughput};
use flexlist::{
    FlexList,
    list::{Sha256, verify_indices, verify_update},
    tag::{OwnerKey, TagKind, WriteId},
};
use pad_core::Workers;

use crate::{Each, always, measure, size, timed, timed_batched};

const CHALLENGES: u32 = 460;
const UPDATES: u64 = 300;

/// Number of blocks of a file.
fn blocks_of_file() -> u64 {
    size(100_000, 2_400)
}

/// Tag schemes with fast key generation.
const KINDS: [TagKind; 3] = [TagKind::HashOnly, TagKind::PrivateMac, TagKind::PublicBls];

fn build(criterion: &mut Criterion) -> Outcome<()> {
    let number = blocks_of_file();
    let (blocks, alone) = (blocks(number), Workers::sequential());
    let list = FlexList::<Sha256>::build(&blocks, &alone)?;
    let parallel = FlexList::<Sha256>::build(&blocks, &Workers::all_cores())?;
    assert_eq!(list.root(), parallel.root());
    assert_eq!(list.total(), number * BLOCK_BYTES);
    for workers in [Workers::sequential(), Workers::all_cores()] {
        let name = id(&[("blocks", &number), ("threads", &workers.threads())]);
        let each = Each(Throughput::Elements(number), 10);
        measure(criterion, "flexlist::build", &name, each, &mut |bencher| {
            timed(bencher, || FlexList::<Sha256>::build(&blocks, &workers));
        });
    }
    Ok(())
}

/// Runs all groups.
pub(crate) fn groups(criterion: &mut Criterion) {
    let groups = [build, audit, update];
    let done = groups.into_iter().try_for_each(|group| group(criterion));
    done.expect("bench: blocks make lists, and honest proofs verify");
}

fn audit(criterion: &mut Criterion) -> Outcome<()> {
    let number = blocks_of_file();
    for kind in KINDS {
        let owner = OwnerKey::generate(kind, &Workers::all_cores())?;
        let audit = Audit::new(number, CHALLENGES, owner.clone())?;
        let (list, indices) = audit.list();
        let state = list.state();
        let proof = list.prove(indices)?;
        let proven = verify_indices::<Sha256>(&proof, &state, indices)?;
        let challenged = audit.assign(proven.get())?;
        let tags = audit.prove_tags(&challenged)?;
        audit.check(&proof, &state, &tags)?;

        if kind == KINDS[0] {
            let name = id(&[("blocks", &number), ("challenges", &CHALLENGES)]);
            let each = Each(Throughput::Elements(CHALLENGES.into()), 100);
            measure(criterion, "flexlist::prove", &name, each, &mut |bencher| {
                timed(bencher, || list.prove(black_box(indices)));
            });
            let each = Each(Throughput::Elements(CHALLENGES.into()), 100);
            measure(criterion, "flexlist::verify", &name, each, &mut |bencher| {
                timed(bencher, || {
                    verify_indices::<Sha256>(black_box(&proof), &state, indices)
                });
            });
        }
        let name = id(&[("tags", &kind.name()), ("challenges", &CHALLENGES)]);
        let (opened, verifier) = (audit.opened(&challenged), owner.verifier());
        let each = Each(Throughput::Elements(CHALLENGES.into()), 10);
        measure(
            criterion,
            "flexlist::prove_tags",
            &name,
            each,
            &mut |bencher| {
                timed(bencher, || audit.prove_tags(&challenged));
            },
        );
        let each = Each(Throughput::Elements(CHALLENGES.into()), 10);
        measure(
            criterion,
            "flexlist::verify_tags",
            &name,
            each,
            &mut |bencher| {
                timed(bencher, || verifier.verify(&opened, &tags));
            },
        );
        tag(criterion, &owner)?;
    }
    Ok(())
}

fn tag(criterion: &mut Criterion, owner: &OwnerKey) -> Outcome<()> {
    let block = content(&mut Random::new(1), usize::try_from(BLOCK_BYTES)?);
    let each = Each(Throughput::Bytes(BLOCK_BYTES), 20);
    let group = "flexlist::tag";
    let name = id(&[("tags", &owner.kind().name())]);
    measure(criterion, group, &name, each, &mut |bencher| {
        timed(bencher, || owner.tag(WriteId([1; 16]), black_box(&block)));
    });
    Ok(())
}

fn update(criterion: &mut Criterion) -> Outcome<()> {
    let number = blocks_of_file();
    let mut list = FlexList::<Sha256>::build(&blocks(number), &Workers::sequential())?;
    let state = list.state();
    for order in [Order::Consecutive, Order::Random] {
        let operations = operations(order, number, UPDATES, &mut Random::new(1));
        let change = list.update(&operations)?;
        let next = verify_update::<Sha256>(&change.witness, &state, &operations)?;
        assert_eq!(*next.get(), list.state());
        list.undo(change.previous);
        assert_eq!(list.state(), state);

        let name = id(&[("order", &order.name()), ("updates", &UPDATES)]);
        let each = Each(Throughput::Elements(UPDATES), 20);
        let group = "flexlist::update_and_undo";
        measure(criterion, group, &name, each, &mut |bencher| {
            timed_batched(
                bencher,
                || (),
                |()| {
                    let change = list.update(&operations).expect("bench: as before");
                    list.undo(change.previous);
                    always(change.witness)
                },
                BatchSize::SmallInput,
            );
        });
        let each = Each(Throughput::Elements(UPDATES), 20);
        let group = "flexlist::verify_update";
        measure(criterion, group, &name, each, &mut |bencher| {
            timed(bencher, || {
                verify_update::<Sha256>(black_box(&change.witness), &state, &operations)
            });
        });
    }
    Ok(())
}
