//! Stored tuples equal those in memory: updates, heads and proofs, byte for byte, for any signer,
//! and after reopening.

use core::{cell::Cell, ops::Range};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use ed25519_dalek::SigningKey;
use pad_conformance::{
    Random,
    operation::{key, value},
    pad::{public_key, signing_key},
    tuple::TestSecret,
};
use pad_core::{
    ApplyError, Authority, Dictionary, DictionaryId, Heads, Key, KeyRange, Keys, LookupError,
    Operation, Repository, Sha256Ed25519, StoreFault, Untrusted, Update, Version, codec,
};
use pad_tuple::{
    Expectation, SecretBytes, TupleAuthor, TupleRepository,
    designs::{Base, BaseSuperseding, Spec, SpecLightweight, SpecLightweight3, SpecSuperseding},
    internals::{
        Design, MemoryRows, PublishError, Row, RowView, Rows, StorableDesign,
        StoredTupleRepository, TupleAttachment,
    },
};

type S = Sha256Ed25519;
type UpdateOf<D> = Update<S, TupleAttachment<<D as Design<S>>::Extension>>;
type Stored<D> = StoredTupleRepository<S, D>;

const SIGNER: u8 = 7;

/// Three copies of a dictionary: an in-memory one, a stored one that signs, and a stored one that
/// applies updates.
struct Life<D: StorableDesign<S>> {
    author: TupleAuthor<S, D, SigningKey>,
    memory: TupleRepository<S, D>,
    signing: Stored<D>,
    following: Stored<D>,
    updates: Vec<UpdateOf<D>>,
}

fn secret<D: Design<S, Secret: TestSecret>>() -> D::Secret {
    D::Secret::numbered(SIGNER)
}

fn public<D: Design<S, Secret: TestSecret>>() -> D::Key {
    D::key(&secret::<D>())
}

fn reopened<D: StorableDesign<S, Secret: TestSecret>>(stored: &Stored<D>) -> Stored<D> {
    let mut flushed = stored.clone();
    flushed.flush().unwrap();
    let rows = flushed.rows().clone();
    StoredTupleRepository::open(*stored.authority(), public::<D>(), rows).unwrap()
}

fn name(number: u64) -> Key {
    match number {
        0 => Key::default(),
        number => key(format!("k{:02}", number % 100)),
    }
}

fn batch(random: &mut Random, size: u64) -> Vec<Operation> {
    let mut operations = Vec::new();
    for _ in 0..size {
        let key = name(random.below(40));
        operations.push(if random.below(3) == 0 {
            Operation::Remove(key)
        } else {
            Operation::Put(key, value(format!("{}", random.below(50))))
        });
    }
    operations
}

impl<D: StorableDesign<S, Secret: TestSecret + SecretBytes>> Life<D> {
    fn new() -> Self {
        let id = DictionaryId::from_name("stored tuples");
        let author = TupleAuthor::new(id, public_key(SIGNER), signing_key(SIGNER), secret::<D>());
        let authority = author.authority();
        let open = || Stored::<D>::open(authority, public::<D>(), MemoryRows::default()).unwrap();
        Self {
            memory: TupleRepository::new(authority, public::<D>()),
            signing: open(),
            following: open(),
            author,
            updates: Vec::new(),
        }
    }

    fn publish(&mut self, batch: Vec<Operation>) {
        let update = self.author.snapshot_of(batch.clone()).unwrap();
        let mut own = batch;
        let signer = signing_key(SIGNER);
        let published = self.signing.publish(&mut own, &signer, &secret::<D>());
        assert_eq!(published.unwrap(), update, "the same is signed");
        assert!(own.is_empty());
        assert_eq!(self.memory.apply(&update), self.following.apply(&update));
        self.updates.push(update);
    }

    fn reopen(&mut self) {
        self.signing = reopened(&self.signing);
        self.following = reopened(&self.following);
    }

