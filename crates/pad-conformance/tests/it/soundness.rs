//! The checks accept a sound family, and name the forgery of a wrong one.

use std::panic;

use pad_conformance::{check_family, check_soundness, strategies::arb_changed};
use pad_core::Key;
use proptest::proptest;

use crate::family::{
    AnswersWithTheNext, ForgetsValues, List, Rule, Sound, TrustsEmptyLists, TrustsSubsets,
};

#[test]
fn a_sound_family_passes() {
    check_family::<List<Sound>>();
}

/// Returns the message with which the check of a wrong family fails.
fn refusal<R: Rule>() -> String {
    let failed = panic::catch_unwind(check_soundness::<List<R>, Key>);
    let message = failed.expect_err("a wrong family passes");
    message
        .downcast_ref::<String>()
        .cloned()
        .unwrap_or_default()
}

#[test]
fn wrong_families_are_refused() {
    let message = refusal::<ForgetsValues>();
    assert!(message.starts_with("forged: "), "{message}");
    let message = refusal::<TrustsEmptyLists>();
    assert!(message.starts_with("forged: "), "{message}");
    assert!(message.contains("answer: Absent }, not "), "{message}");
    let message = refusal::<AnswersWithTheNext>();
    assert!(message.contains("the answer to "), "{message}");
    let message = refusal::<TrustsSubsets>();
    assert!(message.contains(" left out, "), "{message}");
}

proptest! {
    #[test]
    fn changed_messages_differ(changed in arb_changed(b"honest".to_vec(), b"other".to_vec())) {
        assert_ne!(changed, b"honest");
    }
}
