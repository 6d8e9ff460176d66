//! A PAD as the generic checks see it: how to make its author and server, and how a client asks.

use core::fmt::Debug;

use ed25519_dalek::SigningKey;
use pad_core::{
    Answers, Attachment, AuthorKey, Authored, Client, Dictionary, DictionaryId, Family, Key,
    PublicKey, Question, Repository, Response, SnapshotHead, Suite, TrustedView, Untrusted, Value,
    Verified, Version, codec, head::Authority,
};

/// The most that a test's client accepts in one message.
pub const MESSAGE_LIMIT: usize = 1 << 20;

/// What the generic checks need to know about a PAD.
pub trait Pad {
    /// Hash, digest width and signature.
    type Suite: Suite;
    /// What updates carry beside operations and head.
    type Attachment: Attachment;
    /// What its clients are clients of.
    type Family: Family<Suite = Self::Suite>
        + Authored<Attachment = Self::Attachment>
        + Answers<Key, Proof = Self::Proof>;
    /// The evidence for the answer to a look-up.
    type Proof: codec::Message + pad_core::Proof<Query = Key>;
    /// The author.
    type Author: Dictionary<Suite = Self::Suite, Attachment = Self::Attachment, Error: Debug>;
    /// The server; cloned to compare what an update did.
    type Server: Repository<
            Suite = Self::Suite,
            Attachment = Self::Attachment,
            Query = Key,
            Proof = Self::Proof,
        > + Clone;

    /// The author of a new dictionary, with the signer of this number.
    fn author(dictionary: DictionaryId, signer: u8) -> Self::Author;
    /// What clients of such an author are told.
    fn public(authority: &Authority) -> PublicKey<Self::Family>;
    /// An empty server.
    fn server(authority: Authority) -> Self::Server;

    /// The oldest version that a server with this latest version answers about: version 0, unless it does not keep old ones.
    fn oldest(_latest: Version) -> Version {
        Version::EMPTY
    }
}

/// The proof for a key as bytes.
pub fn proof_bytes<P: Pad>(server: &P::Server, version: Version, key: &Key) -> Vec<u8> {
    codec::encode(&server.prove(version, key).expect("the version is there"))
}

/// A client of this server that has seen this version.
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

/// The statement of an honest proof that travels as bytes to a client that knows the version.
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

/// What a client learns of a key; `None` if it is absent.
pub fn look_up<P: Pad>(client: &Client<P::Family>, server: &P::Server, key: &Key) -> Option<Value> {
    let version = client.version();
    let proof = server.prove(version, key).expect("the version is there");
    let lookup = ask(client, server, key, proof);
    assert_eq!((lookup.version, &lookup.key), (version, key));
    lookup.answer.value().cloned()
}

/// The signing key of this number.
pub fn signing_key(number: u8) -> SigningKey {
    SigningKey::from_bytes(&[number; 32])
}

/// Its public half.
pub fn public_key(number: u8) -> AuthorKey {
    AuthorKey::from_bytes(&signing_key(number).verifying_key().to_bytes()).expect("a point")
}

/// The dictionary of most tests.
pub fn dictionary() -> DictionaryId {
    DictionaryId::from_name("conformance")
}

/// A version's verified head, as a client gets it.
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