    fn grow(&mut self, random: &mut Random, versions: u64) {
        for _ in 0..versions {
            let size = [1, 1, 2, 0, 12, 1][random.index(6)];
            self.publish(batch(random, size));
            if random.below(4) == 0 {
                self.reopen();
            } else if random.below(3) == 0 {
                self.following.flush().unwrap();
            }
        }
    }

    fn check(&self) {
        let opened = [&self.signing, &self.following].map(reopened);
        let all = [&self.signing, &opened[0], &self.following, &opened[1]];
        check_all_same(&self.memory, &all);
    }
}

fn ranges() -> Vec<KeyRange> {
    let some = KeyRange {
        start: Some(name(7)),
        end: Some(name(23)),
    };
    vec![KeyRange::ALL, some]
}

fn encoded<T: codec::Message>(proof: Result<T, LookupError>) -> Result<Vec<u8>, LookupError> {
    proof.map(|proof| codec::encode(&proof))
}

/// Asserts that two repositories have equal observable state.
fn check_same<D: StorableDesign<S>>(memory: &TupleRepository<S, D>, stored: &Stored<D>) {
    check_all_same(memory, &[stored]);
}

/// Asserts that all stored repositories have the observable state of the one in memory. `make test`
/// asks about every fourth version, and those next to the oldest and the latest one.
fn check_all_same<D: StorableDesign<S>>(memory: &TupleRepository<S, D>, all: &[&Stored<D>]) {
    let (oldest, latest) = (memory.oldest(), memory.latest());
    for stored in all {
        assert_eq!((oldest, latest), (stored.oldest(), stored.latest()));
        assert_eq!(u64::try_from(memory.len()).unwrap(), stored.len());
        stored.heads().check().unwrap();
    }
    let every = pad_conformance::soak::size(4, 1);
    let is_near = |number: u64, end: Version| number.abs_diff(end.number()) <= 1;
    let is_asked = |number: &u64| {
        number.is_multiple_of(every) || is_near(*number, oldest) || is_near(*number, latest)
    };
    for number in (0..=latest.number() + 1).filter(is_asked) {
        let version = Version::new(number);
        let head = memory.head(version);
        assert!(all.iter().all(|stored| stored.head(version) == head));
        for older in (0..number).map(Version::new) {
            let proofs = memory.heads().prove_consistency(older, version);
            for stored in all {
                assert_eq!(proofs, stored.heads().prove_consistency(older, version));
            }
        }
        for place in (0..42).step_by(3) {
            let key = name(place);
            let proof = encoded(memory.prove(version, &key));
            let found = memory.lookup(version, &key);
            for stored in all {
                assert_eq!(proof, encoded(stored.prove(version, &key)));
                assert_eq!(found, stored.lookup(version, &key));
            }
        }
        let keys = Keys::new((1..40).step_by(5).map(name).collect()).unwrap();
        let proof = encoded(memory.prove_keys(version, &keys));
        for stored in all {
            assert_eq!(proof, encoded(stored.prove_keys(version, &keys)));
        }
        for range in ranges() {
            let proof = encoded(memory.prove_range(version, &range));
            for stored in all {
                assert_eq!(proof, encoded(stored.prove_range(version, &range)));
            }
        }
        let entries = memory.entries(version);
        assert!(all.iter().all(|stored| stored.entries(version) == entries));
    }
}

fn lives<D: StorableDesign<S, Secret: TestSecret + SecretBytes>>(seeds: u64, versions: u64) {
    for seed in 0..seeds {
        let (mut life, mut random) = (Life::<D>::new(), Random::new(seed));
        life.check();
        life.grow(&mut random, versions);
        life.check();
        for percent in [0, 40, 40, 80, 100] {
            let oldest = Version::new(life.memory.latest().number() * percent / 100);
            life.memory.prune(oldest).unwrap();
            life.signing.prune(oldest).unwrap();
            life.following.prune(oldest).unwrap();
            life.check();
            life.grow(&mut random, 2);
            life.check();
        }
        let beyond = life.memory.latest().next().unwrap();
        assert_eq!(life.memory.prune(beyond), life.signing.prune(beyond));
        let first = life.memory.prune(Version::EMPTY);
        assert_eq!(first, life.signing.prune(Version::EMPTY));
    }
}

