//! Key files: what an author must hide, and what a client must know.
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
//! `author` is the Ed25519 public key and `seed` the Ed25519 private key of RFC 8032. Digits are
//! lower-case. A key is for one dictionary with one suite and scheme, so the public file alone says
//! everything that a client must trust.

use core::fmt;
use std::{fs::File, io, path::Path};

use ed25519_dalek::SigningKey;
use pad_core::{AuthorKey, DictionaryId, head::Authority};
use zeroize::Zeroizing;

use crate::selection::{SchemeName, SuiteName};

mod file;

use file::{MAX_FILE_BYTES, check_permissions, is_lower_hexadecimal, parse, read_text, write_new};

/// A key file cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum KeyFileError {
    /// The operating system refused.
    Io(io::Error),
    /// The file exists already, and keys are not overwritten.
    Exists,
    /// Others than the owner can read or change the secret key; the file's permissions.
    Exposed(u32),
    /// The text is not a key of the expected kind; the first line that is wrong.
    Malformed {
        /// The number of the line.
        line: usize,
        /// What should stand there.
        expected: &'static str,
    },
    /// The operating system has no random numbers.
    NoRandomness,
}

impl fmt::Display for KeyFileError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(formatter),
            Self::Exists => {
                formatter.write_str("the file exists already, keys are not overwritten")
            }
            Self::Exposed(mode) => write!(
                formatter,
                "the secret key is open to others (permissions {mode:03o}), run chmod 600 on it"
            ),
            Self::Malformed { line, expected } => {
                write!(formatter, "line {line} is not \"{expected}\"")
            }
            Self::NoRandomness => formatter.write_str("the system has no random numbers"),
        }
    }
}

impl core::error::Error for KeyFileError {}

impl From<io::Error> for KeyFileError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::AlreadyExists {
            Self::Exists
        } else {
            Self::Io(error)
        }
    }
}

/// What a client must know to verify a dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicKey {
    /// The suite.
    pub suite: SuiteName,
    /// The scheme, also a part of the authority.
    pub scheme: SchemeName,
    /// The author's key, the dictionary and the scheme.
    pub authority: Authority,
}

impl PublicKey {
    /// Reads a public key file.
    ///
    /// # Errors
    /// [`KeyFileError::Io`], [`KeyFileError::Malformed`].
    pub fn load(path: &Path) -> Result<Self, KeyFileError> {
        Self::from_text(&read_text(&mut File::open(path)?)?)
    }

    /// Writes a new public key file.
    ///
    /// # Errors
    /// [`KeyFileError::Exists`], [`KeyFileError::Io`].
    pub fn save(&self, path: &Path) -> Result<(), KeyFileError> {
        write_new(path, 0o644, self.to_text().as_bytes())
    }

    /// The text of the key file.
    pub fn to_text(&self) -> String {
        format!(
            "{}{}author {}\n",
            PUBLIC_TITLE,
            self.common_lines(),
            self.authority.author
        )
    }

    /// The key that a key file's text says.
    ///
    /// # Errors
    /// [`KeyFileError::Malformed`].
    pub fn from_text(text: &str) -> Result<Self, KeyFileError> {
        let (suite, scheme, dictionary, last) = parse(text, PUBLIC_TITLE)?;
        let malformed = KeyFileError::Malformed {
            line: 5,
            expected: "author <public key>",
        };
        let author = last
            .strip_prefix("author ")
            .and_then(|digits| digits.parse().ok());
        let author = author.ok_or(malformed)?;
        Ok(Self {
            suite,
            scheme,
            authority: Authority {
                author,
                dictionary,
                scheme: scheme.id(),
            },
        })
    }

    fn common_lines(&self) -> String {
        let Self {
            suite,
            scheme,
            authority,
        } = self;
        format!(
            "suite {suite}\nscheme {scheme}\ndictionary {}\n",
            authority.dictionary
        )
    }
}

/// An author's secret key. Its bytes are erased from memory when it is dropped.
pub struct SecretKey {
    signer: SigningKey,
    public: PublicKey,
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SecretKey(of {})", self.public.authority.author)
    }
}

