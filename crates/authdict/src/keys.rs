//! Key files: an author's secret key, and the public key that a client trusts.
//!
//! Both are lines of text, each ending in a line feed, in this order and no others:
//!
//! ```text
//! pad-public-key v1                     pad-secret-key v1
//! suite sha256-ed25519                  suite sha256-ed25519
//! scheme red-black                      scheme red-black
//! dictionary <32 hexadecimal digits>    dictionary <32 hexadecimal digits>
//! author <64 hexadecimal digits>        seed <64 hexadecimal digits>
//! ```
//!
//! `author` is the Ed25519 public key and `seed` the Ed25519 private key of RFC 8032. If the scheme
//! has a key of its own, a sixth line follows: `scheme-key` or `scheme-secret`, and hexadecimal
//! digits in the encoding of that scheme. If clients need no public half of the scheme's key, only
//! the secret key file contains this line. Schemes whose keys are made from public parameters have
//! no secret. For these schemes, both files contain the same `scheme-key` line. Digits are
//! lower-case.
//!
//! A key is for one dictionary with one suite and scheme. The public key file therefore contains
//! everything that a client must trust.
//!
//! A secret key file can be encrypted with a passphrase ([`SecretFile`], feature `passphrase`). The
//! decrypted text has the same format.

use core::fmt;
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use ed25519_dalek::SigningKey;
use pad_core::{AuthorKey, Authority, DictionaryId};
use pad_disk::{Access, Draft, RegisterError};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use sha2::{Digest, Sha256};
pub use zeroize::Zeroizing;

pub use pad_tuple::internals::DEFAULT_ENTRIES;

pub use crate::own_keys::SchemeKeyFormat;
pub(crate) use crate::own_keys::{NoRandomness, SchemeKey};
use crate::{
    selection::{NamedScheme, SchemeName, SuiteName},
    signing_record::{SigningRecord, SigningRecordError},
};

#[cfg(feature = "passphrase")]
mod encryption;
mod file;
#[cfg(feature = "file")]
mod file_owner;
#[cfg(feature = "file")]
mod file_public;
mod secret_file;

#[cfg(feature = "passphrase")]
pub use encryption::{Passphrase, Work};
use file::{Lines, MAX_FILE_BYTES, decode, decode_to, malformed, name_in, parse, read_text};
#[cfg(feature = "file")]
pub use file_owner::{FileOwnerKey, FileOwnerKeyError};
#[cfg(feature = "file")]
pub use file_public::FilePublic;
pub use secret_file::SecretFile;

/// Error returned when a key file is read, written or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyFileError {
    /// An error of the operating system.
    #[error(transparent)]
    Io(io::Error),
    /// A file already exists at the path, and key files are not overwritten.
    #[error("the file exists already, keys are not overwritten")]
    Exists,
    /// Users other than the owner can read or change the secret key file. The number contains the
    /// file's permissions.
    #[error(
        "the secret key is accessible to other users (permissions {0:03o}), run chmod 600 on it"
    )]
    Exposed(u32),
    /// The secret key is encrypted with a passphrase and must be decrypted first.
    #[error("the secret key is encrypted: no passphrase is given")]
    Encrypted,
    /// The passphrase is not the one that the secret key is encrypted with.
    #[error("the passphrase is wrong")]
    WrongPassphrase,
    /// The encrypted file was changed or truncated.
    #[error("the encrypted secret key is damaged")]
    Damaged,
    /// Decrypting the file would exceed the limits of memory or time for key files (`Work`).
    #[error("decrypting the secret key would exceed the memory or time limit")]
    TooMuchWork,
    /// The contents of the file are longer than 4 MiB, the maximum for key files.
    #[error("the file is longer than any secret key")]
    TooLong,
    /// The passphrase has an invalid length or form.
    #[error("the passphrase is invalid: it must be one line of 1 to 1024 bytes of UTF-8")]
    UnfitPassphrase,
    /// The file is not of the required kind.
    #[error("this is {found}, but {wanted} is needed")]
    OtherKind {
        /// The kind of the file that was read.
        found: &'static str,
        /// The kind of file that is required.
        wanted: &'static str,
    },
    /// The text is not a key file of the required kind.
    #[error("line {line} is not \"{expected}\"")]
    Malformed {
        /// The number of the first invalid line.
        line: usize,
        /// The content that the line should have.
        expected: &'static str,
    },
    /// This build does not support the suite or scheme of the key (features `all-suites`, `log`,
    /// `accumulators`, `bls`).
    #[error("this build does not support key files of this suite or scheme")]
    NotBuilt,
    /// Keys of this scheme are made from public parameters, but the caller gave none.
    /// [`SecretKey::generate_with`] takes them.
    #[error("public parameters are missing: keys of scheme {0} are generated from them")]
    ParametersNeeded(SchemeName),
    /// Keys of this scheme have a secret in addition to the signing key, which an external signer
    /// ([`crate::SigningKeys::external`]) does not hold.
    #[error("scheme {0} needs a secret key file: its keys have a secret that no signer holds")]
    OwnSecretNeeded(SchemeName),
    /// The operating system returned no random numbers.
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
}

