//! Requests with the owner's signature: signing by clients, verification by the server.

use flexlist::{FileId, FileState, internals::Bytes, list::ListState};
use pad_core::{AuthorKey, DecodeError, Digest, HeadSignature, codec, internals::SIGNATURE_LENGTH};
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest as _, Sha256};
use signature::Signer;

use crate::message::{Confirm, Finish, OwnerStatement, SignedRequest};

/// The kind of a signed request. The signature covers the kind, so a body cannot be reused for
/// another kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// A [`crate::message::Begin`], number 1.
    Begin,
    /// A [`crate::message::Part`], number 2.
    Part,
    /// A [`crate::message::Finish`], number 3.
    Finish,
    /// A [`crate::message::FileUpdate`], number 4.
    Update,
    /// A [`crate::message::Acknowledge`], number 5.
    Acknowledge,
    /// A [`crate::message::Abort`], number 6.
    Abort,
    /// A [`crate::message::Delete`], number 7.
    Delete,
    /// A [`crate::message::Confirm`], number 8.
    Confirm,
}

impl RequestKind {
    /// Returns the byte that stands for this kind in the signed message.
    pub const fn number(self) -> u8 {
        match self {
            Self::Begin => 1,
            Self::Part => 2,
            Self::Finish => 3,
            Self::Update => 4,
            Self::Acknowledge => 5,
            Self::Abort => 6,
            Self::Delete => 7,
            Self::Confirm => 8,
        }
    }
}

/// Error returned when a signed request cannot be verified or decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// The signature is not the owner's signature over this kind and body.
    #[error("the signature is not the owner's")]
    WrongSignature,
    /// The signed body is not the encoding of a request of this kind.
    #[error("the signed body cannot be decoded: {0}")]
    Body(DecodeError),
}

impl SignedRequest {
    /// Encodes `body` as a request of this kind, and signs it.
    ///
    /// # Errors
    /// The signer's errors, for example of a hardware module.
    pub fn new<T: Serialize>(
        kind: RequestKind,
        body: &T,
        signer: &impl Signer<HeadSignature>,
    ) -> Result<Self, signature::Error> {
        let body = codec::encode_body(body);
        let message = signed_message(kind, &request_digest(&body));
        let signature = signer.try_sign(&message)?;
        Ok(Self {
            body: Bytes(body),
            signature: Bytes(signature.to_bytes().to_vec()),
        })
    }

    /// Verifies the owner's signature, then returns the decoded request.
    ///
    /// # Errors
    /// [`OpenError::WrongSignature`] if the signature is not the owner's, or has the wrong length;
    /// [`OpenError::Body`] if the body cannot be decoded.
    pub fn open<T: Serialize + DeserializeOwned>(
        &self,
        kind: RequestKind,
        owner: &AuthorKey,
    ) -> Result<T, OpenError> {
        self.verify(kind, owner)?;
        self.claimed()
    }

    /// Verifies the owner's signature over `kind` and the body, without decoding the body.
    ///
    /// # Errors
    /// [`OpenError::WrongSignature`] if the signature is not the owner's, or has the wrong length.
    pub fn verify(&self, kind: RequestKind, owner: &AuthorKey) -> Result<(), OpenError> {
        let signature: [u8; SIGNATURE_LENGTH] =
            (self.signature.as_ref().try_into()).map_err(|_| OpenError::WrongSignature)?;
        let message = signed_message(kind, &self.digest());
        owner
            .verify(&message, &HeadSignature::from_bytes(&signature))
            .map_err(|_| OpenError::WrongSignature)
    }

    /// Returns the file identifier in the body, without verifying the signature.
    ///
    /// The server looks up the file's owner by this identifier, before it decodes anything else of
    /// the body. The body of every kind of request except [`RequestKind::Begin`] begins with a file
    /// identifier.
    ///
    /// # Errors
    /// [`OpenError::Body`] if the body is shorter than a file identifier.
    pub fn claimed_file(&self) -> Result<FileId, OpenError> {
        let file = self.body.as_ref().first_chunk();
        let malformed = OpenError::Body(DecodeError::Malformed);
        file.copied().map(FileId).ok_or(malformed)
    }

