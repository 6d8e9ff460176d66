//! Tests with simulated power cuts and failures at every operation on the tuple file.

use pad_core::{DictionaryId, Sha256Ed25519};
use pad_disk::layer::{Reads, SimulatedFolder};
use pad_tuple::{
    TupleRepository,
    designs::{BaseSuperseding, Spec, SpecLightweight},
};
use zeroize::Zeroizing;

use super::*;
use crate::{
    family::tuple::setup,
    keys::SecretKey,
    selection::{SchemeName, SuiteName},
    store::{AnyStore, Store as _, in_memory::TestStore},
};

type S = Sha256Ed25519;

fn secret(scheme: SchemeName) -> SecretKey {
    let id = DictionaryId::from_name("cuts");
    let suite = SuiteName::Sha256Ed25519;
    // The chain secret is fixed, because another secret would produce other chains and other roots.
    let is_chained = scheme.name().ends_with("lightweight");
    let chains = is_chained.then(|| Zeroizing::new(vec![9; 32]));
    SecretKey::from_parts(suite, scheme, id, &[6; 32], chains).unwrap()
}

trait TestDesign: QueryableDesign<S> + StorableDesign<S> + Sized {
    const SCHEME_NAME: SchemeName;

    fn setup() -> TupleSetup<S, Self> {
        setup::<S, Self>(secret(Self::SCHEME_NAME).public()).unwrap()
    }

    fn open(
        folder: &SimulatedFolder,
        store: TestStore,
    ) -> Result<Tuples<S, Self>, RepositoryError> {
        let file = TupleFile::within(&folder.layer());
        let (setup, store) = (Self::setup(), AnyStore::Test(Box::new(store)));
        let repository = repository(&setup, file)?;
        let mut kept = FamilyKeeper::new(*setup.authority(), repository, store);
        kept.open()?;
        Ok(kept)
    }
}

impl TestDesign for BaseSuperseding {
    const SCHEME_NAME: SchemeName = SchemeName::TupleBaseSuperseding;
}

impl TestDesign for SpecLightweight {
    const SCHEME_NAME: SchemeName = SchemeName::TupleSpecLightweight;
}

impl TestDesign for Spec {
    const SCHEME_NAME: SchemeName = SchemeName::TupleSpec;
}

const VERSIONS: u64 = 6;

fn key(number: u64) -> Key {
    Key::new(number.to_be_bytes().as_slice()).unwrap()
}

fn batch(version: u64) -> Vec<Operation> {
    let value = Value::new(vec![7; 40 + usize::try_from(version).unwrap()].as_slice()).unwrap();
    let puts =
        (0..3).map(|place| Operation::Put(key((version * 5 + place * 3) % 13), value.clone()));
    let removals = (version > 2).then(|| Operation::Remove(key(version % 13)));
    puts.chain(removals).collect()
}

/// A script of an author: it commits mostly one version at a time, once two, then prunes and
/// reopens.
///
/// The store contains all acknowledged updates. After every second version, and before the pruning,
/// tuples are kept waiting for the next version. The script returns at the first reported failure.
fn script<D: TestDesign>(folder: &SimulatedFolder, store: &TestStore) -> Result<(), AuthorError> {
    let key = secret(D::SCHEME_NAME);
    let mut kept = D::open(folder, store.clone())?;
    while kept.latest() < Version::new(VERSIONS) {
        kept.resume((&key).into())?;
        let next = kept.latest().number() + 1;
        let last = if next == 3 { 4 } else { next };
        for version in next..=last {
            kept.sign(&mut batch(version))?;
        }
        kept.commit(&[])?;
        if next % 2 == 0 {
            kept.settle();
        }
        if last == 4 {
            kept.prune(Version::new(2))?;
            drop(kept);
            kept = D::open(folder, store.clone())?;
        }
    }
    Ok(())
}

