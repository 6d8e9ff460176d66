//! Tests of `bench::tuple::macrobenchmark`.

use std::io::Write as _;

use bench::tuple::macrobenchmark::{Epochs, Trace};

#[test]
fn the_last_snapshots_begin_with_what_is_there() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let rows = "snapshot,op,key,value\n1,put,a,1\n2,put,b,2\n2,delete,a,\n3,put,c,3\n";
    file.write_all(rows.as_bytes()).unwrap();
    let all = Trace::read(file.path(), None).unwrap();
    assert_eq!(all.snapshots.len(), 3);
    let last = Trace::read(file.path(), Some(1)).unwrap();
    let keys: Vec<&str> = last.snapshots[0]
        .iter()
        .map(|operation| str::from_utf8(operation.key().as_bytes()).unwrap())
        .collect();
    assert_eq!((last.snapshots.len(), keys), (1, vec!["b", "c"]));
}

#[test]
fn epochs_of_six_snapshots_merge_every_sixth() {
    let rule = |snapshot| Epochs::Snapshots(6).speculation(snapshot);
    assert_eq!(rule(6), rule(0));
    assert!((1..6).all(|snapshot| rule(snapshot) != rule(6)));
}
