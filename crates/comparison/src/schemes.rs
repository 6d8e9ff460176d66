//! List of the compared schemes, with their properties.

use serde::{Deserialize, Serialize};

/// A scheme that authenticates a dictionary, with one way in which its server stores versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Scheme {
    /// Unique name in measurements and on command lines.
    pub name: &'static str,
    /// Name of the scheme for `pad keygen --scheme`; `None` if that command does not support the
    /// scheme.
    pub keygen: Option<&'static str>,
    /// Medium in which the server keeps versions.
    pub place: Place,
    /// Family that the scheme belongs to.
    pub family: SchemeFamily,
    /// Properties that a user may need.
    pub properties: Properties,
}

/// Medium in which a server keeps the versions of a dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// In memory, as a library type.
    Memory,
    /// In a store on disk, as the command line does.
    Store,
}

/// Family of schemes, which differ in how the contents are authenticated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SchemeFamily {
    /// A search tree whose root is signed.
    Tree,
    /// Tuples that cover the intervals between keys. Each tuple is signed.
    SignedTuples,
    /// Tuples that cover the intervals between keys, in accumulators. The accumulators' values are
    /// signed.
    AccumulatedTuples,
    /// An append-only log whose trees have accumulators.
    Log,
    /// Blocks of entries, which are numbered or sorted by key.
    Directory,
    /// Entries that are signed one by one. These schemes are baselines for comparison.
    Baseline,
}

/// Properties of a scheme: what it can prove, and its conditions.
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a need that a user has or has not"
)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Properties {
    /// Entries have keys that the author chooses. Otherwise they have consecutive numbers, in order
    /// of arrival.
    pub has_keys: bool,
    /// An entry can be removed, or marked as deleted.
    pub removes: bool,
    /// No entry is ever removed or replaced, and a proof shows that a version contains an older
    /// one. A key that is put again has both values.
    pub append_only: bool,
    /// A server can prove that a key is absent.
    pub proves_absence: bool,
    /// One proof contains all entries between two keys, and shows that none is missing.
    pub proves_ranges: bool,
    /// Every version that the server has applied can be queried. Otherwise only the latest one can
    /// be.
    pub proves_any_old_version: bool,
    /// A proof shows that the value is that of the requested version. Otherwise a server can
    /// present an older value as the latest.
    pub proves_latest: bool,
    /// The size of the proof for one key does not depend on the number of keys.
    pub constant_size_proofs: bool,
    /// Dictionaries with equal contents have equal signed roots, whatever the order of the changes.
    pub set_unique: bool,
    /// Public parameters come from a ceremony. The party that made them can forge proofs, unless it
    /// destroyed the secret. `false` if the author makes the parameters, because the author is
    /// trusted anyway.
    pub trusted_setup: bool,
    /// The maximum number of entries is fixed when the key is generated. The public parameters grow
    /// with this number.
    pub bounded: bool,
}

/// Properties of a search tree whose shape depends on the order of the changes.
const TREE: Properties = Properties {
    has_keys: true,
    removes: true,
    append_only: false,
    proves_absence: true,
    proves_ranges: true,
    proves_any_old_version: true,
    proves_latest: true,
    constant_size_proofs: false,
    set_unique: false,
    trusted_setup: false,
    bounded: false,
};

const SIGNED_TUPLES: Properties = Properties {
    constant_size_proofs: true,
    ..TREE
};

const RSA_TUPLES: Properties = Properties {
    proves_ranges: false,
    ..SIGNED_TUPLES
};

const BILINEAR_TUPLES: Properties = Properties {
    bounded: true,
    ..RSA_TUPLES
};

const LOG: Properties = Properties {
    removes: false,
    append_only: true,
    proves_ranges: false,
    trusted_setup: true,
    bounded: true,
    ..TREE
};

/// Properties of a directory of numbered entries. A proof that an id is not assigned counts as a
/// proof of absence.
const NUMBERED: Properties = Properties {
    has_keys: false,
    proves_any_old_version: false,
    ..TREE
};

const SIGN_EACH_ENTRY: Properties = Properties {
    proves_absence: false,
    proves_ranges: false,
    constant_size_proofs: true,
    ..TREE
};

const SIGN_CHANGED_ENTRIES: Properties = Properties {
    removes: false,
    proves_any_old_version: false,
    proves_latest: false,
    ..SIGN_EACH_ENTRY
};

const fn tree(name: &'static str, set_unique: bool) -> Scheme {
    of(name, SchemeFamily::Tree, Properties { set_unique, ..TREE })
}

