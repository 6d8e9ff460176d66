//! Type aliases for the designs with accumulators.

#[cfg(feature = "bilinear")]
use pad_accumulators::bilinear::Bilinear;
#[cfg(feature = "rsa")]
use pad_accumulators::rsa::Rsa;

use crate::{
    accumulated::Accumulated,
    chain_accumulated::ChainAccumulated,
    signed::{Plain, Superseding},
};

/// Two generations, each with a signed RSA accumulator. The server keeps a witness for each tuple
/// and instant.
#[cfg(feature = "rsa")]
pub type AccumulatorsRsa = Accumulated<Rsa, Plain, 2>;
/// Two generations, each with a signed RSA accumulator. The server keeps only the newest witness of
/// each tuple, which supersedes earlier ones.
#[cfg(feature = "rsa")]
pub type AccumulatorsSupersedingRsa = Accumulated<Rsa, Superseding, 2>;
/// Two generations, each with an RSA accumulator. The signed root contains a hash chain over the
/// accumulator values.
#[cfg(feature = "rsa")]
pub type ChainAccumulatorsRsa = ChainAccumulated<Rsa, 2>;
/// Two generations, each with a signed bilinear accumulator. The server keeps a witness for each
/// tuple and instant.
#[cfg(feature = "bilinear")]
pub type AccumulatorsBilinear = Accumulated<Bilinear, Plain, 2>;
/// Two generations, each with a signed bilinear accumulator. The server keeps only the newest
/// witness of each tuple, which supersedes earlier ones.
#[cfg(feature = "bilinear")]
pub type AccumulatorsSupersedingBilinear = Accumulated<Bilinear, Superseding, 2>;
/// Two generations, each with a bilinear accumulator. The signed root contains a hash chain over
/// the accumulator values.
#[cfg(feature = "bilinear")]
pub type ChainAccumulatorsBilinear = ChainAccumulated<Bilinear, 2>;

/// Calls a macro once for each design with accumulators, like
/// [`for_each_tuple`](crate::for_each_tuple). The list is separate because these designs are slow:
/// a snapshot takes milliseconds.
#[cfg(all(feature = "rsa", feature = "bilinear"))]
#[macro_export]
macro_rules! for_each_accumulated_tuple {
    ($callback:ident) => {
        $crate::for_each_accumulated_tuple! {
            $callback:
            accumulators_rsa AccumulatorsRsa;
            accumulators_superseding_rsa AccumulatorsSupersedingRsa;
            chain_accumulators_rsa ChainAccumulatorsRsa;
            accumulators_bilinear AccumulatorsBilinear;
            accumulators_superseding_bilinear AccumulatorsSupersedingBilinear;
            chain_accumulators_bilinear ChainAccumulatorsBilinear;
        }
    };
    ($callback:ident: $($name:ident $design:ident;)+) => {
        $($callback!($name, $crate::designs::$design);)+
    };
}
