//! Outcomes of simulated accidents: all permitted ones occur, and no others.

use std::{collections::BTreeSet, io, sync::Arc};

use super::*;
use crate::layer::{FileLayer, LayerFile};

/// Number of simulated power cuts in tests with few possible outcomes.
const SEEDS: u64 = 1_000;
/// Number of failing operations tried.
const FAILURES: u64 = 300;
/// Number of power cuts tried after each failing operation.
const FEW: u64 = 20;
const LONG: usize = 3 * 512;

fn new() -> SimulatedFolder {
    SimulatedFolder::new("simulated")
}

/// Creates a folder with a durable file of three sectors.
fn with_file() -> (SimulatedFolder, Arc<dyn LayerFile>) {
    let folder = new();
    let file = folder.create("file").unwrap();
    file.write_at(0, &[b'a'; LONG]).unwrap();
    file.synchronise().unwrap();
    folder.synchronise().unwrap();
    (folder, file)
}

fn contents(folder: &SimulatedFolder, name: &str) -> Vec<u8> {
    let file = folder.open(name).unwrap();
    let mut bytes = vec![0; usize::try_from(file.length().unwrap()).unwrap()];
    file.read_at(0, &mut bytes).unwrap();
    bytes
}

/// First byte of each sector, which must consist of equal bytes.
fn sectors(bytes: &[u8]) -> String {
    let first = |sector: &[u8]| {
        assert!(sector.iter().all(|byte| *byte == sector[0]));
        char::from(sector[0])
    };
    bytes.chunks(512).map(first).collect()
}

/// Contents of the file after power cuts with many seeds.
fn outcomes(folder: &SimulatedFolder) -> BTreeSet<String> {
    outcomes_of(folder, SEEDS)
}

fn outcomes_of(folder: &SimulatedFolder, seeds: u64) -> BTreeSet<String> {
    let cuts = (0..seeds).map(|seed| folder.after_power_cut(seed));
    cuts.map(|left| sectors(&contents(&left, "file"))).collect()
}

fn all_names(folder: &SimulatedFolder) -> BTreeSet<Vec<String>> {
    let cuts = (0..SEEDS).map(|seed| folder.after_power_cut(seed));
    cuts.map(|left| left.names().unwrap()).collect()
}

fn set<T: Ord>(outcomes: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    outcomes.into_iter().collect()
}

/// Returns all words of three of the given characters.
fn three(characters: &str) -> BTreeSet<String> {
    let each = || characters.chars();
    let two = each().flat_map(|first| each().map(move |second| format!("{first}{second}")));
    let longer = |word: String| each().map(move |third| format!("{word}{third}"));
    two.flat_map(longer).collect()
}

#[test]
fn each_sector_is_as_before_or_as_after_until_it_is_synchronised() {
    let (folder, file) = with_file();
    assert_eq!(outcomes(&folder), set(["aaa".to_owned()]));
    file.write_at(0, &[b'b'; LONG]).unwrap();
    assert_eq!(outcomes(&folder), three("ab"));
    file.write_at(0, &[b'c'; LONG]).unwrap();
    assert_eq!(outcomes(&folder), three("abc"));
    file.synchronise().unwrap();
    assert_eq!(outcomes(&folder), set(["ccc".to_owned()]));
}

#[test]
fn a_length_may_be_there_without_the_bytes_and_the_bytes_not_without_the_length() {
    let (folder, file) = with_file();
    file.write_at(LONG.try_into().unwrap(), &[b'b'; 512])
        .unwrap();
    let grown = ["aaa", "aaa\0", "aaab"].map(str::to_owned);
    assert_eq!(outcomes(&folder), set(grown));
    file.set_length(512).unwrap();
    let cut = ["a", "aaa", "aaa\0", "aaab"].map(str::to_owned);
    assert_eq!(outcomes(&folder), set(cut));
    file.set_length(1024).unwrap();
    file.synchronise().unwrap();
    assert_eq!(outcomes(&folder), set(["a\0".to_owned()]));
}

#[test]
fn names_may_be_there_or_not_until_the_folder_is_synchronised() {
    let (folder, _file) = with_file();
    folder.remove("file").unwrap();
    folder.create("new").unwrap();
    let names = [vec![], vec!["file"], vec!["new"], vec!["file", "new"]];
    let names = names.map(|names| names.into_iter().map(str::to_owned).collect());
    assert_eq!(all_names(&folder), set(names));
    folder.synchronise().unwrap();
    assert_eq!(all_names(&folder), set([vec!["new".to_owned()]]));
}

