use std::collections::{BTreeMap, BTreeSet};

use pad_conformance::Random;
use pad_core::{Sha256Ed25519 as Suite256, Value};

use super::*;

type Test = Layers<Suite256, u64>;
type Digest = <Suite256 as Suite>::Digest;

/// A tuple as verifiers see it: the epochs that it names, its interval, its content.
type TupleSummary = (Vec<u64>, Vec<u8>, Option<Vec<u8>>, String);

/// Content of each key that a generation contains: `None` for a tombstone.
type Entries = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

/// Model of the generations: maps without intervals.
#[derive(Clone)]
struct Model {
    generations: Vec<Entries>,
    epochs: Vec<u64>,
    started: bool,
}

impl Model {
    fn new(generations: usize) -> Self {
        Self {
            generations: vec![Entries::new(); generations],
            epochs: vec![0; generations - 1],
            started: false,
        }
    }

    fn apply(&mut self, operations: &[Operation], merged: usize) {
        self.started = true;
        for generation in (0..merged).rev() {
            let younger = core::mem::take(&mut self.generations[generation]);
            self.generations[merged].extend(younger);
            self.epochs[generation] += 1;
        }
        for operation in operations {
            let key = operation.key().as_bytes().to_vec();
            let content = match operation {
                Operation::Put(_, value) => Some(value.as_bytes().to_vec()),
                Operation::Remove(_) => None,
            };
            self.generations[merged].insert(key, content);
        }
        if merged + 1 == self.generations.len() {
            self.generations[merged].retain(|_, content| content.is_some());
        }
    }

    fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        let known = self.generations.iter().find_map(|entries| entries.get(key));
        known.cloned().flatten()
    }

    /// The tuples of a generation: one for each key, and one at the start of the key space.
    fn tuples(&self, generation: usize) -> BTreeSet<TupleSummary> {
        if !self.started {
            return BTreeSet::new();
        }
        let mut lowers: BTreeSet<Vec<u8>> = self.generations[generation].keys().cloned().collect();
        lowers.insert(Vec::new());
        let lowers: Vec<Vec<u8>> = lowers.into_iter().collect();
        let tuples = lowers.iter().enumerate().map(|(position, lower)| {
            let content = match self.generations[generation].get(lower) {
                None => Content::Nothing,
                Some(None) => Content::Removed,
                Some(Some(value)) => Content::Value(Suite256::value(value)),
            };
            let epochs: &[u64] = if generation == 0 { &self.epochs } else { &[] };
            let upper = lowers.get(position + 1).cloned();
            (
                epochs.to_vec(),
                lower.clone(),
                upper,
                format!("{content:?}"),
            )
        });
        tuples.collect()
    }
}

fn seen(view: TupleView<'_, Digest>) -> TupleSummary {
    let upper = view.upper.map(<[u8]>::to_vec);
    let content = format!("{:?}", view.content);
    (view.epochs.to_vec(), view.lower.to_vec(), upper, content)
}

fn tuples(layers: &Test, generation: usize) -> Vec<TupleSummary> {
    let tuples = layers.generations()[generation].iter();
    tuples
        .map(|(lower, live)| seen(layers.view(generation, lower, live.content.summary())))
        .collect()
}

/// All state: each generation's tuples with their notes, the epochs, the version.
type Deep = (Vec<Vec<(TupleSummary, u64)>>, Vec<u64>, Version);

fn deep(layers: &Test) -> Deep {
    let generations = 0..layers.generations().len();
    let generations = generations.map(|generation| {
        let notes = layers.generations()[generation].values();
        let notes = notes.map(|live| live.note);
        tuples(layers, generation).into_iter().zip(notes).collect()
    });
    let epochs = layers.epochs().to_vec();
    (generations.collect(), epochs, layers.version())
}

/// Checks that intervals cover the key space without overlap: each ends where the next begins.
fn check_intervals(tuples: &[TupleSummary]) {
    assert_eq!(tuples[0].1, b"", "the first begins at the start");
    assert_eq!(tuples[tuples.len() - 1].2, None, "the last has no end");
    for pair in tuples.windows(2) {
        assert_eq!(pair[0].2.as_ref(), Some(&pair[1].1));
        assert!(pair[0].1 < pair[1].1);
    }
}

