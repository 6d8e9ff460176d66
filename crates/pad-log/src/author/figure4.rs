//! Tests with figure 4 of the paper, and with every other set of its scheme that fits in a few
//! trees.

use std::{collections::BTreeSet, sync::Arc};

use pad_accumulators::{bilinear::Parameters, wire};
use pad_conformance::soak;
use pad_core::{DecodeError, DictionaryId, Key, Workers};
use serde_json::Value as Json;

use super::{Entries, frontier_tree::whole, support};
use crate::{
    AbsenceProof, AppendOnlyProof, Entry, Growth, InclusionProof, Log, Schedule, Setup,
    frontier::FrontierString,
    prefix::{roots_of, scalar_of_prefix},
    scheme::figure4::Figure4,
    shape::Address,
};

#[path = "../../tests/it/known_answers.rs"]
#[allow(dead_code, reason = "for dictionaries too")]
mod known_answers;

use known_answers::{Subject, bytes, items, number, text, vectors};
use support::{at, parameters, verify};

/// Returns the groups of known answers, in the file of test vectors, that belong to the figure's
/// scheme.
fn groups() -> Vec<Json> {
    let vectors = vectors();
    let all = items(&vectors, "dictionaries").iter();
    let figures = all.filter(|group| group["scheme"] == 0x03f1);
    let figures: Vec<Json> = figures.cloned().collect();
    assert!(!figures.is_empty(), "the file has the figure");
    figures
}

fn log_of(group: &Json) -> Log<Figure4> {
    let schedule = u8::try_from(number(group, "deferred")).unwrap();
    let shape = Figure4::shape(Schedule::from_number(schedule).unwrap());
    let facts = (number(group, "block_level"), number(group, "top"));
    let levels = (shape.block_level().into(), shape.top_level().into());
    assert_eq!(levels, facts);
    let dictionary = DictionaryId::from_bytes(bytes(&group["dictionary"]).try_into().unwrap());
    let log = Log::new(dictionary, Setup::new(parameters(), shape));
    assert_eq!(log.id().to_string(), text(group, "id"));
    log
}

/// Returns a copy of `log` whose parameters suffice for verification only. Its setup cannot be read
/// from a key file, which allows one level of blocks only.
fn client_log(log: &Log<Figure4>) -> Log<Figure4> {
    let known = log.setup().parameters();
    let known = Parameters::for_claims(&known.secret_in_g2(), known.purpose()).unwrap();
    let setup = Setup::new(Arc::new(known), log.shape());
    let client = Log::new(log.dictionary(), setup);
    assert_eq!(client.id(), log.id());
    client
}

#[test]
fn the_figure_answers_with_these_bytes() {
    for group in groups() {
        let log = log_of(&group);
        let client = client_log(&log);
        let messages = Subject::set(log, client).check_log(&group);
        assert!(messages >= 32, "{messages}");
    }
}

#[test]
fn key_files_have_no_other_level_of_blocks() {
    for group in groups() {
        let setup = log_of(&group).setup().to_bytes();
        let refused = Setup::from_bytes(&setup).unwrap_err();
        assert_eq!(refused, DecodeError::ParametersInvalid);
    }
}

/// Returns the member for a letter of the figure: four bits, from 0000 for A to 1111 for P.
fn member(letter: &str) -> Key {
    let number = letter.as_bytes()[0] - b'A';
    Key::new(vec![number << 4]).unwrap()
}

fn texts<'a>(value: &'a Json, name: &str) -> Vec<&'a str> {
    let texts = items(value, name).iter();
    texts.map(|text| text.as_str().unwrap()).collect()
}

/// Converts a text such as `0101` to a byte that starts with these bits, and their number.
fn bits(text: &str) -> (u8, u16) {
    let length = u32::try_from(text.len()).unwrap();
    let number = u8::from_str_radix(text, 2).unwrap();
    (number << (8 - length), u16::try_from(length).unwrap())
}

/// Compares the tries, frontiers, groups and accumulators of the log's trees with the known
/// answers.
#[test]
fn the_trees_are_those_of_the_figure() {
    for group in groups() {
        let log = log_of(&group);
        let members = text(&group, "letters").split("");
        let members = members.filter(|one| !one.is_empty());
        let entries = entries(&log, members.map(member));
        for tree in items(&group, "trees") {
            check_tree(&entries, tree);
        }
    }
}

fn entries(log: &Log<Figure4>, members: impl Iterator<Item = Key>) -> Entries<Figure4> {
    let mut entries = Entries::bounded(log.clone(), Workers::sequential(), 16).unwrap();
    for member in members {
        entries.push(Entry::member(member)).unwrap();
    }
    entries.build().unwrap();
    entries
}

