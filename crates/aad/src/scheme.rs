//! The schemes: what is appended, and how completeness is shown.

use core::{fmt::Debug, ops::RangeInclusive};

use pad_core::{Digest, SchemeId};

use crate::element::{HALF_BITS, key_half, of_member};

#[cfg(test)]
pub(crate) mod figure4;

mod sealed {
    /// Verifiers rely on what schemes say of themselves, so nobody else writes one.
    pub trait Sealed {}
}

/// A scheme of append-only dictionaries or sets: one of the four below.
pub trait Scheme: sealed::Sealed + Copy + Debug + Default + Eq + Send + Sync + 'static {
    /// The number of the scheme in signed heads, ids and envelopes.
    const ID: SchemeId;
    /// The name of the scheme for people, for example `aad-counted`.
    const NAME: &'static str;
    /// What is appended.
    const CONTENTS: Contents;
    /// How look-ups are shown to be complete, and with it which scalars an element stands for.
    const COMPLETENESS: Completeness;
    /// Bits of an element.
    const ELEMENT_BITS: u16 = match Self::CONTENTS {
        Contents::Dictionary => 2 * HALF_BITS,
        Contents::Set => HALF_BITS,
    };
    /// Bits of an element that name its key: those of the key half; all of a set's.
    const KEY_BITS: u16 = HALF_BITS;
    /// The greatest degree of the polynomial of a group of prefixes. A server's own business.
    const GROUP_DEGREE: usize = 1024;

    /// How many scalars an element stands for. As many powers do parameters need for each element of the largest tree.
    const ROOTS: u16 = match Self::COMPLETENESS {
        Completeness::Counted => 1,
        Completeness::Frontier => Self::ELEMENT_BITS,
    };

    /// Bytes of an element.
    fn element_bytes() -> usize {
        usize::from(Self::ELEMENT_BITS.div_ceil(8))
    }

    /// The lengths in bits of the prefixes for whose scalars an element stands.
    fn root_lengths() -> RangeInclusive<u16> {
        match Self::COMPLETENESS {
            Completeness::Counted => Self::KEY_BITS..=Self::KEY_BITS,
            Completeness::Frontier => 1..=Self::ELEMENT_BITS,
        }
    }

    /// What the elements of a key, or of a member, begin with, zero-padded where they are shorter.
    fn beginning(key: &[u8]) -> Digest<32> {
        match Self::CONTENTS {
            Contents::Dictionary => key_half(key),
            Contents::Set => of_member(key),
        }
    }
}

/// A scheme whose entries are keys with values.
pub trait DictionaryScheme: Scheme {}

/// A scheme whose entries are members alone.
pub trait SetScheme: Scheme {}

/// How look-ups are shown to be complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// An element stands for one scalar, that of its key half. How often the key's scalar divides the polynomial of a tree is
    /// opened.
    Counted,
    /// An element stands for the scalars of all its prefixes. A prefix of what is absent is shown to be among those that are not in the
    /// tree.
    Frontier,
}

/// What is appended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Pairs of keys and values; a key may have many, and a pair may occur often.
    Dictionary,
    /// Members, each of them once.
    Set,
}

macro_rules! schemes {
    ($($(#[$documentation:meta])* $name:ident: $kind:ident, $id:literal, $text:literal, $contents:ident, $completeness:ident;)+) => { $(
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

        impl $kind for $name {}
    )+ };
}

schemes! {
    /// Dictionaries with counted completeness: appending is cheap, proofs are the smallest, and a look-up costs the
    /// server a sum over all elements.
    AadCounted: DictionaryScheme, 0x0302, "aad-counted", Dictionary, Counted;
    /// Sets with counted completeness, see [`AadCounted`].
    AasCounted: SetScheme, 0x0312, "aas-counted", Set, Counted;
    /// Dictionaries with the published completeness: a look-up is cheap for the server too, and appending costs hundreds
    /// of times what it does in [`AadCounted`].
    AadFrontier: DictionaryScheme, 0x0301, "aad-frontier", Dictionary, Frontier;
    /// Sets with the published completeness, see [`AadFrontier`].
    AasFrontier: SetScheme, 0x0311, "aas-frontier", Set, Frontier;
}