#[test]
fn a_rename_is_done_or_not() {
    let (folder, _file) = with_file();
    let new = folder.create("new").unwrap();
    new.write_at(0, &[b'n'; 512]).unwrap();
    new.synchronise().unwrap();
    folder.synchronise().unwrap();
    folder.rename("new", "file").unwrap();
    let cuts = (0..SEEDS).map(|seed| folder.after_power_cut(seed));
    let outcomes = set(cuts.map(|left| (left.names().unwrap().len(), contents(&left, "file"))));
    let (before, after) = (vec![b'a'; LONG], vec![b'n'; 512]);
    assert_eq!(outcomes, set([(2, before), (1, after.clone())]));
    folder.synchronise().unwrap();
    assert_eq!(contents(&folder.after_power_cut(0), "file"), after);
}

#[test]
fn a_file_under_a_new_name_has_what_was_synchronised() {
    let folder = new();
    let file = folder.create("file").unwrap();
    file.write_at(0, &[b'a'; 512]).unwrap();
    folder.synchronise().unwrap();
    let expected = ["", "\0", "a"].map(str::to_owned);
    assert_eq!(outcomes(&folder), set(expected));
}

#[test]
fn what_a_killed_process_wrote_can_be_read_and_is_lost_later() {
    let (folder, file) = with_file();
    assert!(file.try_lock().unwrap());
    file.write_at(512, &[b'b'; 512]).unwrap();
    folder.create("new").unwrap();
    let killed = folder.after_kill();
    assert_eq!(sectors(&contents(&killed, "file")), "aba");
    assert_eq!(killed.names().unwrap(), ["file", "new"]);
    assert!(killed.open("file").unwrap().try_lock().unwrap());
    let again = killed.after_kill();
    for left in [&folder, &killed, &again] {
        assert_eq!(outcomes(left), set(["aaa".to_owned(), "aba".to_owned()]));
        assert_eq!(all_names(left).len(), 2);
    }
    killed.open("file").unwrap().synchronise().unwrap();
    assert_eq!(outcomes(&killed), set(["aba".to_owned()]));
}

#[test]
fn what_a_failed_synchronisation_lost_is_seen_and_never_durable() {
    let mut left = BTreeSet::new();
    for seed in 0..FAILURES {
        let (folder, file) = with_file();
        folder.fail_at(6, seed);
        file.write_at(0, &[b'b'; LONG + 512]).unwrap();
        assert_eq!(sectors(&contents(&folder, "file")), "bbbb");
        file.synchronise().unwrap_err();
        let bytes = |outcome: String| outcome.chars().take(3).collect::<String>();
        let lost = set(outcomes_of(&folder, FEW).into_iter().map(bytes));
        assert_eq!(lost.len(), 1, "only the length is still left to chance");
        // Nothing was written again, so the next synchronisation has nothing to do.
        file.synchronise().unwrap();
        assert_eq!(sectors(&contents(&folder, "file")), "bbbb");
        let synchronised = outcomes_of(&folder, FEW).pop_first().unwrap();
        assert_eq!(synchronised.len(), 4, "the length is written with the next");
        left.insert(synchronised.replace('\0', "-"));
        file.write_at(0, &[b'c'; 1]).unwrap();
        file.synchronise().unwrap();
        let medium = contents(&folder.after_power_cut(0), "file");
        assert_eq!(medium[..512], contents(&folder, "file")[..512]);
        file.write_at(0, &[b'd'; LONG + 512]).unwrap();
        file.synchronise().unwrap();
        assert_eq!(outcomes_of(&folder, FEW), set(["dddd".to_owned()]));
    }
    for possible in ["aaa-", "bbbb", "bab-", "aabb"] {
        assert!(left.contains(possible), "{possible} is not in {left:?}");
    }
}

#[test]
fn a_failed_write_back_is_told_once_to_each_handle_that_was_open() {
    let outcomes = (0..FAILURES).map(|seed| {
        let (folder, file) = with_file();
        let other = folder.open("file").unwrap();
        file.write_at(0, &[b'b'; LONG]).unwrap();
        folder.fail_write_back_before(6, seed);
        let later = folder.create("later").unwrap();
        let later = [later, folder.open("file").unwrap()];
        for file in [&file, &other] {
            file.synchronise().unwrap_err();
            file.synchronise().unwrap();
        }
        for file in later {
            file.synchronise().unwrap();
        }
        assert_eq!(sectors(&contents(&folder, "file")), "bbb");
        assert_eq!(outcomes_of(&folder, FEW).len(), 1);
        outcomes_of(&folder, 1).pop_first().unwrap()
    });
    let outcomes = set(outcomes);
    for possible in ["aaa", "bba", "aab", "bbb"] {
        assert!(outcomes.contains(possible), "{possible}, {outcomes:?}");
    }
}

