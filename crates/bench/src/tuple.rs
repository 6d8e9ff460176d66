//! Tuple dictionaries compared with a red-black tree: the paper's tables 7 to 11, and figures 7 and
//! 8.
//!
//! The times of author and client are also compared with the time of only their signatures.
//!
//! - [`list`] lists the compared designs, each a [`pair`]. [`instrument`] and [`timed_design`]
//!   record cryptography.
//! - [`growing`] (tables 7 to 9), [`steady`] and [`threads`] (many snapshots at one size),
//!   [`macrobenchmark`] (tables 10 and 11) and [`scaling`] (section 9) are experiments on a
//!   [`crate::dictionary::Run`].
//! - [`costs`] computes figures 7 and 8 from their measurements, and [`conclusion`] names the
//!   cheapest designs.
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

use comparison::Prices;

use crate::{line, prelude::*, primitives::Primitives};
use instrument::{PlainSuite, chain_step_ns};

/// Task of an experiment on one design.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// The design's name.
    pub design: &'a str,
    /// The number of keys.
    pub keys: u64,
    /// The longest time for one design in one experiment.
    pub limit: Duration,
    /// Whether this is a quick run.
    pub quick: bool,
    /// Duration and repetitions of measurements.
    pub effort: Effort,
    /// Provider's prices.
    pub prices: Prices,
}

/// Primitives that bound every design, measured in the same run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Signatures and hashes.
    pub primitives: Primitives,
    /// A step of a hash chain.
    pub chain_step_ns: f64,
}

impl Limits {
    /// Measures the primitives.
    pub fn measure(effort: &Effort) -> Self {
        Self {
            primitives: Primitives::measure::<PlainSuite>(effort),
            chain_step_ns: chain_step_ns(effort),
        }
    }

    /// Averages two measurements, before and after the work that they are compared with.
    #[must_use]
    pub fn mean(self, other: Self) -> Self {
        Self {
            primitives: self.primitives.mean(other.primitives),
            chain_step_ns: self.chain_step_ns.midpoint(other.chain_step_ns),
        }
    }

    /// Returns a line with these figures.
    pub fn line(&self) -> Line {
        line! {
            sign_us: self.primitives.sign_us,
            verify_signature_us: self.primitives.verify_signature_us,
            chain_step_ns: self.chain_step_ns, hash_ns: self.primitives.node_hash_ns,
        }
    }
}
