//! Structured changes of honest proofs: only the honest proof itself is accepted.
//!
//! Input: scheme (1 byte: the trees, then the tuple designs), query (1 byte), another query whose
//! parts are spliced in (1 byte), and changes of four bytes each.

use crate::targets::with_target;

/// Changes an honest proof and verifies it.
pub fn run(data: &[u8]) {
    let [scheme, query, other, changes @ ..] = data else {
        return;
    };
    let (changes, _) = changes.as_chunks::<4>();
    let changes = &changes[..changes.len().min(16)];
    with_target(*scheme, |target| {
        let (honest, other) = (target.proof(*query), target.proof(*other));
        honest.check(&(target.change)(&honest.message, &other.message, changes));
    });
}
