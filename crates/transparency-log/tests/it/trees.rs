//! Proofs compared with the definition.

use pad_conformance::{Random, soak};
use transparency_log::tree::{
    Edge, Hash, TreeError, TreeHead, prove_consistency, prove_inclusion, root, verify_consistency,
    verify_inclusion,
};

use crate::support::{NaiveLog, entry, naive_root, naive_split};

/// Computes an inclusion path as in RFC 6962, section 2.1.1.
fn naive_path(index: usize, leaves: &[Hash]) -> Vec<Hash> {
    if leaves.len() <= 1 {
        return Vec::new();
    }
    let (left, right) = leaves.split_at(naive_split(leaves.len()));
    let (mut path, sibling) = if index < left.len() {
        (naive_path(index, left), right)
    } else {
        (naive_path(index - left.len(), right), left)
    };
    path.push(naive_root(sibling));
    path
}

/// Computes a consistency proof as in RFC 6962, section 2.1.2.
fn naive_consistency(old: usize, leaves: &[Hash], is_whole: bool) -> Vec<Hash> {
    if old == leaves.len() {
        return if is_whole {
            Vec::new()
        } else {
            vec![naive_root(leaves)]
        };
    }
    let (left, right) = leaves.split_at(naive_split(leaves.len()));
    let (mut path, sibling) = if old <= left.len() {
        (naive_consistency(old, left, is_whole), right)
    } else {
        (naive_consistency(old - left.len(), right, false), left)
    };
    path.push(naive_root(sibling));
    path
}

/// Checks the tree with which the reference implementation of Certificate Transparency is tested.
#[test]
fn roots_are_those_of_certificate_transparency() {
    let entries: [&[u8]; 8] = [
        &[],
        &[0x00],
        &[0x10],
        &[0x20, 0x21],
        &[0x30, 0x31],
        &[0x40, 0x41, 0x42, 0x43],
        &[0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57],
        &[
            0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d,
            0x6e, 0x6f,
        ],
    ];
    let roots = [
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ];
    let mut edge = Edge::empty();
    assert_eq!(hex::encode(edge.root().as_bytes()), roots[0]);
    for (entry, root) in entries.iter().zip(&roots[1..]) {
        edge.append(Hash::of_leaf(entry), |_, _| {});
        assert_eq!(hex::encode(edge.root().as_bytes()), *root);
    }
}

#[test]
fn all_sizes_up_to_600_have_the_roots_and_proofs_of_the_definition() {
    let mut log = NaiveLog::new(600);
    let mut edge = Edge::empty();
    let heads: Vec<TreeHead> = (0..=600).map(|size| log.head(size)).collect();
    let is_next_to_power =
        |number: u64| number.wrapping_add(1) & number.wrapping_sub(1) & number == 0;
    let (every, small) = soak::size((13, 40), (1, 70));
    for (size, head) in (0_u64..).zip(heads.iter().copied()) {
        assert_eq!(edge.head(), head, "{size}");
        assert_eq!(root(&mut log, size).unwrap(), head.root, "{size}");
        edge.append(Hash::of_leaf(&entry(size)), |_, _| {});
        if size > small && size % every > 0 && !is_next_to_power(size) {
            continue;
        }
        // All entries and older sizes of small trees. In large trees, those near powers of two and
        // near the end.
        let chosen = |number: u64| size <= small || is_next_to_power(number) || number + 3 > size;
        let leaves = log.leaves[..usize::try_from(size).unwrap()].to_vec();
        for number in (0..=size).filter(|number| chosen(*number)) {
            let place = usize::try_from(number).unwrap();
            if number < size {
                let path = prove_inclusion(&mut log, number, size).unwrap();
                assert_eq!(path, naive_path(place, &leaves), "{number} of {size}");
                verify_inclusion(number, leaves[place], &head, &path).unwrap();
            }
            let proof = prove_consistency(&mut log, number, size).unwrap();
            if number > 0 {
                let expected = naive_consistency(place, &leaves, true);
                assert_eq!(proof, expected, "{number}, {size}");
            }
            verify_consistency(&heads[place], &head, &proof).unwrap();
        }
    }
}

#[test]
fn random_larger_trees_too() {
    let mut numbers = Random::new(11);
    let mut log = NaiveLog::new(70_000);
    for _ in 0..soak::size(12, 40) {
        let size = 1 + numbers.below(70_000);
        let (index, old) = (numbers.below(size), numbers.below(size + 1));
        let head = log.head(size);
        let path = prove_inclusion(&mut log, index, size).unwrap();
        let leaf = Hash::of_leaf(&entry(index));
        verify_inclusion(index, leaf, &head, &path).unwrap();
        let proof = prove_consistency(&mut log, old, size).unwrap();
        verify_consistency(&log.head(old), &head, &proof).unwrap();
    }
}

