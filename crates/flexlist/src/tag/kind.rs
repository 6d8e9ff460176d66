//! Kinds of tags as values, for programs that choose the tag scheme at run time.
//!
//! Each kind delegates to a [`super::TagScheme`]. A key is encoded as an envelope of [`codec`] with
//! the kind's suite number, followed by the scheme's own bytes.

#![deny(clippy::arithmetic_side_effects)]

use alloc::vec::Vec;
use core::{fmt, str::FromStr};

#[cfg(feature = "std")]
use pad_core::Workers;
use pad_core::codec;
#[cfg(feature = "std")]
use rayon::prelude::*;
#[cfg(feature = "rsa")]
use rsa_group::KeySize;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

#[cfg(feature = "bls")]
use super::public_bls::{BlsOwnerKey, PublicBls};
#[cfg(feature = "rsa")]
use super::rsa::{RsaOwnerKey, RsaTags};
use super::{
    BlockTag, Challenged, TagError, WriteId,
    hash_only::HashOnly,
    private_mac::PrivateMac,
    scheme::{KeyBytes, StoredBlock, TagScheme},
};
use crate::{bytes::Bytes, error::AuditError};

#[cfg(test)]
mod tests;

#[cfg(feature = "std")]
use super::private_mac::PrivateMacKey;

/// The maximum length of an encoded key or parameter set, in bytes.
const KEY_LIMIT: usize = 1 << 17;

/// The envelope kind number of an encoded [`OwnerKey`].
const KIND_OWNER_KEY: u8 = 98;
/// The envelope kind number of encoded [`ServerParameters`].
const KIND_SERVER_PARAMETERS: u8 = 99;
/// The envelope kind number of an encoded [`VerifierKey`].
const KIND_VERIFIER_KEY: u8 = 100;

/// The tag scheme of a file. All kinds allow verified reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TagKind {
    /// Hash trees over chunks, without a key (`HashOnly`).
    HashOnly,
    /// Tags that only a holder of the secret key verifies (`PrivateMac`), with verified reads.
    #[default]
    PrivateMac,
    /// RSA tags (feature `rsa`) with a modulus of 2048 bits, with verified reads.
    Rsa2048,
    /// RSA tags (feature `rsa`) with a modulus of 3072 bits, with verified reads.
    Rsa3072,
    /// Publicly verifiable tags over BLS12-381 (feature `bls`), with verified reads.
    PublicBls,
}

impl TagKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [
        Self::HashOnly,
        Self::PrivateMac,
        Self::Rsa2048,
        Self::Rsa3072,
        Self::PublicBls,
    ];

    /// Returns the name used on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::HashOnly => "hash-only",
            Self::PrivateMac => "private-mac",
            Self::Rsa2048 => "rsa-2048",
            Self::Rsa3072 => "rsa-3072",
            Self::PublicBls => "public-bls",
        }
    }

    /// Returns whether the key that verifies proofs of possession may be public.
    pub const fn is_public(self) -> bool {
        !matches!(self, Self::PrivateMac)
    }

    /// Returns the suite number that stands for this kind of tags in envelopes.
    const fn suite(self) -> u16 {
        match self {
            Self::HashOnly => 1,
            Self::PrivateMac => 2,
            Self::Rsa2048 => 3,
            Self::Rsa3072 => 4,
            Self::PublicBls => 5,
        }
    }

    /// Encodes an envelope with the number `kind`, this tag kind's suite number and `body`.
    fn seal(self, kind: u8, body: &[u8]) -> Zeroizing<Vec<u8>> {
        let envelope = codec::envelope(kind, self.suite());
        // The capacity is reserved: a vector that grows would leave a copy of a secret behind.
        let length = envelope.len().saturating_add(body.len());
        let mut bytes = Zeroizing::new(Vec::with_capacity(length));
        bytes.extend_from_slice(&envelope);
        bytes.extend_from_slice(body);
        bytes
    }

    /// Decodes an envelope, which must have the number `kind`. Returns the tag kind and the body.
    fn open(bytes: &[u8], kind: u8) -> Result<(Self, &[u8]), TagError> {
        let suite = match bytes.get(6..8) {
            Some(&[high, low]) => u16::from_be_bytes([high, low]),
            _ => 0,
        };
        let body = codec::open(bytes, kind, suite, KEY_LIMIT)?;
        let found = Self::ALL.into_iter().find(|kind| kind.suite() == suite);
        Ok((found.ok_or(TagError::UnknownKind)?, body))
    }
}

impl fmt::Display for TagKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for TagKind {
    type Err = TagError;

