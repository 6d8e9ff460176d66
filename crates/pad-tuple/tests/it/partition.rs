//! Partitioned repositories: the same proofs as undivided ones, for less work on each server.

use std::{marker::PhantomData, num::NonZeroUsize};

use conformance::{
    Action, Pad, TuplePad,
    operation::{key, value},
    pad::proof_bytes,
    repository::{self, Played, play},
    traces,
    tuple::{TestSecret, expectation},
};
use pad_core::{
    ApplyError, Dictionary, DictionaryId, Key, LookupError, PublicKey, Repository, Sha256Ed25519,
    VerifyError, Version, Workers, head::Authority,
};
use pad_tree::KeyRange;
use pad_tuple::{
    Design, DivisibleDesign, PartitionedRepository, designs,
    partition::{Partition, Splitter},
};

type Suite = Sha256Ed25519;

fn boundaries(bytes: &[u8]) -> Vec<Key> {
    bytes.iter().map(|byte| key([*byte])).collect()
}

/// A tuple PAD whose server is divided into four.
#[derive(Debug)]
struct Divided<D>(PhantomData<D>);

impl<D> Pad for Divided<D>
where
    D: Design<Suite, Secret: TestSecret> + DivisibleDesign<Suite>,
{
    type Suite = Suite;
    type Attachment = <TuplePad<Suite, D> as Pad>::Attachment;
    type Family = <TuplePad<Suite, D> as Pad>::Family;
    type Proof = <TuplePad<Suite, D> as Pad>::Proof;
    type Author = <TuplePad<Suite, D> as Pad>::Author;
    type Server = PartitionedRepository<Suite, D>;

    fn author(dictionary: DictionaryId, signer: u8) -> Self::Author {
        TuplePad::<Suite, D>::author(dictionary, signer)
    }

    fn public(authority: &Authority) -> PublicKey<Self::Family> {
        TuplePad::<Suite, D>::public(authority)
    }

    fn server(authority: Authority) -> Self::Server {
        let key = expectation::<Suite, D>(authority, Version::EMPTY).key;
        let workers = Workers::new(NonZeroUsize::new(2).unwrap()).unwrap();
        PartitionedRepository::new(authority, &key, boundaries(&[0, 60, 100]))
            .unwrap()
            .with_workers(workers)
    }
}

/// Byte for byte the proofs of one undivided repository, also after pruning; every audit passes.
fn check_same_proofs<D>(actions: &[Action])
where
    D: Design<Suite, Secret: TestSecret> + DivisibleDesign<Suite>,
{
    let whole: Played<TuplePad<Suite, D>> = play(actions);
    let mut divided: Played<Divided<D>> = play(actions);
    let oldest = Version::new(whole.oracle.latest().number() / 2);
    let compare = |divided: &Played<Divided<D>>, from: Version| {
        for (version, _) in whole.oracle.versions_from(from) {
            assert_eq!(divided.server.head(version), whole.server.head(version));
            for key in whole.oracle.interesting_keys() {
                assert_eq!(
                    proof_bytes::<Divided<D>>(&divided.server, version, &key),
                    proof_bytes::<TuplePad<Suite, D>>(&whole.server, version, &key),
                    "{key} in {version}"
                );
            }
        }
    };
    compare(&divided, Version::EMPTY);
    divided.server.prune(oldest).unwrap();
    compare(&divided, oldest);
    for partition in divided.server.partitions() {
        assert!(partition.audit().unwrap() >= D::GENERATIONS);
    }
}

macro_rules! partition {
    ($name:ident, $($design:tt)+) => {
        mod $name {
            use super::*;

            type Design = $($design)+;

            #[test]
            fn proofs_are_those_of_one_repository() {
                let name = concat!(stringify!($name), "::divided");
                traces::check_traces(name, 9, 40, check_same_proofs::<Design>);
            }

            #[test]
            fn refused_updates_change_nothing() {
                let name = concat!(stringify!($name), "::divided refusals");
                traces::check_traces(name, 30, 30, repository::check_refusals::<Divided<Design>>);
            }
        }
    };
}

partition!(base, designs::Base);
partition!(base_superseding, designs::BaseSuperseding);
partition!(base_lightweight, designs::BaseLightweight);
partition!(spec, designs::Spec);
partition!(spec_superseding, designs::SpecSuperseding);
partition!(spec_lightweight, designs::SpecLightweight);
partition!(spec_lightweight_3, designs::SpecLightweight3);
partition!(base_superseding_bls, designs::BaseSupersedingBls);
partition!(spec_lightweight_bls, designs::SpecLightweightBls);

type Spec = designs::SpecLightweight;
type Part = pad_tuple::partition::PartialUpdate<Suite, <Spec as Design<Suite>>::Extension>;

