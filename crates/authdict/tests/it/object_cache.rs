//! Tests of readers of an object store, with a cache in memory.

use std::sync::Arc;

use authdict::{
    NodeCache, Question, SchemeName, Server, Statement, Version,
    internals::{
        AnyStore,
        objects::{ObjectBackend, ObjectFolder},
    },
    verify,
};

use crate::{
    objects::{Bucket, publish, published},
    shop::{name, questions},
};

/// A new reader, with the handle of its objects.
struct Reader {
    repository: Server,
    objects: Arc<ObjectFolder>,
}

impl Reader {
    fn new(bucket: &Arc<Bucket>, memory: &NodeCache) -> Self {
        let store = ObjectBackend::open(bucket.folder(), "prices").unwrap();
        let objects = Arc::clone(store.folder());
        let repository = Server::in_store(AnyStore::Objects(store), memory.clone()).unwrap();
        Self {
            repository,
            objects,
        }
    }

    /// Returns the answers to all questions, and the number of requests for them.
    fn asked(&self, version: Version) -> (Vec<Vec<u8>>, u64) {
        let before = self.objects.requests();
        let answer = |question| self.repository.answer(version, &question).unwrap();
        let answers = questions().map(answer).collect();
        (answers, self.objects.requests() - before)
    }
}

/// A cache filled at one version must save requests at a later version. The answers must be those
/// of an empty cache.
#[test]
fn a_reader_that_follows_reads_what_is_new() {
    let (shop, bucket) = published(SchemeName::Treap, 12);
    let (memory, before) = (NodeCache::default(), Version::new(12));
    let (answers, cold) = Reader::new(&bucket, &memory).asked(before);
    assert_eq!(Reader::new(&bucket, &memory).asked(before), (answers, 0));
    assert!(cold > 0);
    publish(&bucket, &shop, 14).unwrap();
    let latest = Version::new(14);
    let (answers, new) = Reader::new(&bucket, &memory).asked(latest);
    let (expected, all) = Reader::new(&bucket, &NodeCache::default()).asked(latest);
    assert_eq!(answers, expected);
    assert!(new < all, "{new} of {all}");
}

/// Data read from a damaged object must not be used after the object is repaired.
#[test]
fn what_was_read_of_a_damaged_object_is_read_again() {
    let (shop, bucket) = published(SchemeName::RedBlack, 6);
    let (latest, public) = (Version::new(6), shop.key.public());
    let question = Question::Key(name(7));
    let whole = bucket.contents();
    let mut mended = 0;
    let expected = shop.ask(&bucket.repository(), latest, &question);
    for (path, bytes) in &whole {
        if !path.as_ref().contains("/nodes/") {
            continue;
        }
        for place in (0..bytes.len()).step_by(13) {
            let mut damaged = bytes.clone();
            damaged[place] ^= 4;
            bucket.write(path, damaged);
            let reader = Reader::new(&bucket, &NodeCache::default());
            let says = || -> Option<Statement> {
                let answer = reader.repository.answer(latest, &question).ok()?;
                let says = verify(public, latest, &question, &answer).ok()?;
                assert_eq!(says, expected);
                Some(says)
            };
            let could_answer = reader.repository.answer(latest, &question).is_ok();
            says();
            bucket.write(path, bytes.clone());
            if !could_answer {
                // The damage was detected, so the cached data is dropped.
                assert!(says().is_some(), "{path} {place}");
                mended += 1;
            }
        }
    }
    assert!(mended > 3, "{mended}");
}

/// Two dictionaries that use one cache in turn must not get each other's data.
#[test]
fn blocks_are_those_of_one_dictionary() {
    let memory = NodeCache::default();
    let [one, other] = [SchemeName::RedBlack, SchemeName::Treap].map(|scheme| published(scheme, 8));
    let latest = Version::new(8);
    for bucket in [&one.1, &other.1, &one.1] {
        let (expected, _) = Reader::new(bucket, &NodeCache::default()).asked(latest);
        assert_eq!(Reader::new(bucket, &memory).asked(latest).0, expected);
    }
}
