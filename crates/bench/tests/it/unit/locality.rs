//! Tests of `bench::flexlist::locality`.

use std::{fmt::Write as _, fs};

use bench::{
    flexlist::{
        locality::{histogram, run, runs},
        trace::{Edit, files_beside},
    },
    report::Report,
};

const fn edit(offset: u64, removed: u64, inserted: u64) -> Edit {
    Edit {
        offset,
        removed,
        inserted,
    }
}

/// The common divisor that is reported for a trace whose commits add a file each, of these sizes.
fn common_divisor(sizes: &[u64]) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.csv");
    let mut files = String::from("path,dir,initial_size\n");
    let mut commits = String::from("commit,path,kind,offset,removed,inserted\n");
    for (file, size) in sizes.iter().enumerate() {
        writeln!(files, "{file},0,-1").unwrap();
        writeln!(commits, "{},{file},A,0,0,{size}", file + 1).unwrap();
    }
    fs::write(files_beside(&path), files).unwrap();
    fs::write(&path, commits).unwrap();
    let mut report = Report::new(false, true).unwrap();
    run(&path, &mut report).unwrap();
    report.lines()[0].count("common_divisor_of_sizes")
}

#[test]
fn neighbouring_blocks_are_one_run() {
    // Within one block, twice; then the next one; then one far away that grows by two blocks.
    let edits = [
        edit(10, 5, 5),
        edit(100, 5, 5),
        edit(2_048, 1, 1),
        edit(20_480, 10, 4_200),
    ];
    assert_eq!(runs(&edits), [2, 3]);
    assert_eq!(runs(&[edit(0, 6_000, 0)]), [3]);
    assert_eq!(runs(&[edit(2_047, 2, 2), edit(2_050, 0, 1)]), [2]);
    assert_eq!(histogram(&[1, 3, 4, 1]), [(1, 2), (4, 2)]);
    assert_eq!([&[12][..], &[12, 18]].map(common_divisor), [12, 6]);
}
