//! Any bytes as a proof about a fixed root. Checks that verification does not panic and accepts
//! only true statements.
//!
//! Input: a byte for the scheme (the trees, then the tuple designs), a byte for the query, the body
//! of the proof.

use pad_core::codec::ENVELOPE_LENGTH;

use crate::{
    target::TARGETS,
    tuples::{self, TUPLES},
};

/// Verifies the input as the body of a proof.
pub fn run(data: &[u8]) {
    let [scheme, query, body @ ..] = data else {
        return;
    };
    let trees = TARGETS.with(|targets| targets.len());
    let scheme = usize::from(*scheme) % (trees + TUPLES.with(|targets| targets.len()));
    if let Some(design) = scheme.checked_sub(trees) {
        return TUPLES.with(|targets| {
            let target = &*targets[design];
            let number = usize::from(*query) % target.proofs().len();
            let envelope = &target.proofs()[number][..ENVELOPE_LENGTH];
            tuples::check(target, number, &[envelope, body].concat());
        });
    }
    TARGETS.with(|targets| {
        let target = &targets[scheme];
        let number = usize::from(*query) % target.queries.len();
        let (query, honest) = (&target.queries[number], &target.proofs[number]);
        let message = [&honest[..ENVELOPE_LENGTH], body].concat();
        if let Some(answer) = target.verify(query, &message) {
            assert_eq!(
                answer,
                target.answer(query),
                "a lie about {query:?} was accepted"
            );
            assert_eq!(message, *honest, "{query:?} has a second proof");
        }
    });
}