/// Rejects all proofs of small trees for another entry, index, size or root. Also rejects them with
/// hashes changed, removed, doubled or swapped.
#[test]
fn a_proof_proves_one_thing() {
    let mut log = NaiveLog::new(20);
    let other = Hash::of_leaf(b"another");
    for size in 1..=20 {
        let head = log.head(size);
        for index in 0..size {
            let leaf = Hash::of_leaf(&entry(index));
            let path = prove_inclusion(&mut log, index, size).unwrap();
            for changed in changed(&path) {
                assert!(verify_inclusion(index, leaf, &head, &changed).is_err());
            }
            let root = other;
            for (leaf, head) in [(other, head), (leaf, TreeHead { root, ..head })] {
                let refused = verify_inclusion(index, leaf, &head, &path);
                assert_eq!(refused, Err(TreeError::WrongRoot));
            }
            for wrong in (0..=size + 1).filter(|wrong| *wrong != index) {
                assert!(verify_inclusion(wrong, leaf, &head, &path).is_err());
            }
        }
        let refused = verify_inclusion(size, other, &head, &[]);
        assert_eq!(refused, Err(TreeError::NoSuchEntry { index: size, size }));
    }
}

#[test]
fn a_consistency_proof_proves_one_thing() {
    let mut log = NaiveLog::new(20);
    let root = Hash::of_leaf(b"another");
    for new in 0..=20 {
        let newer = log.head(new);
        for old in 0..=new {
            let older = log.head(old);
            let proof = prove_consistency(&mut log, old, new).unwrap();
            for changed in changed(&proof) {
                assert!(verify_consistency(&older, &newer, &changed).is_err());
            }
            let forged = TreeHead { root, ..older };
            let refused = verify_consistency(&forged, &newer, &proof);
            assert!(refused.is_err(), "{old} {new}");
            if old > 0 {
                let forged = TreeHead { root, ..newer };
                assert!(verify_consistency(&older, &forged, &proof).is_err());
            }
            for size in (1..old).chain(old + 1..new) {
                let wrong = TreeHead { size, ..older };
                assert!(verify_consistency(&wrong, &newer, &proof).is_err());
            }
            if old < new {
                let refused = verify_consistency(&newer, &older, &proof);
                assert_eq!(refused, Err(TreeError::Shrunk { old: new, new: old }));
            }
        }
    }
}

#[test]
fn each_refusal_has_its_name() {
    let mut log = NaiveLog::new(7);
    let (three, seven) = (log.head(3), log.head(7));
    let root = Hash::of_leaf(b"another");
    let proof = prove_consistency(&mut log, 3, 7).unwrap();
    let refused = |old: &TreeHead, proof: &[Hash]| verify_consistency(old, &seven, proof);
    assert_eq!(refused(&three, &[]), Err(TreeError::TooShort));
    assert_eq!(refused(&three, &proof[..2]), Err(TreeError::TooShort));
    let longer = [&proof[..], &[root]].concat();
    assert_eq!(refused(&three, &longer), Err(TreeError::TooLong));
    let forged = TreeHead { root, ..three };
    assert_eq!(refused(&forged, &proof), Err(TreeError::WrongOldRoot));
    let forged = TreeHead { root, ..seven };
    let wrong = verify_consistency(&three, &forged, &proof);
    assert_eq!(wrong, Err(TreeError::WrongRoot));
    assert_eq!(refused(&forged, &[]), Err(TreeError::WrongOldRoot));
    assert_eq!(refused(&seven, &proof), Err(TreeError::TooLong));
    let nothing = TreeHead { root, size: 0 };
    assert_eq!(refused(&nothing, &[]), Err(TreeError::WrongOldRoot));
    assert_eq!(refused(&TreeHead::empty(), &proof), Err(TreeError::TooLong));
    let path = prove_inclusion(&mut log, 2, 7).unwrap();
    let leaf = Hash::of_leaf(&entry(2));
    let refused = |path: &[Hash]| verify_inclusion(2, leaf, &seven, path);
    assert_eq!(refused(&path[..2]), Err(TreeError::TooShort));
    let longer = [&path[..], &[root]].concat();
    assert_eq!(refused(&longer), Err(TreeError::TooLong));
}

/// Sizes near the maximum of `u64` cause no panic and no accepted proof.
#[test]
fn the_largest_sizes_are_only_numbers() {
    let root = Hash::of_nothing();
    let sizes = [
        1,
        2,
        3,
        1 << 32,
        (1 << 63) - 1,
        1 << 63,
        u64::MAX - 1,
        u64::MAX,
    ];
    for old in sizes {
        for new in sizes {
            for length in [0, 1, 62, 63, 64, 65, 200] {
                let proof = vec![root; length];
                let heads = [old, new].map(|size| TreeHead { size, root });
                let consistent = verify_consistency(&heads[0], &heads[1], &proof);
                assert_eq!(consistent.is_ok(), old == new && length == 0);
                let included = verify_inclusion(old - 1, root, &heads[1], &proof);
                assert_eq!(included.is_ok(), (old, new, length) == (1, 1, 0));
            }
        }
    }
}

fn changed(proof: &[Hash]) -> Vec<Vec<Hash>> {
    let mut changed = vec![[proof, &[Hash::of_nothing()]].concat()];
    for place in 0..proof.len() {
        let mut other = proof.to_vec();
        other[place] = Hash::of_leaf(other[place].as_bytes());
        changed.push(other);
        changed.push([&proof[..place], &proof[place + 1..]].concat());
        changed.push([&proof[..=place], &proof[place..]].concat());
        if place > 0 {
            let mut other = proof.to_vec();
            other.swap(place, place - 1);
            changed.push(other);
        }
    }
    changed
}