/// The scheme of `pad keygen --scheme {keygen}`, in a store.
const fn stored(name: &'static str, keygen: &'static str, scheme: Scheme) -> Scheme {
    Scheme {
        name,
        keygen: Some(keygen),
        place: Place::Store,
        ..scheme
    }
}

const fn offered(name: &'static str, family: SchemeFamily, properties: Properties) -> Scheme {
    Scheme {
        keygen: Some(name),
        ..of(name, family, properties)
    }
}

const fn of(name: &'static str, family: SchemeFamily, properties: Properties) -> Scheme {
    Scheme {
        name,
        keygen: None,
        place: Place::Memory,
        family,
        properties,
    }
}

const fn signed(name: &'static str) -> Scheme {
    of(name, SchemeFamily::SignedTuples, SIGNED_TUPLES)
}

const fn accumulated(name: &'static str, properties: Properties) -> Scheme {
    offered(name, SchemeFamily::AccumulatedTuples, properties)
}

#[rustfmt::skip]
const SCHEMES: &[Scheme] = &[
    tree("red-black-path-copying", false),
    tree("red-black-cache-nowhere", false),
    tree("red-black-cache-median", false),
    tree("red-black-cache-everywhere", false),
    tree("treap-path-copying", true),
    tree("treap-cache-nowhere", true),
    tree("treap-cache-median", true),
    tree("treap-cache-everywhere", true),
    tree("skip-list-path-copying", true),
    tree("skip-list-cache-nowhere", true),
    tree("skip-list-cache-median", true),
    tree("skip-list-cache-everywhere", true),
    signed("tuple-base"),
    signed("tuple-base-superseding"),
    signed("tuple-base-lightweight"),
    signed("tuple-spec"),
    signed("tuple-spec-superseding"),
    signed("tuple-spec-lightweight"),
    signed("tuple-spec3-lightweight"),
    signed("tuple-base-superseding-bls"),
    signed("tuple-spec-lightweight-bls"),
    accumulated("tuple-accumulators-rsa", RSA_TUPLES),
    accumulated("tuple-accumulators-superseding-rsa", RSA_TUPLES),
    accumulated("tuple-chain-accumulators-rsa", RSA_TUPLES),
    accumulated("tuple-accumulators-bilinear", BILINEAR_TUPLES),
    accumulated("tuple-accumulators-superseding-bilinear", BILINEAR_TUPLES),
    accumulated("tuple-chain-accumulators-bilinear", BILINEAR_TUPLES),
    stored("red-black-stored", "red-black", tree("", false)),
    stored("treap-stored", "treap", tree("", true)),
    stored("skip-list-stored", "skip-list", tree("", true)),
    stored("tuple-base-stored", "tuple-base", signed("")),
    stored("tuple-base-superseding-stored", "tuple-base-superseding", signed("")),
    stored("tuple-base-lightweight-stored", "tuple-base-lightweight", signed("")),
    stored("tuple-spec-stored", "tuple-spec", signed("")),
    stored("tuple-spec-superseding-stored", "tuple-spec-superseding", signed("")),
    stored("tuple-spec-lightweight-stored", "tuple-spec-lightweight", signed("")),
    stored("tuple-spec3-lightweight-stored", "tuple-spec3-lightweight", signed("")),
    stored("tuple-base-superseding-bls-stored", "tuple-base-superseding-bls", signed("")),
    stored("tuple-spec-lightweight-bls-stored", "tuple-spec-lightweight-bls", signed("")),
    offered("aad-counted", SchemeFamily::Log, LOG),
    offered("aad-frontier", SchemeFamily::Log, LOG),
    stored("aad-counted-stored", "aad-counted", of("", SchemeFamily::Log, LOG)),
    stored("aad-frontier-stored", "aad-frontier", of("", SchemeFamily::Log, LOG)),
    offered("directory", SchemeFamily::Directory, NUMBERED),
    of("sign-each-entry", SchemeFamily::Baseline, SIGN_EACH_ENTRY),
    of("sign-changed-entries", SchemeFamily::Baseline, SIGN_CHANGED_ENTRIES),
];

/// Returns all compared schemes.
pub const fn schemes() -> &'static [Scheme] {
    SCHEMES
}

/// Finds the scheme with this name; `None` if there is none.
pub fn scheme(name: &str) -> Option<&'static Scheme> {
    schemes().iter().find(|scheme| scheme.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_distinct() {
        let names: BTreeSet<_> = SCHEMES.iter().map(|scheme| scheme.name).collect();
        assert_eq!(names.len(), SCHEMES.len());
        assert_eq!(scheme("tuple-spec"), SCHEMES.get(15));
        assert_eq!(scheme("splay"), None);
    }
}
