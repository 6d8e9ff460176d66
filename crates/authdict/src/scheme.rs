//! The family of a dictionary as a type.

use pad_core::{
    DecodeError, Key, KeyRange, Keys, Lookup, Lookups, RangeContents, SchemeId, Suite, SuiteId,
};
#[cfg(feature = "log")]
use pad_core::{Sha256Ed25519, Value, Version};
#[cfg(feature = "log")]
use pad_log::{AadCounted, AadFrontier, AasCounted, AasFrontier, Absent, Grown, Included, Values};
use pad_tree::{BalancingScheme, Tree};
use pad_tuple::{Signed, Tuple};

use crate::{
    family::tuple::QueryableDesign,
    keys::PublicKey,
    question::{Question, Refusal, Statement},
    selection::NamedScheme,
    store::StoreError,
};

/// A family of dictionaries that are kept in stores: a type such as
/// [`Tree`]`<`[`RedBlack`](crate::RedBlack)`>`, or [`AnyFamily`].
pub trait Scheme {
    /// Whether this is the public key of a dictionary of this family.
    fn is_of(public: &PublicKey) -> bool;

    /// Refuses the public key of a dictionary of another family.
    ///
    /// # Errors
    /// [`StoreError::OtherFamily`].
    fn require(public: &PublicKey) -> Result<(), StoreError> {
        if Self::is_of(public) {
            Ok(())
        } else {
            Err(StoreError::OtherFamily(public.scheme))
        }
    }
}

/// Any family and suite, chosen at run time by the key.
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

/// Append-only logs of scheme `L`, such as [`pad_log::AadCounted`].
#[cfg(feature = "log")]
#[derive(Clone, Copy, Debug)]
pub struct Log<L>(core::marker::PhantomData<L>);

#[cfg(feature = "log")]
impl<L: pad_log::Scheme> NamedScheme for Log<L> {
    const SUITE: SuiteId = Sha256Ed25519::ID;
    const SCHEME: SchemeId = L::ID;
}

/// A family that answers questions of type `Q`. Unsupported questions do not compile. Only
/// [`AnyFamily`] rejects them at run time.
pub trait Asks<Q>: Scheme {
    /// The statement that a verified answer establishes.
    type Statement;

    /// Converts to the question as it is sent.
    fn question(question: Q) -> Question;

    /// The statement about such a question.
    ///
    /// # Errors
    /// [`Refusal::Decode`] for a statement of another kind. Verifiers never return one.
    fn statement(statement: Statement) -> Result<Self::Statement, Refusal>;
}

/// Implements [`Asks`] for a family and a type of questions.
macro_rules! asks {
    ($(
        [$($generics:tt)*] $family:ty: $asked:ty = $question:expr, $statement:ident($answer:ty);
    )+) => { $(
        impl<$($generics)*> Asks<$asked> for $family where Self: Scheme {
            type Statement = $answer;

            fn question(question: $asked) -> Question {
                let question_of: fn($asked) -> Question = $question;
                question_of(question)
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
    [B: BalancingScheme, S: Suite] Tree<B, S>: Key = Question::Key, Lookup(Lookup);
    [B: BalancingScheme, S: Suite] Tree<B, S>: Keys = Question::Keys, Lookups(Lookups);
    [B: BalancingScheme, S: Suite] Tree<B, S>: KeyRange = Question::Range, Range(RangeContents);
    [D: QueryableDesign<S>, S: Suite] Tuple<D, S>: Key = Question::Key, Lookup(Lookup);
    [G, R, const N: usize, S: Suite] Tuple<Signed<G, R, N>, S>: Keys =
        Question::Keys, Lookups(Lookups);
    [G, R, const N: usize, S: Suite] Tuple<Signed<G, R, N>, S>: KeyRange =
        Question::Range, Range(RangeContents);
}

#[cfg(feature = "log")]
asks! {
    [] Log<AadCounted>: Key = Question::Key, Values(Values);
    [] Log<AadFrontier>: Key = Question::Key, Values(Values);
    [L: pad_log::Scheme] Log<L>: (Key, Value) =
        |(key, value)| Question::Value(key, value), Included(Included);
    [L: pad_log::Scheme] Log<L>: Version = Question::Growth, Grown(Grown);
}

/// Whether a log that is a set has a member.
#[cfg(feature = "log")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Membership {
    /// The member is in the set.
    Included(Included),
    /// The member is not in the set.
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