    fn from_str(name: &str) -> Result<Self, TagError> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or(TagError::UnknownKind)
    }
}

/// Declares an enum with one variant for each tag kind. A variant contains the associated type
/// `$part` of the kind's [`super::TagScheme`].
macro_rules! of_each_kind {
    ($name:ident, $part:ident $(, $derived:ident)?) => {
        #[derive(Debug $(, $derived)?)]
        enum $name {
            HashOnly(<HashOnly as TagScheme>::$part),
            PrivateMac(<PrivateMac as TagScheme>::$part),
            #[cfg(feature = "rsa")]
            Rsa2048(<RsaTags<2048> as TagScheme>::$part),
            #[cfg(feature = "rsa")]
            Rsa3072(<RsaTags<3072> as TagScheme>::$part),
            #[cfg(feature = "bls")]
            PublicBls(<PublicBls as TagScheme>::$part),
        }
    };
}

of_each_kind!(Owner, OwnerKey, Clone);
of_each_kind!(Server, ServerParameters, Clone);
of_each_kind!(Proving, Prover);
of_each_kind!(Verifier, VerifierKey, Clone);

/// Matches on the tag kind of `$value`. Within the result, `$scheme` is the kind's scheme and
/// `$part` the variant's content. With `-> $to`, the result is wrapped in the variant of `$to` for
/// this kind. `$missing` is the result for kinds that the build lacks.
macro_rules! with_scheme {
    (
        $value:expr, $from:ident$(($part:pat))?, $scheme:ident $(-> $to:ident)? => $result:expr
        $(, else $missing:expr)?
    ) => {
        match $value {
            $from::HashOnly$(($part))? => {
                type $scheme = HashOnly;
                $($to::HashOnly)?($result)
            }
            $from::PrivateMac$(($part))? => {
                type $scheme = PrivateMac;
                $($to::PrivateMac)?($result)
            }
            #[cfg(feature = "rsa")]
            $from::Rsa2048$(($part))? => {
                type $scheme = RsaTags<2048>;
                $($to::Rsa2048)?($result)
            }
            #[cfg(feature = "rsa")]
            $from::Rsa3072$(($part))? => {
                type $scheme = RsaTags<3072>;
                $($to::Rsa3072)?($result)
            }
            #[cfg(feature = "bls")]
            $from::PublicBls$(($part))? => {
                type $scheme = PublicBls;
                $($to::PublicBls)?($result)
            }
            $(
                #[cfg(not(all(feature = "rsa", feature = "bls")))]
                _ => $missing,
            )?
        }
    };
}

/// Decodes a key or parameters of the tag kind `$kind` from `$body`, the scheme's own bytes.
macro_rules! part_from_bytes {
    ($kind:expr, $body:expr, $to:ident, $part:ident) => {
        with_scheme!(
            $kind, TagKind, S -> $to => <S as TagScheme>::$part::from_bytes($body)?,
            else return Err(TagError::KindUnavailable($kind))
        )
    };
}

/// The owner's key for the tags of a file. Cheap to clone.
#[derive(Clone, Debug)]
pub struct OwnerKey(TagKind, Owner);

impl OwnerKey {
    /// Generates a key. `workers` search for the primes of RSA tags, which takes from seconds to
    /// minutes.
    ///
    /// # Errors
    /// [`TagError::KindUnavailable`] if the library was built without this kind;
    /// [`TagError::RandomnessUnavailable`] if the operating system provides no random bytes.
    #[cfg(feature = "std")]
    pub fn generate(kind: TagKind, workers: &Workers) -> Result<Self, TagError> {
        #[cfg(not(feature = "rsa"))]
        let _ = workers;
        let owner = match kind {
            TagKind::HashOnly => Owner::HashOnly(()),
            TagKind::PrivateMac => Owner::PrivateMac(PrivateMacKey::generate()?),
            #[cfg(feature = "rsa")]
            TagKind::Rsa2048 => Owner::Rsa2048(RsaOwnerKey::generate(KeySize::Bits2048, workers)?),
            #[cfg(feature = "rsa")]
            TagKind::Rsa3072 => Owner::Rsa3072(RsaOwnerKey::generate(KeySize::Bits3072, workers)?),
            #[cfg(feature = "bls")]
            TagKind::PublicBls => Owner::PublicBls(BlsOwnerKey::generate()?),
            #[cfg(not(all(feature = "rsa", feature = "bls")))]
            _ => return Err(TagError::KindUnavailable(kind)),
        };
        Ok(Self(kind, owner))
    }

