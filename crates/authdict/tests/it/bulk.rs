//! Checks that first versions sorted outside memory equal first versions sorted in memory.

use std::fs;

use authdict::{
    Author, Changes, Key, KeyRange, Keys, Operation, Question, StoreError, Value, Version,
};

use pad_conformance::Random;

use crate::shop::{Shop, TREES};

/// A memory limit in bytes that only a few operations fit into.
const TINY: usize = 2000;

fn key(number: u64) -> Key {
    Key::try_from(format!("key {number}").as_str()).unwrap()
}

/// Returns operations in a random order, with removals and repeated keys.
fn batch(seed: u64, number: u64) -> Vec<Operation> {
    let mut random = Random::new(seed);
    let operation = |_| {
        if random.below(6) == 0 {
            return Operation::Remove(key(random.below(number)));
        }
        let value = Value::new(vec![b'v'; random.index(60)]).unwrap();
        Operation::Put(key(random.below(number)), value)
    };
    (0..number).map(operation).collect()
}

fn gathered(author: &Author, shop: &Shop, batch: &[Operation]) -> Changes {
    let mut changes = author.gather(&shop.store, TINY);
    for operation in batch {
        changes.push(operation.clone()).unwrap();
    }
    changes
}

/// Publishes batches. If `is_gathered`, they are gathered in a `Changes` collection first.
fn publish(shop: &Shop, batches: &[Vec<Operation>], is_gathered: bool) {
    for batch in batches {
        let mut author = shop.author().unwrap();
        let staged = if is_gathered {
            let changes = gathered(&author, shop, batch);
            author.stage_gathered(changes)
        } else {
            author.stage(batch.clone())
        };
        assert_eq!(author.flush(&[]).unwrap(), staged.unwrap());
    }
}

/// Returns the messages of all versions, and answers about them.
fn said(shop: &Shop) -> Vec<Vec<u8>> {
    let repository = shop.repository();
    let keys = Keys::new((0..40).map(key).collect()).unwrap();
    let mut said = Vec::new();
    for version in (1..=repository.latest().number()).map(Version::new) {
        said.push(repository.head_message(version).unwrap());
        said.push(repository.update_message(version).unwrap().unwrap());
        for question in [
            Question::Keys(keys.clone()),
            Question::Range(KeyRange::ALL),
            Question::Key(key(3)),
        ] {
            said.push(repository.answer(version, &question).unwrap());
        }
    }
    said
}

#[test]
fn versions_that_were_gathered_are_those_that_were_in_memory() {
    for scheme in TREES {
        let first = batch(81, 700);
        let all = (0..700).map(|number| Operation::Remove(key(number)));
        // An empty batch, a load, the removal of all keys, another load, and a few changes.
        let batches = [
            Vec::new(),
            first.clone(),
            all.collect(),
            batch(82, 300),
            batch(83, 40),
        ];
        let [usual, loaded] = [scheme; 2].map(Shop::new);
        publish(&usual, &batches, false);
        publish(&loaded, &batches, true);
        let nodes = |shop: &Shop| fs::read(shop.sibling("nodes")).unwrap();
        // The first page of each file identifies the store, so it is not compared.
        assert_eq!(nodes(&usual)[4096..], nodes(&loaded)[4096..]);
        let expected = said(&usual);
        assert_eq!(said(&loaded), expected, "{scheme}");
    }
}

#[test]
fn what_is_gathered_for_an_empty_dictionary_is_taken_when_it_is_empty_no_more() {
    let [usual, late] = [TREES[0]; 2].map(Shop::new);
    let (first, second) = (batch(84, 60), batch(85, 500));
    let batches = [first.clone(), second.clone()];
    publish(&usual, &batches, false);
    let mut author = late.author().unwrap();
    let changes = gathered(&author, &late, &second);
    author.stage(first).unwrap();
    author.stage_gathered(changes).unwrap();
    author.flush(&[]).unwrap();
    drop(author);
    assert_eq!(said(&late), said(&usual));
}

#[test]
fn what_is_not_flushed_is_not_there_and_nothing_lies_about() {
    let [shop, other] = [TREES[0]; 2].map(Shop::new);
    let folder = shop.folder.path();
    let mut author = shop.author().unwrap();
    let before = fs::read_dir(folder).unwrap().count();
    let changes = gathered(&author, &shop, &batch(86, 500));
    #[cfg(target_os = "linux")]
    assert_eq!(fs::read_dir(folder).unwrap().count(), before);
    drop(changes);
    assert_eq!(fs::read_dir(folder).unwrap().count(), before);
    let changes = gathered(&author, &shop, &batch(86, 500));
    let version = author.stage_gathered(changes).unwrap();
    let repository = author.server();
    assert_eq!(repository.latest(), Version::EMPTY);
    assert!(repository.answer(version, &Question::Key(key(1))).is_err());
    drop(author);
    let batches = [batch(87, 300)];
    publish(&shop, &batches, true);
    publish(&other, &batches, false);
    assert_eq!(said(&shop), said(&other));
}

/// Runs cannot be written to a missing folder. Operations that exceed the memory limit must fail.
#[test]
fn without_room_for_runs_nothing_is_published() {
    let shop = Shop::new(TREES[0]);
    let author = shop.author().unwrap();
    let mut changes = author.gather(&shop.folder.path().join("none/store"), TINY);
    let mut batch = batch(88, 500).into_iter();
    let failed = batch.try_for_each(|change| changes.push(change));
    assert!(matches!(failed, Err(StoreError::Io(_))), "{failed:?}");
    assert_eq!(author.server().latest(), Version::EMPTY);
}
