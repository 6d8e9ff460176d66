//! Snapshot heads: the statement that an author signs for each version.

use alloc::vec::Vec;
use core::{fmt, str::FromStr};

use ::signature::Signer;
use serde::{Deserialize, Serialize};

use crate::{
    codec::Message,
    digest::{Digest, Domain, deserialize_array, parse_hexadecimal, serialize_array},
    error::VerifyError,
    proof::Proof,
    signature::{AuthorKey, HeadSignature, as_bytes},
    suite::Suite,
    version::Version,
};

/// The number of a scheme in signed heads. A scheme defines how a root is computed from the
/// contents.
///
/// `pad-tree` lists the numbers of the tree schemes. The storage strategy of a server is not part
/// of the scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SchemeId(pub u16);

/// The id of a dictionary: 16 bytes, chosen once by the author.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DictionaryId([u8; 16]);

impl DictionaryId {
    /// Creates an id from 16 bytes, for example 16 random bytes.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Derives an id from a name: the first 16 bytes of its SHA-256 digest under
    /// [`Domain::DictionaryId`].
    pub fn from_name(name: &str) -> Self {
        let digest = crate::suite::Sha256Ed25519::hash(Domain::DictionaryId, &[name.as_bytes()]);
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest.0[..16]);
        Self(bytes)
    }

    /// The 16 bytes of the id.
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0
    }
}

/// Derives the id from a name, as [`DictionaryId::from_name`] does.
impl From<&str> for DictionaryId {
    fn from(name: &str) -> Self {
        Self::from_name(name)
    }
}

impl fmt::Display for DictionaryId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        Digest(self.0).fmt(formatter)
    }
}

impl fmt::Debug for DictionaryId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "DictionaryId({self})")
    }
}

/// Error returned for a text that is not a [`DictionaryId`]: 32 lower-case hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseDictionaryIdError {
    /// The text has another number of characters.
    #[error(
        "a dictionary id has 32 lower-case hexadecimal digits, and the text has {found} characters"
    )]
    Length {
        /// The number of characters of the text.
        found: usize,
    },
    /// A character is no lower-case hexadecimal digit.
    #[error(
        "a dictionary id has 32 lower-case hexadecimal digits, and character {position} of the \
         text is {found:?}"
    )]
    Digit {
        /// The position of the first such character, counted from 1.
        position: usize,
        /// The character.
        found: char,
    },
}

impl FromStr for DictionaryId {
    type Err = ParseDictionaryIdError;

    fn from_str(text: &str) -> Result<Self, ParseDictionaryIdError> {
        parse_hexadecimal(text).map(Self).ok_or_else(|| {
            let length = text.chars().count();
            let is_digit = |character| matches!(character, '0'..='9' | 'a'..='f');
            let mut numbered = (1..).zip(text.chars());
            match numbered.find(|(_, character)| !is_digit(*character)) {
                Some((position, found)) if length == DIGITS => {
                    ParseDictionaryIdError::Digit { position, found }
                }
                _ => ParseDictionaryIdError::Length { found: length },
            }
        })
    }
}

/// Number of digits of a dictionary id as text.
const DIGITS: usize = 32;

impl Serialize for DictionaryId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_array(&self.0, serializer)
    }
}

impl<'de> Deserialize<'de> for DictionaryId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_array(deserializer).map(Self)
    }
}

/// The statement that an author signs: the root and history of one version of a dictionary.
///
/// ```
/// use ed25519_dalek::SigningKey;
/// use pad_core::{
///     AuthorKey, DictionaryId, SchemeId, Sha256Ed25519, SnapshotHead, Untrusted, VerifyError,
///     Version, Authority,
/// };
///
/// let signer = SigningKey::from_bytes(&[7; 32]);
/// let author = AuthorKey::from_bytes(signer.verifying_key().as_bytes())?;
/// let dictionary = DictionaryId::from_name("example");
/// let authority = Authority { author, dictionary, scheme: SchemeId(1) };
///
/// let empty = SnapshotHead::<Sha256Ed25519>::empty(authority.scheme, dictionary);
/// let signed = SnapshotHead { version: Version::new(1), ..empty }.sign(&signer)?;
///
/// let verified = Untrusted::new(signed).verify(&authority, &Version::new(1))?;
/// assert_eq!(verified.get().root, empty.root);
/// let mut forged = signed;
/// forged.head.root.0[0] ^= 1;
/// let refused = Untrusted::new(forged).verify(&authority, &Version::new(1));
/// assert_eq!(refused, Err(VerifyError::SignatureInvalid));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct SnapshotHead<S: Suite> {
    /// The number of the scheme that computes the root from the contents.
    pub scheme: SchemeId,
    /// The dictionary's id.
    pub dictionary: DictionaryId,
    /// The version of the dictionary that the head describes.
    pub version: Version,
    /// The root digest of the version's contents, as the scheme computes it.
    pub root: S::Digest,
    /// The root of the history log over all earlier versions, from 1 to `version - 1`.
    pub history: S::Digest,
}

