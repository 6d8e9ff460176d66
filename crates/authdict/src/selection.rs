//! Suites and schemes chosen by name at run time.

use core::{fmt, str::FromStr};

#[cfg(feature = "all-suites")]
use pad_core::{Blake3Ed25519, Paper2010};
use pad_core::{SchemeId, Sha256Ed25519, Suite, SuiteId};
use pad_tree::{RedBlack, SkipList, Treap, internals::BalancingScheme};
use pad_tuple::{
    SecretBytes, designs,
    internals::{Design, PublicBytes},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

#[cfg(feature = "log")]
use crate::own_keys::SetupFormat;
use crate::own_keys::{OwnKeys, SchemeKeyFormat};

/// Error returned for an unknown name of a suite or scheme. It lists the known names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} '{name}', choose one of {}", known.join(", "))]
pub struct UnknownName {
    /// The kind of thing that the name should identify: `suite` or `scheme`.
    pub what: &'static str,
    /// The name that is unknown.
    pub name: String,
    /// The names that this build knows.
    pub known: Vec<&'static str>,
}

macro_rules! by_name {
    (
        $(#[$documentation:meta])* $type:ident, $what:literal, $facts:ty,
        $($(#[$condition:meta])? $variant:ident => $fact:expr),+
    ) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $type {
            $($(#[$condition])? #[doc = concat!("`", stringify!($variant), "`.")] $variant,)+
        }

        impl $type {
            /// All values of this type that this build supports.
            pub const ALL: &'static [Self] = &[$($(#[$condition])? Self::$variant),+];

            const fn facts(self) -> $facts {
                match self { $($(#[$condition])? Self::$variant => $fact),+ }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(self.name())
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = String::deserialize(deserializer)?;
                name.parse().map_err(D::Error::custom)
            }
        }

        impl FromStr for $type {
            type Err = UnknownName;

            fn from_str(name: &str) -> Result<Self, UnknownName> {
                Self::ALL.iter().copied().find(|choice| choice.name() == name).ok_or_else(|| {
                    let known = Self::ALL.iter().map(|choice| choice.name()).collect();
                    UnknownName { what: $what, name: name.into(), known }
                })
            }
        }
    };
}

/// Evaluates the expression after the arrow, with `$type` as the type of the suite `$suite`, a
/// [`SuiteName`].
macro_rules! with_suite {
    ($suite:expr, $type:ident => $work:expr) => {
        match $suite {
            $crate::selection::SuiteName::Sha256Ed25519 => {
                type $type = pad_core::Sha256Ed25519;
                $work
            }
            #[cfg(feature = "all-suites")]
            $crate::selection::SuiteName::Blake3Ed25519 => {
                type $type = pad_core::Blake3Ed25519;
                $work
            }
            #[cfg(feature = "all-suites")]
            $crate::selection::SuiteName::Paper2010 => {
                type $type = pad_core::Paper2010;
                $work
            }
        }
    };
}
pub(crate) use with_suite;

by_name! {
    /// A suite: hash function, digest width and signature. All suites but `Sha256Ed25519` need the
    /// feature `all-suites`.
    SuiteName, "suite", &'static str,
    Sha256Ed25519 => Sha256Ed25519::NAME,
    #[cfg(feature = "all-suites")]
    Blake3Ed25519 => Blake3Ed25519::NAME,
    #[cfg(feature = "all-suites")]
    Paper2010 => Paper2010::NAME
}

by_name! {
    /// A scheme that authenticates contents: the balancing scheme of a tree PAD, the design of a
    /// tuple PAD, a log scheme, or the block directory.
    SchemeName, "scheme", Facts,
    Treap => Facts::of_tree::<Treap>(),
    RedBlack => Facts::of_tree::<RedBlack>(),
    SkipList => Facts::of_tree::<SkipList>(),
    TupleBase => Facts::of_tuple::<designs::Base>("tuple-base"),
    TupleBaseSuperseding => Facts::of_tuple::<designs::BaseSuperseding>("tuple-base-superseding"),
    TupleBaseLightweight => Facts::of_tuple::<designs::BaseLightweight>("tuple-base-lightweight"),
    TupleSpec => Facts::of_tuple::<designs::Spec>("tuple-spec"),
    TupleSpecSuperseding => Facts::of_tuple::<designs::SpecSuperseding>("tuple-spec-superseding"),
    TupleSpecLightweight => Facts::of_tuple::<designs::SpecLightweight>("tuple-spec-lightweight"),
    TupleSpec3Lightweight =>
        Facts::of_tuple::<designs::SpecLightweight3>("tuple-spec3-lightweight"),
    #[cfg(feature = "bls")]
    TupleBaseSupersedingBls =>
        Facts::of_tuple::<designs::BaseSupersedingBls>("tuple-base-superseding-bls"),
    #[cfg(feature = "bls")]
    TupleSpecLightweightBls =>
        Facts::of_tuple::<designs::SpecLightweightBls>("tuple-spec-lightweight-bls"),
    #[cfg(feature = "accumulators")]
    TupleAccumulatorsRsa => Facts::of_tuple::<designs::AccumulatorsRsa>("tuple-accumulators-rsa"),
    #[cfg(feature = "accumulators")]
    TupleAccumulatorsSupersedingRsa => Facts::of_tuple::<designs::AccumulatorsSupersedingRsa>(
        "tuple-accumulators-superseding-rsa"
    ),
    #[cfg(feature = "accumulators")]
    TupleChainAccumulatorsRsa =>
        Facts::of_tuple::<designs::ChainAccumulatorsRsa>("tuple-chain-accumulators-rsa"),
    #[cfg(feature = "accumulators")]
    TupleAccumulatorsBilinear =>
        Facts::of_tuple::<designs::AccumulatorsBilinear>("tuple-accumulators-bilinear"),
    #[cfg(feature = "accumulators")]
    TupleAccumulatorsSupersedingBilinear =>
        Facts::of_tuple::<designs::AccumulatorsSupersedingBilinear>(
            "tuple-accumulators-superseding-bilinear"
        ),
    #[cfg(feature = "accumulators")]
    TupleChainAccumulatorsBilinear =>
        Facts::of_tuple::<designs::ChainAccumulatorsBilinear>("tuple-chain-accumulators-bilinear"),
    #[cfg(feature = "log")]
    AadCounted => Facts::of_log::<pad_log::AadCounted>(),
    #[cfg(feature = "log")]
    AadFrontier => Facts::of_log::<pad_log::AadFrontier>(),
    #[cfg(feature = "log")]
    AasCounted => Facts::of_log::<pad_log::AasCounted>(),
    #[cfg(feature = "log")]
    AasFrontier => Facts::of_log::<pad_log::AasFrontier>(),
    Directory => Facts::new(SchemeFamily::Directory, "directory", block_directory::DIRECTORY)
}

impl SuiteName {
    /// Returns the name that identifies this value on command lines and in key files.
    pub const fn name(self) -> &'static str {
        self.facts()
    }

    /// Returns the suite with the number `id`, if this build supports it. The envelopes of messages
    /// contain this number.
    pub fn from_id(id: u16) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|suite| suite.id().0 == id)
    }

    /// Returns the suite's number, which the envelopes of messages contain.
    #[doc(hidden)]
    pub fn id(self) -> SuiteId {
        with_suite!(self, S => S::ID)
    }
}

/// A family of schemes that authenticate contents in similar ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemeFamily {
    /// Search trees whose root is signed.
    Tree,
    /// Tuples, each of which states the contents of one key interval and is authenticated
    /// separately.
    Tuple,
    /// Append-only logs, with accumulators over their trees.
    #[cfg(feature = "log")]
    Log,
    /// Numbered entries in blocks, stored in a folder instead of a `Store`:
    /// [`block_directory`].
    Directory,
}

impl fmt::Display for SchemeFamily {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Tree => "tree",
            Self::Tuple => "tuple",
            #[cfg(feature = "log")]
            Self::Log => "log",
            Self::Directory => "directory",
        })
    }
}

impl SchemeFamily {
    /// Returns whether schemes of this family are append-only: entries are never removed, and a key
    /// keeps all its values.
    pub const fn is_append_only(self) -> bool {
        match self {
            Self::Tree | Self::Tuple | Self::Directory => false,
            #[cfg(feature = "log")]
            Self::Log => true,
        }
    }

    /// Returns the schemes of this family.
    pub fn schemes(self) -> impl Iterator<Item = SchemeName> {
        let all = SchemeName::ALL.iter().copied();
        all.filter(move |scheme| scheme.family() == self)
    }
}

/// The properties of a scheme that methods of [`SchemeName`] return.
#[derive(Clone, Copy)]
struct Facts {
    family: SchemeFamily,
    name: &'static str,
    id: SchemeId,
    is_set: bool,
    key_format: Option<&'static dyn SchemeKeyFormat>,
    powers_of_entry: u16,
}

impl Facts {
    const fn new(family: SchemeFamily, name: &'static str, id: SchemeId) -> Self {
        Self {
            family,
            name,
            id,
            is_set: false,
            key_format: None,
            powers_of_entry: 0,
        }
    }

    const fn of_tree<B: BalancingScheme>() -> Self {
        Self::new(SchemeFamily::Tree, B::NAME, B::ID)
    }

    #[cfg(feature = "log")]
    const fn of_log<L: pad_log::Scheme>() -> Self {
        Self {
            is_set: matches!(L::CONTENTS, pad_log::internals::Contents::Set),
            key_format: Some(&SetupFormat),
            powers_of_entry: L::ROOTS,
            ..Self::new(SchemeFamily::Log, L::NAME, L::ID)
        }
    }

    /// Returns the properties of tuple design `D`. They do not depend on the suite, so any suite
    /// serves here.
    const fn of_tuple<D>(name: &'static str) -> Self
    where
        D: Design<Sha256Ed25519, Secret: SecretBytes, Key: PublicBytes>,
    {
        Self {
            key_format: OwnKeys::<D>::FORMAT,
            ..Self::new(SchemeFamily::Tuple, name, D::SCHEME)
        }
    }
}

impl SchemeName {
    /// Returns the name that identifies this value on command lines and in key files.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// Returns the family of this scheme.
    #[doc(hidden)]
    pub const fn family(self) -> SchemeFamily {
        self.facts().family
    }

    /// Returns whether a dictionary of this scheme is a set: its entries are members, which are
    /// keys without values.
    #[doc(hidden)]
    pub const fn is_set(self) -> bool {
        self.facts().is_set
    }

    /// Returns the format of the scheme's own key; `None` if the author's key signs everything.
    #[doc(hidden)]
    pub const fn key_format(self) -> Option<&'static dyn SchemeKeyFormat> {
        self.facts().key_format
    }

    /// Returns the number of powers that a log's public parameters must contain for each entry of
    /// its largest trees. Returns 0 for schemes of other families.
    #[doc(hidden)]
    pub fn powers_of_entry(self) -> usize {
        self.facts().powers_of_entry.into()
    }

    /// Returns whether contents are read on demand, from files next to a `Store` or from
    /// objects. Logs, and tuples with accumulators, are read into memory as a whole.
    #[doc(hidden)]
    pub fn reads_on_demand(self) -> bool {
        match self.family() {
            SchemeFamily::Tree | SchemeFamily::Directory => true,
            SchemeFamily::Tuple => !self.binds_answers(),
            #[cfg(feature = "log")]
            SchemeFamily::Log => false,
        }
    }

    /// Returns whether the signed head determines all verified answers. Tuples that are signed one
    /// by one are not determined by the head: the holder of the key can sign other tuples for the
    /// same head.
    #[doc(hidden)]
    pub fn binds_answers(self) -> bool {
        self.family() != SchemeFamily::Tuple || self.name().contains("accumulators")
    }

    /// Returns the scheme's number in signed heads.
    pub const fn id(self) -> SchemeId {
        self.facts().id
    }

    /// Returns the scheme with the number `id`, if this build supports it.
    pub fn from_id(id: SchemeId) -> Option<Self> {
        Self::ALL.iter().copied().find(|scheme| scheme.id() == id)
    }
}

/// A family with exactly one scheme and one suite.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a family of dictionaries",
    label = "not a family",
    note = "families are `Tree<RedBlack>`, `Tuple<SpecLightweight>`, `Log<AadCounted>`, of one scheme and suite"
)]
pub trait NamedScheme {
    /// The number of the family's suite.
    const SUITE: SuiteId;
    /// The number of the family's scheme.
    const SCHEME: SchemeId;
}

