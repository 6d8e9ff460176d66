//! Checks of the laws of [`pad_core::Dictionary`].

use core::fmt::Debug;

use pad_core::{Dictionary, Update};

use crate::{Action, Oracle};

/// Applies a trace to an author, and checks its contents, including pending changes, against the
/// oracle after every step. Every snapshot must raise the version by one. Returns the updates of
/// the snapshots.
pub fn check_matches_oracle<D>(
    author: &mut D,
    actions: &[Action],
) -> Vec<Update<D::Suite, D::Attachment>>
where
    D: Dictionary<Error: Debug>,
{
    let mut oracle = Oracle::default();
    let mut updates: Vec<Update<D::Suite, D::Attachment>> = Vec::new();
    let is_empty = author.head().is_none() && author.is_empty();
    assert!(is_empty, "a new dictionary is empty");
    for action in actions {
        let version = author.version();
        match action {
            Action::Remove(key) => {
                let was_present = oracle.open().contains_key(key);
                assert_eq!(author.remove(key), was_present, "what remove says of {key}");
            }
            _ => updates.extend(action.apply(author)),
        }
        oracle.apply(action);
        check_open_contents(author, &oracle);
        let (version_after, expected) = (author.version(), oracle.latest());
        assert_eq!(version_after, expected, "after {action:?}");
        if *action == Action::Snapshot {
            let update = updates.last().expect("a snapshot makes an update");
            assert_eq!(author.head(), Some(&update.head), "the latest head");
            assert_eq!(update.base, version, "it follows the version before");
            let ordered = update.operations.is_sorted_by(|a, b| a.key() < b.key());
            assert!(ordered, "the operations are in strictly ascending order");
        }
    }
    updates
}

/// Checks that an author's contents, including pending changes, equal the contents of the oracle.
pub fn check_open_contents(author: &impl Dictionary, oracle: &Oracle) {
    let open = oracle.open();
    assert_eq!(author.len(), open.len(), "pending changes count");
    assert_eq!(author.is_empty(), open.is_empty());
    for key in oracle.all_keys().iter().chain(open.keys()) {
        let expected = open.get(key).map(pad_core::Value::as_bytes);
        let found = author.get(key.as_bytes());
        assert_eq!(found, expected, "the open value of {key}");
    }
}
