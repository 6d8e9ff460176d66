//! Proof files (kinds 176 and 177): `docs/vectors/proof-files/directory.json`, accepted and refused. `PAD_WRITE_VECTORS=1` writes it anew.

use block_directory::{
    BlockDirectory, DirectoryProof, Entries, Entry, EntryRange, FullAuthor, Selection,
};
use conformance::published::{self, Asked, ProofFile, ProofFiles, Refusal, public_text, refusals};
use ed25519_dalek::SigningKey;
use pad_core::{
    Response, Sha256Ed25519, SignedHead, Suite, Untrusted, Version, codec,
    head::{Authority, EmptyDictionary},
};

use crate::support::{id, ids, object};

type S = Sha256Ed25519;

/// What the optional head of a proof file may take beside its proof.
const LONGEST_HEAD: usize = 1024;

/// What a proof file establishes about a version, for whoever trusts the author's key alone.
fn check<Q: Selection>(
    authority: &Authority,
    version: u64,
    file: &[u8],
    query: &Q,
) -> Option<Entries<S, Q>> {
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
    Some(entries.into_inner())
}

struct Publisher {
    authority: Authority,
    files: ProofFiles,
}

impl Publisher {
    /// Adds a file with the entries of these ids, and, if told so, what is refused in its place.
    fn publish<Q: Selection>(
        &mut self,
        (question, keys): (&str, Vec<u64>),
        (head, proof): (Option<SignedHead<S>>, DirectoryProof<S, Q>),
        query: &Q,
        shown: impl Iterator<Item = u64>,
    ) -> (Asked, Vec<u8>) {
        let version = head.map_or(0, |head| head.head.version.number());
        let file = codec::encode(&Response { head, proof });
        let entries = check(&self.authority, version, &file, query).unwrap();
        let answer = shown.map(|number| {
            let entry = match entries.of(id(number)).unwrap() {
                Entry::Live(digest) => digest.to_string(),
                Entry::Deleted => "deleted".to_owned(),
                Entry::Unassigned => "unassigned".to_owned(),
            };
            (digits(number), Some(entry))
        });
        let asked = Asked {
            question: question.to_owned(),
            keys: keys.into_iter().map(|key| Some(digits(key))).collect(),
            version,
        };
        let published = ProofFile {
            asked: asked.clone(),
            answer: answer.collect(),
            file: hex::encode(&file),
        };
        let authority = self.authority;
        self.files.accept(published, &file, |version, bytes| {
            check(&authority, version, bytes, query).is_some()
        });
        (asked, file)
    }

    fn refuse<Q: Selection>(&mut self, asked: &Asked, changed: Vec<Refusal>, query: &Q) {
        let authority = self.authority;
        self.files.refuse_changes(asked, changed, |version, bytes| {
            check(&authority, version, bytes, query).is_some()
        });
    }
}

/// An id as eight bytes.
fn digits(number: u64) -> String {
    hex::encode(number.to_be_bytes())
}

/// Eleven entries, of which one is deleted.
fn directory() -> BlockDirectory<S> {
    let signer = SigningKey::from_bytes(&[42; 32]);
    let mut author = FullAuthor::<S>::new("vectors", signer).unwrap();
    let mut server = BlockDirectory::<S>::new(*author.authority(), 2).unwrap();
    for number in 0..11 {
        author.append(object::<S>(number)).unwrap();
    }
    server.apply(&author.snapshot().unwrap()).unwrap();
    author.delete(id(6)).unwrap();
    server.apply(&author.snapshot().unwrap()).unwrap();
    server
}

#[test]
fn proof_files_are_the_published_ones() {
    let (empty, server) = (
        BlockDirectory::<S>::new(*directory().heads().authority(), 2).unwrap(),
        directory(),
    );
    let authority = *server.heads().authority();
    let mut publisher = Publisher {
        authority,
        files: ProofFiles::new(public_text((S::NAME, "directory"), &authority, None)),
    };
    let head = server.heads().latest_head();
    for (number, list) in [&[4, 6, 12][..], &[0], &[10], &[11, 300]]
        .iter()
        .enumerate()
    {
        let query = ids(list);
        let proof = server.prove_latest(&query).unwrap();
        let asked = ("entries", list.to_vec());
        let (asked, file) = publisher.publish(asked, (head, proof), &query, list.iter().copied());
        if number == 0 {
            let refused = refusals(&file, 32, published::EVERY);
            publisher.refuse(&asked, refused, &query);
            // For other ids than those of the proof: one registered id less, one more, another one. Ids that are not registered
            // add nothing to a proof, so it is that of 4 and 6 as well.
            for other in [&[4][..], &[4, 6, 8], &[4, 7, 12]] {
                let keys = other.iter().map(|id| Some(digits(*id))).collect();
                let asked = Asked {
                    keys,
                    ..asked.clone()
                };
                let refusal = Refusal::new("asked about other ids", file.clone());
                publisher.refuse(&asked, vec![refusal], &ids(other));
            }
            let fewer = ("entries", vec![4, 6]);
            let proof = server.prove_latest(&ids(&[4, 6])).unwrap();
            let (_, same) =
                publisher.publish(fewer, (head, proof), &ids(&[4, 6]), [4, 6].into_iter());
            assert_eq!(same, file);
        }
    }
    for (number, (start, end)) in [(3, 9), (0, 11), (9, 20), (30, 40)].into_iter().enumerate() {
        let query = EntryRange::new(id(start), id(end)).unwrap();
        let proof = server.prove_latest(&query).unwrap();
        let asked = ("entries of a range", vec![start, end]);
        let (asked, file) = publisher.publish(asked, (head, proof), &query, start..end);
        if number == 0 {
            publisher.refuse(&asked, refusals(&file, 32, published::EVERY), &query);
        }
    }
    // Version 0 has no head.
    let (query, range) = (ids(&[3]), EntryRange::new(id(0), id(2)).unwrap());
    let proof = empty.prove_latest(&query).unwrap();
    let asked = ("entries", vec![3]);
    publisher.publish(asked, (None, proof), &query, 3..4);
    let proof = empty.prove_latest(&range).unwrap();
    let asked = ("entries of a range", vec![0, 2]);
    publisher.publish(asked, (None, proof), &range, 0..2);
    published::check("proof-files/directory", &publisher.files);
}