impl From<io::Error> for KeyFileError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::AlreadyExists {
            Self::Exists
        } else {
            Self::Io(error)
        }
    }
}

/// The public key of a dictionary. A client needs no other trusted data to verify the dictionary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey {
    /// The suite of the dictionary: hash function, digest width and signature scheme.
    pub suite: SuiteName,
    /// The scheme of the dictionary. Its number is also in `authority`.
    pub scheme: SchemeName,
    /// The author's key, the dictionary's id and the scheme's number.
    pub authority: Authority,
    /// The scheme's own public key, if the scheme has one ([`SchemeKeyFormat::has_public`]).
    #[doc(hidden)]
    pub scheme_key: Option<SchemeKey>,
}

impl PublicKey {
    /// Creates the public key of a dictionary of family `F` whose author has the key `author`. An
    /// external signer needs it ([`crate::SigningKeys::external`]).
    ///
    /// # Errors
    /// [`KeyFileError::OwnSecretNeeded`] if the scheme has a secret in addition to the signing key;
    /// [`KeyFileError::ParametersNeeded`] for logs; [`KeyFileError::NotBuilt`].
    pub fn of_author<F: NamedScheme>(
        author: AuthorKey,
        dictionary: impl Into<DictionaryId>,
    ) -> Result<Self, KeyFileError> {
        let suite = SuiteName::from_id(F::SUITE.0).ok_or(KeyFileError::NotBuilt)?;
        let scheme = SchemeName::from_id(F::SCHEME).ok_or(KeyFileError::NotBuilt)?;
        Self::from_parts(suite, scheme, Some(dictionary.into()), author, None)
    }

    /// Creates a public key from its parts, with a random id for `None`. `setup` is the encoding of
    /// the scheme's own key, if keys of the scheme are made from public parameters.
    ///
    /// # Errors
    /// [`KeyFileError::OwnSecretNeeded`]; [`KeyFileError::ParametersNeeded`];
    /// [`KeyFileError::Malformed`] if `setup` is not a key of the scheme;
    /// [`KeyFileError::NoRandomness`].
    #[doc(hidden)]
    pub fn from_parts(
        suite: SuiteName,
        scheme: SchemeName,
        dictionary: Option<DictionaryId>,
        author: AuthorKey,
        setup: Option<&[u8]>,
    ) -> Result<Self, KeyFileError> {
        require_no_secret(scheme)?;
        let scheme_key = match (scheme.key_format(), setup) {
            (None, _) => None,
            (Some(_), None) => return Err(KeyFileError::ParametersNeeded(scheme)),
            (Some(format), Some(setup)) => Some(format.public_of(setup).ok_or(MALFORMED_OWN)?),
        };
        let authority = Authority {
            author,
            dictionary: dictionary.map_or_else(random_id, Ok)?,
            scheme: scheme.id(),
        };
        Ok(Self {
            suite,
            scheme,
            authority,
            scheme_key,
        })
    }

