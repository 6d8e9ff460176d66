//! Verification keys for signatures on notes.

use core::{fmt, str::FromStr};

use ed25519_dalek::{Signature as DalekSignature, VerifyingKey};

use super::{
    Algorithm, KeyError, KeyId, KeyName, NoteError, Signature,
    key::{cosigned, key_text, parse_key_text},
};
use crate::Timestamp;

/// A public Ed25519 key with a name and a signature type. Its text is
/// `<name>+<id>+<base64 of type and key>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifierKey {
    name: KeyName,
    id: KeyId,
    algorithm: Algorithm,
    key: VerifyingKey,
}

/// A verified signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// The name of the signer's key.
    pub name: KeyName,
    /// The id of the signer's key.
    pub id: KeyId,
    /// The time of a cosignature by the witness's clock; `None` for other signatures.
    pub time: Option<Timestamp>,
}

impl VerifierKey {
    /// Creates a key from its name, signature type and bytes.
    ///
    /// # Errors
    /// [`KeyError::Material`] if `key` is not a canonical point or has small order.
    pub fn new(name: KeyName, algorithm: Algorithm, key: &[u8; 32]) -> Result<Self, KeyError> {
        let point = VerifyingKey::from_bytes(key).map_err(|_| KeyError::Material)?;
        // Anyone can forge signatures under a point of small order. A non-canonical encoding would
        // give the same key a second id.
        if point.is_weak() || point.to_edwards().compress().as_bytes() != key {
            return Err(KeyError::Material);
        }
        Ok(Self::of(name, algorithm, point))
    }

    pub(super) fn of(name: KeyName, algorithm: Algorithm, key: VerifyingKey) -> Self {
        Self {
            id: KeyId::of(&name, algorithm, key.as_bytes()),
            name,
            algorithm,
            key,
        }
    }

    /// Returns the name of the key.
    pub const fn name(&self) -> &KeyName {
        &self.name
    }

    /// Returns the id of the key.
    pub const fn id(&self) -> KeyId {
        self.id
    }

    /// Returns the signature type.
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Returns the public key bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.key.as_bytes()
    }

    /// Verifies a signature of `text` that [claims](Signature::claims) to be by this key.
    ///
    /// # Errors
    /// [`NoteError::WrongSignature`] if the signature is invalid, or claims another key.
    pub fn verify(&self, text: &str, signature: &Signature) -> Result<Signed, NoteError> {
        let wrong = || NoteError::WrongSignature(self.name.clone());
        if !signature.claims(self) {
            return Err(wrong());
        }
        let time = match self.algorithm {
            Algorithm::Ed25519 => {
                self.check(text, signature.as_bytes()).ok_or_else(wrong)?;
                None
            }
            Algorithm::CosignatureV1 => Some(
                self.cosigned_at(text, signature.as_bytes())
                    .ok_or_else(wrong)?,
            ),
        };
        Ok(Signed {
            name: self.name.clone(),
            id: self.id,
            time,
        })
    }

    /// Verifies a witness's signature. Returns its time, or `None` if the signature is invalid.
    fn cosigned_at(&self, text: &str, signature: &[u8]) -> Option<Timestamp> {
        let (seconds, signature) = signature.split_first_chunk()?;
        let time = Timestamp::from_seconds(u64::from_be_bytes(*seconds))?;
        self.check(&cosigned(text, time), signature)?;
        Some(time)
    }

    fn check(&self, message: &str, signature: &[u8]) -> Option<()> {
        let signature = DalekSignature::from_slice(signature).ok()?;
        self.key.verify_strict(message.as_bytes(), &signature).ok()
    }
}

impl FromStr for VerifierKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let (name, id, algorithm, key) = parse_key_text(text)?;
        let verifier = Self::new(name, algorithm, &key)?;
        if verifier.id.to_string() != id {
            return Err(KeyError::Id);
        }
        Ok(verifier)
    }
}

impl fmt::Display for VerifierKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = key_text(&self.name, self.id, self.algorithm, self.key.as_bytes());
        formatter.write_str(&text)
    }
}
