//! Logs on a simulated disk: a crash at every write and every synchronisation.

use pad_conformance::soak;
use pad_disk::layer::{Reads, SimulatedFolder};
use transparency_log::{
    Checkpoint, Note,
    store::{LogFiles, LogStore},
    tile::{Fetch, ResourcePath, TileReader},
};

use crate::support::{NaiveLog, entry, log_key, time, witness_key};

/// Sizes at which the log is signed: within a tile, at its end, and beyond.
const SIZES: [u64; 5] = [1, 3, 256, 258, 300];

/// An observer's view of a log: the signed notes, and the latest published one.
#[derive(Clone, Default)]
struct ObserverView {
    signed: Vec<Note>,
    published: u64,
}

/// Appends, signs and publishes until an operation fails. Entries that were never signed may differ
/// between runs.
fn go_on(folder: &SimulatedFolder, seen: &mut ObserverView, run: u8) {
    let Ok(mut store) = LogStore::open(folder.layer(), &log_key().verifier()) else {
        return;
    };
    for size in SIZES {
        for index in store.size()..size {
            if store.append(&[&entry(index)[..], &[run]].concat()).is_err() {
                return;
            }
        }
        let Ok(note) = store.sign(&log_key()) else {
            return;
        };
        seen.signed.push(note.clone());
        let checkpoint = Checkpoint::parse(note.unverified_text()).unwrap();
        let mut cosigned = note;
        let cosignature = witness_key(1).cosign(&checkpoint, time(1));
        cosigned.add(cosignature).unwrap();
        let published = store.files().published_size();
        if published.is_ok_and(|published| published <= checkpoint.size()) {
            if store.publish(&cosigned).is_err() {
                return;
            }
            seen.published = checkpoint.size();
        }
    }
}

/// Checks that all signed heads are prefixes of the log, and that the published log is complete.
fn check(folder: &SimulatedFolder, seen: &ObserverView) {
    let files = LogFiles::open(folder.layer());
    let published = files.published_size().unwrap();
    assert!(published >= seen.published);
    if let Ok(note) = files.fetch(&ResourcePath::Checkpoint) {
        let note = Note::parse(&note).unwrap();
        note.open(&[log_key().verifier()]).unwrap();
        let checkpoint = Checkpoint::parse(note.unverified_text()).unwrap();
        check_whole(&files, &checkpoint);
    }
    let store = LogStore::open(folder.layer(), &log_key().verifier()).unwrap();
    let newest = store
        .signed()
        .map(|note| Checkpoint::parse(note.unverified_text()).unwrap());
    for note in &seen.signed {
        let newest = newest.as_ref().unwrap();
        let signed = Checkpoint::parse(note.unverified_text()).unwrap();
        assert!(newest.size() >= signed.size(), "a signature is forgotten");
        if newest.size() == published {
            let mut reader = TileReader::open(&files, newest).unwrap();
            assert_eq!(reader.root_at(signed.size()).unwrap(), signed.root());
        }
    }
}

fn check_whole(files: &LogFiles, checkpoint: &Checkpoint) {
    let mut reader = TileReader::open(files, checkpoint).unwrap();
    let bundles = checkpoint.size().div_ceil(256);
    let entries = (0..bundles).flat_map(|index| reader.bundle(index).unwrap());
    let naive = NaiveLog::of(entries.collect());
    assert_eq!(naive.head(checkpoint.size()), checkpoint.head());
}

/// Returns crash points: all operations other than repeated writes, and some writes. The short
/// tests share them: each has every second one, from the place `first` on.
#[track_caller]
fn chosen(first: usize) -> Vec<usize> {
    let (every, first, step) = soak::size((127, first, 2), (41, 0, 1));
    let folder = SimulatedFolder::new("log");
    let mut seen = ObserverView::default();
    go_on(&folder, &mut seen, 0);
    assert_eq!(seen.published, 300);
    check(&folder, &seen);
    let operations = folder.operations();
    let at = |number: usize| operations.get(number - 1).copied();
    let is_chosen = |number: &usize| {
        number.is_multiple_of(every)
            || at(*number) != at(number + 1)
            || at(*number) != at(number.max(&2) - 1)
    };
    let chosen: Vec<_> = (1..=operations.len()).filter(is_chosen).collect();
    assert!(chosen.len() < operations.len());
    chosen.into_iter().skip(first).step_by(step).collect()
}

#[test]
fn no_crash_leaves_a_checkpoint_without_its_tiles_or_forgets_a_signature() {
    for stop in chosen(0) {
        let folder = SimulatedFolder::new("log");
        folder.stop_at(stop, Reads::Work);
        let mut seen = ObserverView::default();
        go_on(&folder, &mut seen, 0);
        let one = u64::try_from(stop % 3).unwrap();
        for seed in soak::size(one..one + 1, 0..3) {
            let left = folder.after_power_cut(seed);
            check(&left, &seen);
            // The next process appends other entries after the signed ones.
            let mut later = seen.clone();
            go_on(&left, &mut later, 1);
            assert_eq!(later.published, 300);
            check(&left, &later);
        }
        let left = folder.after_kill();
        go_on(&left, &mut seen, 1);
        check(&left.after_power_cut(stop.try_into().unwrap()), &seen);
    }
}

#[test]
fn no_failure_of_the_medium_does_either() {
    for failing in chosen(1) {
        let seed = u64::try_from(failing).unwrap();
        let folder = SimulatedFolder::new("log");
        folder.fail_at(failing, seed);
        let mut seen = ObserverView::default();
        go_on(&folder, &mut seen, 0);
        // Another process continues from the readable state, which need not be durable.
        go_on(&folder, &mut seen, 1);
        assert_eq!(seen.published, 300);
        for cut in 0..2 {
            check(&folder.after_power_cut(cut), &seen);
        }
    }
}