    /// Returns the kind of tags that this key creates.
    pub const fn kind(&self) -> TagKind {
        self.0
    }

    /// Encodes the key. The bytes are secret, and wiped on drop.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let body =
            with_scheme!(&self.1, Owner(key), S => <S as TagScheme>::OwnerKey::to_bytes(key));
        self.0.seal(KIND_OWNER_KEY, &body)
    }

    /// Decodes a key from [`OwnerKey::to_bytes`].
    ///
    /// # Errors
    /// * [`TagError::Malformed`] if the bytes are not an encoded key.
    /// * [`TagError::UnknownKind`] if they name no kind of tags; [`TagError::KindUnavailable`] if
    ///   the library was built without their kind.
    /// * Errors of the scheme's own key construction.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, TagError> {
        let (kind, body) = TagKind::open(bytes, KIND_OWNER_KEY)?;
        let owner = part_from_bytes!(kind, body, Owner, OwnerKey);
        Ok(Self(kind, owner))
    }

    /// Computes the tag of a block. `write` identifies this write of the block; no write id may be
    /// used twice.
    ///
    /// # Errors
    /// [`TagError::BlockEmpty`] for a block without bytes; [`TagError::BlockTooLong`] for a block
    /// longer than the scheme allows; [`TagError::FaultDetected`] if a computation with secret
    /// factors fails its check.
    pub fn tag(&self, write: WriteId, block: &[u8]) -> Result<BlockTag, TagError> {
        let tag = with_scheme!(&self.1, Owner(key), S => S::tag(key, write, block))?;
        Ok(self.0.with_root(tag, block))
    }

    /// Computes the tags of many blocks on all workers, in the order of `blocks`.
    ///
    /// # Errors
    /// The errors of [`OwnerKey::tag`].
    #[cfg(feature = "std")]
    pub fn tag_all<B: AsRef<[u8]> + Sync>(
        &self,
        blocks: &[(WriteId, B)],
        workers: &Workers,
    ) -> Result<Vec<BlockTag>, TagError> {
        let tag = |(write, block): &(WriteId, B)| self.tag(*write, block.as_ref());
        if workers.threads() == 1 {
            blocks.iter().map(tag).collect()
        } else {
            workers.run(|| blocks.par_iter().map(tag).collect())
        }
    }

    /// Returns the part of the key that a server needs to create proofs.
    pub fn server_parameters(&self) -> ServerParameters {
        let server = with_scheme!(&self.1, Owner(key), S -> Server => S::server_parameters(key));
        ServerParameters(self.0, server)
    }

    /// Returns the key that verifies proofs. For [`TagKind::PrivateMac`] it is as secret as the
    /// owner's key.
    pub fn verifier(&self) -> VerifierKey {
        let verifier = with_scheme!(&self.1, Owner(key), S -> Verifier => S::verifier_key(key));
        VerifierKey(self.0, verifier)
    }

    /// Verifies a proof like [`VerifierKey::verify`], but faster for RSA tags.
    ///
    /// # Errors
    /// The errors of [`VerifierKey::verify`].
    pub fn verify(&self, blocks: &[(Challenged, Bytes)], proof: &[u8]) -> Result<(), AuditError> {
        let blocks = self.0.opened(blocks)?;
        with_scheme!(&self.1, Owner(key), S => S::verify_as_owner(key, &blocks, proof))
    }
}

/// The public parameters with which a server creates proofs for a file's tags. Cheap to clone.
#[derive(Clone, Debug)]
pub struct ServerParameters(TagKind, Server);

impl ServerParameters {
    /// Returns the kind of tags that these parameters belong to.
    pub const fn kind(&self) -> TagKind {
        self.0
    }

    /// Encodes the parameters.
    pub fn to_bytes(&self) -> Vec<u8> {
        let body = with_scheme!(
            &self.1,
            Server(parameters),
            S => <S as TagScheme>::ServerParameters::to_bytes(parameters)
        );
        self.0.seal(KIND_SERVER_PARAMETERS, &body).to_vec()
    }

