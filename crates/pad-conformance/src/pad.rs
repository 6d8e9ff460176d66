//! Interface of a PAD (persistent authenticated dictionary) for the generic checks: constructors of
//! author and server, and client queries.

use core::fmt::Debug;

use ed25519_dalek::SigningKey;
use pad_core::{
    Answers, AuthorKey, Authored, Authority, Client, DecodeError, Dictionary, DictionaryId, Family,
    HeadSignature, Key, PublicKey, Question, Repository, Response, SchemeId, SnapshotHead, Suite,
    TrustedView, Untrusted, Value, Verified, VerifyError, Version, codec, internals::Attachment,
};
use signature::Signer;

/// Maximum message length that a test's client accepts, in bytes.
pub const MESSAGE_LIMIT: usize = 1 << 20;

/// A PAD under test: its types and constructors.
pub trait Pad {
    /// The suite of the PAD: hash function, digest width and signature scheme.
    type Suite: Suite;
    /// The data that an update contains in addition to operations and head.
    type Attachment: Attachment;
    /// The family of the PAD, which determines the type of its clients.
    type Family: Family<Suite = Self::Suite>
        + Authored<Attachment = Self::Attachment>
        + Answers<Key, Proof = Self::Proof>;
    /// The type of the proof for a lookup of one key.
    type Proof: codec::Message + pad_core::Proof<Query = Key>;
    /// The type of the author.
    type Author: Dictionary<Suite = Self::Suite, Attachment = Self::Attachment, Error: Debug>;
    /// The type of the server. Checks clone it to compare its states before and after an update.
    type Server: Repository<
            Suite = Self::Suite,
            Attachment = Self::Attachment,
            Query = Key,
            Proof = Self::Proof,
        > + Clone;

    /// Creates the author of a new dictionary, with the signing key [`signing_key`]`(signer)`.
    fn author(dictionary: DictionaryId, signer: u8) -> Self::Author;
    /// Returns the public key that the clients of an author trust.
    fn public(authority: &Authority) -> PublicKey<Self::Family>;
    /// Creates a server of the author and dictionary in `authority`, with no versions.
    fn server(authority: Authority) -> Self::Server;

    /// Returns the oldest version that a server with the latest version `_latest` can answer about.
    /// This is version 0, unless the server prunes old versions.
    fn oldest(_latest: Version) -> Version {
        Version::EMPTY
    }
}

/// Returns the encoded lookup proof for a key in a version.
pub fn proof_bytes<P: Pad>(server: &P::Server, version: Version, key: &Key) -> Vec<u8> {
    codec::encode(&server.prove(version, key).expect("the version is there"))
}

/// Creates a client that has verified version `version` of `server` as its newest version.
pub fn client_at<R: Repository, F: Family<Suite = R::Suite>>(
    public: PublicKey<F>,
    server: &R,
    version: Version,
) -> Client<F> {
    let mut client = Client::new(public);
    if version != Version::EMPTY {
        let head = codec::encode(&server.head(version).expect("the version is there"));
        let seen = client.advance(&head, None);
        assert_eq!(seen.expect("the author signed it"), version);
    }
    client
}

/// Encodes the honest proof `proof` and lets a client verify it as the answer to `question` about
/// its newest version. Returns the verified statement.
pub fn ask<R, F, Q>(client: &Client<F>, server: &R, question: &Q, proof: F::Proof) -> Q::Statement
where
    R: Repository,
    F: Family<Suite = R::Suite> + Answers<Q>,
    Q: Question,
{
    let version = client.version();
    let answer = Response::new(server, version, proof).expect("the version is there");
    let verified = client.check_at(version, &codec::encode(&answer), question);
    verified.expect("an honest proof verifies").into_inner()
}

/// Looks a key up in a client's newest version, and returns the verified value; `None` if the key
/// is proved to be absent.
pub fn look_up<P: Pad>(client: &Client<P::Family>, server: &P::Server, key: &Key) -> Option<Value> {
    let version = client.version();
    let proof = server.prove(version, key).expect("the version is there");
    let lookup = ask(client, server, key, proof);
    assert_eq!((lookup.version, &lookup.key), (version, key));
    lookup.answer.value().cloned()
}

