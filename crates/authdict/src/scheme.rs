//! Families of dictionaries as types.

use pad_core::{
    DecodeError, First, Key, KeyRange, Keys, Last, Lookup, Lookups, Neighbour, Predecessor,
    RangeContents, SchemeId, Successor, Suite, SuiteId,
};
#[cfg(feature = "log")]
use pad_core::{Sha256Ed25519, Value, Version};
#[cfg(feature = "log")]
use pad_log::{AadCounted, AadFrontier, AasCounted, AasFrontier, Absent, Grown, Included, Values};
use pad_tree::{Tree, internals::BalancingScheme};
use pad_tuple::{Tuple, internals::Signed};
#[cfg(feature = "log")]
use serde::{Deserialize, Serialize};

use crate::{
    family::tuple::QueryableDesign,
    keys::PublicKey,
    question::{Question, Refusal, Statement},
    selection::NamedScheme,
    store::StoreError,
};

/// A family of dictionaries: a type such as [`Tree`]`<`[`RedBlack`](crate::RedBlack)`>`, or
/// [`AnyFamily`]. Dictionaries of these families are stored in a `Store`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a family of dictionaries",
    label = "not a family",
    note = "families are `Tree<RedBlack>`, `Tuple<SpecLightweight>`, `Log<AadCounted>`, or `AnyFamily` for a family that is known at run time"
)]
pub trait Scheme {
    /// Returns whether `public` is the public key of a dictionary of this family.
    #[doc(hidden)]
    fn is_of(public: &PublicKey) -> bool;

    /// Refuses the public key of a dictionary of another family.
    ///
    /// # Errors
    /// [`StoreError::OtherFamily`].
    #[doc(hidden)]
    fn require(public: &PublicKey) -> Result<(), StoreError> {
        if Self::is_of(public) {
            Ok(())
        } else {
            Err(StoreError::OtherFamily(public.scheme))
        }
    }
}

/// The type of a dictionary of any family and suite. The public key determines both at run time.
#[derive(Clone, Copy, Debug)]
pub struct AnyFamily;

impl Scheme for AnyFamily {
    fn is_of(_: &PublicKey) -> bool {
        true
    }
}

impl<F: NamedScheme> Scheme for F {
    fn is_of(public: &PublicKey) -> bool {
        public.suite.id() == F::SUITE && public.scheme.id() == F::SCHEME
    }
}

impl<B: BalancingScheme, S: Suite> NamedScheme for Tree<B, S> {
    const SUITE: SuiteId = S::ID;
    const SCHEME: SchemeId = B::ID;
}

impl<D: QueryableDesign<S>, S: Suite> NamedScheme for Tuple<D, S> {
    const SUITE: SuiteId = S::ID;
    const SCHEME: SchemeId = D::SCHEME;
}

/// The family of append-only logs of scheme `L`, such as [`pad_log::AadCounted`].
#[cfg(feature = "log")]
#[derive(Clone, Copy, Debug)]
pub struct Log<L>(core::marker::PhantomData<L>);

#[cfg(feature = "log")]
impl<L: pad_log::Scheme> NamedScheme for Log<L> {
    const SUITE: SuiteId = Sha256Ed25519::ID;
    const SCHEME: SchemeId = L::ID;
}

/// A family that answers questions of type `Q`. Questions that a family does not answer do not
/// compile. Only [`AnyFamily`] rejects such questions at run time.
#[diagnostic::on_unimplemented(
    message = "dictionaries of the family `{Self}` do not answer questions of type `{Q}`",
    label = "no answer to `{Q}`",
    note = "every family answers questions of type `Key`",
    note = "`AnyFamily` refuses questions at run time instead"
)]
pub trait Asks<Q>: Scheme {
    /// The type of the statement that a verified answer to a question of type `Q` establishes.
    type Statement;

    /// Converts a question of type `Q` to a [`Question`].
    fn question(question: Q) -> Question;

    /// Converts a verified [`Statement`] to the statement type of `Q`.
    ///
    /// # Errors
    /// [`Refusal::Decode`] for a statement of another kind, which no verifier returns for `Q`.
    fn statement(statement: Statement) -> Result<Self::Statement, Refusal>;
}

/// Implements [`Asks`] for a family and a question type.
macro_rules! asks {
    ($(
        [$($generics:tt)*] $family:ty: $asked:ty = $statement:ident($answer:ty);
    )+) => { $(
        impl<$($generics)*> Asks<$asked> for $family where Self: Scheme {
            type Statement = $answer;

            fn question(question: $asked) -> Question {
                question.into()
            }

            fn statement(statement: Statement) -> Result<$answer, Refusal> {
                match statement {
                    Statement::$statement(answer) => Ok(answer),
                    _ => Err(DecodeError::Malformed.into()),
                }
            }
        }
    )+ };
}

asks! {
    [B: BalancingScheme, S: Suite] Tree<B, S>: Key = Lookup(Lookup);
    [B: BalancingScheme, S: Suite] Tree<B, S>: Keys = Lookups(Lookups);
    [B: BalancingScheme, S: Suite] Tree<B, S>: KeyRange = Range(RangeContents);
    [B: BalancingScheme, S: Suite] Tree<B, S>: First = Neighbour(Neighbour<Question>);
    [B: BalancingScheme, S: Suite] Tree<B, S>: Last = Neighbour(Neighbour<Question>);
    [B: BalancingScheme, S: Suite] Tree<B, S>: Predecessor = Neighbour(Neighbour<Question>);
    [B: BalancingScheme, S: Suite] Tree<B, S>: Successor = Neighbour(Neighbour<Question>);
    [D: QueryableDesign<S>, S: Suite] Tuple<D, S>: Key = Lookup(Lookup);
    [G, R, const N: usize, S: Suite] Tuple<Signed<G, R, N>, S>: Keys = Lookups(Lookups);
    [G, R, const N: usize, S: Suite] Tuple<Signed<G, R, N>, S>: KeyRange = Range(RangeContents);
}

#[cfg(feature = "log")]
asks! {
    [] Log<AadCounted>: Key = Values(Values);
    [] Log<AadFrontier>: Key = Values(Values);
    [L: pad_log::Scheme] Log<L>: (Key, Value) = Included(Included);
    [L: pad_log::Scheme] Log<L>: Version = Grown(Grown);
}

/// The answer to the question whether a log that is a set contains a member, with the proved
/// statement.
#[cfg(feature = "log")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Membership {
    /// The set contains the member.
    Included(Included),
    /// The set does not contain the member.
    Absent(Absent),
}

#[cfg(feature = "log")]
macro_rules! asks_members {
    ($($scheme:ty),+) => { $(
        impl Asks<Key> for Log<$scheme> {
            type Statement = Membership;

            fn question(member: Key) -> Question {
                Question::Key(member)
            }

            fn statement(statement: Statement) -> Result<Membership, Refusal> {
                match statement {
                    Statement::Included(included) => Ok(Membership::Included(included)),
                    Statement::Absent(absent) => Ok(Membership::Absent(absent)),
                    _ => Err(DecodeError::Malformed.into()),
                }
            }
        }
    )+ };
}

#[cfg(feature = "log")]
asks_members!(AasCounted, AasFrontier);

impl<Q: Into<Question>> Asks<Q> for AnyFamily {
    type Statement = Statement;

    fn question(question: Q) -> Question {
        question.into()
    }

    fn statement(statement: Statement) -> Result<Statement, Refusal> {
        Ok(statement)
    }
}