/// Opens the repository, and checks it against the store and a repository in memory.
fn check_open<D: TestDesign>(
    folder: &SimulatedFolder,
    store: &TestStore,
    expected: &[Vec<u8>],
) -> Tuples<S, D> {
    let latest = store.latest().unwrap();
    let durable = D::open(folder, store.clone()).unwrap();
    assert_eq!(durable.latest(), latest);
    let setup = D::setup();
    let mut memory = TupleRepository::<S, D>::new(*setup.authority(), setup.key().clone());
    let published = store.updates();
    for (update, expected) in published.iter().zip(expected) {
        assert_eq!(update, expected, "another version was signed");
        let update = codec::decode(update, update.len()).unwrap();
        memory.apply(&update).unwrap();
    }
    let stored = &durable.repository;
    assert!(stored.oldest() <= Version::new(2));
    for version in (stored.oldest().number()..=latest.number()).map(Version::new) {
        assert_eq!(stored.head(version), memory.head(version));
        for key in (0..14).map(key) {
            let proofs = [stored.prove(version, &key), memory.prove(version, &key)];
            let [one, other] = proofs.map(|proof| proof.map(|proof| codec::encode(&proof)));
            assert_eq!(one, other);
        }
    }
    durable
}

fn check<D: TestDesign>(folder: &SimulatedFolder, store: &TestStore, expected: &[Vec<u8>]) {
    let store = store.copied();
    drop(check_open::<D>(folder, &store, expected));
    script::<D>(folder, &store).unwrap();
    let mut end = check_open::<D>(folder, &store, expected);
    assert_eq!(end.latest(), Version::new(VERSIONS));
    end.check().unwrap();
}

/// Stops a script at each of its file operations in turn.
fn check_cuts<D: TestDesign>() {
    let (folder, whole) = (SimulatedFolder::new("whole"), TestStore::default());
    script::<D>(&folder, &whole).unwrap();
    let expected = whole.updates();
    check::<D>(&folder, &whole, &expected);
    let operations = folder.operations().len();
    assert!(operations > 20, "{operations}");
    for at in (1..=operations).step_by(pad_conformance::soak::size(13, 1)) {
        for seed in 0..2 {
            let (folder, store) = (SimulatedFolder::new("cut"), TestStore::default());
            folder.stop_at(at, Reads::Work);
            // The script may ignore a failure of its last operations.
            drop(script::<D>(&folder, &store));
            check::<D>(&folder.after_power_cut(seed), &store, &expected);
            if seed == 0 {
                check::<D>(&folder.after_kill(), &store, &expected);
            }
        }
        let (folder, store) = (SimulatedFolder::new("failing"), TestStore::default());
        folder.fail_at(at, 1);
        drop(script::<D>(&folder, &store));
        check::<D>(&folder.after_kill(), &store, &expected);
        check::<D>(&folder.after_power_cut(2), &store, &expected);
    }
}

#[test]
fn after_a_power_cut_at_any_operation_what_was_acknowledged_is_there() {
    check_cuts::<SpecLightweight>();
}

#[test]
fn the_same_where_there_is_one_generation() {
    check_cuts::<BaseSuperseding>();
}

#[test]
fn the_same_where_each_instant_has_its_signature() {
    check_cuts::<Spec>();
}

#[test]
fn on_a_full_disk_nothing_is_lost_and_it_goes_on_when_there_is_room() {
    let (folder, whole) = (SimulatedFolder::new("whole"), TestStore::default());
    script::<SpecLightweight>(&folder, &whole).unwrap();
    let expected = whole.updates();
    let used = folder.used();
    for capacity in (0..used).step_by(8192) {
        let (folder, store) = (SimulatedFolder::new("full"), TestStore::default());
        folder.set_capacity(capacity);
        drop(script::<SpecLightweight>(&folder, &store));
        folder.set_capacity(u64::MAX);
        check::<SpecLightweight>(&folder, &store, &expected);
    }
}