fn check_tree(entries: &Entries<Figure4>, tree: &Json) {
    let address = Address {
        level: u8::try_from(number(tree, "level")).unwrap(),
        index: number(tree, "index"),
    };
    let forest = &entries.forest;
    let accumulator = forest.node(address).accumulator;
    assert_eq!(hex::encode(accumulator), text(tree, "accumulator"));
    assert_eq!(forest.hash(address).to_string(), text(tree, "hash"));
    let elements = forest.elements_of(address);
    let members = texts(tree, "elements").into_iter().map(member);
    let members: Vec<u8> = members.map(|member| member.as_bytes()[0]).collect();
    assert_eq!(elements, members);

    let prefixes = texts(tree, "prefixes").into_iter().map(bits);
    let prefixes = prefixes.map(|(bits, length)| scalar_of_prefix(&[bits], length));
    let roots = elements.chunks(1).flat_map(roots_of::<Figure4>);
    assert_eq!(roots.collect::<BTreeSet<_>>(), prefixes.collect());

    let made = forest.frontier(address).unwrap();
    let sorted = made.sorted::<Figure4>(elements);
    let frontier = whole::<Figure4>(&sorted);
    let string = |one: FrontierString| (frontier.bytes(one).0[0], frontier.bytes(one).1);
    let strings: Vec<(u8, u16)> = frontier.iter().map(string).collect();
    let expected: Vec<(u8, u16)> = texts(tree, "frontier").into_iter().map(bits).collect();
    assert_eq!(strings, expected);
    for (number, group) in items(tree, "groups").iter().enumerate() {
        let strings: Vec<(u8, u16)> = made.strings(frontier, number).map(string).collect();
        let expected = group.as_array().unwrap().iter();
        let expected: Vec<(u8, u16)> = expected.map(|text| bits(text.as_str().unwrap())).collect();
        assert_eq!(strings, expected);
    }
    let commitment = hex::encode(made.disjoint());
    assert!(commitment.starts_with(text(tree, "frontier_accumulator")));
}

/// Proves and verifies every query at every size of the log of all sixteen strings, in a fixed
/// order.
#[test]
fn every_string_is_shown_to_be_in_or_out_of_every_size() {
    for schedule in [Schedule::Eager, Schedule::Deferred] {
        let (entries, order) = all_strings(schedule);
        let client = client_log(entries.log());
        for size in (0..=16).step_by(soak::size(4, 1)) {
            let at = at(&client, size + 1, entries.digest(size));
            for (position, member) in (0..).zip(&order) {
                let absence = entries.prove_absence(size, member.as_bytes()).unwrap();
                assert_eq!(absence.is_some(), position >= size);
                if let Some(absence) = absence {
                    let absence = wire::encode(&absence);
                    let absent = verify::<AbsenceProof<Figure4>>(&absence, &at, member).unwrap();
                    assert_eq!(absent.member, *member);
                } else {
                    let inclusion = wire::encode(&entries.prove_inclusion(size, position));
                    let entry = Entry::member(member.clone());
                    let included = verify::<InclusionProof<_>>(&inclusion, &at, &entry).unwrap();
                    assert_eq!(included.position, position);
                }
            }
        }
    }
}

#[test]
fn every_size_is_shown_to_contain_every_older_one() {
    for schedule in [Schedule::Eager, Schedule::Deferred] {
        let (entries, _) = all_strings(schedule);
        let client = client_log(entries.log());
        let at = |size| at(&client, size + 1, entries.digest(size));
        for new in 0..=16 {
            for old in 0..=new {
                let growth = Growth::new(at(old), at(new)).unwrap();
                let proof = wire::encode(&entries.prove_append_only(old, new));
                let grown = verify::<AppendOnlyProof<_>>(&proof, &growth, &()).unwrap();
                assert_eq!((grown.from_size, grown.to_size), (old, new));
            }
        }
    }
}

fn all_strings(schedule: Schedule) -> (Entries<Figure4>, Vec<Key>) {
    let dictionary = DictionaryId::from_bytes(*b"all sixteen (4b)");
    let setup = Setup::new(parameters(), Figure4::shape(schedule));
    let numbers = (0..16).map(|place| (7 * place + 3) % 16);
    let order = numbers.map(|number| Key::new(vec![number << 4]).unwrap());
    let order: Vec<Key> = order.collect();
    let entries = entries(&Log::new(dictionary, setup), order.iter().cloned());
    (entries, order)
}
