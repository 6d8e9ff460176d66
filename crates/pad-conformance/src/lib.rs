//! Check suites for each trait, to be run on every implementation; for tests only.
//!
//! * [`repository`] and [`dictionary`]: the laws of [`pad_core::Repository`] and
//!   [`pad_core::Dictionary`], for any implementation that implements [`pad::Pad`].
//! * [`queries`]: all questions about one version, for servers that answer all of them.
//! * `accumulator`: the laws of the accumulator traits.
//! * `aad`: the laws of append-only logs.
//! * `tree`: every query, history, diff and pruning of tree PADs (persistent authenticated
//!   dictionaries).
//! * `tuple`: stored tuples, pruning, checkpoints and resuming of tuple PADs.
//! * `mutation` and `pruned`: dishonest proofs, made by changing honest proofs or from scratch.
//! * [`encoding`]: changed encodings of messages.
//! * [`published`]: the vectors in `docs/vectors`.
//! * [`oracle`]: a reference implementation with full copies of every version.
//! * [`soak`]: selection of the expensive cases that a run includes.
//! * [`strategies`], [`operation`], [`traces`], [`random`]: random inputs, always from a printed
//!   seed.
//!
//! Each family has a feature: `tree`, `tuple`, `rsa`, `bilinear`, `log`.
//!
//! Functions named `check_*` panic on a violation. `PAD_TRACES` (or `PROPTEST_CASES`) sets the
//! number of random traces of each test. `PAD_SEED` sets the seed of all randomness.

#[cfg(feature = "log")]
pub mod aad;
#[cfg(feature = "accumulators")]
pub mod accumulator;
pub mod dictionary;
pub mod encoding;
#[cfg(feature = "tree")]
pub mod mutation;
pub mod operation;
pub mod oracle;
pub mod pad;
#[cfg(feature = "tree")]
pub mod pruned;
pub mod published;
pub mod queries;
pub mod random;
pub mod repository;
pub mod soak;
pub mod strategies;
pub mod traces;
#[cfg(feature = "tree")]
pub mod tree;
#[cfg(feature = "tuple")]
pub mod tuple;

pub use operation::Action;
pub use oracle::Oracle;
pub use pad::Pad;
pub use random::Random;
#[cfg(feature = "tree")]
pub use tree::TreePad;
#[cfg(feature = "tuple")]
pub use tuple::{StoredTuplePad, TuplePad};
