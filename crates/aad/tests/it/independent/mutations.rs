//! Changed messages: both verifiers give one verdict, and nothing is accepted but what an honest log says.

use std::{cell::LazyCell, collections::BTreeSet, env, rc::Rc};

use aad::{
    AadCounted, AadFrontier, AasCounted, AasFrontier, DictionaryScheme, Entry, Log as ProductLog,
    Scheme, SetScheme,
};
use conformance::traces;
use pad_core::VerifyError;
use rand::seq::IndexedRandom as _;
use serde_json::{Value as Json, json};

use super::{
    Log,
    agreement::groups,
    messages::Question,
    mutator::{Mutator, Specimen},
};
use crate::{
    known_answers::{Statement, Subject, accepted, bytes, entry, expected, items, number, vectors},
    support::{client_log, entries},
    vectors::log_of,
};

/// The mutants of a test run if `AAD_MUTATIONS` does not say.
const MUTANTS: u64 = 400;

type Product = Box<dyn Fn(&Json, &[u8]) -> Result<Statement, VerifyError>>;
/// The message with which an honest log answers.
type Prover = Box<dyn Fn(&Json) -> Vec<u8>>;

/// A log with all its messages.
struct Scene {
    independent: Log,
    product: Product,
    prover: Prover,
    specimens: Vec<Specimen>,
    /// The cases that both accept, with what each establishes.
    accepted: Vec<(Question, Statement)>,
    /// What was appended, and the digests of all sizes; empty if the vectors keep it to themselves.
    entries: Vec<[Vec<u8>; 2]>,
    roots: Vec<[u8; 32]>,
}

fn dictionary<S: DictionaryScheme>(group: &Json) -> (Product, Prover) {
    let log = log_of::<S>(group);
    product(
        &log,
        Subject::dictionary(log.clone(), client_log(&log)),
        group,
    )
}

fn set<S: SetScheme>(group: &Json) -> (Product, Prover) {
    let log = log_of::<S>(group);
    product(&log, Subject::set(log.clone(), client_log(&log)), group)
}

fn product<S: Scheme>(log: &ProductLog<S>, subject: Subject<S>, group: &Json) -> (Product, Prover) {
    let all: Vec<Entry> = items(group, "entries").iter().map(entry).collect();
    let log = log.clone();
    let honest = LazyCell::new(move || entries(&log, &all));
    let subject = Rc::new(subject);
    let prover = Rc::clone(&subject);
    (
        Box::new(move |case, message| subject.established(case, message)),
        Box::new(move |case| prover.answer(&honest, case)),
    )
}

impl Scene {
    /// The scene of a group, unless its scheme is one that only vectors have.
    fn new(file: &Json, group: &Json) -> Option<Self> {
        let (product, prover) = match number(group, "scheme") {
            0x0301 => dictionary::<AadFrontier>(group),
            0x0302 => dictionary::<AadCounted>(group),
            0x0311 => set::<AasFrontier>(group),
            0x0312 => set::<AasCounted>(group),
            _ => return None,
        };
        let independent = Log::of(file, group);
        let cases = accepted(group).chain(items(group, "refused"));
        let specimens = cases.map(|case| {
            let message = bytes(&case["proof"]);
            let verdict = independent.verify(&Question::of(case), &message);
            Specimen {
                case: case.clone(),
                message,
                fields: verdict.fields,
            }
        });
        let text_bytes = |value: &Json| value.as_str().map_or(Vec::new(), |_| bytes(value));
        let entries = items(group, "entries").iter();
        let roots = items(group, "roots").iter();
        Some(Self {
            specimens: specimens.collect(),
            accepted: accepted(group)
                .map(|case| (Question::of(case), expected(case)))
                .collect(),
            entries: entries
                .map(|entry| [&entry[0], &entry[1]].map(text_bytes))
                .collect(),
            roots: roots.map(|root| bytes(root).try_into().unwrap()).collect(),
            product,
            prover,
            independent,
        })
    }

    /// The message that says so of an honest log, if the vectors tell what is in it.
    fn honest(&self, question: &Question, statement: &Statement) -> Option<Vec<u8>> {
        let size = |root| self.roots.iter().position(|other| other == root);
        let case = match (question, statement) {
            (Question::Lookup { root, key }, _) => {
                json!({"check": "lookup", "n": size(root)?, "key": hex::encode(key)})
            }
            (Question::Inclusion { root, .. }, Statement::Included(position, _)) => {
                json!({"check": "inclusion", "n": size(root)?, "position": position})
            }
            (_, Statement::Grown(old, new)) if !self.roots.is_empty() => {
                json!({"check": "append_only", "old": old, "new": new})
            }
            _ => return None,
        };
        Some((self.prover)(&case))
    }

