//! What a server sends for a question: a signed head, and a proof under it.

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{codec::Message, head::SignedHead, suite::Suite};

/// The proof of an answer with the signed head of its version: together they need nothing but the public
/// key to be verified ([`crate::Client::check`]).
///
/// Its kind in envelopes is 16 above that of its proof `P`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "P: Serialize + DeserializeOwned")]
pub struct Response<S: Suite, P> {
    /// The head of the version; `None` for version 0, which nobody needs to sign.
    pub head: Option<SignedHead<S>>,
    /// The proof under the head.
    pub proof: P,
}

impl<S: Suite, P: Message> Message for Response<S, P> {
    const KIND: u8 = P::KIND + 16;
    const SUITE: u16 = S::ID.0;
}
