//! The tuple dictionaries beside a red-black tree: the paper's tables 7 to 11, figures 7 and 8, and
//! how far author and client are from what the signatures alone would take.
//!
//! [`contender`] gives every design the same three roles, [`pair`] lists them, [`secret`] has their keys;
//! [`instrument`] and [`timed_design`] note what cryptography takes. Each further module is one experiment: [`growing`] (tables 7 to 9), [`steady`] and
//! [`threads`] (many snapshots at one size), [`macrobenchmark`] (tables 10 and 11). [`costs`] turns
//! what they measured into figures 7 and 8.
//!
//! Source: Crosby & Wallach 2010, sections 5.3, 7 and 8.

#![allow(
    missing_debug_implementations,
    clippy::missing_errors_doc,
    reason = "nobody prints a bench; its errors go to whoever runs it"
)]

use std::time::{Duration, Instant};

pub mod arguments;
pub mod contender;
pub mod costs;
pub mod growing;
pub mod instrument;
mod lookups;
pub mod macrobenchmark;
pub mod pair;
pub mod record;
mod run;
pub mod secret;
pub mod steady;
pub mod table;
pub mod threads;
pub mod timed_design;

pub use arguments::TupleArguments;
pub use record::TupleLine;
pub use run::run;

use crate::{
    Outcome, costs::Prices, machine::Machine, memory, primitives::Primitives, timing::Effort,
};
use instrument::{PlainSuite, chain_step_ns};
use record::{LimitFigures, Stopped};

/// What holds for every experiment of a run.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The longest time for one design in one experiment.
    pub limit: Duration,
    /// Measure little.
    pub quick: bool,
    /// What a provider charges.
    pub prices: Prices,
    /// Where.
    pub machine: Machine,
}

/// Takes lines as they come; says beforehand what is being measured.
pub trait Reporter {
    /// What is measured from now on, for people.
    fn announce(&mut self, what: &str);
    /// A line.
    fn line(&mut self, line: TupleLine) -> Outcome<()>;
}

impl Setting {
    /// How long and how often to measure.
    pub const fn effort(&self) -> Effort {
        Effort::new(self.quick)
    }

    /// The primitives that bound every design, measured now.
    pub fn limits(&self) -> LimitFigures {
        let primitives = Primitives::measure::<PlainSuite>(&self.effort());
        LimitFigures {
            sign_us: primitives.sign_us,
            verify_signature_us: primitives.verify_signature_us,
            chain_step_ns: chain_step_ns(&self.effort()),
            hash_ns: primitives.node_hash_ns,
        }
    }

    /// A clock for one design in one experiment.
    pub fn stopwatch(&self) -> Stopwatch {
        Stopwatch {
            start: Instant::now(),
            limit: self.limit,
        }
    }
}

/// Says when a design has had its time, or has taken too much memory.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    start: Instant,
    limit: Duration,
}

impl Stopwatch {
    /// Why to stop now, if at all.
    pub fn stops(&self) -> Option<Stopped> {
        if self.start.elapsed() >= self.limit {
            Some(Stopped::Time)
        } else if memory::resident_bytes() > MOST_MEMORY {
            Some(Stopped::Memory)
        } else {
            None
        }
    }
}

/// A design that makes the process larger than this is stopped.
const MOST_MEMORY: u64 = 6 << 30;