/// Checks that a transition lists exactly the changed tuples. In an emptied generation, all tuples
/// count as new.
fn check_changes(
    before: &Model,
    after: &Model,
    layers: &Test,
    transition: &Transition<Suite256, u64>,
) {
    let merged = transition.merged();
    for generation in 0..layers.generations().len() {
        let (old, new) = (before.tuples(generation), after.tuples(generation));
        let Some(change) = transition.changes.get(generation) else {
            assert_eq!(old, new, "its clock stood still");
            continue;
        };
        let lowers = |tuples: BTreeSet<&TupleSummary>| -> Vec<Vec<u8>> {
            let lowers: BTreeSet<Vec<u8>> = tuples.iter().map(|seen| seen.1.clone()).collect();
            lowers.into_iter().collect()
        };
        let (gone, made) = if generation < merged {
            (lowers(old.iter().collect()), lowers(new.iter().collect()))
        } else {
            let gone = old.difference(&new).collect();
            (lowers(gone), lowers(new.difference(&old).collect()))
        };
        let bytes = |key: &Key| key.as_bytes().to_vec();
        let created: Vec<Vec<u8>> = change.created.iter().map(bytes).collect();
        assert_eq!(created, made, "in ascending order");
        let deleted = change.deleted.iter().map(|(key, _)| bytes(key));
        let mut deleted: Vec<Vec<u8>> = deleted.collect();
        deleted.sort();
        assert_eq!(deleted, gone, "each once");
    }
}

/// Checks that deleted tuples keep their notes.
fn check_marks(before: &Test, transition: &Transition<Suite256, u64>) {
    for (tuples, change) in before.generations().iter().zip(&transition.changes) {
        for (key, note) in &change.deleted {
            assert_eq!(tuples.get(key).map(|live| live.note), Some(*note));
        }
    }
}

/// Keys of at most two letters, the empty one among them.
fn some_key(random: &mut Random) -> Vec<u8> {
    let length = usize::try_from(random.below(3)).unwrap_or(0);
    (0..length).map(|_| b"abc"[random.index(3)]).collect()
}

fn some_operations(random: &mut Random, model: &Model, most: u64) -> Vec<Operation> {
    let mut operations = BTreeMap::new();
    for _ in 0..random.below(most + 1) {
        let bytes = some_key(random);
        let key = Key::new(&*bytes).expect("short");
        let operation = if random.below(3) == 0 {
            if model.get(&bytes).is_none() {
                continue;
            }
            Operation::Remove(key)
        } else {
            let value = Value::new([b'0' + u8::from(random.below(2) == 1)]).expect("short");
            Operation::Put(key, value)
        };
        operations.insert(bytes, operation);
    }
    operations.into_values().collect()
}

fn check_run(generations: usize, seed: u64) {
    let mut random = Random::new(seed);
    let (mut layers, mut model) = (Test::new(generations), Model::new(generations));
    let mut notes = 0;
    for step in 0..24 {
        let most = if step % 5 == 0 { 6 } else { 1 };
        let operations = some_operations(&mut random, &model, most);
        let merged = match step {
            0 => generations - 1,
            _ => usize::try_from(random.next_bits() >> 8).expect("64 bits") % generations,
        };
        let (before, old) = (layers.clone(), model.clone());
        model.apply(&operations, merged);
        let transition = layers.apply(&operations, merged);
        let transition = transition.expect("as the model says");
        check_changes(&old, &model, &layers, &transition);
        check_marks(&before, &transition);
        assert_eq!(transition.merged(), merged);
        assert_eq!(layers.epochs(), model.epochs);
        assert_eq!(layers.version().number(), step + 1);
        for generation in 0..generations {
            let tuples = tuples(&layers, generation);
            check_intervals(&tuples);
            let expected = model.tuples(generation);
            assert_eq!(tuples.into_iter().collect::<BTreeSet<_>>(), expected);
        }
        for bytes in [&b""[..], b"a", b"ab", b"b", b"cc", b"d"] {
            let value = layers.get(bytes).map(<[u8]>::to_vec);
            assert_eq!(value, model.get(bytes), "the youngest that knows decides");
        }
        if operations.len() == 1 && step > 0 {
            let change = &transition.changes[merged];
            if merged == 0 {
                assert!(change.created.len() <= 2 && change.deleted.len() <= 2);
            }
        }
        // New tuples get notes, as for author and server, and undo restores the old state with its
        // notes.
        for (generation, change) in transition.changes.iter().enumerate() {
            for lower in &change.created {
                notes += 1;
                let live = layers.generation_mut(generation).get_mut(lower);
                live.expect("a created tuple is there").note = notes;
            }
        }
        if random.below(3) == 0 {
            layers.undo(transition);
            assert_eq!(deep(&layers), deep(&before));
            let again = layers.apply(&operations, merged).expect("a second time");
            check_changes(&old, &model, &layers, &again);
        }
    }
}

