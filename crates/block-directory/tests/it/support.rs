//! Authors, servers and clients for tests.

use core::ops::Range;

use block_directory::{
    BlockDirectory, CacheBudget, DirectoryClient, Entries, EntryId, EntryQuery, Found, FullAuthor,
    PendingEntries,
};
use ed25519_dalek::SigningKey;
use pad_conformance::pad::head_with_root;
use pad_core::{
    SchemeId, Sha256Ed25519, SnapshotHead, Suite, Untrusted, Verified, VerifyError, codec,
};

/// The suite of tests that do not vary it.
pub(crate) type S = Sha256Ed25519;

/// A budget with no automatic checkpoint.
pub(crate) const LAZY: CacheBudget = CacheBudget {
    bytes: 64 << 20,
    log_bytes: u64::MAX,
};

/// The digest of the object that all tests register for an id.
pub(crate) fn object<S: Suite>(number: u64) -> S::Digest {
    S::value(format!("object-{number}").as_bytes())
}

pub(crate) fn signer() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

/// An author of a directory with these objects at version 1, and a server with the given step.
pub(crate) fn directory(objects: u64, step: u32) -> (FullAuthor<S>, BlockDirectory<S>) {
    let mut author = FullAuthor::new("directory", signer()).unwrap();
    let mut server = BlockDirectory::new(*author.authority(), step).unwrap();
    append(&mut author, 0..objects);
    server.apply(&author.snapshot().unwrap()).unwrap();
    (author, server)
}

/// Registers the objects of these numbers.
pub(crate) fn append(author: &mut FullAuthor<S>, numbers: Range<u64>) {
    for number in numbers {
        author.append(object::<S>(number)).unwrap();
    }
}

/// Sends a look-up to a server, and returns what the client accepts.
pub(crate) fn accepted(
    (pending, request): (PendingEntries<S>, Vec<u8>),
    server: &BlockDirectory<S>,
    client: &mut DirectoryClient<S>,
) -> Found<S> {
    let answer = server.answer(&request).unwrap();
    client.accept(&pending, &answer).unwrap()
}

/// A verified head with an arbitrary root.
pub(crate) fn head_of<S: Suite>(root: S::Digest) -> Verified<SnapshotHead<S>> {
    head_with_root("any".into(), SchemeId(0x0401), 1, root)
}

/// The latest head of a server, verified.
pub(crate) fn head(server: &BlockDirectory<S>) -> Verified<SnapshotHead<S>> {
    let signed = server.heads().latest_head().unwrap();
    let authority = server.heads().authority();
    Untrusted::new(signed)
        .verify(authority, &signed.head.version)
        .unwrap()
}

pub(crate) fn ids(ids: &[u64]) -> EntryQuery {
    EntryQuery::new(ids.to_vec()).unwrap()
}

pub(crate) fn id(number: u64) -> EntryId {
    EntryId::new(number)
}

/// Verifies a message under a root.
pub(crate) fn verify<Q: block_directory::internals::Selection>(
    message: &[u8],
    head: &Verified<SnapshotHead<S>>,
    query: &Q,
) -> Result<Entries<S, Q>, VerifyError> {
    let proof =
        codec::decode::<block_directory::DirectoryProof<S, Q>>(message, query.longest_proof())
            .map_err(VerifyError::Undecodable)?;
    Ok(Untrusted::new(proof).verify(head, query)?.into_inner())
}
