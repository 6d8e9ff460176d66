//! Histories of keyed directories against a sorted map, with every question through the verifier of `pad-tree`.

use core::marker::PhantomData;

use block_directory::{
    AuthorError, BlockRecord, Capacity, KeyedAuthor, KeyedBlocks, KeyedDirectory, KeyedTree,
    keyed::{LONGEST_KEY, LONGEST_VALUE},
};
use conformance::{
    Action, Pad, Random, dictionary as author_laws, pad::signing_key, queries, repository, traces,
};
use ed25519_dalek::SigningKey;
use pad_core::{
    ApplyError, Author, Blake3Ed25519, Client, Dictionary, DictionaryId, InputError, Key, KeyRange,
    LookupError, NewAuthorError, Operation, Paper2010, PublicKey, Repository, SchemeId, Server,
    Sha256Ed25519, Suite, Update, Value, VerifyError, Version, head::Authority,
};
use pad_tree::TreeProof;

use crate::support::{S, signer};

/// A keyed directory with blocks of this many slots.
struct KeyedPad<S, const SLOTS: usize>(PhantomData<S>);

fn capacity(slots: usize) -> Capacity {
    Capacity::of(slots).unwrap()
}

impl<S: Suite, const SLOTS: usize> Pad for KeyedPad<S, SLOTS> {
    type Suite = S;
    type Attachment = ();
    type Family = KeyedBlocks<S>;
    type Proof = TreeProof<S, Key>;
    type Author = KeyedAuthor<S>;
    type Server = KeyedDirectory<S>;

    fn author(dictionary: DictionaryId, signer: u8) -> KeyedAuthor<S> {
        KeyedAuthor::with_capacity(dictionary, signing_key(signer), capacity(SLOTS)).unwrap()
    }

    fn public(authority: &Authority) -> PublicKey<KeyedBlocks<S>> {
        PublicKey::new(authority.author, authority.dictionary, ())
    }

    fn server(authority: Authority) -> KeyedDirectory<S> {
        KeyedDirectory::with_capacity(authority, capacity(SLOTS)).unwrap()
    }

    fn oldest(latest: Version) -> Version {
        latest
    }
}

/// The same trace with keys and values that keyed directories take.
fn within_bounds(actions: &[Action]) -> Vec<Action> {
    let key = |key: &Key| {
        let bytes = key.as_bytes();
        let longer = bytes.len().saturating_sub(LONGEST_KEY);
        Key::new(&bytes[longer..]).unwrap()
    };
    let cut = |action: &Action| match action {
        Action::Put(long, value) => {
            let value = value.as_bytes();
            let value = Value::new(&value[..value.len().min(LONGEST_VALUE)]).unwrap();
            Action::Put(key(long), value)
        }
        Action::Remove(long) => Action::Remove(key(long)),
        Action::Snapshot => Action::Snapshot,
    };
    actions.iter().map(cut).collect()
}

fn check<P: Pad<Server: queries::AllQuestions + pad_core::Hosts<Family = P::Family>>>(name: &str) {
    traces::check_traces(&format!("{name}::trace"), 6, 60, |actions| {
        repository::check_trace::<P>(&within_bounds(actions));
    });
    traces::check_traces(&format!("{name}::questions"), 15, 40, |actions| {
        queries::check_latest_versions::<P>(&within_bounds(actions));
    });
    repository::check_refusals::<P>(&[]);
    traces::check_traces(&format!("{name}::refusals"), 15, 30, |actions| {
        repository::check_refusals::<P>(&within_bounds(actions));
    });
}

#[test]
fn every_answer_matches_the_oracle() {
    check::<KeyedPad<Sha256Ed25519, 2>>("keyed 2");
    check::<KeyedPad<Sha256Ed25519, 3>>("keyed 3");
    check::<KeyedPad<Sha256Ed25519, 5>>("keyed 5");
    check::<KeyedPad<Sha256Ed25519, 8>>("keyed 8");
    check::<KeyedPad<Sha256Ed25519, 64>>("keyed 64");
}

#[test]
fn every_answer_matches_the_oracle_under_other_suites() {
    check::<KeyedPad<Blake3Ed25519, 4>>("keyed blake3");
    check::<KeyedPad<Paper2010, 7>>("keyed paper");
}

#[test]
fn the_open_contents_of_authors_match_the_oracle() {
    traces::check_traces("keyed::author", 1, 80, |actions| {
        let mut author = KeyedPad::<S, 4>::author(DictionaryId::from_name("author"), 7);
        author_laws::check_matches_oracle(&mut author, &within_bounds(actions));
    });
}

