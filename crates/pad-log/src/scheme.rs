//! Schemes of append-only logs: the kind of entries, and the method that proves look-ups complete.

use core::{fmt::Debug, ops::RangeInclusive};

use pad_core::{Digest, SchemeId};

use crate::element::{HALF_BITS, key_half, of_member};

#[cfg(test)]
pub(crate) mod figure4;

mod sealed {
    /// Seals [`Scheme`](super::Scheme): verifiers rely on its constants, so other crates cannot
    /// implement it.
    pub trait Sealed {}
}

/// Scheme of append-only dictionaries or sets: one of the four below.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a scheme of append-only logs",
    label = "not a log scheme",
    note = "log schemes are `AadCounted`, `AadFrontier`, `AasCounted` and `AasFrontier`"
)]
pub trait Scheme: sealed::Sealed + Copy + Debug + Default + Eq + Send + Sync + 'static {
    /// The number that identifies the scheme in signed heads, ids and encoded messages.
    const ID: SchemeId;
    /// Display name of the scheme, for example `aad-counted`.
    const NAME: &'static str;
    /// The kind of entries: pairs of key and value, or members of a set.
    #[doc(hidden)]
    const CONTENTS: Contents;
    /// The method that proves that a look-up contains all values of a key. It determines which
    /// scalars represent an element.
    #[doc(hidden)]
    const COMPLETENESS: Completeness;
    /// Length of an element in bits.
    #[doc(hidden)]
    const ELEMENT_BITS: u16 = match Self::CONTENTS {
        Contents::Dictionary => 2 * HALF_BITS,
        Contents::Set => HALF_BITS,
    };
    /// Number of bits of an element that identify its key: the key half in dictionaries, all bits
    /// in sets.
    #[doc(hidden)]
    const KEY_BITS: u16 = HALF_BITS;
    /// In frontier schemes, the maximum number of prefixes in a group, which is the degree of the
    /// group's polynomial. Verifiers do not check it.
    #[doc(hidden)]
    const GROUP_DEGREE: usize = 1024;

    /// Number of scalars that represent an element, each a root of its tree's polynomial.
    /// Parameters need as many powers for each element of the largest tree.
    #[doc(hidden)]
    const ROOTS: u16 = match Self::COMPLETENESS {
        Completeness::Counted => 1,
        Completeness::Frontier => Self::ELEMENT_BITS,
    };

    /// Length of an element in bytes.
    #[doc(hidden)]
    fn element_bytes() -> usize {
        usize::from(Self::ELEMENT_BITS.div_ceil(8))
    }

    /// Lengths in bits of the prefixes whose scalars represent an element.
    #[doc(hidden)]
    fn root_lengths() -> RangeInclusive<u16> {
        match Self::COMPLETENESS {
            Completeness::Counted => Self::KEY_BITS..=Self::KEY_BITS,
            Completeness::Frontier => 1..=Self::ELEMENT_BITS,
        }
    }

    /// The first 32 bytes that all elements of a key share, or the element of a member. Zero-padded
    /// where elements are shorter.
    #[doc(hidden)]
    fn beginning(key: &[u8]) -> Digest<32> {
        match Self::CONTENTS {
            Contents::Dictionary => key_half(key),
            Contents::Set => of_member(key),
        }
    }
}

/// Method that proves look-ups complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// Each element has one scalar, that of its key half. A proof shows how often the key's scalar
    /// is a root of a tree's polynomial. That is the number of the key's elements in the tree.
    Counted,
    /// Each element has the scalars of all its prefixes. For an absent key, a proof shows that some
    /// prefix of the key is not a prefix of any element in the tree.
    Frontier,
}

/// Kind of entries that a log appends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Pairs of keys and values. A key may have many values, and a pair may occur often.
    Dictionary,
    /// Members of a set without values. A member occurs at most once.
    Set,
}

macro_rules! schemes {
    ($(
        $(#[$documentation:meta])*
        $name:ident: $id:literal, $text:literal, $contents:ident, $completeness:ident;
    )+) => { $(
        $(#[$documentation])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;

        impl sealed::Sealed for $name {}

        impl Scheme for $name {
            const ID: SchemeId = SchemeId($id);
            const NAME: &'static str = $text;
            const CONTENTS: Contents = Contents::$contents;
            const COMPLETENESS: Completeness = Completeness::$completeness;
        }
    )+ };
}

schemes! {
    /// Dictionaries with counted completeness. Appending is cheap and proofs are the smallest. For
    /// a look-up, the server computes a multi-scalar sum over all elements.
    AadCounted: 0x0302, "aad-counted", Dictionary, Counted;
    /// Sets with counted completeness. See [`AadCounted`].
    AasCounted: 0x0312, "aas-counted", Set, Counted;
    /// Dictionaries whose look-ups are proved complete by prefixes ([`Completeness::Frontier`]), as
    /// in the paper. Look-ups are cheap for the server too. Appending costs hundreds of times as
    /// much as in [`AadCounted`].
    AadFrontier: 0x0301, "aad-frontier", Dictionary, Frontier;
    /// Sets whose look-ups are proved complete by prefixes, as in the paper. See [`AadFrontier`].
    AasFrontier: 0x0311, "aas-frontier", Set, Frontier;
}
