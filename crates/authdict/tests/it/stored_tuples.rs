//! Stores with a separate file of tuples. They must equal stores in memory, also with concurrent
//! readers and writers, and after damage.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

use authdict::{
    AnswerError, Author, LookupError, Operation, Question, RepositoryError, SchemeName, Server,
    SigningRecord, StoreError, Version, internals::dynamic::create_store, pad_core::StoreFault,
    verify,
};
use pad_conformance::{Random, soak};
use redb::{Database, ReadableDatabase as _, ReadableTable as _, TableDefinition};

use crate::{
    memory::assert_same,
    shop::{Shop, TREES, TUPLES, batches, damage_rounds, follow, name, put, questions},
};

/// If a process is killed after its update is durable and before its tuples are written, the tuple
/// file is outdated or missing.
#[test]
fn tuples_that_are_behind_their_store_are_brought_up() {
    for scheme in TUPLES {
        let stored = Shop::new(scheme);
        let mut memory = stored.memory();
        let mut copies = vec![None];
        for batch in batches(6, soak::size(5, 8)) {
            stored.publish(batch);
            copies.push(Some(fs::read(stored.sibling("tuples")).unwrap()));
        }
        memory.follow(&stored.repository());
        for copy in copies {
            match copy {
                Some(bytes) => fs::write(stored.sibling("tuples"), bytes).unwrap(),
                None => fs::remove_file(stored.sibling("tuples")).unwrap(),
            }
            assert_same(&memory, &stored.repository());
        }
        let next = vec![put(3, 33), Operation::Remove(name(77))];
        fs::remove_file(stored.sibling("tuples")).unwrap();
        stored.publish(next);
        memory.follow(&stored.repository());
        assert_same(&memory, &stored.repository());
    }
}

#[test]
fn the_tuples_of_another_store_are_left_alone() {
    let scheme = SchemeName::TupleBaseSuperseding;
    let shop = Shop::filled(scheme, 20);
    let foreign = Shop::new(scheme);
    fs::copy(shop.sibling("tuples"), foreign.sibling("tuples")).unwrap();
    foreign.assert_refused("belongs to another store");
    fs::remove_file(&foreign.store).unwrap();
    let refused = create_store(&foreign.store, foreign.key.public());
    assert!(matches!(refused, Err(StoreError::Damaged(_))));
}

#[test]
#[cfg(unix)]
fn a_store_behind_a_symbolic_link_has_its_tuples_beside_it() {
    let mut shop = Shop::new(TUPLES[0]);
    let version = shop.publish(vec![put(1, 1)]);
    let (away, elsewhere) = (shop.store.clone(), tempfile::tempdir().unwrap());
    shop.store = elsewhere.path().join("link");
    std::os::unix::fs::symlink(away, &shop.store).unwrap();
    // The pruned updates no longer exist, so tuples cannot be rebuilt from them.
    shop.repository().prune(version).unwrap();
    shop.publish(vec![put(2, 2)]);
    assert_eq!(shop.repository().oldest(), version);
    assert!(!shop.sibling("tuples").exists());
    shop.repository().check().unwrap();
}

/// While an author publishes and prunes, each reader must see one state and report no damage.
#[test]
fn readers_beside_an_author_that_prunes_raise_no_alarm() {
    for scheme in [TUPLES[0], TUPLES[3], TREES[0]] {
        let shop = Shop::filled(scheme, 20);
        let ended = AtomicBool::new(false);
        let read = |round: u32| {
            let mut repository = shop.repository();
            let (oldest, latest) = (repository.oldest(), repository.latest());
            let question = Question::Key(name(3));
            for version in [oldest.max(Version::new(1)), latest] {
                shop.ask(&repository, version, &question);
            }
            let history = repository.history_page(&name(3), latest, 1000);
            assert!(history.is_ok());
            if round.is_multiple_of(3) {
                repository.check().unwrap();
            }
        };
        let reader = || {
            let mut rounds = 0;
            while !ended.load(Ordering::Relaxed) {
                read(rounds);
                rounds += 1;
            }
            rounds
        };
        std::thread::scope(|scope| {
            let readers = [scope.spawn(reader), scope.spawn(reader)];
            for number in 1..=soak::size(16, 300) {
                let version = shop.publish(vec![put(number % 20, number)]);
                if number.is_multiple_of(2) {
                    shop.repository().prune(version).unwrap();
                }
            }
            ended.store(true, Ordering::Relaxed);
            for reader in readers {
                assert!(reader.join().unwrap() > 0);
            }
        });
    }
}