    /// Reads a public key file. Time: a check of the scheme's own key, up to many seconds for
    /// accumulators.
    ///
    /// # Errors
    /// [`KeyFileError::Io`] if the file cannot be read; [`KeyFileError::OtherKind`] or
    /// [`KeyFileError::Malformed`] if it is not a public key; [`KeyFileError::NotBuilt`].
    pub fn load(path: &Path) -> Result<Self, KeyFileError> {
        Self::from_text(&read_text(path, PUBLIC_TITLE)?)
    }

    /// Writes a new file with this public key.
    ///
    /// # Errors
    /// [`KeyFileError::Exists`] if there is a file at `path`; [`KeyFileError::Io`].
    pub fn save(&self, path: &Path) -> Result<(), KeyFileError> {
        let text = self.to_text();
        Ok(pad_disk::create(path, text.as_bytes(), Access::Usual)?)
    }

    /// Returns the text of the public key file.
    pub fn to_text(&self) -> String {
        let author = self.authority.author;
        let own = self.scheme_key.as_ref();
        let own = own.map_or_else(String::new, |key| format!("scheme-key {key}\n"));
        let common = self.common_lines();
        format!("{PUBLIC_TITLE}{common}author {author}\n{own}")
    }

    /// Returns the first 16 hexadecimal digits of SHA-256 of the key file's text. The digits
    /// suffice to compare keys by eye, but do not resist deliberate collisions.
    pub fn fingerprint(&self) -> String {
        let digest = Sha256::digest(self.to_text());
        hex::encode(digest).chars().take(16).collect()
    }

    /// Parses the text of a public key file.
    ///
    /// # Errors
    /// [`KeyFileError::Malformed`]; [`KeyFileError::NotBuilt`].
    pub fn from_text(text: &str) -> Result<Self, KeyFileError> {
        Self::parse(text, SchemeName::key_format)
    }

    fn parse(text: &str, format: KeyFormats) -> Result<Self, KeyFileError> {
        let Lines {
            suite,
            scheme,
            dictionary,
            mut keys,
        } = parse(text, PUBLIC_TITLE)?;
        let author = keys.read("author <public key>", |digits| digits.parse().ok())?;
        let format = format(scheme).filter(|format| format.has_public());
        let scheme_key = format.map(|format| {
            keys.read("scheme-key <public key of the scheme>", |digits| {
                format.public(&decode(digits)?)
            })
        });
        let scheme_key = scheme_key.transpose()?;
        keys.end()?;
        Ok(Self {
            suite,
            scheme,
            authority: Authority {
                author,
                dictionary,
                scheme: scheme.id(),
            },
            scheme_key,
        })
    }

    fn common_lines(&self) -> String {
        let (suite, scheme, dictionary) = (self.suite, self.scheme, self.authority.dictionary);
        format!("suite {suite}\nscheme {scheme}\ndictionary {dictionary}\n")
    }
}

/// Contains the key as the text of its file, in each format.
impl Serialize for PublicKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_text())
    }
}

impl<'de> Deserialize<'de> for PublicKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::from_text(&text).map_err(D::Error::custom)
    }
}

/// A function that returns the format of a scheme's own key; `None` if the scheme has no key of its
/// own. Tests pass other functions.
type KeyFormats = fn(SchemeName) -> Option<&'static dyn SchemeKeyFormat>;

/// An author's secret key. The bytes of the key are erased from memory when this value is dropped.
pub struct SecretKey {
    signer: SigningKey,
    scheme_secret: Option<Zeroizing<Vec<u8>>>,
    public: PublicKey,
    path: Option<PathBuf>,
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SecretKey(of {})", self.public.authority.author)
    }
}

impl SecretKey {
    /// Creates the key files of a new dictionary of family `F`. The secret key is written to
    /// `path`, the public key to `path` with the suffix `.pub`, and the signing record to `path`
    /// with `.signed`. Limits and time are those of [`SecretKey::random`].
    ///
    /// # Errors
    /// The errors of [`SecretKey::random`] and [`SecretKey::save`], with [`KeyFileError::Exists`]
    /// if any of the three files exists.
    pub fn create<F: NamedScheme>(
        path: impl AsRef<Path>,
        dictionary: impl Into<DictionaryId>,
    ) -> Result<Self, KeyFileError> {
        Self::random::<F>(dictionary)?.created(path.as_ref())
    }

