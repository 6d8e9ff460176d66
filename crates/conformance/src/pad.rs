//! A PAD as the generic checks see it: how to make its author and server, and how a client asks.

use core::{fmt::Debug, marker::PhantomData};

use ed25519_dalek::SigningKey;
use pad_core::{
    Attachment, AuthorKey, Dictionary, DictionaryId, Key, Repository, SnapshotHead, Suite,
    TrustedView, Untrusted, Value, Verified, Version, codec, head::Authority,
};
use pad_tree::{
    Authenticated, BalancingScheme, Lookup, TreeAuthor, TreeProof, TreeQuery, TreeRepository,
    VersionedStore,
};

/// The most that a test's client accepts in one message.
pub const MESSAGE_LIMIT: usize = 1 << 20;

/// What the generic checks need to know about a PAD.
pub trait Pad {
    /// Hash, digest width and signature.
    type Suite: Suite;
    /// What updates carry beside operations and head.
    type Attachment: Attachment;
    /// The author.
    type Author: Dictionary<Suite = Self::Suite, Attachment = Self::Attachment, Error: Debug>;
    /// The server; cloned to compare what an update did.
    type Server: Repository<Suite = Self::Suite, Attachment = Self::Attachment, Query = Key> + Clone;

    /// The author of a new dictionary, with the signer of this number.
    fn author(dictionary: DictionaryId, signer: u8) -> Self::Author;
    /// An empty server.
    fn server(authority: Authority) -> Self::Server;
    /// The proof for a key as bytes.
    fn proof_bytes(server: &Self::Server, version: Version, key: &Key) -> Vec<u8>;
    /// What a client learns from these bytes; `None` if the key is absent.
    fn verify(
        bytes: &[u8],
        authority: &Authority,
        head: &Verified<SnapshotHead<Self::Suite>>,
        key: &Key,
    ) -> Option<Value>;
}

/// A tree PAD under suite `S`, scheme `B` and store `St`.
#[derive(Debug)]
pub struct TreePad<S, B, St>(PhantomData<(S, B, St)>);

impl<S, B, St> Pad for TreePad<S, B, St>
where
    S: Suite,
    B: BalancingScheme,
    St: VersionedStore<Annotation = Authenticated<S>, Scheme = B> + Clone + Send + Sync,
{
    type Suite = S;
    type Attachment = ();
    type Author = TreeAuthor<S, B, SigningKey>;
    type Server = TreeRepository<S, St>;

    fn author(dictionary: DictionaryId, signer: u8) -> Self::Author {
        tree_author(dictionary, signer)
    }

    fn server(authority: Authority) -> Self::Server {
        TreeRepository::new(authority)
    }

    fn proof_bytes(server: &Self::Server, version: Version, key: &Key) -> Vec<u8> {
        codec::encode(&server.prove(version, key).expect("the version is there"))
    }

    fn verify(
        bytes: &[u8],
        _: &Authority,
        head: &Verified<SnapshotHead<S>>,
        key: &Key,
    ) -> Option<Value> {
        let lookup: Lookup = verify_bytes(bytes, head, key);
        assert_eq!((lookup.version, &lookup.key), (head.get().version, key));
        lookup.answer.value().cloned()
    }
}

/// The author of a new tree PAD, with the signer of this number.
pub fn tree_author<S: Suite, B: BalancingScheme>(
    dictionary: DictionaryId,
    signer: u8,
) -> TreeAuthor<S, B, SigningKey> {
    TreeAuthor::new(dictionary, public_key(signer), signing_key(signer))
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

/// The statement of an honest tree proof that travels as bytes.
pub fn verify_bytes<S: Suite, Q: TreeQuery>(
    bytes: &[u8],
    head: &Verified<SnapshotHead<S>>,
    query: &Q,
) -> Q::Statement {
    let proof = Untrusted::<TreeProof<S, Q>>::decode(bytes, MESSAGE_LIMIT).expect("canonical");
    proof
        .verify(head, query)
        .expect("an honest proof verifies")
        .into_inner()
}
