use std::{
    fs, io, thread,
    time::{Duration, SystemTime},
};

use super::*;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_new_file_never_replaces_another() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    create(&path, b"first", Access::Usual).unwrap();
    let refused = create(&path, b"second", Access::Usual).unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(fs::read(&path).unwrap(), b"first");
    assert_eq!(names(folder.path()), ["file"]);
}

#[test]
fn what_is_replaced_is_replaced_whole_and_a_dropped_draft_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    replace(&path, b"first", Access::Usual).unwrap();
    replace(&path, b"2", Access::Usual).unwrap();
    let mut draft = Draft::new(&path, Access::Usual).unwrap();
    draft.write_all(b"third").unwrap();
    drop(draft);
    assert_eq!(fs::read(&path).unwrap(), b"2");
    assert_eq!(names(folder.path()), ["file"]);
}

#[test]
fn a_missing_folder_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let refused = create(&folder.path().join("no/file"), b"", Access::Usual).unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::NotFound);
}

#[cfg(unix)]
#[test]
fn private_files_are_private_and_permissions_stay() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let path = folder.path().join("secret");
    create(&path, b"", Access::Private).unwrap();
    assert_eq!(mode(&path), 0o600);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    replace(&path, b"", Access::Usual).unwrap();
    assert_eq!(mode(&path), 0o640);
    replace(&path, b"", Access::Private).unwrap();
    assert_eq!(mode(&path), 0o600);
}

#[cfg(unix)]
#[test]
fn the_file_behind_a_link_is_replaced_and_the_link_stays() {
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real"), folder.path().join("link"));
    std::os::unix::fs::symlink("real", &link).unwrap();
    // The link has no target yet.
    replace(&link, b"first", Access::Usual).unwrap();
    assert_eq!(fs::read(&real).unwrap(), b"first");
    replace(&link, b"second", Access::Usual).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read(&real).unwrap(), b"second");
    assert_eq!(names(folder.path()), ["link", "real"]);
    let refused = create(&link, b"third", Access::Usual).unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);

    let circle = folder.path().join("circle");
    std::os::unix::fs::symlink("circle", &circle).unwrap();
    assert!(replace(&circle, b"", Access::Usual).is_err());
}

/// Simulates a process killed between linking the temporary name and renaming it.
#[cfg(target_os = "linux")]
#[test]
fn what_is_left_behind_is_in_nobodys_way() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let left = anonymous::draft_path(&path, 0);
    fs::write(&left, "left behind").unwrap();
    replace(&path, b"new", Access::Usual).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(names(folder.path()), [".file.draft-0", "file"]);

    let now = SystemTime::now();
    anonymous::remove_if_old(&left, now + Duration::from_secs(30)).unwrap();
    assert!(left.exists(), "it may be another process's");
    anonymous::remove_if_old(&left, now + Duration::from_mins(2)).unwrap();
    assert_eq!(names(folder.path()), ["file"]);
}

#[test]
fn writers_at_once_leave_one_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let path = path.as_path();
    thread::scope(|scope| {
        for writer in 0..4_u8 {
            scope.spawn(move || {
                for _ in 0..50 {
                    replace(path, &[writer; 1000], Access::Usual).unwrap();
                }
            });
        }
    });
    let left = fs::read(path).unwrap();
    assert_eq!(left.len(), 1000);
    assert!(left.iter().all(|byte| *byte == left[0]));
    assert_eq!(names(folder.path()), ["file"]);
}
