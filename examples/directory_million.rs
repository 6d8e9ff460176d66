//! Verifies that a photograph is the registered one, with a directory of a million objects on
//! disk. The consumer trusts neither the directory server nor the store of the photographs.
//!
//! The **author** registers objects by their digests, and signs versions. The **server** stores the
//! directory in a folder, and has no key. An **object store** stores each object with its hint:
//! the proof of its last lookup. The **consumer** fetches an object, queries the server with data
//! from the hint, and compares the proved digest with the object.
//!
//! Run with `cargo run --release -p examples --example directory_million`.

use std::{collections::BTreeMap, error::Error, path::Path, time::Instant};

use block_directory::{
    BlockDirectory, CacheBudget, DirectoryClient, Entry, EntryId, EntryQuery, Found, FullAuthor,
};
use ed25519_dalek::SigningKey;
use pad_core::{
    AuthorKey, Authority, DictionaryId, Digest, Frontier, HeadSigner, Sha256Ed25519, SnapshotHead,
    Suite, Version, codec,
};

type S = Sha256Ed25519;
type Outcome<T> = Result<T, Box<dyn Error>>;

/// The base-2 logarithm of the number of slots in a block. A block of 128 slots has 4 096 bytes.
const STEP: u32 = 7;

/// Cache budget of a server that keeps little in memory: the levels above the lowest, and some
/// blocks.
const BUDGET: CacheBudget = CacheBudget::bytes(4 << 20);

fn main() -> Outcome<()> {
    run(1_000_000)
}

fn run(objects: u64) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("photographs");
    let signer = SigningKey::from_bytes(&[7; 32]);
    let authority = Authority {
        author: AuthorKey::of(&signer)?,
        dictionary: DictionaryId::from_name("photographs"),
        scheme: block_directory::DIRECTORY,
    };

    // 1. The author registers all objects in one pass, and signs version 1.
    load(&path, authority, &signer, objects)?;

    // 2. The consumer looks an object up. The server reads one block. The proof becomes the hint,
    //    stored with the object.
    let mut store = ObjectStore::default();
    let mut consumer = Consumer(DirectoryClient::new(authority, STEP));
    let server = BlockDirectory::open(&path, BUDGET)?;
    let (one, deleted) = (objects / 3, objects / 2);
    for id in [one, deleted] {
        store.put(id, photograph(id));
        let found = consumer.look_up(&server, &mut store, id)?;
        say(&format!("look-up of {id} without a hint"), &found);
        assert!(found.is_registered && found.blocks_read == 1);
    }
    drop(server);

    // 3. With the hint, the server reads no block, even after a restart with an empty cache.
    let server = BlockDirectory::open(&path, BUDGET)?;
    let found = consumer.look_up(&server, &mut store, one)?;
    say(&format!("look-up of {one} with its hint"), &found);
    assert!(found.is_registered && found.blocks_read == 0);

    // 4. The object store returns another object, with the right hint.
    let hint = store.hint(one);
    store.put(one, b"a retouched photograph".to_vec());
    store.hints.insert(one, hint);
    let found = consumer.look_up(&server, &mut store, one)?;
    say(&format!("tampered object for {one}"), &found);
    assert!(!found.is_registered, "a tampered object is refused");
    store.put(one, photograph(one));

    // 5. The author deletes an entry permanently. Its object is no longer registered.
    let mut author = FullAuthor::resume(server, HeadSigner::new(signer));
    author.delete(EntryId::new(deleted))?;
    let update = author.snapshot()?;
    println!(
        "version {}: entry {deleted} is deleted, by an update of {} bytes",
        update.head.head.version,
        codec::encode(&update).len()
    );
    let found = consumer.look_up(author.directory(), &mut store, deleted)?;
    say(&format!("look-up of {deleted}, which is deleted"), &found);
    assert_eq!(found.entry, Entry::Deleted);

    // 6. The hint of another object still matches, because the subtrees that both versions share
    //    have not changed.
    let found = consumer.look_up(author.directory(), &mut store, one)?;
    say(&format!("look-up of {one} again"), &found);
    assert!(found.is_registered);
    author.into_directory().close()?;
    Ok(())
}