    /// Decodes the body without verifying the signature.
    ///
    /// Use it for the body of a [`RequestKind::Begin`], which names its owner itself. Other bodies
    /// can be large in memory: use [`SignedRequest::claimed_file`] to find their owner first.
    ///
    /// # Errors
    /// [`OpenError::Body`] if the body cannot be decoded.
    pub fn claimed<T: Serialize + DeserializeOwned>(&self) -> Result<T, OpenError> {
        codec::decode_body(self.body.as_ref()).map_err(OpenError::Body)
    }

    /// Returns SHA-256 of the body, which identifies the request.
    pub fn digest(&self) -> Digest<32> {
        request_digest(self.body.as_ref())
    }
}

impl OwnerStatement {
    /// Verifies that this is a statement of `owner` about `file`, and returns the version that the
    /// owner signed.
    ///
    /// The statement does not prove that the version is the newest.
    ///
    /// # Errors
    /// [`OpenError::WrongSignature`] if the signature is not the owner's, or the statement is about
    /// another file; [`OpenError::Body`] if the body cannot be decoded.
    pub fn open(&self, file: FileId, owner: &AuthorKey) -> Result<FileState, OpenError> {
        let (named, version, root, total) = match self {
            Self::Finish(signed) => {
                let finish: Finish = signed.open(RequestKind::Finish, owner)?;
                (finish.file, 1, finish.root, finish.total)
            }
            Self::Confirm(signed) => {
                let confirm: Confirm = signed.open(RequestKind::Confirm, owner)?;
                (confirm.file, confirm.version, confirm.root, confirm.total)
            }
        };
        if named != file {
            return Err(OpenError::WrongSignature);
        }
        let list = ListState { root, total };
        Ok(FileState {
            file,
            version,
            list,
        })
    }
}

fn request_digest(body: &[u8]) -> Digest<32> {
    Digest(Sha256::digest(body).into())
}