    /// Creates key files like [`SecretKey::create`]. The scheme's own secret is `own`, as in
    /// [`SecretKey::random_with`].
    ///
    /// # Errors
    /// The errors of [`SecretKey::random_with`] and [`SecretKey::save`], with
    /// [`KeyFileError::Exists`] if any of the three files exists.
    pub fn create_with<F: NamedScheme>(
        path: impl AsRef<Path>,
        dictionary: impl Into<DictionaryId>,
        own: Option<Zeroizing<Vec<u8>>>,
    ) -> Result<Self, KeyFileError> {
        Self::random_with::<F>(dictionary, own)?.created(path.as_ref())
    }

    fn created(mut self, path: &Path) -> Result<Self, KeyFileError> {
        let (public, signed) = (
            pad_disk::companion(path, ".pub")?,
            pad_disk::companion(path, ".signed")?,
        );
        // A new key must not use the signing record of another key.
        if signed.symlink_metadata().is_ok() {
            return Err(KeyFileError::Exists);
        }
        // If the process is killed between the two writes, the key has no signing record and cannot
        // sign.
        let saved = self.save_pair_as(&self.to_file()?, path, &public);
        saved.map_err(|(_, error)| error)?;
        SigningRecord::create(&signed).map_err(|error| match error {
            SigningRecordError::Register(RegisterError::Io(error)) => error.into(),
            error => KeyFileError::Io(io::Error::other(error)),
        })?;
        self.path = Some(path.to_path_buf());
        Ok(self)
    }

    /// Generates a random key for a new dictionary of family `F`, without writing a file.
    ///
    /// A key with a bilinear accumulator limits the dictionary to 4095 entries. A key with an RSA
    /// accumulator takes minutes to generate. [`SecretKey::random_with`] takes other secrets.
    ///
    /// # Errors
    /// [`KeyFileError::NoRandomness`]; [`KeyFileError::ParametersNeeded`] for logs;
    /// [`KeyFileError::NotBuilt`].
    pub fn random<F: NamedScheme>(
        dictionary: impl Into<DictionaryId>,
    ) -> Result<Self, KeyFileError> {
        let scheme = SchemeName::from_id(F::SCHEME).ok_or(KeyFileError::NotBuilt)?;
        Self::random_with::<F>(dictionary, random_own(scheme, DEFAULT_ENTRIES)?)
    }

    /// Generates a key like [`SecretKey::random`]. `own` is the scheme's own secret in the encoding
    /// of the scheme, or `None` if the scheme has none. For logs, `own` is the result of
    /// `LogParameters::setup`.
    ///
    /// # Errors
    /// [`KeyFileError::NoRandomness`]; [`KeyFileError::Malformed`] if `own` is not a key of the
    /// scheme, or is missing; [`KeyFileError::NotBuilt`].
    pub fn random_with<F: NamedScheme>(
        dictionary: impl Into<DictionaryId>,
        own: Option<Zeroizing<Vec<u8>>>,
    ) -> Result<Self, KeyFileError> {
        let suite = SuiteName::from_id(F::SUITE.0).ok_or(KeyFileError::NotBuilt)?;
        let scheme = SchemeName::from_id(F::SCHEME).ok_or(KeyFileError::NotBuilt)?;
        Self::generate_with(own, suite, scheme, Some(dictionary.into()))
    }

    /// Generates a random key for a dictionary with this id, or a random id for `None`. Limits and
    /// time are those of [`SecretKey::random`].
    ///
    /// # Errors
    /// [`KeyFileError::NoRandomness`]; [`KeyFileError::ParametersNeeded`].
    pub fn generate(
        suite: SuiteName,
        scheme: SchemeName,
        dictionary: Option<DictionaryId>,
    ) -> Result<Self, KeyFileError> {
        Self::generate_for(DEFAULT_ENTRIES, suite, scheme, dictionary)
    }

    /// Generates a key like [`SecretKey::generate`], for a dictionary of up to `entries` entries.
    ///
    /// # Errors
    /// [`KeyFileError::NoRandomness`]; [`KeyFileError::ParametersNeeded`].
    #[doc(hidden)]
    pub fn generate_for(
        entries: usize,
        suite: SuiteName,
        scheme: SchemeName,
        dictionary: Option<DictionaryId>,
    ) -> Result<Self, KeyFileError> {
        Self::generate_with(random_own(scheme, entries)?, suite, scheme, dictionary)
    }