/// Every block has 1 to `slots` slots, one separator less than children, and only blocks that were the last of their level may have
/// been split unevenly; restoring them gives the same tree.
fn check_blocks(tree: &KeyedTree<S>, slots: usize) {
    let records: Vec<(u64, BlockRecord<S>)> = tree.records().collect();
    for (_, block) in &records {
        assert!((1..=slots).contains(&block.entries.len().max(block.children.len())));
    }
    let top = tree
        .top()
        .map(|top| &records.iter().find(|(number, _)| *number == top).unwrap().1);
    assert!(top.is_none_or(|top| top.level == 0 || top.children.len() > 1));
    let restored = KeyedTree::from_records(capacity(slots), tree.top(), records.clone()).unwrap();
    assert_eq!((restored.root(), restored.len()), (tree.root(), tree.len()));
    assert!(restored.records().eq(records));
}

/// Long histories of puts and removals at every capacity: growth, shrinking to nothing, and growth again.
#[test]
fn trees_of_every_capacity_match_a_sorted_map() {
    for slots in 2..=64 {
        let mut random = Random::new(u64::try_from(slots).unwrap());
        let mut tree = KeyedTree::<S>::new(capacity(slots));
        let mut model = std::collections::BTreeMap::new();
        let mut merges = 0;
        for (put_percent, rounds) in [(90, 12), (15, 24), (70, 6), (0, 20)] {
            for _ in 0..rounds {
                let operations = random_operations(&mut random, &model, put_percent);
                apply_to_model(&mut model, &operations);
                tree.apply(&operations).unwrap();
                check_blocks(&tree, slots);
                assert_eq!(tree.len(), u64::try_from(model.len()).unwrap());
                assert!(model.iter().all(|(key, value)| {
                    tree.get(Key::as_bytes(key)) == Some(Value::as_bytes(value))
                }));
            }
            merges = tree.merges();
        }
        let rest: Vec<Operation> = model.keys().cloned().map(Operation::Remove).collect();
        tree.apply(&rest).unwrap();
        assert_eq!(
            (tree.root(), tree.len(), tree.top()),
            (S::empty_tree(), 0, None)
        );
        assert_eq!(tree.records().count(), 0);
        assert!(merges > 0 || slots < 5, "blocks of {slots} slots merge");
    }
}

type Model = std::collections::BTreeMap<Key, Value>;

fn random_operations(random: &mut Random, model: &Model, put_percent: u64) -> Vec<Operation> {
    let mut operations = std::collections::BTreeMap::new();
    let present: Vec<&Key> = model.keys().collect();
    for _ in 0..random.below(60) {
        if random.below(100) < put_percent {
            let key = Key::new(format!("{:04}", random.below(2000)).into_bytes()).unwrap();
            let value = Value::new(random.below(1000).to_be_bytes()).unwrap();
            operations.insert(key.clone(), Operation::Put(key, value));
        } else if !present.is_empty() {
            let place = random.below(u64::try_from(present.len()).unwrap());
            let key = present[usize::try_from(place).unwrap()].clone();
            operations.insert(key.clone(), Operation::Remove(key));
        }
    }
    operations.into_values().collect()
}

fn apply_to_model(model: &mut Model, operations: &[Operation]) {
    for operation in operations {
        match operation {
            Operation::Put(key, value) => drop(model.insert(key.clone(), value.clone())),
            Operation::Remove(key) => drop(model.remove(key)),
        }
    }
}

/// Ascending keys fill blocks completely, whatever the number of versions.
#[test]
fn ascending_keys_fill_blocks() {
    let mut tree = KeyedTree::<S>::new(Capacity::BLOCK_TREE);
    for start in (0..10_000_u32).step_by(500) {
        let put =
            |number: u32| Operation::Put(Key::new(number.to_be_bytes()).unwrap(), Value::default());
        tree.apply(&(start..start + 500).map(put).collect::<Vec<_>>())
            .unwrap();
    }
    let leaves = tree.records().filter(|(_, block)| block.level == 0).count();
    assert_eq!(leaves, 10_000_usize.div_ceil(64));
}

/// Versions are applied to the contents of the version before, so a directory that is restored goes on like the one that it is from.
#[test]
fn restored_directories_and_resumed_authors_go_on() {
    let mut author = KeyedAuthor::<S>::new("restored", signer()).unwrap();
    let mut server = KeyedDirectory::<S>::new(author.authority()).unwrap();
    for round in 0..4_u32 {
        for number in 0..300_u32 {
            let key = Key::new((number * 7 % 1009 + round).to_be_bytes()).unwrap();
            author
                .put(key, Value::new(round.to_be_bytes()).unwrap())
                .unwrap();
        }
        server.apply(&author.snapshot().unwrap()).unwrap();
        let contents = server.contents();
        let blocks: Vec<_> = contents.records().collect();
        server = KeyedDirectory::restore(server.heads().clone(), contents.top(), blocks).unwrap();
        author = KeyedAuthor::resume(&server, pad_core::HeadSigner::new(signer()));
    }
    assert_eq!(author.version(), Version::new(4));
}