/// Checks that a refused update changes nothing, and has the same error as in memory.
fn refusals<D: StorableDesign<S, Secret: TestSecret + SecretBytes>>() {
    let (mut life, mut random) = (Life::<D>::new(), Random::new(3));
    life.grow(&mut random, 9);
    let next = life.author.snapshot_of(batch(&mut random, 5)).unwrap();
    let mut gap = next.clone();
    gap.base = Version::EMPTY;
    let mut forged = next.clone();
    forged.operations.push(Operation::Put(key("z"), value("z")));
    let mut merged = next.clone();
    merged.attachment.merged = 9;
    let mut fewer = next.clone();
    fewer.attachment.extensions.clear();
    let mut unordered = next.clone();
    let put = |name| Operation::Put(key(name), value(name));
    unordered.operations = vec![put("z"), put("a")];
    let mut absent = next.clone();
    absent.operations = vec![Operation::Remove(key("never there"))];
    let mut foreign = next.clone();
    foreign.head.head.history = foreign.head.head.root;
    for update in [gap, forged, merged, fewer, unordered, absent, foreign] {
        let refused = life.memory.apply(&update);
        assert!(refused.is_err());
        assert_eq!(refused, life.following.apply(&update));
        check_same(&life.memory, &life.following);
    }
    assert_eq!(life.memory.apply(&next), life.following.apply(&next));
    check_same(&life.memory, &life.following);
}

/// Checks that the signer of a different author is refused, and that the batch is retained.
fn unsigned<D: StorableDesign<S, Secret: TestSecret + SecretBytes>>() {
    let (mut life, mut random) = (Life::<D>::new(), Random::new(5));
    life.grow(&mut random, 5);
    let wanted = vec![Operation::Put(key("k01"), value("new"))];
    let mut own = wanted.clone();
    let stranger = signing_key(SIGNER + 1);
    let refused = life.signing.publish(&mut own, &stranger, &secret::<D>());
    let is_refused = matches!(refused, Err(PublishError::Apply(ApplyError::Head(_))));
    assert!(is_refused, "{refused:?}");
    assert_eq!(own, wanted);
    check_same(&life.memory, &life.signing);
    life.publish(wanted);
    life.check();
}

/// Removes every row in turn, or replaces it by its older state. Asserts that answers are right,
/// and that no present key seems absent.
fn accidents<D: StorableDesign<S, Secret: TestSecret + SecretBytes>>() {
    let (mut life, mut random) = (Life::<D>::new(), Random::new(8));
    life.grow(&mut random, 7);
    let mut earlier = reopened(&life.following);
    life.grow(&mut random, 9);
    let mut whole = reopened(&life.following);
    let rows = whole.rows_mut().rows_mut().clone();
    let stale: BTreeMap<_, _> = earlier.rows_mut().rows_mut().clone();
    let (authority, latest) = (*whole.authority(), whole.latest());
    let next = life.author.snapshot_of(batch(&mut random, 4)).unwrap();
    let (mut refused, mut answered) = (0, 0);
    for row in rows.keys() {
        for replacement in [None, stale.get(row).cloned()] {
            let mut damaged = MemoryRows::default();
            *damaged.rows_mut() = rows.clone();
            match replacement {
                None => damaged.rows_mut().remove(row),
                Some(before) => damaged.rows_mut().insert(row.clone(), before),
            };
            let Ok(mut stored) = Stored::<D>::open(authority, public::<D>(), damaged) else {
                refused += 1;
                continue;
            };
            if stored.latest() != latest {
                // This row contains the latest version. The rows then lack the latest updates,
                // which are applied again.
                for update in &life.updates[usize::try_from(stored.latest().number()).unwrap()..] {
                    if stored.apply(update).is_err() {
                        break;
                    }
                }
            }
            if stored.latest() != latest {
                refused += 1;
                continue;
            }
            for version in [1, 5, latest.number()].map(Version::new) {
                let expectation = Expectation {
                    authority,
                    key: public::<D>(),
                    version,
                };
                for place in (0..40).step_by(pad_conformance::soak::size(6, 3)) {
                    let key = name(place);
                    match stored.prove(version, &key) {
                        Ok(proof) => {
                            let truth = life.memory.lookup(version, &key).unwrap();
                            let proved = Untrusted::new(proof).verify(&expectation, &key);
                            let lookup = proved.unwrap().into_inner();
                            assert_eq!(lookup.answer.value(), truth.as_ref());
                            answered += 1;
                        }
                        Err(
                            LookupError::Damaged { .. } | LookupError::Store(StoreFault::Damaged),
                        ) => {
                            refused += 1;
                        }
                        Err(other) => panic!("{other}"),
                    }
                }
            }
            match stored.apply(&next) {
                Ok(_) | Err(ApplyError::Store(StoreFault::Damaged)) => {}
                Err(other) => panic!("{other}"),
            }
        }
    }
    assert!(refused > 0 && answered > 0);
}

