//! Tests of `bench::measure::counting`.

use bench::counting::{CountingSuite, HashCounts};
use pad_core::{
    Sha256Ed25519, Suite as _,
    internals::{DigestBytes, Domain},
};

#[test]
fn counts_and_digests() {
    type Suite = CountingSuite<Sha256Ed25519>;
    let (counts, digest) = HashCounts::of(2, || {
        let leaf = Suite::leaf(b"k", &Suite::value(b"v"));
        Suite::node(
            Domain::TreeNode,
            &leaf,
            &Suite::node(Domain::HistoryNode, &leaf, &leaf),
        )
    });
    let counted = [
        Domain::TreeNode,
        Domain::TreeLeaf,
        Domain::Value,
        Domain::HistoryNode,
    ];
    for domain in Domain::ALL {
        let expected: f64 = if counted.contains(&domain) { 0.5 } else { 0.0 };
        let number = counts.number(&[domain]);
        assert_eq!(number.to_bits(), expected.to_bits(), "{domain:?}");
    }
    let leaf = Sha256Ed25519::leaf(b"k", &Sha256Ed25519::value(b"v"));
    let history = Sha256Ed25519::node(Domain::HistoryNode, &leaf, &leaf);
    assert_eq!(
        digest,
        Sha256Ed25519::node(Domain::TreeNode, &leaf, &history)
    );
    assert_eq!(
        digest.as_ref().len(),
        <Suite as pad_core::Suite>::Digest::LENGTH
    );
}
