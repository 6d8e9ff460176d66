//! Tree dictionaries as a [family](pad_core::Family), for clients.

use core::{fmt, marker::PhantomData};

use pad_core::{
    Answers, Family, PublicKey, SchemeId, Sha256Ed25519, Suite, Untrusted, Verified, VerifiedRoot,
    VerifyError,
};

use crate::{proof::TreeProof, query::TreeQuery, scheme::TreeScheme};

/// The family of tree dictionaries with balancing scheme `B` under suite `S`. It answers every
/// question.
///
/// A server's way of storing the tree is not part of the family: all four stores give the same
/// roots and proofs. The default store of a server is `PathCopying`.
///
/// ```
/// # #[cfg(feature = "std")] {
/// use ed25519_dalek::SigningKey;
/// use pad_core::{Answer, Author, Client, Key, Server, Value};
/// use pad_tree::{RedBlack, Tree};
///
/// type Prices = Tree<RedBlack>;
///
/// let mut author = Author::<Prices>::new("fruit prices", SigningKey::from_bytes(&[7; 32]))?;
/// let mut server = Server::<Prices>::new(author.public());
/// let mut client = Client::<Prices>::new(author.public().clone());
///
/// author.put("apple", "1.20")?;
/// let version = server.apply(&author.snapshot()?)?;
///
/// client.advance(&server.head(version)?, None)?;
/// let key = Key::try_from("apple")?;
/// let lookup = client.check(&server.answer(version, &key)?, &key)?;
/// assert_eq!(lookup.get().answer, Answer::Present(Value::try_from("1.20")?));
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Tree<B, S = Sha256Ed25519>(PhantomData<fn() -> (B, S)>);

impl<B: TreeScheme, S: Suite> fmt::Debug for Tree<B, S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(B::NAME)
    }
}

impl<B: TreeScheme, S: Suite> Family for Tree<B, S> {
    type Suite = S;
    type Key = ();
    type Error = VerifyError;
    const SCHEME: SchemeId = B::ID;
    const NAME: &'static str = B::NAME;
}

impl<B: TreeScheme, S: Suite, Q: TreeQuery> Answers<Q> for Tree<B, S> {
    type Proof = TreeProof<S, Q>;

    fn verify(
        proof: Untrusted<TreeProof<S, Q>>,
        _: &PublicKey<Self>,
        at: &VerifiedRoot<S>,
        question: &Q,
    ) -> Result<Verified<Q::Statement>, VerifyError> {
        proof.verify(at, question)
    }
}