/// Returns the test signing key with the number `number`.
pub fn signing_key(number: u8) -> SigningKey {
    SigningKey::from_bytes(&[number; 32])
}

/// Returns the public key of [`signing_key`]`(number)`.
pub fn public_key(number: u8) -> AuthorKey {
    AuthorKey::from_bytes(&signing_key(number).verifying_key().to_bytes()).expect("a point")
}

/// The reason why a client refused bytes as a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The bytes do not decode to a proof.
    Decode(DecodeError),
    /// The bytes decode to a proof, but the proof does not verify.
    Verify(VerifyError),
}

impl Refusal {
    /// Returns whether the refusal of a message fits one with another byte at `position` of its
    /// envelope, or one whose body does not decode. Returns `None` for a proof that decodes.
    pub fn fits_byte(self, position: usize, byte: u8) -> Option<bool> {
        use DecodeError as D;
        let Self::Decode(error) = self else {
            return (position < codec::ENVELOPE_LENGTH).then_some(false);
        };
        Some(match position {
            0..4 => error == D::NotThisFormat,
            4 => error == D::UnknownFormatVersion(byte),
            5 => matches!(error, D::WrongKind { actual, .. } if actual == byte),
            6..8 => matches!(error, D::WrongSuite { .. }),
            // A changed length or tag shifts the boundaries of the fields after it.
            _ => matches!(error, D::Malformed | D::TrailingBytes | D::NonCanonical),
        })
    }
}

/// Decodes and verifies the bytes of a proof as a client does.
pub fn verify<P: pad_core::Proof<Error = VerifyError> + codec::Message>(
    bytes: &[u8],
    commitment: &P::Commitment,
    query: &P::Query,
) -> Result<P::Statement, Refusal> {
    let decoded = Untrusted::<P>::decode(bytes, MESSAGE_LIMIT).map_err(Refusal::Decode)?;
    let verified = decoded.verify(commitment, query).map_err(Refusal::Verify)?;
    Ok(verified.into_inner())
}

/// A signer with the test signing key `key` that fails whenever `fails` returns true.
#[derive(Debug)]
pub struct Unreliable<F> {
    key: SigningKey,
    fails: F,
}

impl<F: Fn() -> bool> Unreliable<F> {
    /// Creates a signer with the key [`signing_key`]`(number)`.
    pub fn new(number: u8, fails: F) -> Self {
        let key = signing_key(number);
        Self { key, fails }
    }
}

impl<F: Fn() -> bool> Signer<HeadSignature> for Unreliable<F> {
    fn try_sign(&self, message: &[u8]) -> Result<HeadSignature, signature::Error> {
        if (self.fails)() {
            return Err(signature::Error::new());
        }
        self.key.try_sign(message)
    }
}

/// Returns the verified head of version `version` with the arbitrary root `root`.
pub fn head_with_root<S: Suite>(
    dictionary: DictionaryId,
    scheme: SchemeId,
    version: u64,
    root: S::Digest,
) -> Verified<SnapshotHead<S>> {
    let version = Version::new(version);
    let authority = Authority {
        author: public_key(9),
        dictionary,
        scheme,
    };
    let head = SnapshotHead {
        version,
        root,
        ..SnapshotHead::<S>::empty(scheme, dictionary)
    };
    let signed = Untrusted::new(head.sign(&signing_key(9)).expect("the signer works"));
    signed.verify(&authority, &version).expect("it is signed")
}

/// Returns the id of the dictionary that most checks use.
pub fn dictionary() -> DictionaryId {
    DictionaryId::from_name("conformance")
}

/// Returns a version's head as a client receives and verifies it.
pub fn verified_head<R: Repository>(
    authority: Authority,
    server: &R,
    version: Version,
) -> Verified<SnapshotHead<R::Suite>> {
    let view = TrustedView::new(authority);
    if version == Version::EMPTY {
        let empty = view.newest();
        return empty.expect("the empty dictionary needs no signature");
    }
    let head = server.head(version).expect("the version is there");
    let head = view.snapshot(version, Untrusted::new(head));
    head.expect("the author signed it")
}
