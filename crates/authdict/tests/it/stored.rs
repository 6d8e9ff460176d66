//! Stores with a separate file of nodes. They must equal stores in memory, also with concurrent
//! readers and writers, and after damage.

use std::fs;

use authdict::{
    AuthorError, CacheSize, Key, KeyRange, NodeCache, Operation, Question, RepositoryError,
    SchemeName, Server, Statement, StoreError, Value, Version, internals::dynamic::create_store,
    verify,
};
use pad_conformance::{Random, soak};

use crate::{
    memory::assert_same,
    shop::{Shop, TREES, batches, damage_rounds, name, neighbour_questions, put, questions},
};

#[test]
fn compacted_nodes_answer_as_before_and_the_next_versions_follow_them() {
    for scheme in TREES {
        let stored = Shop::new(scheme);
        let mut memory = stored.memory();
        let mut history = batches(11, 32);
        for since in [0, 3, 20, 0] {
            let group: Vec<_> = history.by_ref().take(8).collect();
            for group in group.chunks(soak::size(3, 1)) {
                stored.publish_together(group.to_vec());
            }
            let reader = stored.repository();
            memory.follow(&reader);
            let (mut said, size) = (0, reader.file_bytes().unwrap());
            let mut compacting = stored.repository();
            let since = Version::new(since);
            let written = compacting.compact(since, &mut |bytes| said = bytes);
            let written = written.unwrap();
            assert!(written > 0);
            assert_eq!(said, written);
            // The store's own file may grow during a compaction, too.
            assert!(compacting.file_bytes().unwrap() >= size + written);
            // Compares the handle that compacted, a handle opened before, and a handle opened now.
            for repository in [&compacting, &reader, &stored.repository()] {
                assert_same(&memory, repository);
            }
            drop(compacting);
            let checked = stored.repository().check().unwrap();
            assert!(checked.complete);
        }
        stored.repository().prune(Version::new(20)).unwrap();
        memory.prune(Version::new(20));
        assert_same(&memory, &stored.repository());
        for since in [33, 19].map(Version::new) {
            let refused = stored.repository().compact(since, &mut drop);
            assert!(matches!(refused, Err(RepositoryError::Lookup(_))));
        }
    }
}

#[test]
fn a_warmed_store_is_followed_and_one_that_is_too_large_is_refused() {
    let stored = Shop::new(SchemeName::Treap);
    let mut memory = stored.memory();
    let cache = NodeCache::new(CacheSize::Warmed { most: 64 << 20 });
    let open = |cache: &NodeCache| Server::of_any_with(&stored.store, cache.clone());
    for (number, batch) in (0..).zip(batches(12, 24)) {
        stored.publish(batch);
        memory.follow(&stored.repository());
        match number {
            7 => {
                let compacted = stored.repository().compact(Version::EMPTY, &mut drop);
                assert!(compacted.is_ok());
            }
            // Pruning creates new files, in which the old offsets have another meaning.
            15 => stored.repository().prune(Version::new(9)).unwrap(),
            _ => {}
        }
        if number == 15 {
            memory.prune(Version::new(9));
        }
        let warmed = open(&cache).unwrap();
        assert!(warmed.memory_bytes() > 0);
        assert_same(&memory, &warmed);
    }
    let small = NodeCache::new(CacheSize::Warmed { most: 5_000 });
    let refused = open(&small).unwrap_err();
    let RepositoryError::Store(StoreError::TooLarge { needed, most }) = refused else {
        panic!("{refused}");
    };
    assert!(needed > most && most == 5_000);
    let exact = NodeCache::new(CacheSize::Warmed { most: needed });
    assert_same(&memory, &open(&exact).unwrap());
}

