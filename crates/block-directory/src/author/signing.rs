//! The common part of both kinds of authors: the next version's head, and its signature.

use pad_core::{
    ApplyError, AuthorKey, Authority, DictionaryId, Frontier, HeadSignature, HeadSigner,
    InputError, Operation, SignedHead, SnapshotHead, StoreFault, Suite, Untrusted, Update,
    VerifyError, Version, internals::refusal_reason,
};
use serde::{Deserialize, Serialize};
use signature::{Keypair, Signer};
use thiserror::Error;

use crate::entry::{DIRECTORY, root_digest};

/// Error returned when an author made no new version.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AuthorError {
    /// The signer of the head failed. The next attempt signs the same head.
    #[error("the signer failed: {}", refusal_reason(.0))]
    Signer(#[from] signature::Error),
    /// The signer's key is not the author's, so no client would accept its signature. The signature
    /// is dropped.
    #[error("the signer's key is not the author's")]
    OtherKey,
    /// The given update is not the update that produced the author's stored state.
    #[error("the update does not match the author's state")]
    OtherUpdate,
    /// The version numbers are exhausted, so there can be no further version.
    #[error("the version numbers are exhausted")]
    VersionsExhausted,
    /// The directory is not empty. A bulk load is possible only before its first version and its
    /// first change.
    #[error("the directory is not empty: it has entries, pending changes or a version")]
    NotEmpty,
    /// An object's digest is reserved, or the directory is full.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The author's directory cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreFault),
}

/// Error returned when a light author made no new version. `E` is the error of the function that
/// stores its state.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LightError<E> {
    /// The witness (the server's proof of the entries that change) does not verify under the
    /// author's own root. Distrust the server.
    #[error("the witness does not verify: {0}")]
    Refused(VerifyError),
    /// The witness is missing although registered entries change, or was given although none
    /// changes.
    #[error(
        "the witness is missing or superfluous: it is required if existing entries change, and not \
         allowed otherwise"
    )]
    WitnessMismatch,
    /// The changes break the rules of directories, for example because an entry is deleted or not
    /// assigned.
    #[error(transparent)]
    Changes(#[from] ApplyError),
    /// The last version is not yet signed and stored: call
    /// [`LightAuthor::finish`](super::light::LightAuthor::finish) first.
    #[error("an unfinished version must be signed and stored first")]
    Unfinished,
    /// No version is waiting to be signed and stored.
    #[error("there is no unfinished version to sign and store")]
    NothingUnfinished,
    /// Replaying the changes on the witness did not produce the new subtree digests. This is a bug
    /// of this library. Nothing was signed.
    #[error("the computed digests are inconsistent, nothing is signed")]
    Inconsistent,
    /// An error common to both kinds of authors.
    #[error(transparent)]
    Author(#[from] AuthorError),
    /// The function that stores the new state and the update failed. Publish nothing until
    /// [`LightAuthor::finish`](super::light::LightAuthor::finish) has stored them.
    #[error("state and update could not be stored")]
    NotKept(#[source] E),
}

/// The position of an author in the sequence of versions: the latest signed head, and the history
/// of all heads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct Sequence<S: Suite> {
    pub(crate) authority: Authority,
    history: Frontier<S>,
    pub(crate) head: Option<SignedHead<S>>,
}

impl<S: Suite> Sequence<S> {
    /// Creates the sequence of a new directory, whose author has the key of `signer`.
    pub(crate) fn new<K>(
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

    /// Creates the sequence after the version of `head`, or before version 1 for `None`.
    pub(crate) const fn at(
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

    /// Returns the number of the latest signed version.
    pub(crate) fn version(&self) -> Version {
        self.head
            .map_or(Version::EMPTY, |signed| signed.head.version)
    }

    /// Returns the history root of the next version.
    pub(crate) fn history_root(&self) -> S::Digest {
        self.history.root()
    }

    /// Seals the next version: fixes its head, with `root` and the history root. Signs nothing yet.
    /// The author may sign no other head of this version.
    pub(crate) fn seal(
        &self,
        root: S::Digest,
        history: S::Digest,
    ) -> Result<SnapshotHead<S>, AuthorError> {
        let version = self.version().next();
        Ok(SnapshotHead {
            scheme: self.authority.scheme,
            dictionary: self.authority.dictionary,
            version: version.ok_or(AuthorError::VersionsExhausted)?,
            root,
            history,
        })
    }

    /// Returns whether the latest head is signed by the author and contains `root`, and the history
    /// has one head for each version. Before the first version, `root` must be the root of the
    /// empty directory.
    pub(crate) fn ends_in(&self, root: &S::Digest) -> bool {
        let version = self.version();
        let is_signed = match self.head {
            Some(head) => {
                head.head.root == *root
                    && Untrusted::new(head)
                        .verify(&self.authority, &version)
                        .is_ok()
            }
            None => *root == root_digest::<S>(0, &S::Digest::default()),
        };
        is_signed
            && self.history.entries() == version.number()
            && self.authority.scheme == DIRECTORY
    }

    /// Signs the head of the sealed version.
    ///
    /// # Errors
    /// [`AuthorError::Signer`] if the signer fails; [`AuthorError::OtherKey`] if its key is not the
    /// author's.
    pub(crate) fn sign(
        &self,
        head: SnapshotHead<S>,
        signer: &HeadSigner,
    ) -> Result<SignedHead<S>, AuthorError> {
        let signer: &dyn Signer<HeadSignature> = signer;
        let signature = signer.try_sign(&head.signed_bytes())?;
        let signed = SignedHead { head, signature };
        let verified = Untrusted::new(signed).verify(&self.authority, &head.version);
        verified.map_err(|_| AuthorError::OtherKey)?;
        Ok(signed)
    }

    /// Returns the update for servers from the latest version to the version of `head`.
    pub(crate) fn update(&self, head: SignedHead<S>, operations: Vec<Operation>) -> Update<S> {
        Update {
            base: self.version(),
            operations,
            head,
            attachment: (),
        }
    }

    /// Makes the version of the signed `head` the latest.
    pub(crate) fn advance(&mut self, head: SignedHead<S>) {
        self.history.append(&head.head.root);
        self.head = Some(head);
    }
}
