//! Suites, schemes and repositories by name, for whoever chooses them at run time.

use core::{fmt, str::FromStr};

use pad_core::{Blake3Ed25519, Paper2010, SchemeId, Sha256Ed25519, Suite};
use pad_tree::{
    BalancingScheme, CacheEverywhere, CacheMedian, CacheNowhere, CachePolicy, PathCopying, Plain,
    RedBlack, SkipList, Treap, VersionedStore,
};

use crate::keys::SchemeKeyFormat;

/// A name that stands for nothing, with the names that would.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// What was to be chosen.
    pub what: &'static str,
    /// The name given.
    pub name: String,
    /// The names there are.
    pub known: Vec<&'static str>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.known.join(", ");
        write!(
            formatter,
            "unknown {} '{}', choose one of {known}",
            self.what, self.name
        )
    }
}

impl core::error::Error for UnknownName {}

macro_rules! by_name {
    ($(#[$documentation:meta])* $type:ident, $what:literal, $($variant:ident => $name:expr),+) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $type {
            $(#[doc = concat!("`", stringify!($variant), "`.")] $variant,)+
        }

        impl $type {
            /// Every choice.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name that stands for this choice.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(self.name())
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

by_name! {
    /// A choice of hash and signature.
    SuiteName, "suite",
    Sha256Ed25519 => Sha256Ed25519::NAME,
    Blake3Ed25519 => Blake3Ed25519::NAME,
    Paper2010 => Paper2010::NAME
}

by_name! {
    /// A choice of scheme: how contents are authenticated. Of a tree PAD, the balancing scheme.
    SchemeName, "scheme",
    Treap => Treap::NAME,
    RedBlack => RedBlack::NAME,
    SkipList => SkipList::NAME
}

by_name! {
    /// A choice of how a server keeps all versions. Roots and proofs do not depend on it.
    RepositoryName, "repository",
    PathCopying => <PathCopying<Plain, RedBlack> as VersionedStore>::NAME,
    CacheNowhere => CacheNowhere::NAME,
    CacheMedian => CacheMedian::NAME,
    CacheEverywhere => CacheEverywhere::NAME
}

/// What schemes have in common: how contents are authenticated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemeFamily {
    /// A search tree whose root is signed.
    Tree,
}

impl SchemeFamily {
    /// How a server can keep all versions under a scheme of this family; first the usual way.
    pub const fn repositories(self) -> &'static [RepositoryName] {
        match self {
            Self::Tree => &[
                RepositoryName::PathCopying,
                RepositoryName::CacheNowhere,
                RepositoryName::CacheMedian,
                RepositoryName::CacheEverywhere,
            ],
        }
    }

    /// The schemes of this family.
    pub fn schemes(self) -> impl Iterator<Item = SchemeName> {
        let all = SchemeName::ALL.iter().copied();
        all.filter(move |scheme| scheme.family() == self)
    }

    /// The repository that is wanted, or the usual one.
    ///
    /// # Errors
    /// [`UnknownName`] if the one wanted is not of this family.
    pub fn repository(self, wanted: Option<RepositoryName>) -> Result<RepositoryName, UnknownName> {
        let choices = self.repositories();
        let chosen = match wanted {
            Some(wanted) => choices.iter().find(|choice| **choice == wanted),
            None => choices.first(),
        };
        chosen.copied().ok_or_else(|| UnknownName {
            what: "repository",
            name: wanted.map_or("", RepositoryName::name).into(),
            known: choices.iter().map(|choice| choice.name()).collect(),
        })
    }
}

impl SchemeName {
    /// What this scheme is one of.
    pub const fn family(self) -> SchemeFamily {
        match self {
            Self::Treap | Self::RedBlack | Self::SkipList => SchemeFamily::Tree,
        }
    }

    /// The key that this scheme has beside the author's; none where it verifies with that alone.
    pub const fn key_format(self) -> Option<&'static dyn SchemeKeyFormat> {
        match self.family() {
            SchemeFamily::Tree => None,
        }
    }

    /// The scheme's number in signed heads.
    pub const fn id(self) -> SchemeId {
        match self {
            Self::Treap => Treap::ID,
            Self::RedBlack => RedBlack::ID,
            Self::SkipList => SkipList::ID,
        }
    }

    /// The scheme with this number, if there is one.
    pub fn from_id(id: SchemeId) -> Option<Self> {
        Self::ALL.iter().copied().find(|scheme| scheme.id() == id)
    }
}
