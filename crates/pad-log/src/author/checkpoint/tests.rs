use std::{
    borrow::Cow,
    sync::{Arc, LazyLock},
};

use ed25519_dalek::SigningKey;
use pad_accumulators::wire;
use pad_conformance::soak;
use pad_core::{HeadSigner, Key, Untrusted, Version, codec};

use super::*;
use crate::{
    author::{
        LogAuthor,
        support::{log, pair},
    },
    client::LogClient,
    proof::{DictionaryScheme, LONGEST_LOOKUP, LookupProof},
    scheme::{AadCounted, AadFrontier},
    shape::Schedule,
};

fn signer() -> SigningKey {
    SigningKey::from_bytes(&[3; 32])
}

fn author_key() -> AuthorKey {
    AuthorKey::from_bytes(signer().verifying_key().as_bytes()).unwrap()
}

fn entry(number: u64) -> Entry {
    pair(&format!("key {}", number % 7), &number.to_string())
}

/// A log with a version for each of `batches`, its number of entries, in trees of up to 16.
fn published<S: DictionaryScheme>(batches: &[u64]) -> LogRepository<S> {
    let workers = Workers::sequential();
    let log = log::<S>(7, 4, Schedule::Eager);
    let signer = HeadSigner::new(signer());
    let mut author = LogAuthor::new(log.clone(), author_key(), signer, workers.clone()).unwrap();
    let mut server = LogRepository::new(log, author_key(), workers).unwrap();
    let mut numbers = 0..;
    for batch in batches {
        for number in numbers.by_ref().take(usize::try_from(*batch).unwrap()) {
            author.append(entry(number)).unwrap();
        }
        author.snapshot().unwrap();
        server.copy_author(&author);
    }
    server
}

/// A log with trees of 16 after versions 2 and 5, which has 17 entries in version 2.
static PUBLISHED: LazyLock<LogRepository<AadFrontier>> =
    LazyLock::new(|| published(&[3, 14, 1, 0, 15, 8]));

fn restored<S: Scheme>(
    repository: &LogRepository<S>,
    checkpoint: &LogCheckpoint,
) -> Option<LogRepository<S>> {
    let bytes = codec::encode(checkpoint);
    let read = codec::decode(&bytes, bytes.len()).unwrap();
    let log = repository.entries().log().clone();
    LogRepository::restore(read, log, author_key(), Workers::sequential())
}

/// The number of values of a key for a client that trusts the head of a version.
fn values(
    repository: &LogRepository<AadFrontier>,
    version: Version,
    key: &Key,
) -> Result<usize, pad_core::VerifyError> {
    let mut client = LogClient::new(repository.entries().log().clone(), author_key());
    let head = codec::encode(&repository.head(version).unwrap());
    client.advance(&head, None).unwrap();
    let size = repository.size(version).unwrap();
    let proof = repository.entries().prove_values(size, key.as_bytes());
    let proof = wire::encode(&proof.unwrap());
    let proof: Untrusted<LookupProof<AadFrontier>> =
        wire::decode(&(), &proof, LONGEST_LOOKUP).unwrap();
    let values = proof.verify(&client.newest().unwrap(), key)?;
    Ok(values.get().values.len())
}

/// Checks that the root covers each element, so that an author appends only to signed elements.
#[test]
fn entries_are_those_that_the_root_speaks_for() {
    let server = published::<AadCounted>(&[3, 14, 1, 0, 15, 8]);
    let mut checkpoint = server.checkpoint();
    assert!(restored(&server, &checkpoint).is_some());
    for place in [0, 7, 8, 20, 40] {
        let honest = checkpoint.entries[place].clone();
        checkpoint.entries[place] = entry(100);
        assert!(restored(&server, &checkpoint).is_none(), "{place}");
        checkpoint.entries[place] = honest;
    }
    for level in 0..checkpoint.levels.len() {
        let step = NODE_BYTES * soak::size(3, 1);
        for place in (0..checkpoint.levels[level].len()).step_by(step) {
            // Accumulators, and the hashes that cover them.
            for byte in [place, place + 50] {
                checkpoint.levels[level][byte] ^= 1;
                assert!(restored(&server, &checkpoint).is_none(), "{level} {byte}");
                checkpoint.levels[level][byte] ^= 1;
            }
        }
    }
}