/// Each page begins at the end of the previous page, so all pages together are the whole range.
#[test]
fn pages_of_a_range_are_all_of_it() {
    let shop = Shop::new(SchemeName::RedBlack);
    shop.publish((0..90).map(|number| put(number, number)).collect());
    let (repository, version) = (shop.repository(), Version::new(1));
    let entries =
        |range: &KeyRange| match shop.ask(&repository, version, &Question::Range(range.clone())) {
            Statement::Range(contents) => contents.entries,
            other => panic!("{other:?}"),
        };
    let some = KeyRange {
        start: Some(name(7)),
        end: Some(name(71)),
    };
    let beyond = KeyRange {
        start: Some(name(900)),
        end: None,
    };
    for (range, bytes) in [
        (KeyRange::ALL, 0),
        (KeyRange::ALL, 200),
        (KeyRange::ALL, 1 << 20),
        (some.clone(), 1),
        (some, 333),
        (beyond, 10),
    ] {
        let (mut rest, mut joined, mut pages) = (range.clone(), Vec::new(), 0);
        loop {
            let page = repository.page(version, &rest, bytes).unwrap();
            let found = entries(&page);
            let length =
                |(key, value): &(Key, Value)| key.as_bytes().len() + value.as_bytes().len();
            let all: usize = found.iter().map(length).sum();
            assert!(all <= bytes || found.len() <= 1, "{all} of {bytes}");
            // Short entries count as 64 bytes, so that a page of them is not too much work.
            assert!(found.len() <= (bytes / 64).max(1), "{}", found.len());
            joined.extend(found);
            pages += 1;
            if page.end == range.end {
                break;
            }
            rest.start = page.end;
        }
        assert_eq!(joined, entries(&range));
        assert!(bytes > 333 || pages > 5 || joined.is_empty());
    }
    let absent = repository.page(Version::new(2), &KeyRange::ALL, 9);
    assert!(absent.is_err());
}

#[test]
fn an_author_of_a_store_that_was_pruned_meanwhile_is_refused() {
    let shop = Shop::new(SchemeName::RedBlack);
    for version in 1..=4 {
        shop.publish((0..20).map(|number| put(number, version)).collect());
    }
    let mut author = shop.author().unwrap();
    shop.repository().prune(Version::new(3)).unwrap();
    let refused = author.stage(vec![put(1, 9)]).unwrap_err();
    assert!(
        matches!(
            refused,
            AuthorError::Repository(RepositoryError::Store(StoreError::Superseded))
        ),
        "{refused}"
    );
    drop(author);
    assert_eq!(shop.publish(vec![put(1, 9)]), Version::new(5));
    shop.repository().check().unwrap();
}

#[test]
fn files_that_are_missing_cut_off_or_of_another_store_are_refused() {
    let shop = Shop::filled(SchemeName::RedBlack, 80);
    for file in ["nodes", "nodes.heads"].map(|end| shop.sibling(end)) {
        let whole = fs::read(&file).unwrap();
        fs::write(&file, &whole[..whole.len() - 1]).unwrap();
        shop.assert_refused("is truncated");
        fs::remove_file(&file).unwrap();
        shop.assert_refused("copy both files with the store");
        let mut emptied = whole.clone();
        emptied[4096..].fill(0);
        fs::write(&file, emptied).unwrap();
        if file.ends_with("stored.nodes") {
            let (repository, question) = (shop.repository(), Question::Key(name(3)));
            assert!(repository.answer(Version::new(1), &question).is_err());
            drop(repository);
            assert!(shop.repository().check().is_err());
        } else {
            shop.assert_refused("latest version");
        }
        fs::write(&file, whole).unwrap();
    }
    shop.repository().check().unwrap();
}

