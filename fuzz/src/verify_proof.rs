//! Any bytes as a proof about a fixed root. Checks that verification does not panic and accepts
//! only true statements.
//!
//! Input: a byte for the scheme (the trees, then the tuple designs), a byte for the query, the body
//! of the proof.

use pad_core::codec::ENVELOPE_LENGTH;

use crate::targets::with_target;

/// Verifies the input as the body of a proof.
pub fn run(data: &[u8]) {
    let [scheme, query, body @ ..] = data else {
        return;
    };
    with_target(*scheme, |target| {
        let honest = target.proof(*query);
        honest.check(&[&honest.message[..ENVELOPE_LENGTH], body].concat());
    });
}
