//! Benchmarks of tuple dictionaries, compared with a red-black tree: the paper's tables 7 to 11,
//! and figures 7 and 8.
//!
//! The times of author and client are also compared with the time of only their signatures.
//!
//! - [`list`] lists the compared designs, each a [`pair`]. [`instrument`] and [`timed_design`]
//!   record cryptography.
//! - [`growing`] (tables 7 to 9), [`steady`] and [`threads`] (many snapshots at one size),
//!   [`macrobenchmark`] (tables 10 and 11) and [`scaling`] (section 9) are experiments. They use a
//!   [`crate::dictionary::Run`].
//! - [`costs`] computes figures 7 and 8 from the measurements of these experiments, and
//!   [`conclusion`] names the cheapest designs.
//! - [`figure7`] computes the effect of other prices, and [`author_witnesses`] the effect of
//!   witnesses made by the author.
//!
//! Source: Crosby & Wallach 2010, sections 5.3, 7 and 8.

use std::time::Duration;

pub mod arguments;
pub mod author_witnesses;
pub mod conclusion;
pub mod costs;
pub mod figure7;
pub mod growing;
pub mod instrument;
pub mod list;
pub mod lookups;
pub mod macrobenchmark;
pub mod pair;
pub mod scaling;
pub mod steady;
pub mod table;
pub mod threads;
pub mod timed_design;

pub use arguments::TupleArguments;

use crate::{prelude::*, primitives::Primitives};
use instrument::{PlainSuite, chain_step_ns};

/// Task of measuring one design in one experiment.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// Name of the design.
    pub design: &'a str,
    /// Number of keys in the dictionary.
    pub keys: u64,
    /// Maximum time for the design in the experiment.
    pub limit: Duration,
    /// Whether this is a quick run, with few repetitions.
    pub quick: bool,
    /// Time budget and number of repetitions for lookups and primitives.
    pub effort: Effort,
}

/// Times of the primitives that bound every design, measured in the same run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Times of signatures and hashes.
    pub primitives: Primitives,
    /// Time of one step of a hash chain, in nanoseconds.
    pub chain_step_ns: f64,
}

impl Limits {
    /// Measures all primitives.
    pub fn measure(effort: &Effort) -> Self {
        Self {
            primitives: Primitives::measure::<PlainSuite>(effort),
            chain_step_ns: chain_step_ns(effort),
        }
    }

    /// Averages two measurements. They are made before and after the work whose lower bound is
    /// computed from their mean.
    #[must_use]
    pub fn mean(self, other: Self) -> Self {
        Self {
            primitives: self.primitives.mean(other.primitives),
            chain_step_ns: self.chain_step_ns.midpoint(other.chain_step_ns),
        }
    }
}
