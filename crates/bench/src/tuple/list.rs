//! List of the compared designs of dictionaries, with their measuring functions.

use pad_tuple::{for_each_accumulated_tuple, for_each_tuple};

use super::{
    Task, growing,
    macrobenchmark::{self, Epoch, TREE, Trace},
    pair::{AccumulatedPair, Pair, SignedPair, TreePair},
    steady,
};
use crate::{dictionary::MeasuredRepository, prelude::*};

/// A compared design of dictionaries, and its measuring function for each experiment.
pub struct Contender {
    /// Name of the design, for example `base-superseding`.
    pub name: &'static str,
    /// Whether the design has accumulators over its tuples.
    pub accumulates: bool,
    /// Number of generations of tuples; 1 without speculation.
    pub generations: usize,
    /// Function that measures the experiment `growing`.
    pub growing: fn(&Task<'_>) -> Outcome<Line>,
    /// Function that measures the experiment `steady`.
    pub steady: fn(&Task<'_>) -> Outcome<Line>,
    /// Function that measures the experiment `macrobenchmark`.
    pub macrobenchmark: fn(&Task<'_>, &Trace, Epoch) -> Outcome<Line>,
}

impl Contender {
    fn new<P: Pair>(name: &str) -> Self {
        const { assert!(P::Plain::GENERATIONS == P::Timed::GENERATIONS) };
        Self {
            // The command line needs texts that live as long as the process.
            name: name.replace('_', "-").leak(),
            accumulates: P::ACCUMULATES,
            generations: P::Plain::GENERATIONS,
            growing: growing::measure::<P>,
            steady: steady::measure::<P>,
            macrobenchmark: macrobenchmark::measure::<P>,
        }
    }
}

/// Lists all compared designs.
pub fn contenders() -> Vec<Contender> {
    let mut contenders = Vec::new();
    macro_rules! push_signed {
        ($name:ident, $($design:tt)+) => {
            contenders.push(Contender::new::<SignedPair<$($design)+>>(stringify!($name)));
        };
    }
    macro_rules! push_accumulated {
        ($name:ident, $($design:tt)+) => {
            contenders.push(Contender::new::<AccumulatedPair<$($design)+>>(stringify!($name)));
        };
    }
    for_each_tuple!(push_signed);
    for_each_accumulated_tuple!(push_accumulated);
    contenders.push(Contender::new::<TreePair>(TREE));
    contenders
}
