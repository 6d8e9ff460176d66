//! Dictionary families as clients see them: public keys, and proofs for the supported questions.
//!
//! A program names its family in one place, for example `type Prices = Tree<RedBlack>;`. All other
//! types take the family as a parameter. A [`crate::Client`] links only this module. Authors and
//! servers also need [`crate::hosting::Authored`].

use core::fmt;

use crate::{
    codec::Message,
    error::VerifyError,
    head::{Authority, DictionaryId, SchemeId},
    proof::{Untrusted, Verified},
    question::Question,
    signature::AuthorKey,
    snapshot_root::SnapshotRoot,
    suite::Suite,
};

/// A family of dictionaries: the types and constants that a client needs to verify answers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a family of dictionaries",
    label = "not a family",
    note = "families are types such as `Tree<RedBlack>` and `Tuple<SpecLightweight>`"
)]
pub trait Family: Sized + 'static {
    /// The suite that fixes hash, digest width and signature.
    type Suite: Suite;
    /// Public key material in addition to the author's key: `()` for trees.
    type Key: Clone + fmt::Debug;
    /// Error returned when a proof is rejected.
    type Error: core::error::Error + From<VerifyError> + Send + Sync + 'static;
    /// The number of the family's scheme in signed heads. A scheme defines how a root is computed
    /// from the contents.
    const SCHEME: SchemeId;
    /// The display name of the scheme, for example `red-black`.
    const NAME: &'static str;
}

/// Marks a family that can prove answers to questions of type `Q`. Asking a family an unsupported
/// question does not compile.
#[diagnostic::on_unimplemented(
    message = "dictionaries of the family `{Self}` do not answer questions of type `{Q}`",
    label = "no answer to `{Q}`",
    note = "every tree and every tuple dictionary answers questions of type `Key`"
)]
pub trait Answers<Q: Question>: Family {
    /// The type of the proof of an answer.
    type Proof: Message;

    /// Verifies a proof of the answer to `question`, against the verified root `at`. Returns the
    /// statement that it proves.
    ///
    /// Trees use the root of `at`. Tuples use the version of `at` and the public key.
    ///
    /// # Errors
    /// The error of the first condition that does not hold.
    fn verify(
        proof: Untrusted<Self::Proof>,
        public: &PublicKey<Self>,
        at: &VerifiedRoot<Self::Suite>,
        question: &Q,
    ) -> Result<Verified<Q::Statement>, Self::Error>;
}

/// A verified root of some version, from a signed head or from a newer head's history.
pub type VerifiedRoot<S> = dyn SnapshotRoot<S>;

/// The public key of a dictionary: the author's key, the dictionary's id and the family's key
/// material. A client must get it from a trusted source.
pub struct PublicKey<F: Family> {
    authority: Authority,
    key: F::Key,
}

impl<F: Family> PublicKey<F> {
    /// Creates the public key of `dictionary` by `author`. The scheme is [`Family::SCHEME`].
    pub const fn new(author: AuthorKey, dictionary: DictionaryId, key: F::Key) -> Self {
        let authority = Authority {
            author,
            dictionary,
            scheme: F::SCHEME,
        };
        Self { authority, key }
    }

    /// The author's key, with the dictionary and the scheme of the heads that clients accept.
    pub const fn authority(&self) -> &Authority {
        &self.authority
    }

    /// The family's own key material; `()` for trees.
    pub const fn key(&self) -> &F::Key {
        &self.key
    }
}

impl<F: Family> Clone for PublicKey<F> {
    fn clone(&self) -> Self {
        let (authority, key) = (self.authority, self.key.clone());
        Self { authority, key }
    }
}

impl<F: Family> fmt::Debug for PublicKey<F> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("PublicKey")
            .field("scheme", &F::NAME)
            .field("authority", &self.authority)
            .field("key", &self.key)
            .finish()
    }
}