impl SecretKey {
    /// A new random key for a new dictionary, which gets a random id unless one is given.
    ///
    /// # Errors
    /// [`KeyFileError::NoRandomness`].
    pub fn generate(
        suite: SuiteName,
        scheme: SchemeName,
        dictionary: Option<DictionaryId>,
    ) -> Result<Self, KeyFileError> {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *seed).map_err(|_| KeyFileError::NoRandomness)?;
        let mut id = [0; 16];
        getrandom::fill(&mut id).map_err(|_| KeyFileError::NoRandomness)?;
        let dictionary = dictionary.unwrap_or(DictionaryId::from_bytes(id));
        Self::from_seed(suite, scheme, dictionary, &seed)
    }

    /// The key with this seed, the private key of RFC 8032.
    ///
    /// # Errors
    /// [`KeyFileError::Malformed`] if the public half is of small order, which no honest seed's is.
    pub fn from_seed(
        suite: SuiteName,
        scheme: SchemeName,
        dictionary: DictionaryId,
        seed: &[u8; 32],
    ) -> Result<Self, KeyFileError> {
        let signer = SigningKey::from_bytes(seed);
        let author = AuthorKey::from_bytes(&signer.verifying_key().to_bytes()).map_err(|_| {
            KeyFileError::Malformed {
                line: 5,
                expected: "seed <private key>",
            }
        })?;
        let authority = Authority {
            author,
            dictionary,
            scheme: scheme.id(),
        };
        Ok(Self {
            signer,
            public: PublicKey {
                suite,
                scheme,
                authority,
            },
        })
    }

    /// What clients must know.
    pub const fn public(&self) -> &PublicKey {
        &self.public
    }

    /// A signer for this key; it erases its own copy when it is dropped.
    pub fn signer(&self) -> SigningKey {
        self.signer.clone()
    }

    /// Reads a secret key file that nobody but its owner can read.
    ///
    /// # Errors
    /// [`KeyFileError::Exposed`], [`KeyFileError::Malformed`], [`KeyFileError::Io`].
    pub fn load(path: &Path) -> Result<Self, KeyFileError> {
        let mut file = File::open(path)?;
        check_permissions(&file)?;
        let text = read_text(&mut file)?;
        let (suite, scheme, dictionary, last) = parse(&text, SECRET_TITLE)?;
        let mut seed = Zeroizing::new([0; 32]);
        let digits = last
            .strip_prefix("seed ")
            .filter(|digits| is_lower_hexadecimal(digits));
        digits
            .and_then(|digits| hex::decode_to_slice(digits, &mut *seed).ok())
            .ok_or(KeyFileError::Malformed {
                line: 5,
                expected: "seed <private key>",
            })?;
        Self::from_seed(suite, scheme, dictionary, &seed)
    }

    /// Writes a new secret key file that nobody but its owner can read.
    ///
    /// # Errors
    /// [`KeyFileError::Exists`], [`KeyFileError::Io`].
    pub fn save(&self, path: &Path) -> Result<(), KeyFileError> {
        let seed = Zeroizing::new(self.signer.to_bytes());
        let mut digits = Zeroizing::new([0; 64]);
        hex::encode_to_slice(*seed, &mut *digits).map_err(|_| KeyFileError::Malformed {
            line: 5,
            expected: "seed <private key>",
        })?;
        let mut text = Zeroizing::new(Vec::with_capacity(MAX_FILE_BYTES));
        text.extend_from_slice(SECRET_TITLE.as_bytes());
        text.extend_from_slice(self.public.common_lines().as_bytes());
        text.extend_from_slice(b"seed ");
        text.extend_from_slice(&*digits);
        text.push(b'\n');
        write_new(path, 0o600, &text)
    }
}

const PUBLIC_TITLE: &str = "pad-public-key v1\n";
const SECRET_TITLE: &str = "pad-secret-key v1\n";

#[cfg(test)]
mod tests;
