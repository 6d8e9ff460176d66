//! Tree PADs (persistent authenticated dictionaries): all questions about keys are supported, and a
//! proof is checked against the root in the head.

use pad_core::{Client, First, Last, PublicKey as TrustedKey, Suite, Version};
use pad_tree::{RedBlack, SkipList, Treap, Tree, TreeScheme, internals::BalancingScheme};

use super::{AnyClient, check, not_offered, require_seen, resumed};
use crate::{
    keys::PublicKey,
    question::{Question, Refusal, Statement},
    verifier::Verifier,
};

mod explain;
mod stored;

pub(crate) use explain::explain;
pub(crate) use stored::keeper;

/// Creates the client of the tree PAD with this public key, like [`super::client`]. Returns `None`
/// if the scheme is not a tree scheme.
pub(super) fn client<S: Suite>(public: &PublicKey, seen: &[u8]) -> AnyClient {
    let (author, dictionary) = (public.authority.author, public.authority.dictionary);
    macro_rules! try_scheme {
        ($($scheme:ty),+) => { $(
            if public.scheme.id() == <$scheme>::ID {
                return resumed(TrustedKey::<Tree<$scheme, S>>::new(author, dictionary, ()), seen);
            }
        )+ };
    }
    try_scheme!(Treap, RedBlack, SkipList);
    Ok(None)
}

impl<B: BalancingScheme, S: Suite> Verifier for Client<Tree<B, S>> {
    fn check_at(
        &self,
        version: Version,
        question: &Question,
        answer: &[u8],
    ) -> Result<Statement, Refusal> {
        require_seen(self.version(), version)?;
        Ok(match question {
            Question::Key(key) => Statement::Lookup(check(self, version, key, answer)?),
            Question::Keys(keys) => Statement::Lookups(check(self, version, keys, answer)?),
            Question::Range(range) => Statement::Range(check(self, version, range, answer)?),
            Question::First => {
                Statement::of_neighbour(question, check(self, version, &First, answer)?)
            }
            Question::Last => {
                Statement::of_neighbour(question, check(self, version, &Last, answer)?)
            }
            Question::Predecessor(below) => {
                Statement::of_neighbour(question, check(self, version, below, answer)?)
            }
            Question::Successor(above) => {
                Statement::of_neighbour(question, check(self, version, above, answer)?)
            }
            question => return Err(not_offered(question, B::ID).into()),
        })
    }
}
