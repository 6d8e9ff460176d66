//! Proof files (kinds 176 and 177): `docs/vectors/proof-files/directory.json`, accepted and
//! refused.

use block_directory::{
    BlockDirectory, DirectoryProof, Entry, EntryRange, FullAuthor, internals::Selection,
};
use ed25519_dalek::SigningKey;
use pad_conformance::published::{Answer, VectorQuery, check_proof_files, public_text};
use pad_core::{Authority, Response, Suite, Untrusted, Version, codec, internals::EmptyDictionary};

use crate::support::{S, append, id, ids};

/// Maximum length of the optional head of a proof file.
const LONGEST_HEAD: usize = 1024;

/// Verifies a proof file about entries of a version, with the author's key alone.
fn verify<Q: Selection>(
    authority: &Authority,
    (version, file): (u64, &[u8]),
    query: &Q,
    shown: impl Iterator<Item = u64>,
) -> Option<Answer> {
    let longest = query.longest_proof() + LONGEST_HEAD;
    let response = Untrusted::<Response<S, DirectoryProof<S, Q>>>::decode(file, longest).ok()?;
    let Response { head, proof } = response.into_unverified();
    let version = Version::new(version);
    let head = match head {
        Some(head) => Untrusted::new(head).verify(authority, &version).ok()?,
        None if version == Version::EMPTY => Untrusted::new(EmptyDictionary::new())
            .verify(authority, &())
            .ok()?,
        None => return None,
    };
    let entries = Untrusted::new(proof).verify(&head, query).ok()?;
    let entries = entries.into_inner();
    let answer = shown.map(|number| {
        let entry = match entries.of(id(number)).unwrap() {
            Entry::Live(digest) => digest.to_string(),
            Entry::Deleted => "deleted".to_owned(),
            Entry::Unassigned => "unassigned".to_owned(),
        };
        (hex::encode(number.to_be_bytes()), Some(entry))
    });
    Some(answer.collect())
}

fn prove<Q: Selection>(server: &BlockDirectory<S>, query: &Q) -> Vec<u8> {
    let (head, proof) = (
        server.heads().latest_head(),
        server.prove_latest(query).unwrap(),
    );
    codec::encode(&Response { head, proof })
}

/// The ids in a question.
fn numbers(asked: &VectorQuery) -> Vec<u64> {
    let keys = asked.keys().into_iter().flatten();
    keys.map(|key| u64::from_be_bytes(key.try_into().unwrap()))
        .collect()
}

/// The range of a question about a range.
fn range(asked: &VectorQuery) -> Option<core::ops::Range<u64>> {
    (asked.question == "entries of a range").then(|| numbers(asked)[0]..numbers(asked)[1])
}

fn query(range: &core::ops::Range<u64>) -> EntryRange {
    EntryRange::new(id(range.start), id(range.end)).unwrap()
}

/// A directory of eleven entries, one of them deleted.
fn directory() -> BlockDirectory<S> {
    let signer = SigningKey::from_bytes(&[42; 32]);
    let mut author = FullAuthor::<S>::new("vectors", signer).unwrap();
    let mut server = BlockDirectory::<S>::new(*author.authority(), 2).unwrap();
    append(&mut author, 0..11);
    server.apply(&author.snapshot().unwrap()).unwrap();
    author.delete(id(6)).unwrap();
    server.apply(&author.snapshot().unwrap()).unwrap();
    server
}

#[test]
fn proof_files_are_the_published_ones() {
    let server = directory();
    let authority = *server.heads().authority();
    let empty = BlockDirectory::<S>::new(authority, 2).unwrap();
    check_proof_files(
        "directory",
        &public_text((S::NAME, "directory"), &authority, None),
        |asked| {
            let server = if asked.version == 0 { &empty } else { &server };
            match range(asked) {
                Some(range) => prove(server, &query(&range)),
                None => prove(server, &ids(&numbers(asked))),
            }
        },
        |asked, file| {
            let of = (asked.version, file);
            if let Some(range) = range(asked) {
                return verify(&authority, of, &query(&range), range);
            }
            let numbers = numbers(asked);
            verify(&authority, of, &ids(&numbers), numbers.into_iter())
        },
    );
}
