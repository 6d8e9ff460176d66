//! The schemes: what is appended, and how completeness is shown.

use core::fmt::Debug;

use pad_core::SchemeId;

/// A scheme of append-only dictionaries or sets.
///
/// All of today's are *counted*: an element stands for one scalar, that of its key half, and how often the key's scalar
/// divides the polynomial of a tree is opened in a look-up.
pub trait Scheme: Copy + Debug + Default + Eq + Send + Sync + 'static {
    /// The number of the scheme in signed heads, ids and envelopes.
    const ID: SchemeId;
    /// The name of the scheme for people, for example `aad-counted`.
    const NAME: &'static str;
    /// What is appended.
    const CONTENTS: Contents;
}

/// A scheme whose entries are keys with values.
pub trait DictionaryScheme: Scheme {}

/// A scheme whose entries are members alone.
pub trait SetScheme: Scheme {}

/// What is appended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Pairs of keys and values; a key may have many, and a pair may occur often.
    Dictionary,
    /// Members, each of them once.
    Set,
}

/// Dictionaries with counted completeness: appending is cheap, proofs are the smallest, and a look-up costs the
/// server a sum over all elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AadCounted;

impl Scheme for AadCounted {
    const ID: SchemeId = SchemeId(0x0302);
    const NAME: &'static str = "aad-counted";
    const CONTENTS: Contents = Contents::Dictionary;
}

impl DictionaryScheme for AadCounted {}

/// Sets with counted completeness, see [`AadCounted`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AasCounted;

impl Scheme for AasCounted {
    const ID: SchemeId = SchemeId(0x0312);
    const NAME: &'static str = "aas-counted";
    const CONTENTS: Contents = Contents::Set;
}

impl SetScheme for AasCounted {}
