//! The proof file: a signed head and a proof under it, which together need nothing but the public
//! key to be verified.

use pad_core::{
    Proof, SignedHead, SnapshotHead, Suite, Untrusted, Verified, VerifyError, Version,
    codec::Message,
    head::{Authority, EmptyDictionary},
};
use pad_tree::{TreeProof, TreeQuery};
use serde::{Deserialize, Serialize};

/// The answer to one query about one version, with everything that proves it.
///
/// Its kind in envelopes is 16 above that of the query's proof, so from 32 on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Bundle<S: Suite, Q> {
    /// The head of the version; `None` for version 0, which nobody needs to sign.
    pub head: Option<SignedHead<S>>,
    /// The proof under the head.
    pub proof: TreeProof<S, Q>,
}

impl<S: Suite, Q: TreeQuery> Message for Bundle<S, Q> {
    const KIND: u8 = Q::PROOF_KIND + 16;
    const SUITE: u16 = S::ID.0;
}

/// Commitment: the authority. Query: the version and the question. Statement: the question's.
impl<S: Suite, Q: TreeQuery> Proof for Bundle<S, Q> {
    type Commitment = Authority;
    type Query = (Version, Q);
    type Statement = Q::Statement;

    fn check(
        self,
        authority: &Authority,
        (version, query): &(Version, Q),
    ) -> Result<Q::Statement, VerifyError> {
        let head: Verified<SnapshotHead<S>> = match self.head {
            Some(head) => Untrusted::new(head).verify(authority, version)?,
            None if *version == Version::EMPTY => {
                Untrusted::new(EmptyDictionary::new()).verify(authority, &())?
            }
            None => {
                let (expected, actual) = (*version, Version::EMPTY);
                return Err(VerifyError::WrongVersion { expected, actual });
            }
        };
        Ok(Untrusted::new(self.proof)
            .verify(&head, query)?
            .into_inner())
    }
}
