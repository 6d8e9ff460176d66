//! Accumulator values signed by an author, one per version.

use alloc::vec::Vec;

use pad_core::{
    AuthorKey, DecodeError, HeadSignature, Proof, VerifyError, Version, internals::Domain,
};
use signature::Signer;

use crate::{
    scheme::{PublicKey, Scheme},
    statement::{Membership, NonMembership, SubsetMembership},
    wire::{self, Reader, Wire},
};

/// The value of one version of an accumulator's set. Witnesses are verified against it.
#[derive(Clone, Debug)]
pub struct Snapshot<A: Scheme> {
    /// The accumulator's public key.
    pub key: A::PublicKey,
    /// Number of the version of the set. The author must never sign two values for one version.
    pub version: Version,
    /// The value of that version's set.
    pub value: A::Value,
}

impl<A: Scheme> Snapshot<A> {
    /// Encodes the message that the author signs.
    ///
    /// Layout: tag that marks the message as a snapshot (32 bytes), number of the scheme (2),
    /// accumulator id (32), version (8), value. Numbers are big-endian. All fields but the value,
    /// which comes last, have a fixed width.
    pub fn signed_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(512);
        bytes.extend_from_slice(&Domain::AccumulatorSnapshot.block::<32>());
        bytes.extend_from_slice(&A::SCHEME.0.to_be_bytes());
        bytes.extend_from_slice(&self.key.id().to_bytes());
        bytes.extend_from_slice(&self.version.number().to_be_bytes());
        self.value.write(&mut bytes);
        bytes
    }

    /// Builds the statement that an element is in the set of this snapshot. Nothing is verified
    /// here.
    pub(crate) fn membership(&self, element: &[u8]) -> Membership {
        Membership {
            accumulator: self.key.id(),
            version: self.version,
            element: element.to_vec(),
        }
    }

    /// Builds the statement that an element is not in the set of this snapshot. Nothing is verified
    /// here.
    pub(crate) fn non_membership(&self, element: &[u8]) -> NonMembership {
        NonMembership {
            accumulator: self.key.id(),
            version: self.version,
            element: element.to_vec(),
        }
    }

    /// Builds the statement that all `elements` are in the set of this snapshot. Nothing is
    /// verified here.
    pub(crate) fn subset_membership(&self, elements: &[Vec<u8>]) -> SubsetMembership {
        SubsetMembership {
            accumulator: self.key.id(),
            version: self.version,
            elements: elements.to_vec(),
        }
    }

    /// Signs the snapshot.
    ///
    /// # Errors
    /// [`signature::Error`] if the signer fails.
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

/// An author and an accumulator whose values a client accepts. The client must obtain both from a
/// trusted source.
#[derive(Clone, Debug)]
pub struct Authority<A: Scheme> {
    /// The author's public signing key.
    pub author: AuthorKey,
    /// The accumulator's public key.
    pub key: A::PublicKey,
}

/// An accumulator value of one version with its author's signature.
#[derive(Clone, Debug)]
pub struct SignedSnapshot<A: Scheme> {
    /// The signed snapshot.
    pub snapshot: Snapshot<A>,
    /// The signature on [`Snapshot::signed_bytes`].
    pub signature: HeadSignature,
}

/// Commitment: the [`Authority`] that the client trusts. Query: the version. Statement: the
/// snapshot, which the author has signed.
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

/// Layout: version (8 bytes), signature (64), value. The key is not encoded; decoding takes it from
/// its context.
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
