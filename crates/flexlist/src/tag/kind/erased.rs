//! Schemes behind trait objects: what [`super::OwnerKey`] and the others hold.

#![deny(clippy::arithmetic_side_effects)]

use alloc::{boxed::Box, sync::Arc, vec::Vec};
use core::{fmt, marker::PhantomData};

use zeroize::Zeroizing;

use crate::{
    error::AuditError,
    tag::{
        BlockTag, Challenged, TagError, WriteId,
        scheme::{KeyBytes, OpenedBlock, StoredBlock, TagScheme, VerifiedReads},
    },
};

/// A scheme without its types: how keys are read.
pub(super) trait Scheme: Sync {
    fn owner(&self, bytes: &[u8]) -> Result<Arc<dyn Owner>, TagError>;
    fn server(&self, bytes: &[u8]) -> Result<Arc<dyn Server>, TagError>;
    fn verifier(&self, bytes: &[u8]) -> Result<Arc<dyn Verifier>, TagError>;
}

/// An owner's key without its type.
pub(super) trait Owner: fmt::Debug + Send + Sync {
    fn to_bytes(&self) -> Zeroizing<Vec<u8>>;
    fn tag(&self, write: WriteId, block: &[u8]) -> Result<BlockTag, TagError>;
    fn server(&self) -> Arc<dyn Server>;
    fn verifier(&self) -> Arc<dyn Verifier>;
    fn verify(&self, blocks: &[OpenedBlock<'_>], proof: &[u8]) -> Result<(), AuditError>;
}

/// A server's parameters without their type.
pub(super) trait Server: fmt::Debug + Send + Sync {
    fn to_bytes(&self) -> Zeroizing<Vec<u8>>;
    fn prover(&self) -> Box<dyn Proving>;
    fn check_tags(&self, blocks: &[StoredBlock<'_>]) -> Result<(), TagError>;
}

/// A proof under way without its type.
pub(super) trait Proving: fmt::Debug + Send {
    fn absorb(
        &mut self,
        challenged: &Challenged,
        tag: &BlockTag,
        block: &[u8],
    ) -> Result<(), TagError>;
    fn finish(self: Box<Self>) -> Vec<u8>;
}

/// A verifier's key without its type.
pub(super) trait Verifier: fmt::Debug + Send + Sync {
    fn to_bytes(&self) -> Zeroizing<Vec<u8>>;
    fn verify(&self, blocks: &[OpenedBlock<'_>], proof: &[u8]) -> Result<(), AuditError>;
    fn check_block(&self, start: u64, committed: &[u8], block: &[u8]) -> Result<(), AuditError>;
}

/// No value: the scheme alone.
pub(super) struct Erased<S>(pub(super) PhantomData<fn() -> S>);

#[derive(Debug)]
pub(super) struct Keyed<S: TagScheme>(pub(super) S::OwnerKey);

#[derive(Debug)]
pub(super) struct Serving<S: TagScheme>(pub(super) S::ServerParameters);

#[derive(Debug)]
pub(super) struct Verifying<S: TagScheme>(pub(super) S::VerifierKey);

#[derive(Debug)]
pub(super) struct UnderWay<S: TagScheme>(pub(super) S::Prover);

impl<S: VerifiedReads> Scheme for Erased<S> {
    fn owner(&self, bytes: &[u8]) -> Result<Arc<dyn Owner>, TagError> {
        Ok(Arc::new(Keyed::<S>(KeyBytes::from_bytes(bytes)?)))
    }

    fn server(&self, bytes: &[u8]) -> Result<Arc<dyn Server>, TagError> {
        Ok(Arc::new(Serving::<S>(KeyBytes::from_bytes(bytes)?)))
    }

    fn verifier(&self, bytes: &[u8]) -> Result<Arc<dyn Verifier>, TagError> {
        Ok(Arc::new(Verifying::<S>(KeyBytes::from_bytes(bytes)?)))
    }
}

impl<S: VerifiedReads + fmt::Debug> Owner for Keyed<S> {
    fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        self.0.to_bytes()
    }

    fn tag(&self, write: WriteId, block: &[u8]) -> Result<BlockTag, TagError> {
        S::tag(&self.0, write, block)
    }

    fn server(&self) -> Arc<dyn Server> {
        Arc::new(Serving::<S>(S::server_parameters(&self.0)))
    }

    fn verifier(&self) -> Arc<dyn Verifier> {
        Arc::new(Verifying::<S>(S::verifier_key(&self.0)))
    }

    fn verify(&self, blocks: &[OpenedBlock<'_>], proof: &[u8]) -> Result<(), AuditError> {
        S::verify_as_owner(&self.0, blocks, proof)
    }
}

impl<S: VerifiedReads + fmt::Debug> Server for Serving<S> {
    fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        self.0.to_bytes()
    }

    fn prover(&self) -> Box<dyn Proving> {
        Box::new(UnderWay::<S>(S::prover(&self.0)))
    }

    fn check_tags(&self, blocks: &[StoredBlock<'_>]) -> Result<(), TagError> {
        S::check_tags(&self.0, blocks)
    }
}

impl<S: VerifiedReads + fmt::Debug> Proving for UnderWay<S> {
    fn absorb(
        &mut self,
        challenged: &Challenged,
        tag: &BlockTag,
        block: &[u8],
    ) -> Result<(), TagError> {
        S::absorb(&mut self.0, challenged, tag, block)
    }

    fn finish(self: Box<Self>) -> Vec<u8> {
        S::finish(self.0)
    }
}

impl<S: VerifiedReads + fmt::Debug> Verifier for Verifying<S> {
    fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        self.0.to_bytes()
    }

    fn verify(&self, blocks: &[OpenedBlock<'_>], proof: &[u8]) -> Result<(), AuditError> {
        S::verify(&self.0, blocks, proof)
    }

    fn check_block(&self, start: u64, committed: &[u8], block: &[u8]) -> Result<(), AuditError> {
        S::check_block(start, committed, block)
    }
}