/// Flipped bits in files must cause no wrong answer and no second head of a version.
/// `PAD_DAMAGE_ROUNDS` sets the number of accidents (default 30, under `make soak` 150).
#[test]
fn accidents_to_the_file_make_no_wrong_answer_and_no_second_head() {
    let rounds = damage_rounds(soak::size(30, 150));
    for scheme in TREES {
        let shop = Shop::new(scheme);
        for batch in batches(4, 12) {
            shop.publish(batch);
        }
        let (latest, public) = (Version::new(12), shop.key.public());
        let removal = Operation::Remove(name(40));
        let next = vec![put(1, 5), put(64, 6), removal, put(119, 7)];
        let ends = ["", ".nodes", ".nodes.heads", ".newest", ".signed"];
        let files = ends.map(|end| shop.folder.path().join(format!("stored{end}")));
        let before = files.each_ref().map(|file| fs::read(file).unwrap());
        let restore = || {
            for (file, bytes) in files.iter().zip(&before) {
                fs::write(file, bytes).unwrap();
            }
        };
        let repository = shop.repository();
        let answers: Vec<_> = questions()
            .chain(neighbour_questions())
            .map(|question| (shop.ask(&repository, latest, &question), question))
            .collect();
        drop(repository);
        shop.publish(next.clone());
        let head = shop.repository().head_message(Version::new(13)).unwrap();
        let (mut random, mut signed) = (Random::new(scheme.id().0.into()), 0);
        for _ in 0..rounds {
            restore();
            // One of the two files: the heads in one round of four, otherwise the nodes.
            let which = if random.below(4) == 0 { 2 } else { 1 };
            let mut bytes = before[which].clone();
            let place = random.index(bytes.len());
            bytes[place] ^= 1 << random.below(8);
            fs::write(&files[which], bytes).unwrap();
            if let Ok(repository) = Server::of_any(&shop.store) {
                for (expected, question) in &answers {
                    // An error, a refused proof, or the correct answer is accepted.
                    if let Ok(answer) = repository.answer(latest, question)
                        && let Ok(found) = verify(public, latest, question, &answer)
                    {
                        assert_eq!(found, *expected);
                    }
                }
            }
            let Ok(mut author) = shop.author() else {
                continue;
            };
            let published = author.stage(next.clone());
            if published.and_then(|_| author.flush(&[])).is_ok() {
                let repository = author.server();
                assert_eq!(repository.head_message(Version::new(13)).unwrap(), head);
                signed += 1;
            }
        }
        assert!(signed > 0, "every accident stopped the author");
    }
}

/// An author must refuse files of nodes that belong to another store, and leave them unchanged.
#[test]
fn the_nodes_of_another_store_are_left_alone() {
    let shop = Shop::filled(SchemeName::RedBlack, 80);
    let whole = fs::read(shop.sibling("nodes")).unwrap();
    let aside = shop.folder.path().join("aside");
    fs::rename(&shop.store, &aside).unwrap();
    let create = || create_store(&shop.store, shop.key.public());
    let refused = create().unwrap_err().to_string();
    assert!(refused.contains("belongs to another store"), "{refused}");
    // The store is created before the file of another store appears.
    for end in ["nodes", "nodes.heads"] {
        fs::rename(shop.sibling(end), aside.with_extension(end)).unwrap();
    }
    for end in ["newest", "signed"] {
        fs::remove_file(shop.store.with_extension(end)).unwrap();
    }
    create().unwrap();
    fs::copy(aside.with_extension("nodes"), shop.sibling("nodes")).unwrap();
    let mut author = shop.author().unwrap();
    let refused = author.stage(vec![put(1, 1)]).unwrap_err().to_string();
    assert!(refused.contains("belongs to another store"), "{refused}");
    drop(author);
    assert_eq!(fs::read(shop.sibling("nodes")).unwrap(), whole);
    assert_eq!(Server::of_any(&aside).unwrap().check().unwrap().heads, 1);
}

#[test]
fn a_store_can_be_read_without_the_right_to_write() {
    let shop = Shop::filled(SchemeName::RedBlack, 30);
    for end in ["", "nodes", "nodes.heads"] {
        let file = shop.sibling(end);
        let mut rights = fs::metadata(&file).unwrap().permissions();
        rights.set_readonly(true);
        fs::set_permissions(file, rights).unwrap();
    }
    let store = shop.repository();
    assert_eq!(store.store().latest().unwrap(), Version::new(1));
    assert!(shop.value(Version::new(1), &name(3)).is_some());
}
