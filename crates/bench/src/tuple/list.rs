//! The list of what is compared, and what measures it.

use pad_tuple::{for_each_accumulated_tuple, for_each_tuple};

use super::{
    Task, growing,
    macrobenchmark::{self, Epochs, TREE, Trace},
    pair::{AccumulatedPair, Pair, SignedPair, TreePair},
    steady,
};
use crate::{dictionary::Measured, prelude::*};

/// One of the dictionaries that are compared, and how each experiment measures it.
pub struct Contender {
    /// Its name.
    pub name: String,
    /// Whether it accumulates its tuples.
    pub accumulates: bool,
    /// The number of generations, 1 without speculation.
    pub generations: usize,
    /// The experiment of that name.
    pub growing: fn(&Task<'_>) -> Outcome<Line>,
    /// The experiment of that name.
    pub steady: fn(&Task<'_>) -> Outcome<Line>,
    /// The experiment of that name.
    pub macrobenchmark: fn(&Task<'_>, &Trace, Epochs) -> Outcome<Line>,
}

impl Contender {
    fn new<P: Pair>(name: &str) -> Self {
        const { assert!(P::Plain::GENERATIONS == P::Timed::GENERATIONS) };
        Self {
            name: name.replace('_', "-"),
            accumulates: P::ACCUMULATES,
            generations: P::Plain::GENERATIONS,
            growing: growing::measure::<P>,
            steady: steady::measure::<P>,
            macrobenchmark: macrobenchmark::measure::<P>,
        }
    }
}

/// All that are compared.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_stands_for_its_types() {
        for contender in contenders() {
            let name = &contender.name;
            let several = name.starts_with("spec") || contender.accumulates;
            assert_eq!(contender.generations > 1, several, "{name}");
            assert_eq!(
                contender.accumulates,
                name.contains("accumulators"),
                "{name}"
            );
        }
        let generations = |name: &str| -> Vec<usize> {
            let contenders = contenders().into_iter();
            let named = contenders.filter(|contender| contender.name == name);
            named.map(|contender| contender.generations).collect()
        };
        assert_eq!(generations("spec-lightweight-3"), [3]);
        assert!(generations("splay").is_empty());
    }
}
