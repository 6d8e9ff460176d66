//! Tests of `bench::accumulators::sets::merkle`.

use bench::accumulators::sets::merkle::MerkleSet;
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
