//! Any bytes as a proof about a fixed root: never a panic, and what is accepted is the truth.
//!
//! Input: a byte for the scheme, a byte for the query, the body of the proof.

use crate::target::TARGETS;

/// Verifies the input as the body of a proof.
pub fn run(data: &[u8]) {
    let [scheme, query, body @ ..] = data else {
        return;
    };
    TARGETS.with(|targets| {
        let target = &targets[usize::from(*scheme) % targets.len()];
        let number = usize::from(*query) % target.queries.len();
        let (query, honest) = (&target.queries[number], &target.proofs[number]);
        let message = [&honest[..pad_core::codec::ENVELOPE_LENGTH], body].concat();
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