/// Flipped bits in the tuple file must cause no wrong answer. `PAD_DAMAGE_ROUNDS` sets the number
/// of accidents (default 15, under `make soak` 60).
#[test]
fn accidents_to_the_file_make_no_wrong_answer() {
    let rounds = damage_rounds(soak::size(15, 60));
    for scheme in [
        SchemeName::TupleBaseSuperseding,
        SchemeName::TupleSpecLightweight,
    ] {
        let shop = Shop::new(scheme);
        for batch in batches(4, 9) {
            shop.publish(batch);
        }
        let (latest, public) = (Version::new(9), shop.key.public());
        let repository = shop.repository();
        let answers: Vec<_> = questions()
            .map(|question| (shop.ask(&repository, latest, &question), question))
            .collect();
        drop(repository);
        let before = fs::read(shop.sibling("tuples")).unwrap();
        let (mut random, mut same) = (Random::new(scheme.id().0.into()), 0);
        for _ in 0..rounds {
            let mut bytes = before.clone();
            let place = random.index(bytes.len());
            bytes[place] ^= 1 << random.below(8);
            fs::write(shop.sibling("tuples"), bytes).unwrap();
            let Ok(repository) = Server::of_any(&shop.store) else {
                continue;
            };
            for (expected, question) in &answers {
                // An error or the correct answer is accepted.
                if let Ok(answer) = repository.answer(latest, question) {
                    let found = verify(public, latest, question, &answer).unwrap();
                    assert_eq!(found, *expected);
                    same += 1;
                }
            }
        }
        assert!(same > 0, "every accident stopped every answer");
    }
}

/// Damages each row of the file in turn. Answers must be correct, or refused because of the damage.
#[test]
fn every_damaged_row_is_met_as_damage() {
    for scheme in [SchemeName::TupleSpecLightweight, SchemeName::TupleBase] {
        let shop = Shop::filled(scheme, 90);
        for version in 2..=4 {
            shop.publish(vec![put(version, version), put(95 + version, 5)]);
        }
        let (versions, public) = ([1, 4].map(Version::new), shop.key.public());
        let asked = || {
            questions()
                .flat_map(move |question| versions.map(|version| (version, question.clone())))
        };
        let repository = shop.repository();
        let expected: Vec<_> = asked()
            .map(|(version, question)| shop.ask(&repository, version, &question))
            .collect();
        drop(repository);
        let whole = fs::read(shop.sibling("tuples")).unwrap();
        let (mut refusals, mut seen) = (BTreeMap::<u8, usize>::new(), BTreeMap::new());
        let every = soak::size(29, 1);
        for row in rows(&shop.sibling("tuples")) {
            // The first rows of each kind are tested, and then a sample.
            let seen: &mut usize = seen.entry(row[0]).or_default();
            *seen += 1;
            if *seen > 3 && !seen.is_multiple_of(every) {
                continue;
            }
            damage(&shop.sibling("tuples"), &row);
            let refused = match Server::of_any(&shop.store) {
                Err(RepositoryError::Store(StoreError::Damaged(_))) => 1,
                Err(other) => panic!("{other}"),
                Ok(repository) => asked()
                    .zip(&expected)
                    .map(|((version, question), expected)| {
                        match repository.answer(version, &question) {
                            Ok(answer) => {
                                let found = verify(public, version, &question, &answer).unwrap();
                                assert_eq!(found, *expected);
                                0_usize
                            }
                            Err(AnswerError::Lookup(
                                LookupError::Damaged { .. }
                                | LookupError::Store(StoreFault::Damaged),
                            )) => 1,
                            Err(other) => panic!("{other}"),
                        }
                    })
                    .sum(),
            };
            *refusals.entry(row[0]).or_default() += refused;
            fs::write(shop.sibling("tuples"), &whole).unwrap();
        }
        let of_kind: Vec<_> = refusals
            .into_iter()
            .map(|(kind, refused)| (kind, refused > 0))
            .collect();
        // Only pruning needs the rows of removed tuples.
        let mut expected = vec![(0, true), (1, true), (2, true), (3, true), (4, false)];
        // The rows of the runs of each generation, if the scheme has them.
        expected.push((16, true));
        if scheme == SchemeName::TupleSpecLightweight {
            expected.push((17, true));
        }
        assert_eq!(of_kind, expected);
        shop.repository().check().unwrap();
    }
}

