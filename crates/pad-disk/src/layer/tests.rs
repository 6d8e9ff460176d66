//! Laws of every layer, and behaviour of folders of the operating system.

#![allow(clippy::arithmetic_side_effects, reason = "tests fail by panicking")]

use std::{fs, io::ErrorKind, thread};

use super::*;

/// Runs each law on a new, empty layer.
fn laws(new: &dyn Fn() -> Arc<dyn FileLayer>) {
    for law in [
        files_have_the_bytes_that_were_written,
        names_are_given_once_and_taken_away,
        a_renamed_file_takes_the_place_of_another,
        what_is_no_name_is_refused,
        one_handle_has_the_lock_until_it_is_closed,
        open_files_outlive_their_names,
        threads_do_not_disturb_each_other,
    ] {
        law(&*new());
    }
}

fn files_have_the_bytes_that_were_written(layer: &dyn FileLayer) {
    let file = layer.create("file").unwrap();
    assert_eq!(file.length().unwrap(), 0);
    file.write_at(5, b"middle").unwrap();
    assert_eq!(contents(&*file), b"\0\0\0\0\0middle");
    file.write_at(0, b"start").unwrap();
    file.synchronise().unwrap();
    file.write_at(8, b"").unwrap();
    file.write_at(1_000, b"").unwrap();
    assert_eq!(contents(&*layer.open("file").unwrap()), b"startmiddle");
    let mut two = [7; 2];
    file.read_at(4, &mut two).unwrap();
    assert_eq!(&two, b"tm");
    for offset in [10, 11, 12, u64::from(u32::MAX)] {
        let refused = file.read_at(offset, &mut two).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::UnexpectedEof, "{offset}");
        file.read_at(offset, &mut []).unwrap();
    }
    file.set_length(3).unwrap();
    file.set_length(6).unwrap();
    file.write_at(1_500, &[1; 1_000]).unwrap();
    let mut expected = b"sta".to_vec();
    expected.resize(1_500, 0);
    expected.resize(2_500, 1);
    assert_eq!(contents(&*file), expected);
}

fn names_are_given_once_and_taken_away(layer: &dyn FileLayer) {
    for name in ["b", "a", ".c"] {
        layer.create(name).unwrap();
    }
    let refused = layer.create("a").unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
    assert_eq!(names(layer), [".c", "a", "b"]);
    layer.remove("a").unwrap();
    layer.synchronise().unwrap();
    assert_eq!(names(layer), [".c", "b"]);
    for refused in [
        layer.remove("a").unwrap_err(),
        layer.open("a").unwrap_err(),
        layer.rename("a", "d").unwrap_err(),
    ] {
        assert_eq!(refused.kind(), ErrorKind::NotFound);
    }
    assert_eq!(layer.create("a").unwrap().length().unwrap(), 0);
}

fn a_renamed_file_takes_the_place_of_another(layer: &dyn FileLayer) {
    let (old, new) = (layer.create("name").unwrap(), layer.create("new").unwrap());
    old.write_at(0, b"old").unwrap();
    new.write_at(0, b"new").unwrap();
    layer.rename("new", "name").unwrap();
    layer.synchronise().unwrap();
    assert_eq!(names(layer), ["name"]);
    assert_eq!(contents(&*layer.open("name").unwrap()), b"new");
    assert_eq!(contents(&*old), b"old");
    layer.rename("name", "name").unwrap();
    layer.rename("name", "other").unwrap();
    new.write_at(3, b"er").unwrap();
    assert_eq!(contents(&*layer.open("other").unwrap()), b"newer");
}

fn what_is_no_name_is_refused(layer: &dyn FileLayer) {
    layer.create("file").unwrap();
    for name in ["", ".", "..", "/", "a/b", "../a", "file/", "./file"] {
        for refused in [
            layer.create(name).unwrap_err(),
            layer.open(name).unwrap_err(),
            layer.remove(name).unwrap_err(),
            layer.rename("file", name).unwrap_err(),
            layer.rename(name, "file").unwrap_err(),
        ] {
            assert_eq!(refused.kind(), ErrorKind::InvalidInput, "{name:?}");
        }
    }
    assert_eq!(names(layer), ["file"]);
}

fn one_handle_has_the_lock_until_it_is_closed(layer: &dyn FileLayer) {
    let first = layer.create("file").unwrap();
    let second = layer.open("file").unwrap();
    assert!(first.try_lock().unwrap());
    assert!(first.try_lock().unwrap());
    assert!(!second.try_lock().unwrap());
    layer.rename("file", "other").unwrap();
    assert!(!layer.open("other").unwrap().try_lock().unwrap());
    // Closing a handle without the lock does not release the lock.
    drop(second);
    assert!(!layer.open("other").unwrap().try_lock().unwrap());
    drop(first);
    assert!(layer.open("other").unwrap().try_lock().unwrap());
}

