//! The signing keys of an author: a secret key, or a signer outside of the program.

use core::fmt;
use std::path::{Path, PathBuf};

use pad_core::{AuthorKey, HeadSignature, HeadSigner};
use signature::Signer;
use zeroize::Zeroizing;

use crate::keys::{KeyFileError, PublicKey, SecretKey, require_no_secret};

/// The signing keys of an author: the public key, the signer of heads, and the scheme's secret, if
/// the scheme has one.
///
/// A reference to a [`SecretKey`] converts into its keys. [`SigningKeys::external`] takes a signer
/// that holds the secret key elsewhere, such as a hardware module or an agent.
#[derive(Clone)]
pub struct SigningKeys {
    public: PublicKey,
    signer: HeadSigner,
    own: Zeroizing<Vec<u8>>,
    path: Option<PathBuf>,
}

impl fmt::Debug for SigningKeys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "SigningKeys(of {})",
            self.public.authority.author
        )
    }
}

impl SigningKeys {
    /// Creates the keys of an author whose secret key is outside of this program.
    ///
    /// The signer may block. If it fails with an error from [`signature::Error::from_source`], that
    /// source is the source of [`crate::AuthorError::Signing`]. Each signature is verified with
    /// `public` before it is used. For a wrong signature, the source is
    /// [`pad_core::VerifyError::SignatureInvalid`].
    ///
    /// An asynchronous signer runs on its own thread or runtime, and answers through a channel:
    ///
    /// ```
    /// use std::sync::mpsc::{Sender, channel};
    ///
    /// use authdict::{Author, RedBlack, SecretKey, SigningKeys, Tree, pad_core::HeadSignature};
    /// use signature::{Error, Signer};
    ///
    /// type Answer = Sender<Result<HeadSignature, Error>>;
    ///
    /// struct Remote(Sender<(Vec<u8>, Answer)>);
    ///
    /// impl Signer<HeadSignature> for Remote {
    ///     fn try_sign(&self, message: &[u8]) -> Result<HeadSignature, Error> {
    ///         let (answer, answered) = channel();
    ///         let request = (message.to_vec(), answer);
    ///         self.0.send(request).map_err(Error::from_source)?;
    ///         answered.recv().map_err(Error::from_source)?
    ///     }
    /// }
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let [key, store] = ["k", "s"].map(|name| folder.path().join(name));
    /// let secret = SecretKey::create::<Tree<RedBlack>>(&key, "prices")?;
    /// let (requests, received) = channel::<(Vec<u8>, Answer)>();
    /// let remote = secret.signer();
    /// std::thread::spawn(move || {
    ///     // A runtime would await the signature here.
    ///     received.iter().all(|(message, answer)| answer.send(remote.try_sign(&message)).is_ok())
    /// });
    /// let keys = SigningKeys::external(secret.public().clone(), Remote(requests))?;
    /// let keys = keys.with_path(&key);
    /// let mut author = Author::<Tree<RedBlack>>::create(&store, keys)?;
    /// author.put("apple", "1.20")?;
    /// author.commit()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// The signer signs heads, the tuples of tuple schemes, and notes on versions. For a tuple
    /// scheme, [`crate::Author::open`] requests the signature of the latest head once more.
    ///
    /// # Errors
    /// [`KeyFileError::OwnSecretNeeded`] if the scheme has a secret in addition to the signing key.
    pub fn external(
        public: PublicKey,
        signer: impl Signer<HeadSignature> + Send + Sync + 'static,
    ) -> Result<Self, KeyFileError> {
        require_no_secret(public.scheme)?;
        let author = public.authority.author;
        Ok(Self {
            public,
            signer: HeadSigner::new(VerifiedSigner { signer, author }),
            own: Zeroizing::default(),
            path: None,
        })
    }

    /// Sets the path of the key's file. The signing record is the file next to it, with the suffix
    /// `.signed`.
    #[must_use]
    pub fn with_path(mut self, path: impl Into<PathBuf>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// Replaces the signer by another one with the same key. Its signatures are not verified.
    #[doc(hidden)]
    #[must_use]
    pub fn with_signer(self, signer: HeadSigner) -> Self {
        Self { signer, ..self }
    }

    /// Returns the public key, with which each version is verified.
    pub const fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Returns the path of the key's file; `None` if there is no file.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns the signer, which signs heads with the author's key.
    #[doc(hidden)]
    pub const fn signer(&self) -> &HeadSigner {
        &self.signer
    }

    /// Returns the encoding of the scheme's secret; empty if the scheme has none.
    pub(crate) fn own(&self) -> &[u8] {
        &self.own
    }
}

impl From<&SecretKey> for SigningKeys {
    fn from(key: &SecretKey) -> Self {
        Self {
            public: key.public().clone(),
            signer: HeadSigner::new(key.signer()),
            own: Zeroizing::new(key.scheme_secret().unwrap_or_default().to_vec()),
            path: key.path().map(Path::to_path_buf),
        }
    }
}

impl From<&Self> for SigningKeys {
    fn from(keys: &Self) -> Self {
        keys.clone()
    }
}

/// A signer whose signatures are verified with the author's key.
struct VerifiedSigner<K> {
    signer: K,
    author: AuthorKey,
}

impl<K: Signer<HeadSignature>> Signer<HeadSignature> for VerifiedSigner<K> {
    fn try_sign(&self, message: &[u8]) -> Result<HeadSignature, signature::Error> {
        let signature = self.signer.try_sign(message)?;
        let verified = self.author.verify(message, &signature);
        verified.map_err(signature::Error::from_source)?;
        Ok(signature)
    }
}