type Rows<'n> = TableDefinition<'n, &'static [u8], &'static [u8]>;

/// Returns the name of the table for rows whose keys begin with the byte `kind`.
fn table(kind: u8) -> String {
    format!("rows {kind}")
}

fn rows(file: &Path) -> Vec<Vec<u8>> {
    let database = Database::open(file).unwrap();
    let transaction = database.begin_read().unwrap();
    let names = (0..=u8::MAX).map(table);
    let tables = names.filter_map(|name| transaction.open_table(Rows::new(&name)).ok());
    let rows = tables.flat_map(|table| {
        let rows = table.iter().unwrap();
        rows.map(|row| row.unwrap().0.value().to_vec())
            .collect::<Vec<_>>()
    });
    rows.collect()
}

/// Changes the last bit of a row.
fn damage(file: &Path, row: &[u8]) {
    let database = Database::open(file).unwrap();
    let transaction = database.begin_write().unwrap();
    {
        let name = table(row[0]);
        let mut table = transaction.open_table(Rows::new(&name)).unwrap();
        let mut value = table.get(row).unwrap().unwrap().value().to_vec();
        *value.last_mut().unwrap() ^= 1;
        table.insert(row, value.as_slice()).unwrap();
    }
    transaction.commit().unwrap();
}

/// A tuple file of another format must be refused and left unchanged. After its removal it must be
/// built again.
#[test]
fn a_file_of_another_format_is_left_alone_and_made_again_when_it_is_gone() {
    let scheme = SchemeName::TupleSpecLightweight;
    let stored = Shop::new(scheme);
    let mut memory = stored.memory();
    for batch in batches(6, 5) {
        stored.publish(batch);
    }
    memory.follow(&stored.repository());
    let database = Database::create(stored.sibling("tuples")).unwrap();
    let transaction = database.begin_write().unwrap();
    {
        let about = TableDefinition::<&str, &[u8]>::new("about");
        let mut about = transaction.open_table(about).unwrap();
        about.insert("format", &b"pad-tuples v1"[..]).unwrap();
    }
    transaction.commit().unwrap();
    drop(database);
    let other = fs::read(stored.sibling("tuples")).unwrap();
    stored.assert_refused("tuple file (.tuples) is damaged");
    let refused = stored.author().unwrap_err().to_string();
    assert!(refused.contains("is rebuilt"), "{refused}");
    assert_eq!(fs::read(stored.sibling("tuples")).unwrap(), other);
    fs::remove_file(stored.sibling("tuples")).unwrap();
    assert_same(&memory, &stored.repository());
}

/// Tuples that are written later can be queried immediately, and a kill loses no version.
#[test]
fn tuples_that_are_written_later_are_there_at_once() {
    for scheme in TUPLES {
        let stored = Shop::new(scheme);
        let mut memory = stored.memory();
        let mut author = stored.author().unwrap();
        let before = fs::read(stored.sibling("tuples")).ok();
        for (place, batch) in batches(5, soak::size(8, 12)).enumerate() {
            author.stage(batch).unwrap();
            author.flush_and_go_on(&[]).unwrap();
            memory.follow(author.server());
            assert_same(&memory, author.server());
            assert_eq!(fs::read(stored.sibling("tuples")).ok().is_some(), place > 4);
            if place == 4 {
                // Another process opens the store, and updates the tuple file.
                assert_same(&memory, &stored.repository());
            }
        }
        assert_eq!(before, None);
        // The files are copied in the state that a kill would leave.
        let copy = stored.folder.path().join("copy");
        fs::copy(&stored.store, &copy).unwrap();
        fs::copy(stored.sibling("tuples"), copy.with_extension("tuples")).unwrap();
        assert_same(&memory, &Server::of_any(&copy).unwrap());
        author.checkpoint().unwrap();
        drop(author);
        let bytes = fs::read(stored.sibling("tuples")).unwrap();
        assert_same(&memory, &stored.repository());
        let is_right = fs::read(stored.sibling("tuples")).unwrap() == bytes;
        assert!(is_right, "it was behind");
        stored.repository().check().unwrap();
    }
}

