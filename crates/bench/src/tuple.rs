//! The tuple dictionaries beside a red-black tree: the paper's tables 7 to 11, figures 7 and 8, and
//! how far author and client are from what the signatures alone would take.
//!
//! [`list`] has what is compared, each a [`pair`]; [`instrument`] and [`timed_design`] note what cryptography takes. Each
//! further module is one experiment on a [`crate::dictionary::Run`]: [`growing`] (tables 7 to 9),
//! [`steady`] and [`threads`] (many snapshots at one size), [`macrobenchmark`] (tables 10 and 11), [`scaling`] (section 9).
//! [`costs`] turns what they measured into figures 7 and 8, [`conclusion`] says who wins; [`figure7`] asks what other prices, and [`author_witnesses`]
//! what another maker of witnesses would change.
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

/// What an experiment measures of one design.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// The design's name.
    pub design: &'a str,
    /// The number of keys.
    pub keys: u64,
    /// The longest time for one design in one experiment.
    pub limit: Duration,
    /// Measure little.
    pub quick: bool,
    /// How long and how often to measure.
    pub effort: Effort,
    /// What a provider charges.
    pub prices: Prices,
}

/// The primitives that bound every design, measured beside it.
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

    /// The means of two measurements, before and after what they are compared with.
    #[must_use]
    pub fn mean(self, other: Self) -> Self {
        Self {
            primitives: self.primitives.mean(other.primitives),
            chain_step_ns: self.chain_step_ns.midpoint(other.chain_step_ns),
        }
    }

    /// As figures.
    pub fn line(&self) -> Line {
        line! {
            sign_us: self.primitives.sign_us,
            verify_signature_us: self.primitives.verify_signature_us,
            chain_step_ns: self.chain_step_ns, hash_ns: self.primitives.node_hash_ns,
        }
    }
}