    /// Decodes parameters from [`ServerParameters::to_bytes`].
    ///
    /// # Errors
    /// * [`TagError::Malformed`] if the bytes are not such an encoding.
    /// * [`TagError::UnknownKind`] if they name no kind of tags; [`TagError::KindUnavailable`] if
    ///   the library was built without their kind.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, TagError> {
        let (kind, body) = TagKind::open(bytes, KIND_SERVER_PARAMETERS)?;
        let server = part_from_bytes!(kind, body, Server, ServerParameters);
        Ok(Self(kind, server))
    }

    /// Starts a proof that contains no blocks yet.
    pub fn prover(&self) -> Prover {
        let proving =
            with_scheme!(&self.1, Server(parameters), S -> Proving => S::prover(parameters));
        Prover(self.0, proving)
    }

    /// Checks that tags match their blocks, as far as a server can check this without the owner's
    /// key.
    ///
    /// Checks the hash trees and, for RSA and BLS tags, also the tags (all in one batch). Of a tag
    /// of [`TagKind::PrivateMac`], only the form can be checked.
    ///
    /// # Errors
    /// * [`TagError::BlockEmpty`] for a block without bytes; [`TagError::BlockTooLong`] for a block
    ///   longer than the scheme allows.
    /// * [`TagError::TagMalformed`] for a tag without the form of its scheme;
    ///   [`TagError::BlockMismatch`] for a tag that does not match its block.
    /// * [`TagError::RandomnessUnavailable`] if the operating system provides no random bytes.
    #[doc(hidden)]
    pub fn check_tags(&self, blocks: &[StoredBlock<'_>]) -> Result<(), TagError> {
        let tags = self.0.own_tags(blocks)?;
        let own = tags.iter().zip(blocks);
        let own: Vec<_> = own
            .map(|(tag, block)| StoredBlock { tag, ..*block })
            .collect();
        with_scheme!(&self.1, Server(parameters), S => S::check_tags(parameters, &own))
    }
}

/// A proof of possession in progress. The server adds the challenged blocks with
/// [`Prover::absorb`].
#[derive(Debug)]
pub struct Prover(TagKind, Proving);

impl Prover {
    /// Adds a challenged block and its tag to the proof. Blocks must be added in file order.
    ///
    /// # Errors
    /// * [`TagError::BlockMismatch`] if the block does not match its tag or challenge.
    /// * [`TagError::TagMalformed`] for a tag without the form of its scheme.
    /// * [`TagError::BlockEmpty`] for a block without bytes; [`TagError::BlockTooLong`] for a block
    ///   longer than the scheme allows.
    pub fn absorb(
        &mut self,
        challenged: &Challenged,
        tag: &BlockTag,
        block: &[u8],
    ) -> Result<(), TagError> {
        let tag = self.0.own_tag(tag)?;
        with_scheme!(&mut self.1, Proving(prover), S => S::absorb(prover, challenged, &tag, block))
    }

    /// Completes the proof and returns its encoding.
    pub fn finish(self) -> Vec<u8> {
        with_scheme!(self.1, Proving(prover), S => S::finish(prover))
    }
}

/// The key that verifies proofs of possession. Cheap to clone.
///
/// Secret for [`TagKind::PrivateMac`], since its holder can forge tags and proofs. Public for the
/// other kinds.
#[derive(Clone, Debug)]
pub struct VerifierKey(TagKind, Verifier);

impl VerifierKey {
    /// Returns the kind of tags that this key verifies.
    pub const fn kind(&self) -> TagKind {
        self.0
    }

    /// Encodes the key; the bytes are overwritten when dropped. Secret for [`TagKind::PrivateMac`].
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let body =
            with_scheme!(&self.1, Verifier(key), S => <S as TagScheme>::VerifierKey::to_bytes(key));
        self.0.seal(KIND_VERIFIER_KEY, &body)
    }

    /// Decodes a key from [`VerifierKey::to_bytes`].
    ///
    /// # Errors
    /// * [`TagError::Malformed`] if the bytes are not such an encoding.
    /// * [`TagError::UnknownKind`] if they name no kind of tags; [`TagError::KindUnavailable`] if
    ///   the library was built without their kind.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, TagError> {
        let (kind, body) = TagKind::open(bytes, KIND_VERIFIER_KEY)?;
        let verifier = part_from_bytes!(kind, body, Verifier, VerifierKey);
        Ok(Self(kind, verifier))
    }

    /// Verifies a proof for the challenged blocks, each given with the committed part of its tag.
    ///
    /// The caller must have checked that:
    ///
    /// * the list contains these blocks in this order,
    /// * its leaves store [`super::committed_digest`] of the committed parts,
    /// * the hits are the hits of the challenge.
    ///
    /// # Errors
    /// [`AuditError`] of the first check that fails.
    pub fn verify(&self, blocks: &[(Challenged, Bytes)], proof: &[u8]) -> Result<(), AuditError> {
        let blocks = self.0.opened(blocks)?;
        with_scheme!(&self.1, Verifier(key), S => S::verify(key, &blocks, proof))
    }
}