/// A second author is refused while tuples wait to be written. Later it continues from the state of
/// the first author.
#[test]
fn a_second_author_is_refused_while_tuples_wait_to_be_written() {
    // A refused author first waits for the lock for seconds.
    for scheme in &TUPLES[..soak::size(1, 5)] {
        let stored = Shop::new(*scheme);
        let mut memory = stored.memory();
        let other_record = SigningRecord::open_or_begin(&stored.sibling("other")).unwrap();
        let mut waiting = stored.author().unwrap();
        let mut second = Author::of_any(&stored.store, &stored.key, other_record).unwrap();
        for batch in batches(6, 4) {
            waiting.stage(batch).unwrap();
            waiting.flush_and_go_on(&[]).unwrap();
        }
        let batch = vec![put(5, 50)];
        let refused = second.stage(batch.clone()).and_then(|_| second.flush(&[]));
        assert!(refused.is_err(), "two histories");
        assert!(!stored.sibling("tuples").exists());
        drop((waiting, second));
        stored.publish(batch);
        memory.follow(&stored.repository());
        assert_same(&memory, &stored.repository());
        stored.repository().check().unwrap();
    }
}

/// A store restored from a backup must continue at the version of the backup. A newer tuple file
/// next to it must be refused.
#[test]
fn an_old_backup_goes_on_where_it_stands() {
    let scheme = SchemeName::TupleSpecLightweight;
    let author = Shop::new(scheme);
    let mirror = Shop::new(scheme);
    let mut batches = batches(3, 9);
    for batch in batches.by_ref().take(4) {
        author.publish(batch);
    }
    let follow_author = || follow(&mut mirror.repository(), &author.repository());
    follow_author();
    let [newest, tuples] = ["newest", "tuples"].map(|end| mirror.sibling(end));
    let files = [&mirror.store, &newest, &tuples];
    let backup = files.map(|file| fs::read(file).unwrap());
    for batch in batches {
        author.publish(batch);
    }
    follow_author();
    assert_same(&author.repository(), &mirror.repository());
    // Restores the store without its tuples, so newer tuples are next to it.
    for (file, bytes) in files.iter().zip(&backup).take(2) {
        fs::write(file, bytes).unwrap();
    }
    mirror.assert_refused("newer than the store");
    fs::remove_file(&tuples).unwrap();
    assert_eq!(mirror.repository().latest(), Version::new(4));
    follow_author();
    assert_same(&author.repository(), &mirror.repository());
    // Restores all files.
    for (file, bytes) in files.iter().zip(&backup) {
        fs::write(file, bytes).unwrap();
    }
    assert_eq!(mirror.repository().latest(), Version::new(4));
    follow_author();
    assert_same(&author.repository(), &mirror.repository());
    // A restored tuple file alone is brought up to date, unless the missing versions were pruned.
    fs::write(&tuples, &backup[2]).unwrap();
    assert_same(&author.repository(), &mirror.repository());
    mirror.repository().prune(Version::new(6)).unwrap();
    let pruned = fs::read(&tuples).unwrap();
    fs::write(&tuples, &backup[2]).unwrap();
    mirror.assert_refused("is missing");
    fs::write(&tuples, pruned).unwrap();
    mirror.repository().check().unwrap();
}

#[test]
fn a_store_goes_on_once_a_damaged_record_of_its_newest_state_is_moved_away() {
    for scheme in [TREES[0], TUPLES[0]] {
        let shop = Shop::new(scheme);
        shop.publish(vec![put(1, 1)]);
        fs::write(shop.sibling("newest"), "").unwrap();
        shop.assert_refused("move that file away");
        fs::remove_file(shop.sibling("newest")).unwrap();
        assert_eq!(shop.repository().latest(), Version::new(1));
        assert_eq!(shop.publish(vec![put(2, 2)]), Version::new(2));
        assert!(shop.sibling("newest").exists());
    }
}
