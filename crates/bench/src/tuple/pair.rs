//! The list of what is compared: each design as it is, and its twin that notes what cryptography takes.

use core::marker::PhantomData;
use std::{hint::black_box, sync::LazyLock};

use ed25519_dalek::SigningKey;
use pad_core::Version;
use pad_tree::RedBlack;
use pad_tuple::{
    Design, Expectation, for_each_accumulated_tuple, for_each_tuple,
    signed::{Signed, TupleSignature},
};

use super::{
    contender::{Contender, TreeContender, TupleContender},
    instrument::{CountedSuite, Instrument, PlainSuite, TimedSigner},
    secret::FixedSecret,
    timed_design::TimedDesign,
};
use crate::{primitives::signing_key, server::authority, timing::Effort};

/// A contender as it is, and one that notes what its cryptography takes.
pub trait Pair {
    /// As it is.
    type Plain: Contender<Suite = PlainSuite>;
    /// The same, noting what its cryptography takes.
    type Timed: Contender<Suite = CountedSuite>;

    /// Whether tuples are in accumulators: what those take has no bound here.
    const ACCUMULATES: bool;

    /// Microseconds of a signature on a tuple and of its verification. `None`: tuples are not signed.
    fn signature_us(effort: &Effort) -> Option<(f64, f64)>;
}

/// A signed design, plain and timed.
#[derive(Debug)]
pub struct SignedPair<D>(PhantomData<D>);

impl<D> Pair for SignedPair<D>
where
    D: Design<PlainSuite, Secret: FixedSecret> + Instrument + SignsTuples,
    D::Timed: Design<CountedSuite, Secret: FixedSecret>,
{
    type Plain = TupleContender<PlainSuite, D, SigningKey>;
    type Timed = TupleContender<CountedSuite, D::Timed, TimedSigner>;
    const ACCUMULATES: bool = false;

    fn signature_us(effort: &Effort) -> Option<(f64, f64)> {
        Some(<D as SignsTuples>::signature_us(effort))
    }
}

/// A design with accumulators, plain and timed.
#[derive(Debug)]
pub struct AccumulatedPair<D>(PhantomData<D>);

impl<D> Pair for AccumulatedPair<D>
where
    D: Design<PlainSuite, Secret: FixedSecret> + Design<CountedSuite, Secret: FixedSecret>,
{
    type Plain = TupleContender<PlainSuite, D, SigningKey>;
    type Timed = TupleContender<CountedSuite, TimedDesign<D>, TimedSigner>;
    const ACCUMULATES: bool = true;

    fn signature_us(_: &Effort) -> Option<(f64, f64)> {
        None
    }
}

/// The tree beside the designs.
#[derive(Debug)]
pub struct TreePair;

impl Pair for TreePair {
    type Plain = TreeContender<PlainSuite, SigningKey>;
    type Timed = TreeContender<CountedSuite, TimedSigner>;
    const ACCUMULATES: bool = false;

    fn signature_us(_: &Effort) -> Option<(f64, f64)> {
        None
    }
}

/// A design whose tuples are signed.
pub trait SignsTuples {
    /// Microseconds of a signature and of its verification.
    fn signature_us(effort: &Effort) -> (f64, f64);
}

impl<G, R, const GENERATIONS: usize> SignsTuples for Signed<G, R, GENERATIONS>
where
    G: TupleSignature<Secret: FixedSecret>,
{
    fn signature_us(effort: &Effort) -> (f64, f64) {
        let (secret, signer, message) = (G::Secret::fixed(), signing_key(), vec![7; STATEMENT]);
        let sign = || G::sign(&secret, &signer, &message).expect("a key in memory signs");
        let signed = [(message.clone(), sign())];
        let authority = authority::<PlainSuite, RedBlack>();
        let expectation = Expectation {
            authority,
            key: G::key(&secret),
            version: Version::new(1),
        };
        let verify = || G::verify_each(&expectation, &signed).expect("an honest signature");
        let each_us = |work: &dyn Fn()| {
            let repeat = |calls| (0..calls).for_each(|_| work());
            effort.primitive_ns(repeat) / 1e3
        };
        (each_us(&|| _ = black_box(sign())), each_us(&verify))
    }
}

/// The bytes that are signed for a tuple, without an anchor.
pub const STATEMENT: usize = 101;

/// Work on a contender.
pub trait Job {
    /// What the work returns.
    type Output;

    /// Does the work.
    fn run<P: Pair>(self) -> Self::Output;
}

/// The tree's name.
pub const TREE: &str = "red-black";

/// Runs work for the contender with this name. `None` if there is none.
pub fn run<J: Job>(name: &str, job: J) -> Option<J::Output> {
    macro_rules! run_if_signed {
        ($name:ident, $($design:tt)+) => {
            if name == hyphenated(stringify!($name)) {
                return Some(job.run::<SignedPair<$($design)+>>());
            }
        };
    }
    macro_rules! run_if_accumulated {
        ($name:ident, $($design:tt)+) => {
            if name == hyphenated(stringify!($name)) {
                return Some(job.run::<AccumulatedPair<$($design)+>>());
            }
        };
    }
    for_each_tuple!(run_if_signed);
    for_each_accumulated_tuple!(run_if_accumulated);
    (name == TREE).then(|| job.run::<TreePair>())
}

/// Whether a design accumulates its tuples, by its name.
pub fn accumulates(name: &str) -> bool {
    struct Accumulates;
    impl Job for Accumulates {
        type Output = bool;

        fn run<P: Pair>(self) -> bool {
            P::ACCUMULATES
        }
    }
    run(name, Accumulates).unwrap_or(false)
}

/// The names of all contenders.
pub fn names() -> Vec<&'static str> {
    NAMES.iter().map(String::as_str).collect()
}

static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut names = Vec::new();
    macro_rules! push_name {
        ($name:ident, $($design:tt)+) => {
            names.push(hyphenated(stringify!($name)));
        };
    }
    for_each_tuple!(push_name);
    for_each_accumulated_tuple!(push_name);
    names.push(TREE.to_owned());
    names
});

fn hyphenated(name: &str) -> String {
    name.replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Generations;

    impl Job for Generations {
        type Output = (usize, usize);

        fn run<P: Pair>(self) -> Self::Output {
            (P::Plain::GENERATIONS, P::Timed::GENERATIONS)
        }
    }

    #[test]
    fn every_name_stands_for_its_types() {
        for name in names() {
            let (plain, timed) = run(name, Generations).unwrap();
            assert_eq!(plain, timed);
            let several = name.starts_with("spec") || accumulates(name);
            assert_eq!(plain > 1, several, "{name}");
            assert_eq!(accumulates(name), name.contains("accumulators"), "{name}");
        }
        assert_eq!(run("spec-lightweight-3", Generations), Some((3, 3)));
        assert!(run("splay", Generations).is_none());
    }
}
