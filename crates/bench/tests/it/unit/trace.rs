//! Tests of `bench::flexlist::trace`.

use std::{fs, path::Path};

use bench::flexlist::trace::{Change, Edit, Trace, files_beside};

const FILES: &str = "path,dir,initial_size\n0,0,100\n1,0,50\n2,1,-1\n";
const HEADER: &str = "commit,path,kind,offset,removed,inserted\n";

/// Reads a trace whose two files have these contents. An error comes without the file's name.
fn read(commits: &[u8], files: &str) -> Result<Trace, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.csv");
    fs::write(files_beside(&path), files).unwrap();
    fs::write(&path, commits).unwrap();
    let trace = Trace::read(&path).map_err(|error| error.to_string());
    trace.map_err(|error| error.split_once(".csv: ").unwrap().1.to_owned())
}

#[test]
fn follows_sizes() {
    let rows =
        "1,2,A,0,0,7\n1,0,M,0,10,0\n1,0,M,90,10,25\n3,1,D,0,50,0\n4,1,A,0,0,0\n4,2,M,7,0,1\n";
    let trace = read(format!("{HEADER}{rows}").as_bytes(), FILES).unwrap();
    assert_eq!(trace.final_sizes, [Some(105), Some(0), Some(8)]);
    let commits = trace.commits.iter();
    let numbers: Vec<_> = commits.map(|it| (it.number, it.changes.len())).collect();
    assert_eq!(numbers, [(1, 2), (3, 1), (4, 2)]);
    let edits = [(0, 10, 0), (90, 10, 25)].map(|(offset, removed, inserted)| Edit {
        offset,
        removed,
        inserted,
    });
    let change = (0, Change::Edit(edits.to_vec()));
    assert_eq!(trace.commits[0].changes[1], change);
    let last = trace.files[2];
    assert_eq!((last.folder, last.initial_size), (1, None));
}

/// Asserts the refusal of each of `cases`: rows, separated by a slash, and a part of the refusal.
fn are_refused(cases: &str, read: impl Fn(&str) -> Result<Trace, String>) {
    for case in cases.lines().filter(|case| !case.trim().is_empty()) {
        let (rows, refused) = case.trim().split_once(" => ").unwrap();
        let error = read(&(rows.replace(" / ", "\n") + "\n")).unwrap_err();
        assert!(error.contains(refused), "{rows}: {error}");
    }
}

/// The largest file has 2^63 - 1 bytes. In the row that begins in a file of 100 bytes and at 120,
/// the offset is of the file before the commit, whatever it grew by.
#[test]
fn every_row_out_of_place_is_refused() {
    let cases = "
        1,0,M,0,1 => line: 2
        1,0,M,x,1,0 => line: 2
        1,0,M,0,1, => line: 2
        1,0,M,0,1,18446744073709551616 => line: 2
        -1,0,M,0,1,0 => line: 2
        1,0,R,0,1,0 => line: 2
        1,2,A,1,0,5 => line 2: offset or removed is not 0
        1,2,A,0,1,5 => line 2: offset or removed is not 0
        1,0,D,1,100,0 => line 2: offset or inserted is not 0
        1,0,D,0,100,1 => line 2: offset or inserted is not 0
        1,0,M,5,0,0 => line 2: an edit that changes nothing
        0,0,M,0,1,0 => line 2: commits do not ascend
        2,0,M,0,1,0 / 1,1,M,0,1,0 => line 3: commits do not ascend
        1,3,M,0,1,0 => line 2: path 3 is not in the table of files
        1,0,M,0,1,0 / 1,1,M,0,1,0 / 1,0,M,5,1,0 => line 4: the rows of one file
        1,2,A,0,0,5 / 1,2,M,0,1,0 => line 2: an added or deleted file has two rows
        1,0,M,0,1,0 / 1,0,D,0,99,0 => line 3: an added or deleted file has two rows
        1,0,M,10,5,0 / 1,0,M,14,1,0 => line 3: the edit overlaps the one before
        1,0,A,0,0,5 => line 2: the added file was there already
        1,2,M,0,0,5 => line 2: the edit is not within the file
        1,2,D,0,0,0 => line 2: the deleted file did not have this size
        1,0,D,0,99,0 => line 2: the deleted file did not have this size
        1,0,M,101,0,1 => line 2: the edit is not within the file
        1,0,M,99,2,0 => line 2: the edit is not within the file
        1,0,M,0,0,50 / 1,0,M,120,1,0 => line 3: the edit is not within the file
        1,0,M,0,0,9223372036854775807 => line 2: the file is too large
        1,2,A,0,0,9223372036854775808 => line 2: the file is too large
        1,0,M,0,0,18446744073709551615 => line 2: the file is too large
        1,0,M,18446744073709551615,18446744073709551615,0 => line 2: the edit is not within";
    are_refused(cases, |rows| {
        read(format!("{HEADER}{rows}").as_bytes(), FILES)
    });
}

#[test]
fn every_malformed_table_of_files_is_refused() {
    let cases = "
        1,0,5 => line 2: paths are not
        0,0,5 / 0,0,5 => line 3: paths are not
        0,1,5 => line 2: folders are not numbered
        0,0,5 / 1,2,5 => line 3: folders are not numbered
        0,0,-2 => line 2: initial_size is below -1
        0,0,9223372036854775808 => line: 2
        0,0 => line: 2";
    let header = "path,dir,initial_size\n";
    are_refused(cases, |rows| {
        read(HEADER.as_bytes(), &format!("{header}{rows}"))
    });
}

#[test]
fn reads_compressed_traces_and_refuses_damaged_ones() {
    let plain = format!("{HEADER}1,0,M,0,1,0\n");
    let packed = zstd::encode_all(plain.as_bytes(), 3).unwrap();
    assert_eq!(read(&packed, FILES).unwrap().final_sizes[0], Some(99));
    for damaged in [&packed[..4], &packed[..packed.len() - 1], b"\xff"] {
        let refused = read(damaged, FILES).unwrap_err();
        assert!(refused.starts_with("cannot be read: "), "{refused}");
    }
}

#[test]
fn errors_name_their_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.csv");
    let refusal = || Trace::read(&path).unwrap_err().to_string();
    assert!(refusal().contains("history-files.csv: cannot be read"));
    fs::write(files_beside(&path), FILES).unwrap();
    fs::write(&path, format!("{HEADER}1,9,M,0,1,0\n")).unwrap();
    assert!(refusal().contains("history.csv: line 2: path 9 is not in the table of files"));
}

#[test]
fn the_table_of_files_is_beside_the_trace() {
    for (trace, files) in [
        ("a/b.csv", "a/b-files.csv"),
        ("b.csv.zst", "b-files.csv.zst"),
        ("b", "b-files.csv"),
    ] {
        assert_eq!(files_beside(Path::new(trace)), Path::new(files));
    }
}