fn open_files_outlive_their_names(layer: &dyn FileLayer) {
    let file = layer.create("file").unwrap();
    assert!(file.try_lock().unwrap());
    layer.remove("file").unwrap();
    let other = layer.create("file").unwrap();
    assert!(other.try_lock().unwrap());
    file.write_at(0, b"gone").unwrap();
    file.synchronise().unwrap();
    assert_eq!(contents(&*file), b"gone");
    assert_eq!(contents(&*other), b"");
}

fn threads_do_not_disturb_each_other(layer: &dyn FileLayer) {
    let file = layer.create("file").unwrap();
    thread::scope(|scope| {
        for number in 0..4_u8 {
            let file = &file;
            scope.spawn(move || {
                for round in 0..100 {
                    let offset = (round * 4 + u64::from(number)) * 700;
                    file.write_at(offset, &[number; 700]).unwrap();
                    let mut found = [9; 700];
                    file.read_at(offset, &mut found).unwrap();
                    assert_eq!(found, [number; 700]);
                }
            });
        }
    });
    let contents = contents(&*file);
    for (number, part) in (0..400).zip(contents.chunks(700)) {
        assert!(part.iter().all(|byte| u32::from(*byte) == number % 4));
    }
}

fn contents(file: &dyn LayerFile) -> Vec<u8> {
    let mut bytes = vec![0; usize::try_from(file.length().unwrap()).unwrap()];
    file.read_at(0, &mut bytes).unwrap();
    bytes
}

fn names(layer: &dyn FileLayer) -> Vec<String> {
    let mut names = layer.names().unwrap();
    names.sort_unstable();
    names
}

#[test]
fn folders_of_the_system_keep_the_laws() {
    let folder = tempfile::tempdir().unwrap();
    let number = core::cell::Cell::new(0);
    laws(&|| {
        number.set(number.get() + 1);
        let path = folder.path().join(number.get().to_string());
        Arc::new(Folder::create(&path).unwrap())
    });
}

#[cfg(feature = "simulated-disk")]
#[test]
fn simulated_folders_keep_the_laws() {
    laws(&|| SimulatedFolder::new("simulated").layer());
}

#[test]
fn only_an_empty_folder_is_taken_for_a_new_one() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("folder");
    let refused = Folder::open(&path).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NotFound);
    Folder::create(&path).unwrap();
    let layer = Folder::create(&path).unwrap();
    layer.create("file").unwrap();
    let refused = Folder::create(&path).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::DirectoryNotEmpty);
    fs::create_dir(path.join("inner")).unwrap();
    assert_eq!(names(&Folder::open(&path).unwrap()), ["file"]);
    let refused = layer.open("inner").unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidData);
    for refused in [Folder::create, Folder::open] {
        let refused = refused(&path.join("file")).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::NotADirectory);
    }
}

#[cfg(unix)]
#[test]
fn new_files_are_private_unless_told_otherwise() {
    use std::os::unix::fs::PermissionsExt as _;

    use crate::Access;
    let parent = tempfile::tempdir().unwrap();
    let layer = Folder::open(parent.path()).unwrap();
    let mode = |file: Arc<dyn LayerFile>| {
        let metadata = file.of_system().unwrap().metadata().unwrap();
        metadata.permissions().mode() & 0o777
    };
    assert_eq!(mode(layer.create("private").unwrap()), 0o600);
    let layer = layer.with_access(Access::Usual);
    assert_eq!(mode(layer.create("usual").unwrap()) & 0o600, 0o600);
    fs::write(parent.path().join("as others make it"), "").unwrap();
    let others = layer.open("as others make it").unwrap();
    assert_eq!(mode(layer.open("usual").unwrap()), mode(others));
}

#[cfg(unix)]
#[test]
fn links_are_followed_to_the_files_that_they_lead_to() {
    use std::os::unix::fs::symlink;
    let parent = tempfile::tempdir().unwrap();
    let path = |name| parent.path().join(name);
    fs::create_dir(path("real")).unwrap();
    symlink("real", path("link")).unwrap();
    let layer = Folder::create(&path("link")).unwrap();
    symlink("../elsewhere", path("real/file")).unwrap();
    let refused = layer.open("file").unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NotFound);
    let refused = layer.create("file").unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
    layer.create("new").unwrap().write_at(0, b"new").unwrap();
    layer.rename("new", "file").unwrap();
    layer.synchronise().unwrap();
    assert_eq!(names(&layer), ["file"]);
    assert_eq!(contents(&*layer.open("file").unwrap()), b"new");
    assert_eq!(fs::read(path("elsewhere")).unwrap(), b"new");
}
