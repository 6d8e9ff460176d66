//! A server's response to a question: a signed head, and a proof under it.

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    codec::Message, error::LookupError, head::SignedHead, repository::Repository, suite::Suite,
    version::Version,
};

/// The proof of an answer with the signed head of its version.
///
/// Verification needs only the public key ([`crate::Client::check_at`]). The kind in the envelope
/// of a response is the kind of the proof `P` plus 16.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "P: Serialize + DeserializeOwned")]
pub struct Response<S: Suite, P> {
    /// The head of the version; `None` for version 0, which needs no signature.
    pub head: Option<SignedHead<S>>,
    /// The proof under the head.
    pub proof: P,
}

impl<S: Suite, P> Response<S, P> {
    /// Combines a proof with the head of `version` from `repository`.
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
    const KIND: u8 = P::KIND + 16;
    const SUITE: u16 = S::ID.0;
}