/// Changes a byte of a row. The author then signs the unchanged update, or nothing.
///
/// The state row decides into which generation a version merges. Any choice is valid, and an honest
/// server accepts it.
fn changed_rows<D: StorableDesign<S, Secret: TestSecret + SecretBytes>>(tries: u64) {
    let (mut life, mut random) = (Life::<D>::new(), Random::new(9));
    life.grow(&mut random, 9);
    let mut whole = reopened(&life.signing);
    let authority = *whole.authority();
    let rows: Vec<_> = whole.rows_mut().rows_mut().clone().into_iter().collect();
    let mut next = batch(&mut random, 4);
    next.push(Operation::Remove(name(0)));
    let honest = life.author.snapshot_of(next.clone()).unwrap();
    let (mut refused, mut signed) = (0, 0);
    while refused + signed < tries {
        let (key, row) = &rows[random.index(rows.len())];
        if row.is_empty() {
            continue;
        }
        let mut changed = row.clone();
        let place = random.index(row.len());
        changed[place] = match random.below(3) {
            0 => row[place].wrapping_sub(1),
            1 => row[place].wrapping_add(1),
            _ => row[place] ^ (1 << random.below(8)),
        };
        let mut damaged = MemoryRows::default();
        *damaged.rows_mut() = rows.iter().cloned().collect();
        damaged.rows_mut().insert(key.clone(), changed);
        let Ok(mut stored) = Stored::<D>::open(authority, public::<D>(), damaged) else {
            refused += 1;
            continue;
        };
        let (mut batch, signer) = (next.clone(), signing_key(SIGNER));
        match stored.publish(&mut batch, &signer, &secret::<D>()) {
            Ok(update) => {
                let taken = life.memory.clone().apply(&update);
                assert!(taken.is_ok(), "{key:?}, byte {place}: {taken:?}");
                assert!(update == honest || key == &[0], "{key:?}, byte {place}");
                signed += 1;
            }
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 0 && signed > 0, "{refused} {signed}");
}

/// Rows in which one row differs at the first read.
#[derive(Debug)]
struct FickleRows {
    honest: MemoryRows,
    key: Vec<u8>,
    first: Vec<u8>,
}

struct FickleView<'r> {
    rows: &'r FickleRows,
    below: &'r dyn RowView,
    asked: Cell<bool>,
}

impl RowView for FickleView<'_> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreFault> {
        if key == self.rows.key && !self.asked.replace(true) {
            return Ok(Some(self.rows.first.clone()));
        }
        self.below.get(key)
    }

    fn last(&self, from: &[u8], to: &[u8]) -> Result<Option<Row>, StoreFault> {
        self.below.last(from, to)
    }

    fn scan(
        &self,
        from: &[u8],
        to: &[u8],
        visit: &mut dyn FnMut(&[u8], &[u8]) -> Result<(), StoreFault>,
    ) -> Result<(), StoreFault> {
        self.below.scan(from, to, visit)
    }
}

