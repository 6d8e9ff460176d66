//! Signing keys.

use core::{fmt, marker::PhantomData, str::FromStr};

use ed25519_dalek::{Signer as _, SigningKey};

use super::{
    CosignatureV1, Ed25519, KeyError, KeyId, KeyName, Signature, SignatureType, VerifierKey,
    key::{cosigned, key_text, parse_key_text},
};
use crate::{Checkpoint, Timestamp};

/// A secret Ed25519 key with a name, for one signature type. Its debug form hides the secret.
///
/// The specification requires one purpose per key: a witness that is also a log needs two keys.
pub struct SignerKey<T: SignatureType> {
    name: KeyName,
    key: SigningKey,
    purpose: PhantomData<T>,
}

/// A log's key: signs notes.
pub type NoteSigner = SignerKey<Ed25519>;
/// A witness's key: cosigns checkpoints.
pub type Cosigner = SignerKey<CosignatureV1>;

impl<T: SignatureType> SignerKey<T> {
    /// Creates a key from its name and secret, 32 random bytes.
    pub fn new(name: KeyName, secret: &[u8; 32]) -> Self {
        Self {
            name,
            key: SigningKey::from_bytes(secret),
            purpose: PhantomData,
        }
    }

    /// Returns the public key that verifies the signatures by this key.
    pub fn verifier(&self) -> VerifierKey {
        VerifierKey::of(self.name.clone(), T::ALGORITHM, self.key.verifying_key())
    }

    /// Returns the name of the key.
    pub const fn name(&self) -> &KeyName {
        &self.name
    }

    /// Encodes the secret key as text: `PRIVATE+KEY+<name>+<id>+<base64 of type and secret>`.
    pub fn to_secret_text(&self) -> String {
        let id = self.verifier().id();
        let text = key_text(&self.name, id, T::ALGORITHM, self.key.as_bytes());
        format!("{SECRET}{text}")
    }

    fn signature(&self, signed: Vec<u8>) -> Signature {
        let id = KeyId::of(
            &self.name,
            T::ALGORITHM,
            self.key.verifying_key().as_bytes(),
        );
        Signature::new(self.name.clone(), id, signed)
    }
}

impl NoteSigner {
    /// Signs the text of a note.
    pub fn sign(&self, text: &str) -> Signature {
        self.signature(self.key.sign(text.as_bytes()).to_bytes().to_vec())
    }
}

impl Cosigner {
    /// Cosigns `checkpoint` at `time`.
    ///
    /// The cosignature states that the witness saw no larger checkpoint of the log before, and that
    /// this checkpoint continues all earlier ones. The caller must ensure both;
    /// [`Witness`](crate::witness::Witness) does.
    pub fn cosign(&self, checkpoint: &Checkpoint, time: Timestamp) -> Signature {
        let mut signed = time.seconds().to_be_bytes().to_vec();
        let message = cosigned(&checkpoint.text(), time);
        signed.extend_from_slice(&self.key.sign(message.as_bytes()).to_bytes());
        self.signature(signed)
    }
}

impl<T: SignatureType> FromStr for SignerKey<T> {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let text = text.strip_prefix(SECRET).ok_or(KeyError::Form)?;
        let (name, id, algorithm, secret) = parse_key_text(text)?;
        if algorithm != T::ALGORITHM {
            return Err(KeyError::Type(algorithm.number()));
        }
        let signer = Self::new(name, &secret);
        if signer.verifier().id().to_string() != id {
            return Err(KeyError::Id);
        }
        Ok(signer)
    }
}

impl<T: SignatureType> fmt::Debug for SignerKey<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SignerKey({})", self.verifier())
    }
}

const SECRET: &str = "PRIVATE+KEY+";
