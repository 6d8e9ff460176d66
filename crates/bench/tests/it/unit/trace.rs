//! Tests of `bench::flexlist::trace`.

use std::{
    io::{self, Cursor, Read as _},
    path::Path,
};

use bench::flexlist::trace::{
    COMMIT_COLUMNS, Change, Edit, FILE_COLUMNS, FileChange, MOST_BYTES, Trace, TraceError,
    files_beside,
};

const FILES: &str = "path,dir,initial_size\n0,0,100\n1,0,50\n2,1,-1\n";
const HEADER: &str = "commit,path,kind,offset,removed,inserted\n";

fn read(commits: &str, files: &str) -> Result<Trace, TraceError> {
    let (commits, files) = (commits.as_bytes().to_vec(), files.as_bytes().to_vec());
    Trace::from_sources(Cursor::new(commits), Cursor::new(files))
}

/// The refusal of rows, as text that shows variant and fields.
fn refusal(rows: &str) -> String {
    format!("{:?}", read(&format!("{HEADER}{rows}"), FILES).unwrap_err())
}

fn files_refusal(rows: &str) -> String {
    let files = format!("path,dir,initial_size\n{rows}");
    format!("{:?}", read(HEADER, &files).unwrap_err())
}

#[test]
fn follows_sizes() {
    let rows =
        "1,2,A,0,0,7\n1,0,M,0,10,0\n1,0,M,90,10,25\n3,1,D,0,50,0\n4,1,A,0,0,0\n4,2,M,7,0,1\n";
    let trace = read(&format!("{HEADER}{rows}"), FILES).unwrap();
    assert_eq!(trace.final_sizes, [Some(105), Some(0), Some(8)]);
    let numbers: Vec<_> = trace
        .commits
        .iter()
        .map(|commit| (commit.number, commit.line, commit.changes.len()))
        .collect();
    assert_eq!(numbers, [(1, 2, 2), (3, 5, 1), (4, 6, 2)]);
    let edits = vec![
        Edit {
            offset: 0,
            removed: 10,
            inserted: 0,
        },
        Edit {
            offset: 90,
            removed: 10,
            inserted: 25,
        },
    ];
    let change = FileChange {
        path: 0,
        change: Change::Edit(edits),
    };
    assert_eq!(trace.commits[0].changes[1], change);
    assert_eq!(
        (trace.files[2].folder, trace.files[2].initial_size),
        (1, None)
    );
}

/// Asserts the refusal of each of `cases`: rows, separated by a slash, and what refuses them.
fn are_refused(cases: &str, refusal: fn(&str) -> String) {
    let cases = cases
        .lines()
        .filter_map(|case| case.trim().split_once(" => "));
    for (rows, refused) in cases {
        let rows = rows.replace(" / ", "\n") + "\n";
        assert_eq!(refusal(&rows), refused, "{rows}");
    }
}

#[test]
fn every_malformed_row_has_its_refusal() {
    let cases = r#"
        1,0,M,0,1 => FieldCount { line: 2, fields: 5 }
        1,0,M,x,1,0 => NotANumber { line: 2, column: "offset" }
        1,0,M,0,+1,0 => NotANumber { line: 2, column: "removed" }
        1,0,M,0,1, => NotANumber { line: 2, column: "inserted" }
        1,0,M,0,1,18446744073709551616 => NotANumber { line: 2, column: "inserted" }
        -1,0,M,0,1,0 => NotANumber { line: 2, column: "commit" }
        1,0,R,0,1,0 => UnknownKind(2)
        1,2,A,1,0,5 => NotZero { line: 2, column: "offset" }
        1,2,A,0,1,5 => NotZero { line: 2, column: "removed" }
        1,0,D,1,100,0 => NotZero { line: 2, column: "offset" }
        1,0,D,0,100,1 => NotZero { line: 2, column: "inserted" }
        1,0,M,5,0,0 => EmptyEdit(2)"#;
    are_refused(cases, refusal);
}