impl Rows for FickleRows {
    fn read<T, E: From<StoreFault>>(
        &self,
        work: impl FnOnce(&dyn RowView) -> Result<T, E>,
    ) -> Result<T, E> {
        self.honest.read(|below| {
            work(&FickleView {
                rows: self,
                below,
                asked: Cell::new(false),
            })
        })
    }

    fn write(
        &mut self,
        known: (&[u8], Option<&[u8]>),
        removed: &[Range<Vec<u8>>],
        rows: &BTreeMap<Vec<u8>, Vec<u8>>,
    ) -> Result<(), StoreFault> {
        self.honest.write(known, removed, rows)
    }
}

/// Checks that a medium that returns different bytes on a second read makes no author sign a wrong
/// update. The author must sign the honest update, or fail.
fn fickle_rows<D: StorableDesign<S, Secret: TestSecret + SecretBytes>>() {
    let (mut life, mut random) = (Life::<D>::new(), Random::new(11));
    life.grow(&mut random, 6);
    let mut whole = reopened(&life.signing);
    let authority = *whole.authority();
    let rows = whole.rows_mut().rows_mut().clone();
    let next = batch(&mut random, 3);
    let honest = life.author.snapshot_of(next.clone()).unwrap();
    let (mut refused, step) = (0, pad_conformance::soak::size(13, 7));
    for (key, row) in rows.iter().filter(|(key, _)| key[0] > 1) {
        for place in (0..row.len()).step_by(if row.len() < 8 { 1 } else { step }) {
            let mut first = row.clone();
            first[place] = row[place].wrapping_sub(1);
            let mut fickle = FickleRows {
                honest: MemoryRows::default(),
                key: key.clone(),
                first,
            };
            *fickle.honest.rows_mut() = rows.clone();
            let opened = StoredTupleRepository::<S, D, _>::open(authority, public::<D>(), fickle);
            let (mut batch, signer) = (next.clone(), signing_key(SIGNER));
            match opened.unwrap().publish(&mut batch, &signer, &secret::<D>()) {
                Ok(update) => assert_eq!(update, honest, "{key:?}, byte {place}"),
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > 0);
}

#[test]
fn a_medium_that_changes_its_answers_makes_an_author_sign_nothing_else() {
    with_each!(fickle_rows: Base, BaseSuperseding, SpecLightweight);
}

macro_rules! of_design {
    (base_superseding_bls, $($design:tt)+) => {
        of_design!(@ base_superseding_bls, 1, pad_conformance::soak::size(3, 7), $($design)+);
    };
    (spec_lightweight_bls, $($design:tt)+) => {
        of_design!(@ spec_lightweight_bls, 1, pad_conformance::soak::size(3, 7), $($design)+);
    };
    (@ $name:ident, $seeds:expr, $versions:expr, $($design:tt)+) => {
        mod $name {
            #[test]
            fn updates_heads_and_proofs_are_those_of_memory() {
                super::lives::<$($design)+>($seeds, $versions);
            }

            #[test]
            fn what_is_refused_changes_nothing() {
                super::refusals::<$($design)+>();
                super::unsigned::<$($design)+>();
            }

            #[test]
            fn an_author_signs_nothing_of_rows_that_others_have_changed() {
                super::changed_rows::<$($design)+>($seeds * pad_conformance::soak::size(60, 300));
            }
        }
    };
    ($name:ident, $($design:tt)+) => {
        of_design!(
            @ $name,
            pad_conformance::soak::size(1, 3),
            pad_conformance::soak::size(7, 14),
            $($design)+
        );
    };
}

pad_tuple::for_each_tuple!(of_design);

#[test]
fn accidents_to_rows_make_no_wrong_answer() {
    accidents::<SpecLightweight>();
    accidents::<BaseSuperseding>();
    if pad_conformance::soak::enabled() {
        accidents::<Spec>();
        accidents::<SpecLightweight3>();
    }
}

/// Rows opened by several processes.
#[derive(Clone, Debug, Default)]
struct SharedRows(Arc<Mutex<MemoryRows>>);

impl Rows for SharedRows {
    fn read<T, E: From<StoreFault>>(
        &self,
        work: impl FnOnce(&dyn RowView) -> Result<T, E>,
    ) -> Result<T, E> {
        self.0.lock().unwrap().read(work)
    }

    fn write(
        &mut self,
        known: (&[u8], Option<&[u8]>),
        removed: &[Range<Vec<u8>>],
        rows: &BTreeMap<Vec<u8>, Vec<u8>>,
    ) -> Result<(), StoreFault> {
        self.0.lock().unwrap().write(known, removed, rows)
    }
}

type SharedStored<D> = StoredTupleRepository<S, D, SharedRows>;

fn shared<D: StorableDesign<S, Secret: TestSecret>>(
    authority: Authority,
    rows: &SharedRows,
) -> SharedStored<D> {
    SharedStored::<D>::open(authority, public::<D>(), rows.clone()).unwrap()
}

impl<D: StorableDesign<S, Secret: TestSecret + SecretBytes>> Life<D> {
    /// A dictionary of eight versions, and shared rows that contain the first four of them.
    fn with_four_written(seed: u64) -> (Self, SharedRows) {
        let (mut life, rows) = (Self::new(), SharedRows::default());
        life.grow(&mut Random::new(seed), 8);
        let mut writer = shared::<D>(*life.memory.authority(), &rows);
        for update in &life.updates[..4] {
            writer.apply(update).unwrap();
        }
        writer.flush().unwrap();
        (life, rows)
    }
}

/// Asserts that handles with the same rows agree with the in-memory repository.
fn assert_alike<D: StorableDesign<S>>(memory: &TupleRepository<S, D>, shared: &SharedStored<D>) {
    assert_eq!(memory.latest(), shared.latest());
    for version in (shared.oldest().number()..=shared.latest().number()).map(Version::new) {
        assert_eq!(memory.head(version), shared.head(version));
        for key in (0..40).step_by(3).map(name) {
            let (one, other) = (memory.prove(version, &key), shared.prove(version, &key));
            assert_eq!(encoded(one), encoded(other));
        }
    }
}

/// Checks that several writers can apply missing updates to the same rows at the same time.
fn several_writers<D: StorableDesign<S, Secret: TestSecret + SecretBytes>>() {
    let (mut life, mut random) = (Life::<D>::new(), Random::new(4));
    life.grow(&mut random, 12);
    let authority = *life.memory.authority();
    let rows = SharedRows::default();
    let open = || shared::<D>(authority, &rows);
    let mut memory = TupleRepository::<S, D>::new(authority, public::<D>());
    let (mut writer, mut late) = (open(), open());
    late.apply(&life.updates[0]).unwrap();
    for (place, update) in life.updates.iter().enumerate() {
        memory.apply(update).unwrap();
        writer.apply(update).unwrap();
        assert_alike(&memory, &writer);
        if place % 4 == 1 {
            writer.flush().unwrap();
        }
        // Another process may update the rows, too.
        if place % 3 == 0 || place == 7 {
            let mut reader = open();
            let known = usize::try_from(reader.latest().number()).unwrap();
            for update in &life.updates[known..=place] {
                reader.apply(update).unwrap();
            }
            reader.flush().unwrap();
            if place == 7 {
                reader.prune(Version::new(3)).unwrap();
            }
            assert_alike(&memory, &reader);
        }
    }
    writer.flush().unwrap();
    assert_eq!(writer.oldest(), Version::new(3));
    assert_alike(&memory, &writer);
    assert_alike(&memory, &open());
    // A handle that is far behind writes nothing, and does not continue from unknown rows.
    assert_eq!(late.flush(), Err(StoreFault::Closed));
    let refused = late.apply(&life.updates[1]);
    assert_eq!(refused, Err(ApplyError::Store(StoreFault::Closed)));
    assert_eq!(late.prune(Version::new(1)), Err(StoreFault::Closed.into()));
    assert_alike(&memory, &open());
}

#[test]
fn several_write_the_same_rows() {
    with_each!(several_writers: SpecLightweight, BaseSuperseding, Spec);
}

/// An unpublished version can be lost and replaced, so other processes must not see its signatures.
#[test]
fn what_waits_to_be_published_is_not_written_because_others_write() {
    type D = SpecLightweight;
    let (life, rows) = Life::<D>::with_four_written(8);
    let open = || shared::<D>(*life.memory.authority(), &rows);
    let mut writer = open();
    writer.apply(&life.updates[4]).unwrap();
    open().prune(Version::new(2)).unwrap();
    writer.apply(&life.updates[5]).unwrap();
    assert_eq!(open().latest(), Version::new(4), "two versions wait");
    let mut other = open();
    other.apply(&life.updates[4]).unwrap();
    other.flush().unwrap();
    writer.apply(&life.updates[6]).unwrap();
    assert_eq!(open().latest(), Version::new(5), "two versions wait");
    // The writer continues after others have written some of its versions.
    writer.flush().unwrap();
    writer.apply(&life.updates[7]).unwrap();
    writer.flush().unwrap();
    assert_eq!(writer.oldest(), Version::new(2));
    assert_alike(&life.memory, &writer);
    assert_alike(&life.memory, &open());
}

/// Pruning through an outdated handle does not revert the writes of other handles.
#[test]
fn a_pruning_does_not_set_others_back() {
    type D = SpecSuperseding;
    let (life, rows) = Life::<D>::with_four_written(9);
    let open = || shared::<D>(*life.memory.authority(), &rows);
    let mut writer = open();
    let (mut behind, mut waiting) = (open(), open());
    waiting.apply(&life.updates[4]).unwrap();
    for update in &life.updates[4..] {
        writer.apply(update).unwrap();
    }
    writer.flush().unwrap();
    for mut late in [behind.clone(), waiting.clone()] {
        assert_eq!(late.prune(Version::new(3)), Err(StoreFault::Closed.into()));
        assert_eq!(open().latest(), Version::new(8));
    }
    open().prune(Version::new(4)).unwrap();
    for late in [&mut behind, &mut waiting] {
        late.prune(Version::new(3)).unwrap_err();
    }
    assert_eq!(open().oldest(), Version::new(4));
    assert_alike(&life.memory, &open());
}

/// If an author signs two updates for one version, only one of them may be written.
#[test]
fn rows_of_another_history_are_not_overwritten() {
    type D = SpecLightweight;
    let (mut one, mut other) = (Life::<D>::new(), Life::<D>::new());
    one.publish(vec![Operation::Put(key("a"), value("1"))]);
    other.publish(vec![Operation::Put(key("a"), value("2"))]);
    let (authority, rows) = (*one.memory.authority(), SharedRows::default());
    let open = || shared::<D>(authority, &rows);
    let (mut first, mut second) = (open(), open());
    first.apply(&one.updates[0]).unwrap();
    second.apply(&other.updates[0]).unwrap();
    first.flush().unwrap();
    assert_eq!(second.flush(), Err(StoreFault::Closed));
    assert_alike(&one.memory, &open());
}

/// After pruning to the latest version there is a record for each tuple, and none for removed
/// tuples.
#[test]
fn pruning_leaves_what_the_oldest_version_needs() {
    fn check<D: StorableDesign<S, Secret: TestSecret + SecretBytes>>() {
        let (mut life, mut random) = (Life::<D>::new(), Random::new(6));
        life.grow(&mut random, 15);
        life.signing.prune(life.memory.latest()).unwrap();
        let tuples: usize = life.author.tuples().iter().sum();
        let rows = life.signing.rows_mut().rows_mut().clone();
        let of_kind = |kind| rows.keys().filter(|key| key.first() == Some(&kind)).count();
        assert_eq!((of_kind(2), of_kind(3)), (tuples, tuples));
        let runs: usize = (16..=u8::MAX).map(of_kind).sum();
        assert_eq!((of_kind(1), of_kind(4), runs), (15, 0, D::GENERATIONS));
    }
    with_each!(check: Base, Spec, SpecLightweight3, SpecSuperseding);
}
