//! What both authors share: the next version's head, and its signature.

use pad_core::{
    AuthorKey, DictionaryId, HeadSignature, HeadSigner, InputError, Operation, SignedHead,
    SnapshotHead, Suite, Update, VerifyError, Version, head::Authority, history::Frontier,
};
use serde::{Deserialize, Serialize};
use signature::{Keypair, Signer};
use thiserror::Error;

use crate::entry::DIRECTORY;

/// There is no new version.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AuthorError {
    /// The signer failed. The next attempt signs the same head.
    #[error("the signer failed: {0}")]
    Signer(#[from] signature::Error),
    /// The version numbers are exhausted.
    #[error("the version numbers are exhausted")]
    VersionsExhausted,
    /// A directory is loaded at once only before its first version and its first change.
    #[error("the directory is not empty any more")]
    NotEmpty,
    /// An object has no digest that can be registered, or there is no room for it.
    #[error(transparent)]
    Input(#[from] InputError),
}

/// Where an author stands in the sequence of versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct Sequence<S: Suite> {
    pub(super) authority: Authority,
    history: Frontier<S>,
    pub(super) head: Option<SignedHead<S>>,
}

/// A version that is not signed yet, and is the only one that may be signed next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sealed<S: Suite> {
    head: SnapshotHead<S>,
    operations: Vec<Operation>,
}

impl<S: Suite> Sequence<S> {
    /// That of a new directory of this signer.
    pub(super) fn new<K>(
        dictionary: impl Into<DictionaryId>,
        signer: &K,
    ) -> Result<Self, VerifyError>
    where
        K: Keypair<VerifyingKey: AsRef<[u8]>>,
    {
        let authority = Authority {
            author: AuthorKey::of(signer)?,
            dictionary: dictionary.into(),
            scheme: DIRECTORY,
        };
        Ok(Self::at(authority, Frontier::default(), None))
    }

    /// That after a head.
    pub(super) const fn at(
        authority: Authority,
        history: Frontier<S>,
        head: Option<SignedHead<S>>,
    ) -> Self {
        Self {
            authority,
            history,
            head,
        }
    }

    /// The latest signed version.
    pub(super) fn version(&self) -> Version {
        self.head
            .map_or(Version::EMPTY, |signed| signed.head.version)
    }

    /// The next version with this root.
    pub(super) fn seal(
        &self,
        root: S::Digest,
        operations: Vec<Operation>,
    ) -> Result<Sealed<S>, AuthorError> {
        let version = self.version().next();
        let head = SnapshotHead {
            scheme: self.authority.scheme,
            dictionary: self.authority.dictionary,
            version: version.ok_or(AuthorError::VersionsExhausted)?,
            root,
            history: self.history.root(),
        };
        Ok(Sealed { head, operations })
    }

    /// Signs the next version and goes on from it.
    pub(super) fn sign(
        &mut self,
        sealed: &Sealed<S>,
        signer: &HeadSigner,
    ) -> Result<Update<S>, signature::Error> {
        let signer: &dyn Signer<HeadSignature> = signer;
        let signature = signer.try_sign(&sealed.head.signed_bytes())?;
        let head = SignedHead {
            head: sealed.head,
            signature,
        };
        let base = self.version();
        self.history.append(&sealed.head.root);
        self.head = Some(head);
        Ok(Update {
            base,
            operations: sealed.operations.clone(),
            head,
            attachment: (),
        })
    }
}
