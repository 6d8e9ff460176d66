//! Type aliases for the designs of tuple dictionaries.

#[cfg(feature = "bls")]
use crate::signed::Bls;
use crate::signed::{Ed25519, Lightweight, Plain, Signed, Superseding};

#[cfg(feature = "accumulators")]
mod with_accumulators;

#[cfg(feature = "accumulators")]
pub use with_accumulators::*;

/// One generation, and one signature for each tuple in each version. The baseline for the other
/// designs.
pub type Base = Signed<Ed25519, Plain, 1>;
/// One generation with superseding signatures: each covers a tuple from its creation to the version
/// of the signature.
pub type BaseSuperseding = Signed<Ed25519, Superseding, 1>;
/// One generation with lightweight signatures: links of a hash chain extend the signature of a
/// tuple, until the chain is used up.
pub type BaseLightweight = Signed<Ed25519, Lightweight, 1>;
/// Two generations, and one signature for each tuple at each instant of its generation's clock.
pub type Spec = Signed<Ed25519, Plain, 2>;
/// Two generations with superseding signatures: each covers a tuple from its creation to the
/// instant of the signature.
pub type SpecSuperseding = Signed<Ed25519, Superseding, 2>;
/// Two generations with lightweight signatures: links of a hash chain extend the signature of a
/// tuple, until the chain is used up.
pub type SpecLightweight = Signed<Ed25519, Lightweight, 2>;
/// Three generations with lightweight signatures: links of a hash chain extend the signature of a
/// tuple, until the chain is used up.
pub type SpecLightweight3 = Signed<Ed25519, Lightweight, 3>;
/// Like [`BaseSuperseding`], but with BLS signatures, which can be aggregated.
#[cfg(feature = "bls")]
pub type BaseSupersedingBls = Signed<Bls, Superseding, 1>;
/// Like [`SpecLightweight`], but with BLS signatures, which can be aggregated.
#[cfg(feature = "bls")]
pub type SpecLightweightBls = Signed<Bls, Lightweight, 2>;
/// Calls a macro once for each design whose tuples are signed, with Ed25519 or BLS. This is the
/// only list of these designs.
///
/// The macro is called as `$callback!(name, Design);`. `name` is an identifier such as
/// `spec_lightweight`, and `Design` is the design's alias.
#[macro_export]
macro_rules! for_each_tuple {
    ($callback:ident) => {
        $callback!(base, $crate::designs::Base);
        $callback!(base_superseding, $crate::designs::BaseSuperseding);
        $callback!(base_lightweight, $crate::designs::BaseLightweight);
        $callback!(spec, $crate::designs::Spec);
        $callback!(spec_superseding, $crate::designs::SpecSuperseding);
        $callback!(spec_lightweight, $crate::designs::SpecLightweight);
        $callback!(spec_lightweight_3, $crate::designs::SpecLightweight3);
        $crate::for_each_bls_tuple!($callback);
    };
}

/// Calls a macro once for each design with BLS signatures, like
/// [`for_each_tuple`](crate::for_each_tuple). Without the feature `bls` there are no such designs.
#[cfg(feature = "bls")]
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_bls_tuple {
    ($callback:ident) => {
        $callback!(base_superseding_bls, $crate::designs::BaseSupersedingBls);
        $callback!(spec_lightweight_bls, $crate::designs::SpecLightweightBls);
    };
}

/// Calls a macro once for each design with BLS signatures, like
/// [`for_each_tuple`](crate::for_each_tuple). Without the feature `bls` there are no such designs.
#[cfg(not(feature = "bls"))]
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_bls_tuple {
    ($callback:ident) => {};
}
