//! Tests of the modules of `bench::accumulators`.

use bench::accumulators::{sets::merkle::MerkleSet, slopes::regression};
use pad_core::Sha256Ed25519;

#[test]
fn proofs_lead_to_the_root_for_their_element_only() {
    for n in [1_u8, 2, 5, 8] {
        let elements: Vec<Vec<u8>> = (0..n).map(|element| vec![element; 32]).collect();
        let mut set = MerkleSet::<Sha256Ed25519>::new(&elements);
        set.replace(&elements[0], b"new");
        let mut changed = elements.clone();
        changed[0] = b"new".to_vec();
        assert_eq!(set.root(), MerkleSet::<Sha256Ed25519>::new(&changed).root());
        for element in &changed {
            let proof = set.prove(element).unwrap();
            assert_eq!(proof.siblings.len(), set.depth());
            assert_eq!(proof.root(element), set.root());
            assert_ne!(proof.root(b"other"), set.root());
        }
        assert!(set.prove(&elements[0]).is_none());
    }
}

#[test]
fn slopes_of_straight_lines() {
    let slope = regression(&[(10.0, 120.0), (20.0, 220.0), (40.0, 420.0)]);
    assert!((slope.us - 10.0).abs() < 1e-9);
    assert!((slope.explained.unwrap() - 1.0).abs() < 1e-9);
    assert!((regression(&[(5.0, 20.0)]).us - 4.0).abs() < 1e-9);
}
