//! Compared designs, each in two variants: unchanged, and one that records its cryptography.

use core::marker::PhantomData;

use pad_core::Version;
use pad_tree::RedBlackCacheEverywhere;
use pad_tuple::{
    Expectation, TupleRepository,
    internals::{Design, Signed, TupleSignature},
};

use super::instrument::{CountedSuite, PlainSuite, TimedDesign, TimedScheme};
use crate::{
    dictionary::{MeasuredRepository, public_key},
    prelude::*,
    secret::FixedSecret,
};

/// A compared design in two variants: unchanged, and one that records its cryptography.
pub trait Pair {
    /// Unchanged design.
    type Plain: MeasuredRepository;
    /// Design that records its cryptography.
    type Timed: MeasuredRepository;

    /// Whether the design has accumulators over its tuples. The times of such a design have no
    /// lower bound here.
    const ACCUMULATES: bool = false;

    /// Measures the microseconds of signing a tuple, and of verifying the signature. `None` if
    /// tuples are not signed.
    fn signature_us(_: &Effort) -> Option<(f64, f64)> {
        None
    }
}

/// Both variants of a tuple design `D` with signatures.
pub struct SignedPair<D>(PhantomData<D>);

impl<G, R, const GENERATIONS: usize> Pair for SignedPair<Signed<G, R, GENERATIONS>>
where
    G: TupleSignature<Secret: FixedSecret>,
    Signed<G, R, GENERATIONS>: Design<PlainSuite, Secret: FixedSecret>,
    Signed<TimedScheme<G>, R, GENERATIONS>: Design<CountedSuite, Secret: FixedSecret>,
{
    type Plain = TupleRepository<PlainSuite, Signed<G, R, GENERATIONS>>;
    type Timed = TupleRepository<CountedSuite, Signed<TimedScheme<G>, R, GENERATIONS>>;

    fn signature_us(effort: &Effort) -> Option<(f64, f64)> {
        let (secret, signer, message) = (G::Secret::fixed(), signing_key(), vec![7; STATEMENT]);
        let sign = || G::sign(&secret, &signer, &message).expect("a key in memory signs");
        let signed = [(message.clone(), sign())];
        let expectation = Expectation {
            authority: *public_key::<Self::Plain>().authority(),
            key: G::key(&secret),
            version: Version::new(1),
        };
        let verify = || G::verify_each(&expectation, &signed).expect("an honest signature");
        Some((effort.each_ns(sign) / 1e3, effort.each_ns(verify) / 1e3))
    }
}

/// Both variants of a tuple design `D` with accumulators.
pub struct AccumulatedPair<D>(PhantomData<D>);

impl<D> Pair for AccumulatedPair<D>
where
    D: Design<PlainSuite, Secret: FixedSecret> + Design<CountedSuite, Secret: FixedSecret>,
{
    type Plain = TupleRepository<PlainSuite, D>;
    type Timed = TupleRepository<CountedSuite, TimedDesign<D>>;
    const ACCUMULATES: bool = true;
}

/// Both variants of the tree that tuple designs are compared with.
pub struct TreePair;

impl Pair for TreePair {
    type Plain = RedBlackCacheEverywhere<PlainSuite>;
    type Timed = RedBlackCacheEverywhere<CountedSuite>;
}

/// Bytes of the message that is signed for a tuple, without the anchor of a hash chain.
pub const STATEMENT: usize = 101;
