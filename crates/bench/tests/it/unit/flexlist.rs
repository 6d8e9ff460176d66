//! Tests of small modules of `bench::flexlist`.

use bench::flexlist::{
    counted::{CountingHash, count},
    locality::runs,
    trace::Edit,
};
use flexlist::{internals::NodeHash as _, list::Sha256};

#[test]
fn counts_and_changes_nothing() {
    let (hashes, digest) = count(|| {
        let first = CountingHash::<Sha256>::hash(b"one");
        CountingHash::<Sha256>::hash(&first.0)
    });
    assert_eq!(hashes, 2);
    assert_eq!(digest, Sha256::hash(&Sha256::hash(b"one").0));
    let (hashes, _) = count(|| Sha256::hash(b"one"));
    assert_eq!(hashes, 0);
}

const fn edit(offset: u64, removed: u64, inserted: u64) -> Edit {
    Edit {
        offset,
        removed,
        inserted,
    }
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
}
