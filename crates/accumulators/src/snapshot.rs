//! Accumulator values as an author signs them, one per version.

use alloc::vec::Vec;

use pad_core::{AuthorKey, DecodeError, Domain, HeadSignature, Proof, VerifyError, Version};
use signature::Signer;

use crate::{
    scheme::{PublicKey, Scheme},
    statement::{Membership, NonMembership, SubsetMembership},
    wire::{self, Reader, Wire},
};

/// The value of one version of one accumulator: what a witness is verified against.
#[derive(Clone, Debug)]
pub struct Snapshot<A: Scheme> {
    /// The accumulator.
    pub key: A::PublicKey,
    /// The version. The author's: it must never sign two values for one version.
    pub version: Version,
    /// The value of that version's set.
    pub value: A::Value,
}

impl<A: Scheme> Snapshot<A> {
    /// What the author signs: tag block (32 bytes), scheme (2), accumulator id (32), version (8,
    /// all big-endian), value. Fixed widths but for the value, which comes last.
    pub fn signed_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(512);
        bytes.extend_from_slice(&Domain::AccumulatorSnapshot.block::<32>());
        bytes.extend_from_slice(&A::SCHEME.0.to_be_bytes());
        bytes.extend_from_slice(&self.key.id().to_bytes());
        bytes.extend_from_slice(&self.version.number().to_be_bytes());
        self.value.write(&mut bytes);
        bytes
    }

    /// What evidence for this element's membership establishes.
    pub(crate) fn membership(&self, element: &[u8]) -> Membership {
        Membership {
            accumulator: self.key.id(),
            version: self.version,
            element: element.to_vec(),
        }
    }

    /// What evidence for this element's absence establishes.
    pub(crate) fn non_membership(&self, element: &[u8]) -> NonMembership {
        NonMembership {
            accumulator: self.key.id(),
            version: self.version,
            element: element.to_vec(),
        }
    }

    /// What evidence for the membership of all these elements establishes.
    pub(crate) fn subset_membership(&self, elements: &[Vec<u8>]) -> SubsetMembership {
        SubsetMembership {
            accumulator: self.key.id(),
            version: self.version,
            elements: elements.to_vec(),
        }
    }

    /// The snapshot with the author's signature.
    ///
    /// # Errors
    /// The signer's.
    pub fn sign(
        self,
        signer: &(impl Signer<HeadSignature> + ?Sized),
    ) -> Result<SignedSnapshot<A>, signature::Error> {
        let signature = signer.try_sign(&self.signed_bytes())?;
        Ok(SignedSnapshot {
            snapshot: self,
            signature,
        })
    }
}

/// Whose values a client accepts, and of which accumulator: what it must know from elsewhere.
#[derive(Clone, Debug)]
pub struct Authority<A: Scheme> {
    /// The author's signing key.
    pub author: AuthorKey,
    /// The accumulator's public key.
    pub key: A::PublicKey,
}

/// A value with its author's signature.
#[derive(Clone, Debug)]
pub struct SignedSnapshot<A: Scheme> {
    /// What is signed.
    pub snapshot: Snapshot<A>,
    /// The signature on [`Snapshot::signed_bytes`].
    pub signature: HeadSignature,
}

/// Commitment: the authority. Query: the version. Statement: the snapshot.
impl<A: Scheme> Proof for SignedSnapshot<A> {
    type Commitment = Authority<A>;
    type Query = Version;
    type Statement = Snapshot<A>;
    type Error = VerifyError;

    fn check(
        self,
        authority: &Authority<A>,
        version: &Version,
    ) -> Result<Snapshot<A>, VerifyError> {
        if self.snapshot.key.id() != authority.key.id() {
            return Err(VerifyError::WrongAccumulator);
        }
        if self.snapshot.version != *version {
            return Err(VerifyError::WrongVersion {
                expected: *version,
                actual: self.snapshot.version,
            });
        }
        authority
            .author
            .verify(&self.snapshot.signed_bytes(), &self.signature)?;
        Ok(self.snapshot)
    }
}

/// Version (8 bytes), signature (64), value. The key is the reader's.
impl<A: Scheme> Wire for SignedSnapshot<A> {
    type Context = A::PublicKey;
    const KIND: u8 = wire::KIND_SNAPSHOT;
    const SCHEME: u16 = A::SCHEME.0;

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.snapshot.version.number().to_be_bytes());
        bytes.extend_from_slice(&self.signature.to_bytes());
        self.snapshot.value.write(bytes);
    }

    fn read(key: &A::PublicKey, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let version = Version::new(reader.u64()?);
        let signature = HeadSignature::from_bytes(&reader.array()?);
        Ok(Self {
            snapshot: Snapshot {
                key: key.clone(),
                version,
                value: A::Value::read(key, reader)?,
            },
            signature,
        })
    }
}