fn trace() -> Vec<Action> {
    let mut actions: Vec<Action> = (0..20)
        .map(|number| Action::Put(key([number * 10]), value([number])))
        .collect();
    actions.push(Action::Snapshot);
    for round in 0..4 {
        actions.push(Action::Put(key([round * 30 + 5]), value([round])));
        actions.push(Action::Remove(key([round * 20])));
        actions.push(Action::Snapshot);
    }
    actions
}

#[test]
fn boundaries_must_ascend_and_keys_belong_to_one_partition() {
    let played: Played<TuplePad<Suite, Spec>> = play(&trace());
    let authority = played.author.authority();
    for wrong in [
        vec![key([2]), key([1])],
        boundaries(&[1, 1]),
        vec![Key::default()],
    ] {
        assert!(Splitter::<Suite>::new::<Spec>(authority, wrong).is_none());
    }
    let divided: Played<Divided<Spec>> = play(&trace());
    let splitter = divided.server.splitter();
    let partitions = divided.server.partitions();
    let latest = divided.server.latest();
    for asked in [0, 59, 60, 99, 100, 255].map(|byte| key([byte])) {
        for (place, partition) in partitions.iter().enumerate() {
            let answer = partition.prove(latest, &asked).err();
            let expected = (place != splitter.place(&asked)).then_some(LookupError::InvalidQuery);
            assert_eq!(answer, expected, "{asked} at {:?}", partition.range());
        }
    }
}

/// A partition refuses what does not fit together, and an audit finds what the author did not sign.
#[test]
fn a_splitter_that_cheats_is_refused_or_found() {
    let played: Played<TuplePad<Suite, Spec>> = play(&trace());
    let authority = played.author.authority();
    let mut splitter = Splitter::new::<Spec>(authority, boundaries(&[100])).unwrap();
    let mut good = Partition::<Suite, Spec>::new(authority, (), splitter.ranges().remove(0));
    let (last, first) = played.updates.split_last().unwrap();
    for update in first {
        let parts = splitter.split::<Spec>(update).unwrap();
        good.apply(&parts[0]).unwrap();
    }
    let parts = splitter.split::<Spec>(last).unwrap();
    let refuse = |change: &dyn Fn(&mut _)| {
        let mut part = parts[0].clone();
        change(&mut part);
        let mut partition = good.clone();
        let refusal = partition.apply(&part).unwrap_err();
        assert_eq!(partition.latest(), good.latest());
        assert!(partition.apply(&parts[0]).is_ok(), "it is as it was");
        assert!(partition.audit().is_ok());
        refusal
    };
    let gap = refuse(&|part: &mut Part| part.base = Version::new(1));
    assert!(matches!(gap, ApplyError::VersionGap { .. }));
    let unsigned = refuse(&|part: &mut Part| part.head.head.root.0[0] ^= 1);
    assert_eq!(unsigned, ApplyError::Head(VerifyError::SignatureInvalid));
    let none = refuse(&|part: &mut Part| part.generations.clear());
    assert_eq!(none, ApplyError::AttachmentMismatch);
    let omitted = refuse(&|part: &mut Part| drop(part.generations[0].created.pop()));
    assert_eq!(omitted, ApplyError::AttachmentMismatch);
    let of_another = refuse(&|part: &mut Part| {
        part.generations[0].extension = parts[1].generations[0].extension.clone();
    });
    assert_eq!(of_another, ApplyError::AttachmentMismatch);

    let mut changed = parts[0].clone();
    let created = &mut changed.generations[0].created;
    created.last_mut().unwrap().1 = pad_tuple::proof::ShownContent::Value(value(b"forged"));
    let mut deceived = good.clone();
    assert!(
        deceived.apply(&changed).is_ok(),
        "a part alone does not show it"
    );
    assert_eq!(deceived.audit(), Err(VerifyError::SignatureInvalid));
}