/// Returns the 52 bytes to sign: a prefix, the byte of `kind`, and the digest of the body.
fn signed_message(kind: RequestKind, digest: &Digest<32>) -> Vec<u8> {
    let mut message = b"flexlist/request/v1".to_vec();
    message.push(kind.number());
    message.extend_from_slice(digest.as_ref());
    message
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::SigningKey;
    use flexlist::FileId;

    use super::*;
    use crate::message::Acknowledge;

    #[test]
    fn every_request_about_a_file_begins_with_it() {
        use crate::message::{Abort, Confirm, Delete, FileUpdate, Finish, Part};
        let key = SigningKey::from_bytes(&[1; 32]);
        let file = FileId(core::array::from_fn(|place| {
            200 + u8::try_from(place).unwrap()
        }));
        let part = Part {
            file,
            number: 1,
            blocks: vec![],
        };
        let finish = Finish {
            file,
            parts: 1,
            root: Digest([1; 32]),
            total: 1,
        };
        let update = FileUpdate {
            file,
            base_version: 1,
            edits: vec![],
        };
        let word = Acknowledge { file, version: 1 };
        let abort = Abort { file };
        let delete = Delete { file, version: 1 };
        let confirm = Confirm {
            file,
            version: 1,
            root: Digest([1; 32]),
            total: 1,
        };
        for signed in [
            SignedRequest::new(RequestKind::Part, &part, &key),
            SignedRequest::new(RequestKind::Finish, &finish, &key),
            SignedRequest::new(RequestKind::Update, &update, &key),
            SignedRequest::new(RequestKind::Acknowledge, &word, &key),
            SignedRequest::new(RequestKind::Abort, &abort, &key),
            SignedRequest::new(RequestKind::Delete, &delete, &key),
            SignedRequest::new(RequestKind::Confirm, &confirm, &key),
        ] {
            let mut signed = signed.unwrap();
            assert_eq!(signed.claimed_file(), Ok(file));
            signed.body.0.truncate(31);
            let malformed = OpenError::Body(DecodeError::Malformed);
            assert_eq!(signed.claimed_file(), Err(malformed));
        }
    }

    const BODY: Acknowledge = Acknowledge {
        file: FileId([9; 32]),
        version: 300,
    };

    fn owner(key: &SigningKey) -> AuthorKey {
        AuthorKey::from_bytes(&key.verifying_key().to_bytes()).unwrap()
    }

    #[test]
    fn a_request_opens_under_its_owner_and_kind_alone() {
        let key = SigningKey::from_bytes(&[1; 32]);
        let other = SigningKey::from_bytes(&[2; 32]);
        let signed = SignedRequest::new(RequestKind::Acknowledge, &BODY, &key).unwrap();
        let open =
            |signed: &SignedRequest, kind, key| signed.open::<Acknowledge>(kind, &owner(key));
        assert_eq!(open(&signed, RequestKind::Acknowledge, &key), Ok(BODY));
        let wrong = Err(OpenError::WrongSignature);
        assert_eq!(open(&signed, RequestKind::Acknowledge, &other), wrong);
        for kind in [
            RequestKind::Begin,
            RequestKind::Part,
            RequestKind::Finish,
            RequestKind::Update,
            RequestKind::Abort,
            RequestKind::Delete,
            RequestKind::Confirm,
        ] {
            assert_eq!(open(&signed, kind, &key), wrong);
        }
        for position in 0..signed.body.0.len() {
            let mut changed = signed.clone();
            changed.body.0[position] ^= 1;
            assert_eq!(open(&changed, RequestKind::Acknowledge, &key), wrong);
        }
        for length in [0, 63, 65] {
            let mut changed = signed.clone();
            changed.signature.0.resize(length, 0);
            assert_eq!(open(&changed, RequestKind::Acknowledge, &key), wrong);
        }
    }

    #[test]
    fn a_statement_is_its_owners_about_its_file() {
        let key = SigningKey::from_bytes(&[1; 32]);
        let other = SigningKey::from_bytes(&[2; 32]);
        let file = BODY.file;
        let root = Digest([7; 32]);
        let list = ListState { root, total: 5 };
        let confirm = Confirm {
            file,
            version: 300,
            root,
            total: 5,
        };
        let finish = Finish {
            file,
            parts: 2,
            root,
            total: 5,
        };
        let finish = SignedRequest::new(RequestKind::Finish, &finish, &key).unwrap();
        let confirm = SignedRequest::new(RequestKind::Confirm, &confirm, &key).unwrap();
        let wrong = Err(OpenError::WrongSignature);
        for (statement, version) in [
            (OwnerStatement::Finish(finish.clone()), 1),
            (OwnerStatement::Confirm(confirm.clone()), 300),
        ] {
            let state = FileState {
                file,
                version,
                list,
            };
            assert_eq!(statement.open(file, &owner(&key)), Ok(state));
            assert_eq!(statement.open(file, &owner(&other)), wrong);
            assert_eq!(statement.open(FileId([8; 32]), &owner(&key)), wrong);
        }
        // Each statement in the other's variant.
        for statement in [
            OwnerStatement::Confirm(finish),
            OwnerStatement::Finish(confirm),
        ] {
            assert_eq!(statement.open(file, &owner(&key)), wrong);
        }
    }

    #[test]
    fn a_signed_body_of_another_form_is_refused() {
        let key = SigningKey::from_bytes(&[1; 32]);
        let signed = SignedRequest::new(RequestKind::Acknowledge, &(BODY, 1_u8), &key).unwrap();
        let opened = signed.open::<Acknowledge>(RequestKind::Acknowledge, &owner(&key));
        assert_eq!(opened, Err(OpenError::Body(DecodeError::TrailingBytes)));
    }

    #[test]
    fn what_is_signed_is_pinned() {
        let message = signed_message(RequestKind::Update, &Digest([0xab; 32]));
        let mut expected = b"flexlist/request/v1\x04".to_vec();
        expected.extend([0xab; 32]);
        assert_eq!(message, expected);
    }
}