    /// Generates a key like [`SecretKey::generate`], with `own` as the secret of the scheme, as in
    /// [`SecretKey::from_parts`]. If the scheme's keys are made from public parameters, `own` is
    /// their public encoding.
    ///
    /// # Errors
    /// [`KeyFileError::NoRandomness`]; [`KeyFileError::Malformed`] if `own` is not a key of the
    /// scheme.
    #[doc(hidden)]
    pub fn generate_with(
        own: Option<Zeroizing<Vec<u8>>>,
        suite: SuiteName,
        scheme: SchemeName,
        dictionary: Option<DictionaryId>,
    ) -> Result<Self, KeyFileError> {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *seed).map_err(|_| NoRandomness)?;
        let dictionary = dictionary.map_or_else(random_id, Ok)?;
        Self::from_parts(suite, scheme, dictionary, &seed, own)
    }

    /// Makes the key with the seed `seed`, the Ed25519 private key of RFC 8032. If the scheme has a
    /// key of its own, that key is generated at random.
    ///
    /// # Errors
    /// [`KeyFileError::Malformed`] if the author's public key has small order, which no honest seed
    /// produces; [`KeyFileError::NoRandomness`]; [`KeyFileError::ParametersNeeded`].
    #[doc(hidden)]
    pub fn from_seed(
        suite: SuiteName,
        scheme: SchemeName,
        dictionary: DictionaryId,
        seed: &[u8; 32],
    ) -> Result<Self, KeyFileError> {
        let secret = random_own(scheme, DEFAULT_ENTRIES)?;
        Self::from_parts(suite, scheme, dictionary, seed, secret)
    }

    /// Makes the key with the Ed25519 seed `seed`. `secret` is the scheme's own secret key in the
    /// encoding of the scheme, if the scheme has one. Useful for existing secrets, and for secrets
    /// that are slow to generate.
    ///
    /// # Errors
    /// [`KeyFileError::Malformed`] if `seed` or `secret` is invalid, if a required `secret` is
    /// missing, or if `secret` is given for a scheme that has none.
    #[doc(hidden)]
    pub fn from_parts(
        suite: SuiteName,
        scheme: SchemeName,
        dictionary: DictionaryId,
        seed: &[u8; 32],
        secret: Option<Zeroizing<Vec<u8>>>,
    ) -> Result<Self, KeyFileError> {
        let key = Self::without_own(suite, scheme, dictionary, seed)?;
        match (scheme.key_format(), secret) {
            (Some(format), Some(secret)) => key.with_own(format, secret),
            (None, None) => Ok(key),
            _ => Err(MALFORMED_OWN),
        }
    }

    fn without_own(
        suite: SuiteName,
        scheme: SchemeName,
        dictionary: DictionaryId,
        seed: &[u8; 32],
    ) -> Result<Self, KeyFileError> {
        let signer = SigningKey::from_bytes(seed);
        let author = AuthorKey::from_bytes(&signer.verifying_key().to_bytes())
            .map_err(|_| MALFORMED_SEED)?;
        let authority = Authority {
            author,
            dictionary,
            scheme: scheme.id(),
        };
        Ok(Self {
            signer,
            scheme_secret: None,
            path: None,
            public: PublicKey {
                suite,
                scheme,
                authority,
                scheme_key: None,
            },
        })
    }

    fn with_own(
        mut self,
        format: &dyn SchemeKeyFormat,
        secret: Zeroizing<Vec<u8>>,
    ) -> Result<Self, KeyFileError> {
        let public = format.public_of(&secret).ok_or(MALFORMED_OWN)?;
        self.public.scheme_key = format.has_public().then_some(public);
        self.scheme_secret = Some(secret);
        Ok(self)
    }

    /// Returns the public key that belongs to this secret key, for clients.
    pub const fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Returns the path of the file that the key was read from or created in; `None` if there is no
    /// file.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns a signer with a copy of the author's signing key. The signer erases this copy when
    /// it is dropped.
    pub fn signer(&self) -> SigningKey {
        self.signer.clone()
    }

    /// Returns the scheme's own secret in the encoding of the scheme; `None` if the scheme has
    /// none.
    #[doc(hidden)]
    pub fn scheme_secret(&self) -> Option<&[u8]> {
        self.scheme_secret.as_ref().map(|secret| secret.as_slice())
    }

    /// Reads a secret key file. On Unix, only its owner may have access to the file.
    ///
    /// # Errors
    /// [`KeyFileError::Exposed`] if users other than the owner can read or change the file;
    /// [`KeyFileError::OtherKind`] or [`KeyFileError::Malformed`] if it is not a secret key;
    /// [`KeyFileError::NotBuilt`]; [`KeyFileError::Encrypted`] if a passphrase is needed
    /// ([`SecretFile`]); the errors of [`SecretFile::read`].
    pub fn load(path: &Path) -> Result<Self, KeyFileError> {
        Self::from_file(&SecretFile::read(path)?)
    }

    /// Parses the key in a secret key file whose contents are in clear, or were decrypted.
    ///
    /// # Errors
    /// [`KeyFileError::Encrypted`] if a passphrase is needed; [`KeyFileError::Exposed`] if users
    /// other than the owner can read or change the file; [`KeyFileError::OtherKind`] or
    /// [`KeyFileError::Malformed`] if it is not a secret key; [`KeyFileError::NotBuilt`].
    #[doc(hidden)]
    pub fn from_file(file: &SecretFile) -> Result<Self, KeyFileError> {
        let key = Self::parse(file.text_of(SECRET_TITLE)?, SchemeName::key_format)?;
        Ok(Self {
            path: file.path().map(Path::to_path_buf),
            ..key
        })
    }

    /// Returns the contents of the secret key file, without writing a file.
    ///
    /// # Errors
    /// [`KeyFileError::Malformed`] if the scheme's secret is too long for a key file.
    #[doc(hidden)]
    pub fn to_file(&self) -> Result<SecretFile, KeyFileError> {
        Ok(SecretFile::new(self.to_text()?))
    }

    fn parse(text: &str, format: KeyFormats) -> Result<Self, KeyFileError> {
        let Lines {
            suite,
            scheme,
            dictionary,
            mut keys,
        } = parse(text, SECRET_TITLE)?;
        let mut seed = Zeroizing::new([0; 32]);
        keys.read(SEED, |digits| decode_to(digits, &mut *seed))?;
        let format = format(scheme);
        let secret = format.map(|format| keys.read(own_line(format), decode));
        let secret = secret.transpose()?;
        keys.end()?;
        let key = Self::without_own(suite, scheme, dictionary, &seed)?;
        match format.zip(secret) {
            Some((format, secret)) => key.with_own(format, secret),
            None => Ok(key),
        }
    }

    /// Writes a new secret key file that only its owner can read.
    ///
    /// # Errors
    /// [`KeyFileError::Exists`] if there is a file at `path`; [`KeyFileError::Io`]; the errors of
    /// [`SecretKey::to_file`].
    pub fn save(&self, path: &Path) -> Result<(), KeyFileError> {
        self.to_file()?.save(path)
    }

    /// Writes new files for the secret and the public key, or neither file. The contents of the
    /// secret key file are `file`, the result of [`SecretKey::to_file`], which the caller may have
    /// encrypted.
    ///
    /// The contents of both are written first, then the files appear at their paths, the secret key
    /// first. If the process is killed in between, only the secret key file exists.
    ///
    /// # Errors
    /// The errors of [`SecretKey::save`], with the path of the file that could not be written.
    #[doc(hidden)]
    pub fn save_pair_as<'a>(
        &self,
        file: &SecretFile,
        secret: &'a Path,
        public: &'a Path,
    ) -> Result<(), (&'a Path, KeyFileError)> {
        let of = |path| move |error: io::Error| (path, KeyFileError::from(error));
        if public.symlink_metadata().is_ok() {
            return Err((public, KeyFileError::Exists));
        }
        let mut private = Draft::new(secret, Access::Private).map_err(of(secret))?;
        private.write_all(file.as_bytes()).map_err(of(secret))?;
        let mut open = Draft::new(public, Access::Usual).map_err(of(public))?;
        open.write_all(self.public.to_text().as_bytes())
            .map_err(of(public))?;
        // If the process is killed after this step, only the secret key file exists. The public key
        // file can be made from it.
        private.keep_new().map_err(of(secret))?;
        open.keep_new().map_err(|error| {
            // The caller gets an error, so the secret key file that this call has created is
            // removed.
            drop(std::fs::remove_file(secret));
            of(public)(error)
        })
    }

    /// Returns the text of the secret key file. The capacity is reserved in advance, so that no
    /// reallocation leaves a copy in freed memory.
    fn to_text(&self) -> Result<Zeroizing<Vec<u8>>, KeyFileError> {
        let seed = Zeroizing::new(self.signer.to_bytes());
        let mut text = Zeroizing::new(Vec::with_capacity(MAX_FILE_BYTES));
        text.extend_from_slice(SECRET_TITLE.as_bytes());
        text.extend_from_slice(self.public.common_lines().as_bytes());
        append_line(&mut text, "seed", &*seed).ok_or(MALFORMED_SEED)?;
        if let Some(secret) = &self.scheme_secret {
            let name = self.public.scheme.key_format();
            let name = name_in(name.map_or(OWN, own_line));
            let appended = append_line(&mut text, name, secret);
            appended.ok_or(MALFORMED_OWN)?;
        }
        Ok(text)
    }
}

