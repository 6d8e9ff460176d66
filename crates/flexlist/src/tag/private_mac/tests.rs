//! Sums, masks and their errors.

use super::{super::testing::*, *};

fn key() -> PrivateMacKey {
    PrivateMacKey::from_master(&[7; 32])
}

const P: u128 = u128::MAX >> 1;

#[test]
fn honest_proofs_verify() {
    check_honest::<PrivateMac>(&key(), 64);
    check_refusals::<PrivateMac>(&key());
    check_bytes(&key());
    let other = PrivateMacKey::generate().unwrap();
    let third = PrivateMacKey::generate().unwrap();
    assert_ne!(other.to_bytes(), third.to_bytes());
    check_honest::<PrivateMac>(&other, 4);
}

#[test]
fn changes_are_refused() {
    check_mutations::<PrivateMac>(&key(), 1000);
    check_wrong_data::<PrivateMac>(&key());
    check_writes::<PrivateMac>(&key());
}

#[test]
fn long_blocks_take_further_multipliers() {
    // The edges of the first stretches of multipliers: 256 and 256 + 512 sectors.
    let lengths = [3840, 3841, 3855, 11_520, 11_521, 100_000, 3839];
    let blocks: Vec<(usize, &[u64])> = lengths.iter().map(|n| (*n, &[0_u64, 17][..])).collect();
    let audit = Audit::new::<PrivateMac>(&key(), &blocks);
    assert_eq!(audit.audit::<PrivateMac>(&key()), Ok(()));
    for index in 0..lengths.len() {
        let mut changed = audit.clone();
        *changed.blocks[index].last_mut().unwrap() ^= 1;
        let verdict = changed.audit::<PrivateMac>(&key());
        assert_eq!(verdict, Err(AuditError::EquationFails));
    }
}

#[test]
fn numbers_outside_the_field_are_refused() {
    let audit = Audit::typical::<PrivateMac>(&key());
    let proof = audit.prove::<PrivateMac>(&key()).unwrap();
    // 137 sectors of 2048 bytes, and sigma.
    assert_eq!(proof.len(), 138 * 16);
    for index in [0, 1, 137] {
        for wrong in [P, u128::MAX] {
            let mut changed = proof.clone();
            changed[16 * index..][..16].copy_from_slice(&wrong.to_le_bytes());
            let verdict = audit.verify::<PrivateMac>(&key(), &changed);
            assert_eq!(verdict, Err(AuditError::ScalarOutOfRange));
        }
        let mut changed = proof.clone();
        changed[16 * index] ^= 1;
        let verdict = audit.verify::<PrivateMac>(&key(), &changed);
        assert_eq!(verdict, Err(AuditError::EquationFails));
    }
    let mut changed = audit;
    changed.tags[0].held.0 = P.to_le_bytes().to_vec();
    let proof = changed.prove::<PrivateMac>(&key());
    assert_eq!(proof, Err(TagError::TagMalformed));
    let checked = PrivateMac::check_tags(&(), &changed.stored());
    assert_eq!(checked, Err(TagError::TagMalformed));
}

#[test]
fn another_key_verifies_nothing() {
    let audit = Audit::typical::<PrivateMac>(&key());
    let proof = audit.prove::<PrivateMac>(&key()).unwrap();
    let other = PrivateMacKey::from_master(&[8; 32]);
    let verdict = audit.verify::<PrivateMac>(&other, &proof);
    assert_eq!(verdict, Err(AuditError::EquationFails));
}

/// Pins tag and multipliers: `sigma` of a block with a partial sector, as 16 bytes.
#[test]
fn tags_are_pinned() {
    let tag = PrivateMac::tag(&key(), WriteId([9; 16]), &[5; 100]).unwrap();
    let held = hex::encode(tag.held.as_ref());
    assert_eq!(held, "ac803431420f29e3e363b15f19f6fd22");
    assert_eq!(tag.committed.as_ref(), [9; 16]);
    // SHA-256 of a 5 and sixteen 9s.
    assert_eq!(
        hex::encode(tag.digest()),
        "2bc24a07a906531f3f5de51c6941df64e8385d37064980d935cdff71616a51bc"
    );
}

#[test]
fn secrets_do_not_print() {
    assert_eq!(format!("{:?}", key()), "PrivateMacKey(..)");
}
