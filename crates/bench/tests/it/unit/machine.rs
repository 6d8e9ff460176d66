//! Tests of `bench::machine`.

use std::{
    fs,
    path::Path,
    time::{Duration, SystemTime},
};

use bench::machine::{measured_crates, newest};

#[test]
fn every_crate_that_is_linked_is_measured() {
    let manifest = include_str!("../../../Cargo.toml");
    let linked = manifest.split("[dev-dependencies]").next().unwrap();
    let crates = measured_crates().unwrap();
    assert!(crates.iter().any(|folder| folder.ends_with("pad-log")));
    let crates_folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let all = fs::read_dir(crates_folder).unwrap();
    let all = all.map(|entry| entry.unwrap().path());
    let left_out: Vec<_> = all.filter(|folder| !crates.contains(folder)).collect();
    assert!(!left_out.is_empty());
    for folder in left_out {
        let name = folder.file_name().unwrap().to_str().unwrap();
        assert!(!linked.contains(&format!("\n{name}.workspace")), "{name}");
    }
}

#[test]
fn finds_the_newest_file_at_any_depth() {
    let folder = tempfile::tempdir().unwrap();
    let within = folder.path().join("a/b");
    fs::create_dir_all(&within).unwrap();
    fs::write(folder.path().join("old"), "").unwrap();
    assert!(newest(folder.path()).is_ok());
    let file = fs::File::create(within.join("new")).unwrap();
    let future = SystemTime::now() + Duration::from_hours(1);
    file.set_modified(future).unwrap();
    assert_eq!(newest(folder.path()).unwrap(), future);
}
