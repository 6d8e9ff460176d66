//! A server's response to a question: a signed head, and a proof under it.

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    codec::Message, error::LookupError, head::SignedHead, repository::Repository, suite::Suite,
    version::Version,
};

/// A proof, together with the signed head of the version that it is about.
///
/// Verification needs only the public key ([`crate::Client::check_at`]). The kind number in the
/// envelope of a response is the kind number of the proof `P` plus 16.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "P: Serialize + DeserializeOwned")]
pub struct Response<S: Suite, P> {
    /// The signed head of the version that the proof is about. `None` for version 0, which needs no
    /// signature.
    pub head: Option<SignedHead<S>>,
    /// The proof of the answer, verified under the head.
    pub proof: P,
}

impl<S: Suite, P> Response<S, P> {
    /// Combines a proof about `version` with the signed head of `version` from `repository`.
    ///
    /// # Errors
    /// [`LookupError`] if the version is unavailable.
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

impl<S: Suite, P: Message> Message for Response<S, P> {
    const KIND: u8 = {
        assert!(
            P::KIND < 240,
            "the kind of a proof is at most 239: its response has 16 more"
        );
        P::KIND + 16
    };
    const SUITE: u16 = S::ID.0;
    const INJECTIVE: bool = P::INJECTIVE;
}
