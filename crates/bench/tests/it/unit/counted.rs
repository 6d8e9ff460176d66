//! Tests of `bench::flexlist::counted`.

use bench::flexlist::counted::{CountingHash, count};
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
