//! A family of dictionaries as a type: what its clients must know, and which questions it answers.
//!
//! A program names its family once, `type Prices = Tree<RedBlack>;`, and is generic in it everywhere
//! else. This module is the verifying half, all that a [`crate::Client`] links. Authors and servers need
//! [`crate::hosting::Authored`] as well.

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

/// What a client must know to verify answers of dictionaries of one family.
pub trait Family: Sized + 'static {
    /// Hash, digest width and signature.
    type Suite: Suite;
    /// What clients and servers must know beside the author's key: `()` for trees.
    type Key: Clone + fmt::Debug;
    /// Why evidence is refused.
    type Error: core::error::Error + From<VerifyError> + Send + Sync + 'static;
    /// The number of the scheme in signed heads.
    const SCHEME: SchemeId;
    /// The name of the scheme for people, for example `red-black`.
    const NAME: &'static str;
}

/// The family answers questions of type `Q`; a question without this bound does not compile.
pub trait Answers<Q: Question>: Family {
    /// The evidence for an answer.
    type Proof: Message;

    /// What a proof establishes about the version whose root is verified.
    ///
    /// Trees read the root of `at`; tuples its version, and the public key.
    ///
    /// # Errors
    /// The first condition that does not hold.
    fn verify(
        proof: Untrusted<Self::Proof>,
        public: &PublicKey<Self>,
        at: &VerifiedRoot<Self::Suite>,
        question: &Q,
    ) -> Result<Verified<Q::Statement>, Self::Error>;
}

/// A verified root of some version, whichever way it was verified.
pub type VerifiedRoot<S> = dyn SnapshotRoot<S>;

/// Whose dictionary, of which family: the one thing that a client is told.
pub struct PublicKey<F: Family> {
    authority: Authority,
    key: F::Key,
}

impl<F: Family> PublicKey<F> {
    /// The public key of a dictionary. The scheme comes from the family, so that it cannot contradict it.
    pub const fn new(author: AuthorKey, dictionary: DictionaryId, key: F::Key) -> Self {
        let authority = Authority {
            author,
            dictionary,
            scheme: F::SCHEME,
        };
        Self { authority, key }
    }

    /// Whose heads are believed, and for which dictionary and scheme.
    pub const fn authority(&self) -> &Authority {
        &self.authority
    }

    /// What the family verifies with beside the author's key.
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
