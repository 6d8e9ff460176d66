//! Check suites for each trait, to be run on every implementation; for tests only.
//!
//! The test of a [family](pad_core::Family) of your own:
//!
//! ```
//! # #[cfg(feature = "tree")] {
//! # type Own = pad_tree::Tree<pad_tree::RedBlack>;
//! use pad_conformance::{check_family, check_soundness};
//! use pad_core::KeyRange;
//!
//! check_family::<Own>();
//! // For each further kind of question that the family answers:
//! check_soundness::<Own, KeyRange>();
//! # }
//! ```
//!
//! * [`family`]: a whole family, through nothing but the traits of [`pad_core`].
//! * [`soundness`]: changed, combined and replayed answers, as bytes.
//! * [`repository`] and [`dictionary`]: the laws of [`pad_core::Repository`] and
//!   [`pad_core::Dictionary`], for any implementation that implements [`pad::Pad`].
//! * [`queries`]: questions with their true answers, and servers that answer every question.
//! * [`encoding`]: changed encodings of messages.
//! * [`oracle`]: a reference implementation with full copies of every version.
//! * [`soak`]: selection of the expensive cases that a run includes.
//! * [`strategies`], [`operation`], [`traces`], [`random`]: random inputs, always from a printed
//!   seed.
//!
//! The features `tree`, `tuple`, `rsa`, `bilinear` and `log` add the checks of this workspace's own
//! families, in hidden modules without stability.
//!
//! Functions named `check_*` panic on a violation. `PAD_TRACES` (or `PROPTEST_CASES`) sets the
//! number of random traces of each test. `PAD_SEED` sets the seed of all randomness.

#[cfg(feature = "log")]
#[doc(hidden)]
pub mod aad;
#[cfg(feature = "accumulators")]
#[doc(hidden)]
pub mod accumulator;
mod changed;
pub mod dictionary;
pub mod encoding;
pub mod family;
#[cfg(feature = "tree")]
#[doc(hidden)]
pub mod mutation;
pub mod operation;
pub mod oracle;
pub mod pad;
#[cfg(feature = "tree")]
#[doc(hidden)]
pub mod pruned;
#[doc(hidden)]
pub mod published;
pub mod queries;
pub mod random;
pub mod repository;
pub mod soak;
pub mod soundness;
pub mod strategies;
pub mod traces;
#[cfg(feature = "tree")]
#[doc(hidden)]
pub mod tree;
#[cfg(feature = "tuple")]
#[doc(hidden)]
pub mod tuple;

pub use family::{HostedPad, check_family, check_repository};
pub use operation::Action;
pub use oracle::Oracle;
pub use pad::Pad;
pub use queries::OracleQuestion;
pub use random::Random;
pub use soundness::check_soundness;
#[cfg(feature = "tree")]
#[doc(hidden)]
pub use tree::TreePad;
#[cfg(feature = "tuple")]
#[doc(hidden)]
pub use tuple::{StoredTuplePad, TuplePad};