/// Whatever a splitter sends, a partition refuses it or answers look-ups with something: nothing panics.
#[test]
fn a_part_that_does_not_verify_never_panics_a_look_up() {
    let played: Played<TuplePad<Suite, Spec>> = play(&trace());
    let authority = played.author.authority();
    let mut splitter = Splitter::new::<Spec>(authority, boundaries(&[100])).unwrap();
    let mut partition = Partition::<Suite, Spec>::new(authority, (), splitter.ranges().remove(1));
    let mut parts: Vec<Part> = Vec::new();
    for update in &played.updates {
        parts.push(splitter.split::<Spec>(update).unwrap().remove(1));
    }
    let refused = |partition: &Partition<Suite, Spec>, change: &dyn Fn(&mut Part)| {
        let mut part = parts[usize::try_from(partition.latest().number()).unwrap()].clone();
        change(&mut part);
        partition.clone().apply(&part).err()
    };
    let mismatch = Some(ApplyError::AttachmentMismatch);
    // The first tuple does not reach down to the range.
    let starts_later = |part: &mut Part| {
        for generation in &mut part.generations {
            if let Some((lower, _)) = generation.created.first_mut() {
                *lower = key([100, 1]);
            }
        }
    };
    assert_eq!(refused(&partition, &starts_later), mismatch);
    let twice = |part: &mut Part| {
        let created = &mut part.generations[1].created;
        created.insert(0, created[0].clone());
    };
    assert_eq!(refused(&partition, &twice), mismatch);
    let reversed = |part: &mut Part| part.generations[1].created.reverse();
    assert_eq!(refused(&partition, &reversed), mismatch);

    let mut random = conformance::Random::new(1);
    let (mut taken, mut denied) = (0, 0);
    for part in &parts {
        for _ in 0..300 {
            let mut deceived = partition.clone();
            let mut spoiled = part.clone();
            spoil(&mut spoiled, &mut random);
            match deceived.apply(&spoiled) {
                Ok(_) => taken += 1,
                Err(_) => denied += 1,
            }
            for later in &parts {
                let _ = deceived.apply(later);
            }
            look_up(&deceived);
            let _ = deceived.prune(deceived.latest());
            look_up(&deceived);
        }
        partition.apply(part).unwrap();
    }
    assert!(taken > 100 && denied > 100, "{taken} {denied}");
}

fn spoil(part: &mut Part, random: &mut conformance::Random) {
    for _ in 0..=random.below(2) {
        let some = key([u8::try_from(random.below(256)).unwrap()]);
        let which = random.below(2);
        let number = usize::try_from(which)
            .unwrap()
            .min(part.generations.len() - 1);
        let generation = &mut part.generations[number];
        match random.below(8) {
            0 => drop(generation.created.pop()),
            1 => generation.deleted.push(some),
            2 => generation.deleted.clear(),
            3 => generation.upper = Some(some),
            4 => generation
                .created
                .push((some, pad_tuple::proof::ShownContent::Removed)),
            5 => {
                if let Some((lower, _)) = generation.created.first_mut() {
                    *lower = some;
                }
            }
            6 => {
                if let Some((_, content)) = generation.created.last_mut() {
                    *content = pad_tuple::proof::ShownContent::Nothing;
                }
            }
            _ => generation.deleted.push(Key::default()),
        }
    }
}

fn look_up(partition: &Partition<Suite, Spec>) {
    for version in 0..=partition.latest().number() {
        for byte in [100, 101, 115, 120, 200, 255] {
            let _ = partition.prove(Version::new(version), &key([byte]));
        }
    }
    let _ = partition.audit();
}

/// Each of several servers keeps its share of the tuples, signatures and indexes, and little more.
#[test]
fn memory_is_divided() {
    const KEYS: u32 = 2000;
    let name = |number: u32| key(format!("key {:08x}", number.wrapping_mul(0x9e37_79b9)));
    let mut actions: Vec<Action> = (0..KEYS)
        .map(|number| Action::Put(name(number), value([7; 28])))
        .collect();
    actions.push(Action::Snapshot);
    for round in 0..20_u32 {
        let changed = (0..10).map(|i| name((round * 10 + i) * 3 % KEYS));
        actions.extend(changed.map(|name| Action::Put(name, value(round.to_be_bytes()))));
        actions.push(Action::Snapshot);
    }
    let played: Played<TuplePad<Suite, Spec>> = play(&actions);
    let authority = played.author.authority();
    let whole = played.server.memory_bytes();
    for count in [1_u32, 2, 4] {
        let step = u32::MAX / count;
        let cuts = (1..count).map(|cut| key(format!("key {:08x}", step * cut)));
        let mut splitter = Splitter::new::<Spec>(authority, cuts.collect()).unwrap();
        let ranges: Vec<KeyRange> = splitter.ranges();
        let mut partitions: Vec<_> = ranges
            .into_iter()
            .map(|range| Partition::<Suite, Spec>::new(authority, (), range))
            .collect();
        for update in &played.updates {
            let parts = splitter.split::<Spec>(update).unwrap();
            for (partition, part) in partitions.iter_mut().zip(&parts) {
                partition.apply(part).unwrap();
            }
        }
        let share = whole / usize::try_from(count).unwrap();
        for bytes in partitions.iter().map(Partition::memory_bytes) {
            assert!(
                bytes < share + share / 4,
                "{bytes} bytes of {whole} in one of {count}"
            );
        }
    }
}
