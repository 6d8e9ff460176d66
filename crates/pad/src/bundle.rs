//! The proof file: a signed head and a proof under it, which together need nothing but the public
//! key to be verified.

use pad_core::{
    LookupError, Proof, Repository, SignedHead, SnapshotHead, Suite, Untrusted, Verified,
    VerifyError, Version,
    codec::Message,
    head::{Authority, EmptyDictionary},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// A proof that can travel with the signed head of its version.
pub trait ProofUnderHead<S: Suite>: Message + Proof<Query: Sized> {
    /// What the client trusts beforehand: the authority, and what else the scheme verifies with.
    type Trust;

    /// The authority in what the client trusts.
    fn authority(trust: &Self::Trust) -> &Authority;

    /// Checks this evidence under a head that is verified already.
    ///
    /// # Errors
    /// The [`VerifyError`] variant of the first condition that does not hold.
    fn verify_under(
        self,
        head: &Verified<SnapshotHead<S>>,
        trust: &Self::Trust,
        query: &Self::Query,
    ) -> Result<Self::Statement, VerifyError>;
}

/// The answer to one query about one version, with everything that proves it.
///
/// Its kind in envelopes is 16 above that of its proof `P`, so from 32 on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "P: Serialize + DeserializeOwned")]
pub struct Bundle<S: Suite, P> {
    /// The head of the version; `None` for version 0, which nobody needs to sign.
    pub head: Option<SignedHead<S>>,
    /// The proof under the head.
    pub proof: P,
}

impl<S: Suite, P> Bundle<S, P> {
    /// The proof with the head of its version, for a client that has neither.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there.
    pub fn new(
        repository: &impl Repository<Suite = S>,
        version: Version,
        proof: P,
    ) -> Result<Self, LookupError> {
        let head = match version {
            Version::EMPTY => None,
            version => Some(repository.head(version)?),
        };
        Ok(Self { head, proof })
    }
}

impl<S: Suite, P: Message> Message for Bundle<S, P> {
    const KIND: u8 = P::KIND + 16;
    const SUITE: u16 = S::ID.0;
}

/// Commitment: what the client trusts. Query: the version and the question. Statement: the
/// question's.
impl<S: Suite, P: ProofUnderHead<S>> Proof for Bundle<S, P> {
    type Commitment = P::Trust;
    type Query = (Version, P::Query);
    type Statement = P::Statement;
    type Error = VerifyError;

    fn check(
        self,
        trust: &P::Trust,
        (version, query): &(Version, P::Query),
    ) -> Result<P::Statement, VerifyError> {
        let authority = P::authority(trust);
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
        self.proof.verify_under(&head, trust, query)
    }
}