#[test]
fn opening_makes_no_frontier_anew() {
    let server = &*PUBLISHED;
    let checkpoint = server.checkpoint();
    assert_eq!(checkpoint.frontiers.len(), 2);
    let opened = restored(server, &checkpoint).unwrap();
    let again = opened.checkpoint();
    assert_eq!(codec::encode(&again), codec::encode(&checkpoint));
    for version in (1..=6).map(Version::new) {
        let size = opened.size(version).unwrap();
        let forest = &opened.entries().forest;
        for root in forest.log().shape().forest(size) {
            if forest.log().shape().is_proved(root) {
                assert!(matches!(forest.frontier(root), Ok(Cow::Borrowed(_))));
            }
        }
        for key in ["key 3", "absent"].map(|key| Key::try_from(key).unwrap()) {
            let found = values(&opened, version, &key);
            assert_eq!(found, values(server, version, &key));
            let count = server.entries().positions(key.as_bytes(), size).len();
            assert_eq!(found, Ok(count));
        }
    }
    let counted = published::<AadCounted>(&[17]).checkpoint();
    assert!(counted.frontiers.is_empty());
}

#[test]
fn stored_frontiers_are_of_their_trees_or_refused() {
    let server = &*PUBLISHED;
    let checkpoint = server.checkpoint();
    let with = |change: &dyn Fn(&mut Vec<Vec<u8>>)| {
        let mut changed = checkpoint.clone();
        change(&mut changed.frontiers);
        restored(server, &changed)
    };
    assert!(with(&|_| {}).is_some());
    assert!(with(&|frontiers| drop(frontiers.pop())).is_none());
    assert!(with(&|frontiers| frontiers.push(Vec::new())).is_none());
    for cut in [1, 48, 200] {
        let left = checkpoint.frontiers[0].len() - cut;
        assert!(with(&|frontiers| frontiers[0].truncate(left)).is_none());
    }
    assert!(with(&|frontiers| frontiers[1].push(0)).is_none());
    // A missing frontier is made on request.
    let key = Key::try_from("absent").unwrap();
    let without = with(&|frontiers| frontiers[0].clear()).unwrap();
    assert_eq!(values(&without, Version::new(2), &key), Ok(0));
}

/// The server accepts stored frontiers unverified; clients then refuse its proofs.
#[test]
fn frontiers_that_somebody_else_wrote_deceive_nobody() {
    let server = &*PUBLISHED;
    let version = Version::new(2);
    let checkpoint = server.checkpoint();
    let key = Key::try_from("absent").unwrap();
    assert_eq!(values(server, version, &key), Ok(0));
    let stored = checkpoint.frontiers[0].len();
    // Every field of the first 256 bytes has at least 32 bytes.
    let [first, rest] = soak::size([37, 1999], [11, 499]);
    for place in (0..256).step_by(first).chain((256..stored).step_by(rest)) {
        let mut changed = checkpoint.clone();
        changed.frontiers[0][place] ^= 1;
        let opened = restored(server, &changed).unwrap();
        // The nodes after the first 256 bytes that are off the path are in no proof of this key.
        let found = values(&opened, version, &key);
        let held = found.is_err() || (found == Ok(0) && place >= 256);
        assert!(held, "byte {place}");
    }
}

#[test]
fn polynomials_of_loaded_roots_are_computed_once() {
    let server = published::<AadCounted>(&[3, 14, 1, 0, 15, 8]);
    let loaded = restored(&server, &server.checkpoint()).unwrap();
    let forest = &loaded.entries().forest;
    let is_kept = |node| Arc::ptr_eq(&forest.polynomial(node), &forest.polynomial(node));
    let shape = loaded.entries().log().shape();
    let roots: Vec<Address> = shape.forest(41).filter(|it| shape.is_proved(*it)).collect();
    assert_eq!(roots.len(), 2);
    for root in roots {
        assert!(is_kept(root), "{root:?}");
        // Roots of earlier sizes are computed each time: memory does not grow with the versions.
        let (left, right) = root.children().unwrap();
        assert!(!is_kept(left) && !is_kept(right), "{root:?}");
    }
    for size in 0..=41 {
        for key in ["key 0", "absent"] {
            let [made, read] = [&server, &loaded]
                .map(|it| it.entries().prove_values(size, key.as_bytes()).unwrap());
            assert_eq!(wire::encode(&made), wire::encode(&read), "{key} at {size}");
        }
    }
}