impl<S: Suite> SnapshotHead<S> {
    /// The head of version 0: the empty dictionary, which needs no signature.
    pub fn empty(scheme: SchemeId, dictionary: DictionaryId) -> Self {
        Self {
            scheme,
            dictionary,
            version: Version::EMPTY,
            root: S::empty_tree(),
            history: S::empty_history(),
        }
    }

    /// The bytes that the author signs. They have a fixed width, and integers are big-endian: tag
    /// (32) ‖ suite (2) ‖ scheme (2) ‖ dictionary (16) ‖ version (8) ‖ root ‖ history.
    pub fn signed_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(LONGEST_SIGNED);
        bytes.extend_from_slice(&Domain::SignedHead.block::<32>());
        bytes.extend_from_slice(&S::ID.0.to_be_bytes());
        bytes.extend_from_slice(&self.scheme.0.to_be_bytes());
        bytes.extend_from_slice(&self.dictionary.0);
        bytes.extend_from_slice(&self.version.number().to_be_bytes());
        bytes.extend_from_slice(self.root.as_ref());
        bytes.extend_from_slice(self.history.as_ref());
        bytes
    }

    /// Signs this head.
    ///
    /// # Errors
    /// The signer's error, for example of a disconnected hardware module.
    pub fn sign(
        self,
        signer: &impl Signer<HeadSignature>,
    ) -> Result<SignedHead<S>, ::signature::Error> {
        let signature = signer.try_sign(&self.signed_bytes())?;
        Ok(SignedHead {
            head: self,
            signature,
        })
    }
}

/// The length in bytes of the longest signed message: that of a head with two digests of 32 bytes.
const LONGEST_SIGNED: usize = 60 + 2 * 32;

/// Evidence for version 0: the empty dictionary, by definition and without a signature.
///
/// Verified against the [`Authority`], without a query. The statement is the head of version 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmptyDictionary<S>(core::marker::PhantomData<S>);

impl<S> EmptyDictionary<S> {
    /// Creates the evidence for version 0.
    pub const fn new() -> Self {
        Self(core::marker::PhantomData)
    }
}

impl<S> Default for EmptyDictionary<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Suite> Proof for EmptyDictionary<S> {
    type Commitment = Authority;
    type Query = ();
    type Statement = SnapshotHead<S>;
    type Error = VerifyError;

    fn check(self, authority: &Authority, (): &()) -> Result<SnapshotHead<S>, VerifyError> {
        Ok(SnapshotHead::empty(authority.scheme, authority.dictionary))
    }
}

/// The author, dictionary and scheme whose heads a client accepts. Get these from a trusted source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Authority {
    /// The author's public key.
    pub author: AuthorKey,
    /// The dictionary's id.
    pub dictionary: DictionaryId,
    /// The dictionary's scheme.
    pub scheme: SchemeId,
}

/// A head with the author's signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct SignedHead<S: Suite> {
    /// The signed head.
    pub head: SnapshotHead<S>,
    /// The signature on [`SnapshotHead::signed_bytes`].
    #[serde(with = "as_bytes")]
    pub signature: HeadSignature,
}

impl<S: Suite> Message for SignedHead<S> {
    const KIND: u8 = 1;
    const SUITE: u16 = S::ID.0;
    const INJECTIVE: bool = true;
}

/// Verified against the [`Authority`]. The query is the expected version, at least 1: version 0
/// needs no signature (see [`EmptyDictionary`]). The statement is the [`SnapshotHead`].
impl<S: Suite> Proof for SignedHead<S> {
    type Commitment = Authority;
    type Query = Version;
    type Statement = SnapshotHead<S>;
    type Error = VerifyError;

    fn check(
        self,
        authority: &Authority,
        version: &Version,
    ) -> Result<SnapshotHead<S>, VerifyError> {
        let head = self.head;
        if head.dictionary != authority.dictionary {
            return Err(VerifyError::WrongDictionary);
        }
        if head.scheme != authority.scheme {
            let (expected, actual) = (authority.scheme.0, head.scheme.0);
            return Err(VerifyError::WrongScheme { expected, actual });
        }
        if head.version != *version {
            let (expected, actual) = (*version, head.version);
            return Err(VerifyError::WrongVersion { expected, actual });
        }
        if head.version == Version::EMPTY {
            return Err(VerifyError::EmptyVersionSigned);
        }
        let author = authority.author;
        author.verify(&head.signed_bytes(), &self.signature)?;
        Ok(head)
    }
}