#[test]
fn random_snapshots_do_what_the_model_does() {
    for generations in 1..=4 {
        for seed in 0..60 {
            check_run(generations, seed);
        }
    }
}

#[test]
fn what_is_refused_changes_nothing() {
    let put = |name: &str| {
        let value = Value::new(*b"v").expect("short");
        Operation::Put(Key::new(name.as_bytes()).expect("short"), value)
    };
    let remove = |name: &str| Operation::Remove(Key::new(name.as_bytes()).expect("short"));
    let mut layers = Test::new(3);
    let mismatch = Some(ApplyError::AttachmentMismatch);
    for merged in [0, 1, 3, usize::MAX] {
        assert_eq!(layers.apply(&[put("a")], merged).err(), mismatch);
        assert_eq!(layers.version(), Version::EMPTY);
    }
    layers.apply(&[put("a"), put("b")], 2).expect("the first");
    layers.apply(&[remove("a")], 0).expect("a tombstone");
    let before = deep(&layers);
    let absent = Some(ApplyError::RemovesAbsentKey);
    let unordered = Some(ApplyError::UnorderedOperations);
    for (operations, merged, expected) in [
        (vec![put("c"), remove("a")], 0, unordered),
        (vec![put("c"), put("c")], 0, unordered),
        (vec![remove("a")], 1, absent),
        (vec![put("c"), remove("d")], 2, absent),
        (vec![put("c")], 3, mismatch),
    ] {
        assert_eq!(layers.apply(&operations, merged).err(), expected);
        assert_eq!(deep(&layers), before);
    }
}

/// Checks that a tombstone stays until no older generation can contain its key, and that the tuple
/// at the start of the key space always stays.
#[test]
fn tombstones_end_in_the_oldest_generation() {
    let key = |name: &str| Key::new(name.as_bytes()).expect("short");
    let value = Value::new(*b"v").expect("short");
    let mut layers = Test::new(3);
    let first = [
        Operation::Put(key(""), value.clone()),
        Operation::Put(key("k"), value),
    ];
    layers.apply(&first, 2).expect("the first");
    let removals = ["", "k"].map(|name| Operation::Remove(key(name)));
    layers.apply(&removals, 0).expect("both are there");
    let removed = |layers: &Test, generation: usize| {
        let mut tuples: Vec<_> = layers.generations()[generation].values().collect();
        tuples.retain(|live| matches!(live.content, Content::Removed));
        tuples.len()
    };
    assert_eq!([0, 1, 2].map(|g| removed(&layers, g)), [2, 0, 0]);
    layers.apply(&[], 1).expect("a merge");
    assert_eq!([0, 1, 2].map(|g| removed(&layers, g)), [0, 2, 0]);
    layers.apply(&[], 2).expect("a merge");
    assert_eq!([0, 1, 2].map(|g| removed(&layers, g)), [0, 0, 0]);
    for generation in 0..3 {
        let tuples = tuples(&layers, generation);
        assert_eq!(tuples.len(), 1);
        check_intervals(&tuples);
    }
}
