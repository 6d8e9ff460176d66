//! Tuple dictionaries compared with a red-black tree: the paper's tables 7 to 11, and figures 7 and
//! 8.
//!
//! Author and client are also compared with the time of the signatures alone.
//!
//! - [`list`] has the compared designs, each a [`pair`]. [`instrument`] and [`timed_design`] record
//!   cryptography.
//! - [`growing`] (tables 7 to 9), [`steady`] and [`threads`] (many snapshots at one size),
//!   [`macrobenchmark`] (tables 10 and 11) and [`scaling`] (section 9) are experiments on a
//!   [`crate::dictionary::Run`].
//! - [`costs`] turns their measurements into figures 7 and 8, and [`conclusion`] names the winners.
//! - [`figure7`] computes the effect of other prices, and [`author_witnesses`] that of another
//!   maker of witnesses.
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
    /// Quick run.
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
    /// Measures them now.
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

    /// Line with these figures.
    pub fn line(&self) -> Line {
        line! {
            sign_us: self.primitives.sign_us,
            verify_signature_us: self.primitives.verify_signature_us,
            chain_step_ns: self.chain_step_ns, hash_ns: self.primitives.node_hash_ns,
        }
    }
}