/// The same through the types that are for every family.
#[test]
fn keyed_directories_are_a_family() {
    let mut author = Author::<KeyedBlocks<S>>::new("family", signer()).unwrap();
    let mut server = Server::<KeyedBlocks<S>>::new(author.public());
    let mut client = Client::<KeyedBlocks<S>>::new(author.public().clone());
    author.put("b", "1").unwrap();
    let first = server.apply(&author.snapshot().unwrap()).unwrap();
    client.advance(&server.head(first).unwrap(), None).unwrap();
    author.put("c", "2").unwrap();
    let second = server.apply(&author.snapshot().unwrap()).unwrap();
    let consistency = server.consistency(first, second).unwrap();
    client
        .advance(&server.head(second).unwrap(), Some(&consistency))
        .unwrap();
    let answer = server.answer(second, &KeyRange::ALL).unwrap();
    assert_eq!(
        client
            .check(&answer, &KeyRange::ALL)
            .unwrap()
            .get()
            .entries
            .len(),
        2
    );
    let pruned = LookupError::Pruned {
        version: first,
        oldest: second,
    };
    assert_eq!(server.answer(first, &KeyRange::ALL), Err(pruned));
    let mut resumed = Author::resume(server.repository(), signer(), ()).unwrap();
    assert_eq!(resumed.version(), second);
    let third = server.apply(&resumed.snapshot().unwrap()).unwrap();
    assert_eq!(third, Version::new(3));
    let stranger = SigningKey::from_bytes(&[8; 32]);
    let refused = Author::resume(server.repository(), stranger, ()).map(drop);
    assert!(matches!(
        refused,
        Err(NewAuthorError::Key(VerifyError::SignatureInvalid))
    ));
}

/// Keys and values are short: at the author, at the server, and where a family's author takes anything.
#[test]
fn long_keys_and_values_are_refused() {
    let (long_key, long_value) = (
        Key::new([b'k'; LONGEST_KEY + 1]).unwrap(),
        Value::new([b'v'; LONGEST_VALUE + 1]).unwrap(),
    );
    let (key, value) = (
        Key::new([b'k'; LONGEST_KEY]).unwrap(),
        Value::new([b'v'; LONGEST_VALUE]).unwrap(),
    );
    let key_error = InputError::KeyTooLong {
        length: LONGEST_KEY + 1,
        limit: LONGEST_KEY,
    };
    let value_error = InputError::ValueTooLong {
        length: LONGEST_VALUE + 1,
        limit: LONGEST_VALUE,
    };
    let mut author = KeyedAuthor::<S>::new("long", signer()).unwrap();
    let mut server = KeyedDirectory::<S>::new(author.authority()).unwrap();
    assert_eq!(author.put(long_key.clone(), value.clone()), Err(key_error));
    assert_eq!(
        author.put(key.clone(), long_value.clone()),
        Err(value_error)
    );
    author.put(key.clone(), value.clone()).unwrap();
    Dictionary::put(&mut author, long_key.clone(), value.clone());
    for _ in 0..2 {
        let refused = author.snapshot().unwrap_err();
        assert!(matches!(refused, AuthorError::Input(error) if error == key_error));
    }
    assert!(author.remove(&long_key));
    let good = author.snapshot().unwrap();
    for (operation, error) in [
        (Operation::Put(long_key, value.clone()), key_error),
        (Operation::Put(key.clone(), long_value), value_error),
    ] {
        let operations = vec![operation];
        let bad = Update {
            operations,
            ..good.clone()
        };
        assert_eq!(
            Repository::apply(&mut server, &bad),
            Err(ApplyError::Input(error))
        );
    }
    assert_eq!(server.apply(&good).unwrap(), Version::new(1));
    assert_eq!(
        server.contents().get(key.as_bytes()),
        Some(value.as_bytes())
    );
}

#[test]
fn directories_of_other_schemes_are_refused() {
    let author = KeyedAuthor::<S>::new("scheme", signer()).unwrap();
    let authority = Authority {
        scheme: SchemeId(2),
        ..author.authority()
    };
    let expected = VerifyError::WrongScheme {
        expected: 4,
        actual: 2,
    };
    assert_eq!(KeyedDirectory::<S>::new(authority).map(drop), Err(expected));
}

#[test]
fn capacities_are_2_to_64() {
    assert!(
        [0, 1, 65, usize::MAX]
            .iter()
            .all(|slots| Capacity::of(*slots).is_none())
    );
    assert_eq!(Capacity::of(64), Some(Capacity::BLOCK_TREE));
}