#[cfg(test)]
mod tests {
    use pad_tuple::TupleScheme;

    use super::*;

    /// The head determines the tuples of a design with accumulators. It does not determine tuples
    /// that are signed one by one.
    #[test]
    fn every_design_has_its_name_and_number_and_binds_answers_or_not() {
        let mut designs = 0;
        let mut check = |name: &str, id: SchemeId, binds_answers: bool| {
            let scheme: SchemeName = format!("tuple-{name}").parse().unwrap();
            assert_eq!(scheme.id(), id);
            assert_eq!(scheme.family(), SchemeFamily::Tuple);
            assert_eq!(scheme.binds_answers(), binds_answers);
            designs += 1;
        };
        macro_rules! signed {
            ($name:ident, $design:ty) => {
                let id = <$design as TupleScheme<Sha256Ed25519>>::SCHEME;
                check(<$design as TupleScheme<Sha256Ed25519>>::NAME, id, false);
            };
        }
        #[cfg(feature = "accumulators")]
        macro_rules! accumulated {
            ($name:ident, $design:ty) => {
                let id = <$design as TupleScheme<Sha256Ed25519>>::SCHEME;
                check(<$design as TupleScheme<Sha256Ed25519>>::NAME, id, true);
            };
        }
        pad_tuple::for_each_tuple!(signed);
        #[cfg(feature = "accumulators")]
        pad_tuple::for_each_accumulated_tuple!(accumulated);
        assert_eq!(SchemeFamily::Tuple.schemes().count(), designs);
        assert!(SchemeName::RedBlack.binds_answers());
    }

    #[test]
    fn names_and_numbers_are_unique() {
        for scheme in SchemeName::ALL {
            assert_eq!(scheme.name().parse(), Ok(*scheme));
            assert_eq!(SchemeName::from_id(scheme.id()), Some(*scheme));
        }
    }
}