/// The largest file has 2^63 - 1 bytes. In the row that begins in a file of 100 bytes and at 120,
/// the offset is of the file before the commit, whatever it grew by.
#[test]
fn every_row_out_of_place_has_its_refusal() {
    let cases = "
        0,0,M,0,1,0 => CommitOutOfOrder(2)
        2,0,M,0,1,0 / 1,1,M,0,1,0 => CommitOutOfOrder(3)
        1,3,M,0,1,0 => UnknownPath { line: 2, path: 3 }
        1,0,M,0,1,0 / 1,1,M,0,1,0 / 1,0,M,5,1,0 => Scattered(4)
        1,2,A,0,0,5 / 1,2,M,0,1,0 => MixedKinds(3)
        1,0,M,0,1,0 / 1,0,D,0,99,0 => MixedKinds(3)
        1,0,M,10,5,0 / 1,0,M,14,1,0 => EditsOverlap(3)
        1,0,A,0,0,5 => AlreadyThere(2)
        1,2,M,0,0,5 => NotThere(2)
        1,2,D,0,0,0 => NotThere(2)
        1,0,D,0,99,0 => DeletedSize { line: 2, size: 100 }
        1,0,M,101,0,1 => OutsideFile { line: 2, size: 100 }
        1,0,M,99,2,0 => OutsideFile { line: 2, size: 100 }
        1,0,M,0,0,50 / 1,0,M,120,1,0 => OutsideFile { line: 3, size: 100 }
        1,0,M,0,0,9223372036854775807 => FileTooLarge(2)
        1,2,A,0,0,9223372036854775808 => FileTooLarge(2)
        1,0,M,0,0,18446744073709551615 => FileTooLarge(2)
        1,0,M,18446744073709551615,18446744073709551615,0 => OutsideFile { line: 2, size: 100 }";
    are_refused(cases, refusal);
}

#[test]
fn every_malformed_table_of_files_has_its_refusal() {
    let cases = r#"
        1,0,5 => PathOutOfOrder(2)
        0,0,5 / 0,0,5 => PathOutOfOrder(3)
        0,1,5 => FolderOutOfOrder(2)
        0,0,5 / 1,2,5 => FolderOutOfOrder(3)
        0,0,-2 => NotANumber { line: 2, column: "initial_size" }
        0,0,9223372036854775808 => FileTooLarge(2)
        0,0 => FieldCount { line: 2, fields: 2 }"#;
    are_refused(cases, files_refusal);
}

#[test]
fn refuses_headers_text_and_length() {
    assert!(matches!(
        read("a,b\n", FILES),
        Err(TraceError::Header(columns)) if columns == COMMIT_COLUMNS
    ));
    assert!(matches!(read("", FILES), Err(TraceError::Header(_))));
    assert!(
        matches!(read(HEADER, HEADER), Err(TraceError::Header(columns)) if columns == FILE_COLUMNS)
    );
    let files = FILES.as_bytes();
    let bytes = [HEADER.as_bytes(), b"1,0,\xff,0,1,0\n"].concat();
    let read_bytes = |bytes| Trace::from_sources(Cursor::new(bytes), files);
    assert!(matches!(read_bytes(bytes), Err(TraceError::NotText(2))));
    // One field without end: refused at the limit, not kept.
    let endless = Cursor::new(HEADER.as_bytes()).chain(io::repeat(b'1'));
    let refused = Trace::from_sources(endless, files);
    assert!(matches!(refused, Err(TraceError::TooLarge(MOST_BYTES))));
}

#[test]
fn reads_compressed_traces_and_refuses_damaged_ones() {
    let plain = format!("{HEADER}1,0,M,0,1,0\n");
    let packed = zstd::encode_all(plain.as_bytes(), 3).unwrap();
    let read = |bytes: Vec<u8>| Trace::from_sources(Cursor::new(bytes), FILES.as_bytes());
    assert_eq!(read(packed.clone()).unwrap().final_sizes[0], Some(99));
    for length in 4..packed.len() {
        let refused = read(packed[..length].to_vec());
        assert!(matches!(refused, Err(TraceError::Io(_))), "{length}");
    }
}

#[test]
fn no_bytes_make_it_panic() {
    let rows = format!("{HEADER}1,2,A,0,0,7\n1,0,M,0,10,0\n1,0,M,90,10,25\n3,1,D,0,50,0\n");
    let mut random = bench::workload::Random::new(7);
    for _ in 0..3000 {
        let mut bytes = rows.clone().into_bytes();
        for _ in 0..=random.below(3) {
            let length = u64::try_from(bytes.len()).unwrap();
            let place = usize::try_from(random.below(length)).unwrap();
            match random.below(3) {
                0 => bytes[place] = b",\n\"-019AMD\xff"[place % 11],
                1 => drop(bytes.remove(place)),
                _ => bytes.truncate(place.max(9)),
            }
        }
        let commits = Cursor::new(bytes);
        if let Ok(trace) = Trace::from_sources(commits, FILES.as_bytes()) {
            assert_eq!(trace.final_sizes.len(), 3);
        }
    }
}

#[test]
fn errors_name_their_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.csv");
    let refused = Trace::read(&path).unwrap_err();
    assert_eq!(refused.file, folder.path().join("history-files.csv"));
    std::fs::write(&refused.file, FILES).unwrap();
    std::fs::write(&path, format!("{HEADER}1,9,M,0,1,0\n")).unwrap();
    let refused = Trace::read(&path).unwrap_err();
    assert_eq!(refused.file, path);
    let message = refused.to_string();
    assert!(
        message.ends_with("line 2: path 9 is not in the table of files"),
        "{message}"
    );
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
