//! The author of a dictionary of any family: changes the contents and signs snapshots.

use alloc::vec::Vec;
use core::fmt;

use ::signature::{Keypair, Signer};

use crate::{
    codec,
    dictionary::Dictionary,
    error::{InputError, VerifyError},
    family::PublicKey,
    head::DictionaryId,
    hosting::{Authored, Hosts},
    key::{Key, Value},
    signature::{AuthorKey, HeadSignature, HeadSigner},
    version::Version,
};

/// The author of a dictionary: changes the contents, and publishes signed snapshots as bytes for
/// the server.
///
/// The [family](crate::Family) `F` defines how contents become a signed root and how answers are
/// proved. Obeys the laws of [`Dictionary`].
pub struct Author<F: Authored> {
    dictionary: F::Author,
    public: PublicKey<F>,
}

impl<F: Authored> fmt::Debug for Author<F> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Author")
            .field("public", &self.public)
            .finish_non_exhaustive()
    }
}

/// Error returned when an author cannot be created; `E` is [`Authored::AuthorError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NewAuthorError<E> {
    /// The signer's public key is invalid, or differs from the author's key in the repository to
    /// resume from.
    #[error(transparent)]
    Key(#[from] VerifyError),
    /// The family's secret could not be generated, or the family could not resume from the
    /// repository. Only some families need a secret in addition to the signing key.
    #[error(transparent)]
    Secret(E),
}

impl<F: Authored> Author<F> {
    /// Creates the author of a new, empty dictionary, with a new secret if the family needs one.
    ///
    /// The secret is lost with the author. To continue after a restart, call
    /// [`Authored::generate_secret`], store the secret, and use [`Author::with_secret`].
    ///
    /// # Errors
    /// [`NewAuthorError`].
    pub fn new<K>(
        dictionary: impl Into<DictionaryId>,
        signer: K,
    ) -> Result<Self, NewAuthorError<F::AuthorError>>
    where
        K: Signer<HeadSignature> + Keypair<VerifyingKey: AsRef<[u8]>> + Send + Sync + 'static,
    {
        let secret = F::generate_secret().map_err(NewAuthorError::Secret)?;
        Ok(Self::with_secret(dictionary, signer, secret)?)
    }

    /// Creates the author of a new, empty dictionary with an existing secret of the family. The
    /// secret is `()` for trees.
    ///
    /// # Errors
    /// [`VerifyError::AuthorKeyInvalid`] if the signer's public key is invalid.
    pub fn with_secret<K>(
        dictionary: impl Into<DictionaryId>,
        signer: K,
        secret: F::Secret,
    ) -> Result<Self, VerifyError>
    where
        K: Signer<HeadSignature> + Keypair<VerifyingKey: AsRef<[u8]>> + Send + Sync + 'static,
    {
        let author = AuthorKey::of(&signer)?;
        let public = PublicKey::new(author, dictionary.into(), F::key(&secret));
        let dictionary = F::author(*public.authority(), HeadSigner::new(signer), secret);
        Ok(Self { dictionary, public })
    }

    /// Resumes an author from the latest version of `repository`.
    ///
    /// The author trusts the repository: use only its own backup. Never resume from a repository
    /// that may lack a published snapshot. The author would sign a second head for the same
    /// version.
    ///
    /// # Errors
    /// [`NewAuthorError`]: the signer's public key is invalid, the signer or the secret does not
    /// match the repository, or the repository cannot be read.
    pub fn resume<K, R>(
        repository: &R,
        signer: K,
        secret: F::Secret,
    ) -> Result<Self, NewAuthorError<F::AuthorError>>
    where
        K: Signer<HeadSignature> + Keypair<VerifyingKey: AsRef<[u8]>> + Send + Sync + 'static,
        R: Hosts<Family = F>,
    {
        let (author, key) = (AuthorKey::of(&signer)?, F::key(&secret));
        let dictionary = repository
            .resume(HeadSigner::new(signer), secret)
            .map_err(NewAuthorError::Secret)?;
        let authority = dictionary.authority();
        if author != authority.author {
            return Err(VerifyError::SignatureInvalid.into());
        }
        let public = PublicKey::new(author, authority.dictionary, key);
        Ok(Self { dictionary, public })
    }

    /// The public key with which clients and servers verify this author's messages.
    pub const fn public(&self) -> &PublicKey<F> {
        &self.public
    }

    /// The version of the latest snapshot, without pending changes.
    pub fn version(&self) -> Version {
        self.dictionary.version()
    }

    /// The number of entries, pending changes included. Time: one search for each pending change.
    pub fn len(&self) -> usize {
        self.dictionary.len()
    }

    /// Whether there are no entries, pending changes included.
    pub fn is_empty(&self) -> bool {
        self.dictionary.is_empty()
    }

    /// The value of a key, pending changes included; `None` if the key is absent.
    pub fn get(&self, key: impl AsRef<[u8]>) -> Option<&[u8]> {
        self.dictionary.get(key.as_ref())
    }

    /// Sets the value of a key; servers see the change with the next snapshot.
    ///
    /// # Errors
    /// [`InputError`] if the key or the value is too long.
    pub fn put<K, V>(&mut self, key: K, value: V) -> Result<(), InputError>
    where
        K: TryInto<Key, Error: Into<InputError>>,
        V: TryInto<Value, Error: Into<InputError>>,
    {
        let key = key.try_into().map_err(Into::into)?;
        let value = value.try_into().map_err(Into::into)?;
        self.dictionary.put(key, value);
        Ok(())
    }

    /// Removes a key; servers see the change with the next snapshot. Returns whether the key was
    /// present.
    ///
    /// # Errors
    /// [`InputError`] if the key is too long.
    pub fn remove<K>(&mut self, key: K) -> Result<bool, InputError>
    where
        K: TryInto<Key, Error: Into<InputError>>,
    {
        let key = key.try_into().map_err(Into::into)?;
        Ok(self.dictionary.remove(&key))
    }

    /// Seals and signs the pending changes as the next version. Returns an encoded
    /// [`crate::Update`] for the server.
    ///
    /// # Errors
    /// The error of the signer or of the family. The changes then stay pending.
    pub fn snapshot(&mut self) -> Result<Vec<u8>, F::AuthorError> {
        Ok(codec::encode(&self.dictionary.snapshot()?))
    }

    /// Returns the family's own author type, for operations that are not available for every
    /// family.
    pub const fn dictionary(&self) -> &F::Author {
        &self.dictionary
    }

    /// Like [`Author::dictionary`], but returns a mutable reference, for changes.
    pub const fn dictionary_mut(&mut self) -> &mut F::Author {
        &mut self.dictionary
    }
}