#[test]
fn names_that_a_failed_synchronisation_lost_are_seen_and_never_durable() {
    let outcomes = (0..pad_conformance::soak::size(60, FAILURES)).map(|seed| {
        let (folder, _file) = with_file();
        folder.create("new").unwrap();
        folder.fail_at(6, seed);
        folder.synchronise().unwrap_err();
        folder.synchronise().unwrap();
        assert_eq!(folder.names().unwrap().len(), 2);
        all_names(&folder)
    });
    assert_eq!(set(outcomes).len(), 2);
}

#[test]
fn a_write_that_fails_has_written_some_sectors() {
    let outcomes = (0..FAILURES).map(|seed| {
        let (folder, file) = with_file();
        folder.fail_at(5, seed);
        file.write_at(0, &[b'b'; LONG]).unwrap_err();
        let written = sectors(&contents(&folder, "file"));
        file.write_at(0, &[b'c'; LONG]).unwrap();
        written
    });
    assert_eq!(set(outcomes), set(["aaa", "baa", "bba"].map(str::to_owned)));
}

#[test]
fn nothing_happens_after_a_stop_and_the_last_operation_is_not_acknowledged() {
    for reads in [Reads::Work, Reads::Fail] {
        let (folder, file) = with_file();
        folder.stop_at(5, reads);
        file.write_at(0, &[b'b'; 512]).unwrap_err();
        file.write_at(0, &[b'c'; 512]).unwrap_err();
        file.set_length(0).unwrap_err();
        file.synchronise().unwrap_err();
        folder.create("new").map(drop).unwrap_err();
        folder.rename("file", "new").unwrap_err();
        folder.remove("file").unwrap_err();
        FileLayer::synchronise(&folder).unwrap_err();
        assert_eq!(folder.names().is_ok(), reads == Reads::Work);
        assert_eq!(file.length().is_ok(), reads == Reads::Work);
        assert_eq!(file.read_at(0, &mut [0]).is_ok(), reads == Reads::Work);
        assert_eq!(folder.open("file").is_ok(), reads == Reads::Work);
        assert_eq!(sectors(&contents(&folder.after_kill(), "file")), "baa");
        assert_eq!(outcomes(&folder), set(["aaa", "baa"].map(str::to_owned)));
    }
}

#[test]
fn a_stop_at_any_operation_is_one_of_these_operations() {
    use Operation::*;
    let (folder, file) = with_file();
    file.set_length(5).unwrap();
    folder.rename("file", "other").unwrap();
    folder.remove("other").unwrap();
    let start = [Create, Write, Synchronise, SynchroniseFolder];
    assert_eq!(folder.operations()[..4], start);
    assert_eq!(folder.operations()[4..], [SetLength, Rename, Remove]);
}

#[test]
fn room_is_counted_in_pages_and_what_does_not_fit_is_cut_off() {
    let folder = new();
    folder.set_capacity(3 * 4096);
    let file = folder.create("file").unwrap();
    file.write_at(4095, &[1; 2]).unwrap();
    assert_eq!(folder.used(), 2 * 4096);
    let refused = file.write_at(8000, &[1; 5000]).unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::StorageFull);
    assert_eq!((folder.used(), file.length().unwrap()), (3 * 4096, 12_288));
    file.write_at(0, &[2; 12_288]).unwrap();
    file.set_length(1 << 40).unwrap();
    assert_eq!(folder.used(), 3 * 4096);
    file.set_length(4096).unwrap();
    folder.remove("file").unwrap();
    assert_eq!(folder.used(), 4096, "it is open");
    drop(file);
    assert_eq!(folder.used(), 0);
}

#[test]
fn one_seed_leaves_one_medium() {
    let (folder, file) = with_file();
    file.write_at(0, &[b'b'; LONG]).unwrap();
    for seed in 0..SEEDS {
        let cut = || contents(&folder.after_power_cut(seed), "file");
        assert_eq!(cut(), cut());
    }
}
