//! A dictionary under attack: fixed contents, one honest proof for each of some queries.

use pad_conformance::{OracleQuestion, oracle::Contents, pad};
use pad_core::{
    Proof, Sha256Ed25519, VerifyError, Version,
    codec::{self, Message},
};

pub type S = Sha256Ed25519;

/// The honest proof of the answer to one query, with the verifier of all other messages.
pub struct HonestProof {
    /// The encoded proof.
    pub message: Vec<u8>,
    /// Returns whether a client accepts a message. Panics if the message shows a lie.
    is_accepted: Box<dyn Fn(&[u8]) -> bool>,
}

impl HonestProof {
    /// Encodes the proof of the answer to `query` about a version with these contents. A client
    /// verifies it against `trusted`.
    pub(crate) fn new<P, Q>(
        proof: &P,
        trusted: Box<P::Commitment>,
        query: Q,
        (version, contents): (Version, &Contents),
    ) -> Self
    where
        P: Proof<Query = Q, Statement = Q::Statement, Error = VerifyError> + Message + 'static,
        Q: OracleQuestion + 'static,
    {
        let truth = query.truth(version, contents);
        let is_accepted = move |message: &[u8]| {
            let Ok(shown) = pad::verify::<P>(message, &trusted, &query) else {
                return false;
            };
            assert_eq!(shown, truth, "a lie about {query:?} was accepted");
            true
        };
        Self {
            message: codec::encode(proof),
            is_accepted: Box::new(is_accepted),
        }
    }

    /// Asserts that a message shows no lie, and that a client accepts no other message than the
    /// honest proof.
    pub fn check(&self, message: &[u8]) {
        if (self.is_accepted)(message) {
            assert_eq!(message, self.message, "a second proof is accepted");
        }
    }
}

/// Fixed contents of one dictionary.
pub struct Target {
    /// The honest proofs, in the order of the queries.
    pub proofs: Vec<HonestProof>,
    /// Applies changes to an honest message. The second message is that of the query whose parts
    /// are spliced in.
    pub(crate) change: fn(&[u8], &[u8], &[[u8; 4]]) -> Vec<u8>,
}

impl Target {
    /// Returns the honest proof that a byte of the input selects.
    pub(crate) fn proof(&self, number: u8) -> &HonestProof {
        &self.proofs[usize::from(number) % self.proofs.len()]
    }
}
