//! Passphrase encryption of secrets, in the format of the program `scrypt` (Tarsnap).
//!
//! A key is derived from the passphrase by scrypt (RFC 7914). The file is encrypted with
//! AES-256-CTR and authenticated with HMAC-SHA-256.

use core::fmt;

use scryptenc::{Decryptor, Encryptor, Error, Params, scrypt};
use zeroize::Zeroizing;

use super::{KeyFileError, file::ENCRYPTION_BYTES};
use crate::own_keys::NoRandomness;

/// A passphrase. Its text is erased from memory when it is dropped, and is not part of debug
/// output.
pub struct Passphrase(Zeroizing<String>);

impl Passphrase {
    /// Checks and wraps a passphrase. It must consist of 1 to 1024 bytes, without line breaks and
    /// NUL characters.
    ///
    /// # Errors
    /// [`KeyFileError::UnfitPassphrase`].
    pub fn new(text: Zeroizing<String>) -> Result<Self, KeyFileError> {
        let fits =
            (1..=MAX_PASSPHRASE_BYTES).contains(&text.len()) && !text.contains(['\n', '\r', '\0']);
        if fits {
            Ok(Self(text))
        } else {
            Err(KeyFileError::UnfitPassphrase)
        }
    }

    /// Returns whether two passphrases are equal; used after a repeated prompt.
    pub fn is(&self, other: &Self) -> bool {
        *self.0 == *other.0
    }
}

impl fmt::Debug for Passphrase {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Passphrase")
    }
}

/// The scrypt parameters for deriving a key from a passphrase. They also determine the cost of each
/// guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    log_n: u8,
    r: u32,
    p: u32,
}

impl Work {
    /// The scrypt parameters for newly encrypted files. A key derivation takes 128 MiB of memory.
    pub const USUAL: Self = Self {
        log_n: 17,
        r: 8,
        p: 1,
    };
    /// The lowest scrypt parameters, for tests only: they do not slow down guessing of passphrases.
    pub const LEAST: Self = Self {
        log_n: 1,
        r: 1,
        p: 1,
    };
    /// Maximum memory for decrypting a file, in bytes: 1 GiB for scrypt's blocks, and 1 MiB for
    /// other data.
    pub const MOST_MEMORY: u64 = (1 << 30) + (1 << 20);
    /// Maximum number of scrypt blocks, `N * r * p`, for a file: 16 times the number of
    /// [`Work::USUAL`].
    pub const MOST_BLOCKS: u64 = 1 << 24;

    /// Checks scrypt parameters, with `N = 2^log_n`.
    ///
    /// # Errors
    /// [`KeyFileError::TooMuchWork`] if they exceed the limits for a file;
    /// [`KeyFileError::Damaged`] if RFC 7914 excludes them.
    pub fn new(log_n: u8, r: u32, p: u32) -> Result<Self, KeyFileError> {
        let blocks = 1_u128.checked_shl(log_n.into()).unwrap_or(u128::MAX);
        let blocks = blocks.saturating_mul(r.into());
        let most = u128::from(Self::MOST_BLOCKS);
        let is_large = blocks.saturating_mul(128) > u128::from(Self::MOST_MEMORY);
        let work = Self { log_n, r, p };
        if is_large || blocks.saturating_mul(p.into()) > most || work.memory() > Self::MOST_MEMORY {
            return Err(KeyFileError::TooMuchWork);
        }
        work.parameters().map(|_| work)
    }

    /// Returns the memory of a key derivation in bytes: `128 r (N + p + 2)` (RFC 7914, section 6).
    pub fn memory(self) -> u64 {
        let lanes = u64::from(self.p).saturating_add(2);
        let n = 1_u64.checked_shl(self.log_n.into()).unwrap_or(u64::MAX);
        let blocks = n.saturating_add(lanes);
        blocks.saturating_mul(128).saturating_mul(self.r.into())
    }

    fn parameters(self) -> Result<scrypt::Params, KeyFileError> {
        // The length matters only for scrypt password hashes, and has no effect here.
        let length = scrypt::Params::RECOMMENDED_LEN;
        scrypt::Params::new(self.log_n, self.r, self.p, length).map_err(|_| KeyFileError::Damaged)
    }
}

/// Formats the parameters as `N=2^17 r=8 p=1`.
impl fmt::Display for Work {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "N=2^{} r={} p={}", self.log_n, self.r, self.p)
    }
}

/// Reads the scrypt parameters, which determine the cost of decryption, from the header of an
/// encrypted file. The header is not authenticated before decryption.
pub(super) fn work_of(encrypted: &[u8]) -> Result<Work, KeyFileError> {
    // The limits are checked here first, because the library reports excessive parameters as a
    // different error.
    let header = encrypted.get(7..16).and_then(|bytes| {
        let (log_n, bytes) = bytes.split_first()?;
        let (r, p) = bytes.split_first_chunk::<4>()?;
        Some((*log_n, u32::from_be_bytes(*r), p.first_chunk::<4>()?))
    });
    let (log_n, r, p) = header.ok_or(KeyFileError::Damaged)?;
    let work = Work::new(log_n, r, u32::from_be_bytes(*p))?;
    Params::new(encrypted).map_err(failure)?;
    Ok(work)
}

/// Encrypts the contents `clear` of a key file with a passphrase, and returns the encrypted file.
pub(super) fn encrypt(
    clear: &[u8],
    passphrase: &Passphrase,
    work: Work,
) -> Result<Zeroizing<Vec<u8>>, KeyFileError> {
    // The library panics if the operating system returns no random numbers.
    getrandom::fill(&mut [0; 32]).map_err(|_| NoRandomness)?;
    let parameters = work.parameters()?;
    let encryptor = Encryptor::with_params(&clear, passphrase.0.as_bytes(), parameters);
    // Encryption works in place, so that no copy of the plaintext remains.
    let mut encrypted = Zeroizing::new(vec![0; clear.len() + ENCRYPTION_BYTES]);
    encryptor.encrypt(encrypted.as_mut_slice());
    Ok(encrypted)
}

/// Decrypts a file. If the parameters exceed the limits, it fails before any costly computation.
pub(super) fn decrypt(
    encrypted: &[u8],
    passphrase: &Passphrase,
) -> Result<Zeroizing<Vec<u8>>, KeyFileError> {
    work_of(encrypted)?;
    let decryptor = Decryptor::new(&encrypted, passphrase.0.as_bytes());
    let decryptor = decryptor.map_err(failure)?;
    let mut clear = Zeroizing::new(vec![0; decryptor.out_len()]);
    decryptor.decrypt(clear.as_mut_slice()).map_err(failure)?;
    Ok(clear)
}

fn failure(error: Error) -> KeyFileError {
    match error {
        Error::InvalidHeaderMac(_) => KeyFileError::WrongPassphrase,
        _ => KeyFileError::Damaged,
    }
}

/// The maximum length of a passphrase in bytes; longer than any typed passphrase.
const MAX_PASSPHRASE_BYTES: usize = 1024;
