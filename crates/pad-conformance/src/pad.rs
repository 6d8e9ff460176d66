//! Interface of a PAD for the generic checks: constructors of author and server, and client
//! queries.

use core::fmt::Debug;

use ed25519_dalek::SigningKey;
use pad_core::{
    Answers, Attachment, AuthorKey, Authored, Client, Dictionary, DictionaryId, Family, Key,
    PublicKey, Question, Repository, Response, SnapshotHead, Suite, TrustedView, Untrusted, Value,
    Verified, Version, codec, head::Authority,
};

/// Maximum message length that a test's client accepts, in bytes.
pub const MESSAGE_LIMIT: usize = 1 << 20;

/// A PAD under test: its types and constructors.
pub trait Pad {
    /// The hash function, digest width and signature.
    type Suite: Suite;
    /// The data in updates next to operations and head.
    type Attachment: Attachment;
    /// The family of its clients.
    type Family: Family<Suite = Self::Suite>
        + Authored<Attachment = Self::Attachment>
        + Answers<Key, Proof = Self::Proof>;
    /// The lookup proof.
    type Proof: codec::Message + pad_core::Proof<Query = Key>;
    /// The author.
    type Author: Dictionary<Suite = Self::Suite, Attachment = Self::Attachment, Error: Debug>;
    /// The server; cloned to compare the states before and after an update.
    type Server: Repository<
            Suite = Self::Suite,
            Attachment = Self::Attachment,
            Query = Key,
            Proof = Self::Proof,
        > + Clone;

    /// Creates the author of a new dictionary, with signer number `signer`.
    fn author(dictionary: DictionaryId, signer: u8) -> Self::Author;
    /// Returns the public key that the clients of an author trust.
    fn public(authority: &Authority) -> PublicKey<Self::Family>;
    /// Creates an empty server.
    fn server(authority: Authority) -> Self::Server;

    /// Returns the oldest version that a server with the latest version `_latest` can answer about.
    /// This is version 0, unless the server prunes old versions.
    fn oldest(_latest: Version) -> Version {
        Version::EMPTY
    }
}

/// Returns the encoded proof for a key.
pub fn proof_bytes<P: Pad>(server: &P::Server, version: Version, key: &Key) -> Vec<u8> {
    codec::encode(&server.prove(version, key).expect("the version is there"))
}

/// Creates a client that has seen version `version` of `server`.
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

/// Sends an honest proof as bytes to a client that knows the version, and returns the verified
/// statement.
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

/// Returns the value of a key that a client verifies; `None` if the key is absent.
pub fn look_up<P: Pad>(client: &Client<P::Family>, server: &P::Server, key: &Key) -> Option<Value> {
    let version = client.version();
    let proof = server.prove(version, key).expect("the version is there");
    let lookup = ask(client, server, key, proof);
    assert_eq!((lookup.version, &lookup.key), (version, key));
    lookup.answer.value().cloned()
}

/// Returns the signing key with number `number`.
pub fn signing_key(number: u8) -> SigningKey {
    SigningKey::from_bytes(&[number; 32])
}

/// Returns the public key of [`signing_key`] with this number.
pub fn public_key(number: u8) -> AuthorKey {
    AuthorKey::from_bytes(&signing_key(number).verifying_key().to_bytes()).expect("a point")
}

/// Returns the id of the dictionary that most tests use.
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
