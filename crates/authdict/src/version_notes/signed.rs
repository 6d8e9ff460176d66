//! The author's signature on a note. It proves to clients that the author gave the version this
//! name and time.

use ed25519_dalek::{Signature, Signer as _};
use pad_core::{VerifyError, Version};

use super::{VersionNote, VersionNotes, delivery::signed_bytes};
use crate::{keys::PublicKey, repository::AuthorError, signing_keys::SigningKeys};

/// Length of a signature in bytes.
pub const SIGNATURE_BYTES: usize = ed25519_dalek::SIGNATURE_LENGTH;

impl VersionNote {
    /// Returns the note of `version` with the author's signature.
    ///
    /// # Errors
    /// [`AuthorError::Signing`] if the signer fails.
    pub fn sign(self, keys: &SigningKeys, version: Version) -> Result<Self, AuthorError> {
        let signed = signed_bytes(TAG, keys.public(), &self.content(version));
        let signature = keys.signer().try_sign(&signed);
        let signature = signature.map_err(AuthorError::Signing)?.to_bytes();
        Ok(Self {
            signature: Some(signature),
            ..self
        })
    }

    /// Verifies the signature. Returns whether the author of the dictionary signed this note of
    /// `version`; `false` if it has no signature. Time: one verification of a signature.
    ///
    /// # Errors
    /// [`VerifyError::SignatureInvalid`] for a signature of another note, version, dictionary or
    /// key.
    pub fn verify(&self, public: &PublicKey, version: Version) -> Result<bool, VerifyError> {
        let Some(signature) = &self.signature else {
            return Ok(false);
        };
        let signed = signed_bytes(TAG, public, &self.content(version));
        let signature = Signature::from_bytes(signature);
        public.authority.author.verify(&signed, &signature)?;
        Ok(true)
    }

    /// Returns the signed content of the note: version, time, and numbers of changes and entries (8
    /// bytes each, big-endian). Then follows the byte 0, or the byte 1 and the name.
    pub(super) fn content(&self, version: Version) -> Vec<u8> {
        let numbers = [version.number(), self.seconds, self.changes, self.entries];
        let mut bytes = numbers.map(u64::to_be_bytes).concat();
        bytes.push(self.name.is_some().into());
        bytes.extend(self.name.iter().flat_map(|name| name.bytes()));
        bytes
    }
}

impl VersionNotes {
    /// Verifies the signatures of all notes that have one, as a batch. Time: about a third of a
    /// single verification for each signature.
    ///
    /// # Errors
    /// [`VerifyError::SignatureInvalid`] if one of the signatures is wrong.
    pub fn verify(&self, public: &PublicKey) -> Result<(), VerifyError> {
        let signed = self.iter().filter_map(|(version, note)| {
            let signature = Signature::from_bytes(&note.signature?);
            let message = signed_bytes(TAG, public, &note.content(version));
            Some((message, signature))
        });
        let signed: Vec<_> = signed.collect();
        let signed: Vec<_> = signed
            .iter()
            .map(|(bytes, one)| (&bytes[..], one))
            .collect();
        public.authority.author.verify_batch(&signed)
    }
}

/// Tag of the signed bytes of a note. No other tag is a prefix of it.
const TAG: &[u8; 19] = b"pad-service/note/v1";

#[cfg(test)]
mod tests {
    use pad_core::DictionaryId;

    use super::{super::tests::note, *};
    use crate::{SchemeName, SecretKey, SuiteName};

    fn key(dictionary: &str, seed: u8) -> SecretKey {
        let id = DictionaryId::from_name(dictionary);
        let (suite, scheme) = (SuiteName::Sha256Ed25519, SchemeName::RedBlack);
        SecretKey::from_parts(suite, scheme, id, &[seed; 32], None).unwrap()
    }

    #[test]
    fn a_signature_is_of_one_note_of_one_version() {
        let (key, version) = (key("prices", 7), Version::new(1));
        let signed = note(Some("a")).sign(&SigningKeys::from(&key), version);
        let signed = signed.unwrap();
        assert_eq!(signed.verify(key.public(), version), Ok(true));
        assert_eq!(note(Some("a")).verify(key.public(), version), Ok(false));

        let refused = Err(VerifyError::SignatureInvalid);
        assert_eq!(signed.verify(key.public(), Version::new(2)), refused);
        for other in [self::key("other", 7), self::key("prices", 8)] {
            assert_eq!(signed.verify(other.public(), version), refused);
        }
        let changes: [fn(&mut VersionNote); 7] = [
            |note| note.name = None,
            |note| note.name = Some(String::new()),
            |note| note.name = Some("ab".into()),
            |note| note.seconds += 1,
            |note| note.changes += 1,
            |note| note.entries += 1,
            |note| note.signature = Some([0; SIGNATURE_BYTES]),
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut changed = signed.clone();
            change(&mut changed);
            assert_eq!(changed.verify(key.public(), version), refused, "{number}");
        }
        for byte in 0..SIGNATURE_BYTES {
            let mut changed = signed.clone();
            changed.signature.as_mut().unwrap()[byte] ^= 1;
            assert_eq!(changed.verify(key.public(), version), refused, "{byte}");
        }
    }

    /// The example of `docs/format/services.md`.
    #[test]
    fn the_documented_note_has_this_signature() {
        let note = VersionNote {
            name: Some("2026-10-24".into()),
            seconds: 1_792_851_300,
            changes: 2,
            entries: 3,
            signature: None,
        };
        let signed = note.sign(&SigningKeys::from(&key("prices", 7)), Version::new(1));
        let signature = signed.unwrap().signature.unwrap();
        assert_eq!(hex::encode(signature), EXAMPLE_SIGNATURE);
    }

    const EXAMPLE_SIGNATURE: &str = "1640c0fab53e3a85e752d64beae257ec7e0c559e7ca024efa1e12b008b2179\
                                     82bb23d32ceb1671f959873a83dad6c2a33f9698666bf7fd1f00a8965f7335\
                                     4001";
}
