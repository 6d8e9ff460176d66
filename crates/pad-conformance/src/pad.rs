//! Interface of a PAD (persistent authenticated dictionary) for the generic checks: constructors of
//! author and server, and client queries.

use core::fmt::Debug;

use ed25519_dalek::SigningKey;
use pad_core::{
    Answers, AuthorKey, Authored, Authority, Client, Dictionary, DictionaryId, Family, Key,
    PublicKey, Question, Repository, Response, SnapshotHead, Suite, TrustedView, Untrusted, Value,
    Verified, Version, codec, internals::Attachment,
};

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
    client
        .check_at(version, &codec::encode(&answer), question)
        .expect("an honest proof verifies")
        .into_inner()
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
        return view
            .newest()
            .expect("the empty dictionary needs no signature");
    }
    let head = server.head(version).expect("the version is there");
    view.snapshot(version, Untrusted::new(head))
        .expect("the author signed it")
}