    /// Whether an honest log says so, as far as the vectors tell.
    fn is_true(&self, question: &Question, statement: &Statement) -> bool {
        if self.roots.is_empty() {
            // What is known of such a log are its answers. A pair may be included twice.
            let is_inclusion = matches!(statement, Statement::Included(..));
            let mut known = self.accepted.iter().filter(|it| it.0 == *question);
            return is_inclusion || known.all(|it| it.1 == *statement);
        }
        let size = |root| self.roots.iter().position(|other| other == root);
        let place = |number: u64| usize::try_from(number).unwrap();
        match (question, statement) {
            (Question::Lookup { root, key }, Statement::Values(values)) => {
                let entries = &self.entries[..size(root).unwrap()];
                let of_key = entries.iter().filter(|entry| entry[0] == *key);
                of_key.clone().map(|entry| &entry[1]).eq(values)
                    && (self.independent.scheme.has_values || of_key.count() == 0)
            }
            (
                Question::Inclusion { root, key, value },
                Statement::Included(position, occurrence),
            ) => {
                let entries = &self.entries[..size(root).unwrap()];
                let entry = [key.clone(), value.clone()];
                let equal = entries.iter().take(place(*position) + 1);
                let count = equal.filter(|other| **other == entry).count();
                entries.get(place(*position)) == Some(&entry)
                    && (!self.independent.scheme.has_values || count == place(*occurrence))
            }
            (Question::AppendOnly { old, new }, Statement::Grown(from, to)) => {
                size(old) == Some(place(*from)) && size(new) == Some(place(*to))
            }
            _ => false,
        }
    }
}

#[derive(Debug, Default)]
struct Tally {
    accepted: u64,
    refused: u64,
    /// Of the refused, those that only an equation tells from honest ones.
    by_an_equation: u64,
}

impl Tally {
    /// Compares both verdicts.
    fn judge(&mut self, scene: &Scene, (case, message): (&Json, &[u8]), known: &Known<'_>) {
        let question = Question::of(case);
        let independent = scene.independent.verify(&question, message).outcome;
        let product = (scene.product)(case, message);
        let agree = independent.as_ref().ok() == product.as_ref().ok();
        let shown = || format!("{question:?} {}", hex::encode(message));
        assert!(agree, "{independent:?}, {product:?}: {}", shown());
        match independent {
            Ok(statement) => {
                self.accepted += 1;
                assert!(
                    scene.is_true(&question, &statement),
                    "{statement:?}: {}",
                    shown()
                );
                let is_known = match scene.honest(&question, &statement) {
                    Some(honest) => honest == message,
                    None => known.contains(message),
                };
                assert!(is_known, "a second message: {}", shown());
            }
            Err(reason) => {
                self.refused += 1;
                self.by_an_equation += u64::from(reason == super::equations::MISMATCH);
            }
        }
    }
}

/// All messages as they were: some of those that are refused are right answers to other questions.
type Known<'s> = BTreeSet<&'s [u8]>;

fn run(mutants: u64, seed: u64) -> Tally {
    let files = vectors();
    let scenes = files.iter().flat_map(|file| {
        let of_group = |group| Scene::new(file, group);
        groups(file).filter_map(of_group).collect::<Vec<_>>()
    });
    let scenes: Vec<Scene> = scenes.collect();
    let specimens = scenes.iter().flat_map(|scene| &scene.specimens);
    let known: Known<'_> = specimens.clone().map(|one| &*one.message).collect();
    let mut mutator = Mutator::new(seed, specimens);
    let mut tally = Tally::default();
    while tally.accepted + tally.refused < mutants {
        let scene = scenes.choose(&mut mutator.random).unwrap();
        let of = scene.specimens.choose(&mut mutator.random).unwrap();
        let elsewhere = match mutator.below(4) {
            0 => scenes.choose(&mut mutator.random).unwrap(),
            _ => scene,
        };
        let other = elsewhere.specimens.choose(&mut mutator.random).unwrap();
        let (mut case, mut message) = (of.case.clone(), of.message.clone());
        if mutator.below(8) == 0 {
            let asked = scene.specimens.choose(&mut mutator.random).unwrap();
            mutator.change_the_question(&mut case, &asked.case);
        }
        for _ in 0..[1, 1, 1, 2, 3, 0][mutator.below(6)] {
            mutator.change(of, other, &mut message);
        }
        if case != of.case || message != of.message {
            tally.judge(scene, (&case, &message), &known);
        }
    }
    tally
}

#[test]
fn both_verifiers_agree_on_changed_messages() {
    let mutants = env::var("AAD_MUTATIONS").map_or(MUTANTS, |count| count.parse().unwrap());
    let tally = run(mutants, traces::seed());
    println!("{tally:?}");
    assert_eq!(tally.accepted + tally.refused, mutants);
    assert!(tally.by_an_equation > 0, "{tally:?}");
}