fn random_id() -> Result<DictionaryId, NoRandomness> {
    let mut id = [0; 16];
    getrandom::fill(&mut id).map_err(|_| NoRandomness)?;
    Ok(DictionaryId::from_bytes(id))
}

/// Generates the scheme's own random secret, for a dictionary of up to `entries` entries. Returns
/// `None` if the scheme has no key of its own.
///
/// # Errors
/// [`KeyFileError::ParametersNeeded`] if its keys are made from public parameters;
/// [`KeyFileError::NoRandomness`].
fn random_own(
    scheme: SchemeName,
    entries: usize,
) -> Result<Option<Zeroizing<Vec<u8>>>, KeyFileError> {
    match scheme.key_format() {
        Some(format) if format.is_of_parameters() => Err(KeyFileError::ParametersNeeded(scheme)),
        Some(format) => Ok(Some(format.generate(entries)?)),
        None => Ok(None),
    }
}

/// Describes the line with the scheme's own key in a secret key file.
fn own_line(format: &dyn SchemeKeyFormat) -> &'static str {
    if format.is_of_parameters() {
        "scheme-key <key of the scheme>"
    } else {
        OWN
    }
}

/// Appends a line with `name` and the hexadecimal digits of `secret`. Returns `None` if the text
/// would exceed its reserved capacity.
fn append_line(text: &mut Vec<u8>, name: &str, secret: &[u8]) -> Option<()> {
    let start = text.len() + name.len() + 1;
    let end = start + 2 * secret.len();
    if end >= MAX_FILE_BYTES {
        return None;
    }
    text.extend_from_slice(name.as_bytes());
    text.push(b' ');
    text.resize(end, 0);
    hex::encode_to_slice(secret, text.get_mut(start..)?).ok()?;
    text.push(b'\n');
    Some(())
}

const SEED: &str = "seed <private key>";
const OWN: &str = "scheme-secret <private key of the scheme>";
const MALFORMED_SEED: KeyFileError = malformed(5, SEED);
const MALFORMED_OWN: KeyFileError = malformed(6, OWN);

const PUBLIC_TITLE: &str = "pad-public-key v1\n";
const SECRET_TITLE: &str = "pad-secret-key v1\n";

/// Rejects schemes whose keys have a secret in addition to the signing key.
///
/// # Errors
/// [`KeyFileError::OwnSecretNeeded`].
pub(crate) fn require_no_secret(scheme: SchemeName) -> Result<(), KeyFileError> {
    match scheme.key_format() {
        Some(format) if !format.is_of_parameters() => Err(KeyFileError::OwnSecretNeeded(scheme)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