/// Made-up contents of an object.
fn photograph(id: u64) -> Vec<u8> {
    format!("photograph {id}").into_bytes()
}

/// Creates a directory in a folder, and loads all objects.
fn load(path: &Path, authority: Authority, signer: &SigningKey, objects: u64) -> Outcome<()> {
    let start = Instant::now();
    let digests = (0..objects).map(|id| Ok::<_, Box<dyn Error>>(S::value(&photograph(id))));
    let sign = |root| {
        let head = SnapshotHead::<S> {
            scheme: authority.scheme,
            dictionary: authority.dictionary,
            version: Version::new(1),
            root,
            history: Frontier::<S>::default().root(),
        };
        Ok(head.sign(signer)?)
    };
    let directory =
        BlockDirectory::<S>::create_loaded(path, authority, (STEP, BUDGET), digests, sign)?;
    println!(
        "{} objects registered in {:.1} s, in {} bytes of files",
        directory.registered(),
        start.elapsed().as_secs_f64(),
        directory.file_bytes()?
    );
    Ok(())
}

/// Untrusted store of objects and hints.
#[derive(Default)]
struct ObjectStore {
    objects: BTreeMap<u64, Vec<u8>>,
    hints: BTreeMap<u64, Vec<u8>>,
}

impl ObjectStore {
    fn put(&mut self, id: u64, object: Vec<u8>) {
        self.objects.insert(id, object);
    }

    fn object(&self, id: u64) -> Vec<u8> {
        self.objects.get(&id).cloned().unwrap_or_default()
    }

    fn hint(&self, id: u64) -> Vec<u8> {
        self.hints.get(&id).cloned().unwrap_or_default()
    }
}

/// A client with the author's key and the newest version that it has seen.
struct Consumer(DirectoryClient<S>);

/// The result of a lookup, and its cost.
struct LookUp {
    entry: Entry<Digest<32>>,
    is_registered: bool,
    hint_matched: bool,
    blocks_read: u64,
    answer_bytes: usize,
    microseconds: f64,
}

impl Consumer {
    /// Fetches an object and its hint, queries the server, and compares the proved digest with the
    /// object.
    fn look_up(
        &mut self,
        server: &BlockDirectory<S>,
        store: &mut ObjectStore,
        id: u64,
    ) -> Outcome<LookUp> {
        let digest = S::value(&store.object(id));
        let before = server.blocks_read();
        let start = Instant::now();
        let hint = store.hint(id);
        let (pending, request) = self.0.ask_with_hint(EntryId::new(id), &digest, &hint);
        let answer = server.answer(&request)?;
        let Found {
            entries,
            refreshed,
            hint_matched,
        } = self.0.accept(&pending, &answer)?;
        let microseconds = start.elapsed().as_secs_f64() * 1e6;
        assert_eq!(*entries.get().query(), EntryQuery::one(EntryId::new(id)));
        if let Some(hint) = refreshed {
            store.hints.insert(id, codec::encode(&hint));
        }
        let entry = entries.get().of(EntryId::new(id)).ok_or("asked for")?;
        Ok(LookUp {
            entry,
            is_registered: entry == Entry::Live(digest),
            hint_matched,
            blocks_read: server.blocks_read() - before,
            answer_bytes: answer.len(),
            microseconds,
        })
    }
}

fn say(what: &str, found: &LookUp) {
    let says = match (found.entry, found.is_registered) {
        (Entry::Live(_), true) => "this object, verified",
        (Entry::Live(_), false) => "REFUSED, another object is registered",
        (Entry::Deleted, _) => "REFUSED, the entry is deleted",
        (Entry::Unassigned, _) => "REFUSED, there is no such entry",
    };
    let hint = if found.hint_matched {
        "hint matched, "
    } else {
        ""
    };
    println!(
        "{what}: {says} ({hint}{} blocks read, {} bytes, {:.0} us)",
        found.blocks_read, found.answer_bytes, found.microseconds
    );
}

#[test]
fn runs() {
    run(20_000).unwrap();
}
