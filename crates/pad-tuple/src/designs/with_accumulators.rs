//! The designs with accumulators, by name.

#[cfg(feature = "bilinear")]
use pad_accumulators::bilinear::Bilinear;
#[cfg(feature = "rsa")]
use pad_accumulators::rsa::Rsa;

use crate::{
    accumulated::Accumulated,
    chain_accumulated::ChainAccumulated,
    signed::{Plain, Superseding},
};

/// Speculation over two generations, a signed RSA accumulator for each, a witness for each tuple
/// and instant.
#[cfg(feature = "rsa")]
pub type AccumulatorsRsa = Accumulated<Rsa, Plain, 2>;
/// Speculation over two generations, a signed RSA accumulator for each, superseding witnesses.
#[cfg(feature = "rsa")]
pub type AccumulatorsSupersedingRsa = Accumulated<Rsa, Superseding, 2>;
/// Speculation over two generations, RSA accumulators in a hash chain under the signed root.
#[cfg(feature = "rsa")]
pub type ChainAccumulatorsRsa = ChainAccumulated<Rsa, 2>;
/// Speculation over two generations, a signed bilinear accumulator for each, a witness for each
/// tuple and instant.
#[cfg(feature = "bilinear")]
pub type AccumulatorsBilinear = Accumulated<Bilinear, Plain, 2>;
/// Speculation over two generations, a signed bilinear accumulator for each, superseding witnesses.
#[cfg(feature = "bilinear")]
pub type AccumulatorsSupersedingBilinear = Accumulated<Bilinear, Superseding, 2>;
/// Speculation over two generations, bilinear accumulators in a hash chain under the signed root.
#[cfg(feature = "bilinear")]
pub type ChainAccumulatorsBilinear = ChainAccumulated<Bilinear, 2>;

/// Calls a macro once for each design with accumulators, like
/// [`for_each_tuple`](crate::for_each_tuple). The list is separate because a snapshot of these
/// designs takes milliseconds.
#[cfg(all(feature = "rsa", feature = "bilinear"))]
#[macro_export]
macro_rules! for_each_accumulated_tuple {
    ($callback:ident) => {
        $callback!(accumulators_rsa, $crate::designs::AccumulatorsRsa);
        $callback!(
            accumulators_superseding_rsa,
            $crate::designs::AccumulatorsSupersedingRsa
        );
        $callback!(
            chain_accumulators_rsa,
            $crate::designs::ChainAccumulatorsRsa
        );
        $callback!(accumulators_bilinear, $crate::designs::AccumulatorsBilinear);
        $callback!(
            accumulators_superseding_bilinear,
            $crate::designs::AccumulatorsSupersedingBilinear
        );
        $callback!(
            chain_accumulators_bilinear,
            $crate::designs::ChainAccumulatorsBilinear
        );
    };
}
