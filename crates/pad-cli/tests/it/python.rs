//! The verifier in Python (`examples/python`), and that it, the published vectors and `pad verify` agree.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use pad::{
    Key, PublicKey, Value, Version,
    dynamic::verify,
    question::{Question, Statement},
};
use pad_core::{KeyRange, Keys};
use serde_json::{Value as Json, json};

use crate::bench::{Bench, TRACE, text};

/// What mutated proofs are made of.
const SCHEMES: [&str; 6] = [
    "red-black",
    "treap",
    "tuple-base",
    "tuple-base-superseding",
    "tuple-spec-lightweight",
    "tuple-spec3-lightweight",
];

/// Mutations of each genuine proof.
const MUTATIONS: usize = 60;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/python")
}

/// Runs a script of the verifier; nothing, and a word about it, where there is no Python 3.8 or newer.
fn python(script: &str, arguments: &[&str], folder: &Path) -> Option<Output> {
    let asks = "import sys; sys.exit(sys.version_info < (3, 8))";
    let there = Command::new("python3").args(["-c", asks]).output();
    if !there.is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: there is no python3 of version 3.8 or newer, so {script} was not run");
        return None;
    }
    let mut command = Command::new("python3");
    // Nothing is written beside the sources.
    command.arg("-B").arg(examples().join(script));
    let output = command.args(arguments).current_dir(folder).output();
    Some(output.unwrap())
}

/// The question of a published case; none if the facade has no such question.
pub(crate) fn question(case: &Json) -> Option<Question> {
    let keys = case["keys"].as_array().unwrap().iter();
    let bytes = |digits: &Json| Some(hex::decode(digits.as_str()?).unwrap());
    let keys: Vec<Option<Vec<u8>>> = keys.map(bytes).collect();
    question_of(case["question"].as_str().unwrap(), keys)
}

fn question_of(name: &str, mut keys: Vec<Option<Vec<u8>>>) -> Option<Question> {
    if name == "append-only" {
        let older = keys.remove(0)?.try_into().unwrap();
        return Some(Question::Growth(Version::new(u64::from_be_bytes(older))));
    }
    if name == "inclusion" {
        let value = Value::new(keys.remove(1)?).unwrap();
        return Some(Question::Value(Key::new(keys.remove(0)?).unwrap(), value));
    }
    let keys = keys.into_iter().map(|key| Key::new(key?).ok());
    let mut keys: Vec<Option<Key>> = keys.collect();
    match name {
        "look-up" => Some(Question::Key(keys.remove(0)?)),
        "keys" => {
            let keys = keys.into_iter().collect::<Option<Vec<Key>>>()?;
            Keys::new(keys).map(Question::Keys)
        }
        "range" => {
            let (start, end) = (keys.remove(0), keys.remove(0));
            Some(Question::Range(KeyRange { start, end }))
        }
        _ => None,
    }
}

/// The entries that a statement names, as published.
pub(crate) fn answer(statement: Statement) -> Json {
    let entries: Vec<(Key, Option<Vec<u8>>)> = match statement {
        Statement::Lookup(lookup) => {
            let value = lookup.answer.value().map(|value| value.as_bytes().to_vec());
            vec![(lookup.key, value)]
        }
        Statement::Lookups(lookups) => lookups
            .answers
            .into_iter()
            .map(|(key, answer)| {
                let value = answer.value().map(|value| value.as_bytes().to_vec());
                (key, value)
            })
            .collect(),
        Statement::Range(contents) => contents
            .entries
            .into_iter()
            .map(|(key, value)| (key, Some(value.as_bytes().to_vec())))
            .collect(),
        other => of_log(other),
    };
    entries
        .into_iter()
        .map(|(key, value)| json!([hex::encode(key.as_bytes()), value.map(hex::encode)]))
        .collect()
}

/// The entries that a statement about a log names: all values of a key, or none; one value; nothing, if it is about two versions.
#[cfg(feature = "aad")]
fn of_log(statement: Statement) -> Vec<(Key, Option<Vec<u8>>)> {
    let bytes = |value: Value| value.as_bytes().to_vec();
    match statement {
        Statement::Values(found) if found.values.is_empty() => vec![(found.key, None)],
        Statement::Values(found) => {
            let values = found.values.into_iter();
            values
                .map(|value| (found.key.clone(), Some(bytes(value))))
                .collect()
        }
        Statement::Absent(found) => vec![(found.member, None)],
        Statement::Included(found) => vec![(found.entry.key, Some(bytes(found.entry.value)))],
        Statement::Grown(_) => Vec::new(),
        other => panic!("an answer to another question: {other:?}"),
    }
}

#[cfg(not(feature = "aad"))]
fn of_log(statement: Statement) -> Vec<(Key, Option<Vec<u8>>)> {
    panic!("an answer to another question: {statement:?}")
}

/// Cases with the verdict and the answer of `pad verify`.
struct Cases {
    public: PublicKey,
    accepted: Vec<Json>,
    refused: Vec<Json>,
}

impl Cases {
    fn add(&mut self, key: &str, version: u64, file: &[u8]) -> bool {
        let question = Question::Key(Key::try_from(key).unwrap());
        let mut case = json!({
            "why": "a mutation", "question": "look-up", "keys": [hex::encode(key)], "version": version,
            "file": hex::encode(file),
        });
        let verdict = verify(&self.public, Version::new(version), &question, file);
        let accepted = verdict.is_ok();
        match verdict {
            Ok(statement) => {
                case["answer"] = answer(statement);
                self.accepted.push(case);
            }
            Err(_) => self.refused.push(case),
        }
        accepted
    }
}

/// Numbers that look random, always the same.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let bits = usize::try_from((bits ^ (bits >> 31)) >> 32).unwrap();
        bits % limit
    }
}

/// One change of a proof, of which `other` is another one. Half of them are behind the head, which the signature
/// protects anyhow.
fn mutate(genuine: &[u8], other: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    const HEAD_END: usize = 156;
    let from = if numbers.below(2) == 0 { HEAD_END } else { 0 };
    let from = from.min(genuine.len() - 1);
    let place = from + numbers.below(genuine.len() - from);
    let mut bytes = genuine.to_vec();
    match numbers.below(8) {
        0 => bytes.truncate(place),
        1 => bytes.insert(place, u8::try_from(numbers.below(256)).unwrap()),
        2 => drop(bytes.remove(place)),
        3 => {
            let length = numbers.below(40) + 1;
            let end = (place + length).min(other.len());
            let piece = other.get(place..end).unwrap_or_default();
            bytes.splice(
                place..(place + piece.len()).min(genuine.len()),
                piece.iter().copied(),
            );
        }
        4 => {
            // The number at this place in the next longer form.
            let byte = bytes[place];
            bytes.splice(place..=place, [0xfb, byte, 0]);
        }
        5 => bytes[place] = u8::try_from(numbers.below(256)).unwrap(),
        6 => bytes[place] = bytes[place].wrapping_add(1),
        _ => bytes[place] ^= 1 << numbers.below(8),
    }
    bytes
}

/// Genuine proofs of a scheme, from the real binary, and mutations of them.
fn cases(bench: &Bench, scheme: &str, numbers: &mut Numbers) -> Cases {
    bench.ok(&format!("keygen --out {scheme}.k --scheme {scheme}"));
    bench.ok(&format!("import --store {scheme}.s --key {scheme}.k t.csv"));
    let public = PublicKey::load(&bench.path(&format!("{scheme}.k.pub"))).unwrap();
    let mut cases = Cases {
        public,
        accepted: Vec::new(),
        refused: Vec::new(),
    };
    let mut genuine = Vec::new();
    for version in 0..=3 {
        for key in ["apple", "pear", "zebra"] {
            let name = format!("{scheme}.{key}.{version}");
            bench.ok(&format!(
                "prove --store {scheme}.s --at {version} --out {name} {key}"
            ));
            genuine.push((key, version, bench.read(&name)));
        }
    }
    for (number, (key, version, file)) in genuine.iter().enumerate() {
        assert!(cases.add(key, *version, file), "{scheme} {key} {version}");
        for asked in ["apple", "pear", "zebra", "b"] {
            cases.add(asked, *version, file);
            cases.add(asked, version + 1, file);
        }
        for _ in 0..MUTATIONS {
            let other = &genuine[numbers.below(genuine.len())].2;
            let mutated = mutate(file, other, numbers);
            cases.add(key, *version, &mutated);
        }
        assert!(cases.refused.len() > number * MUTATIONS / 2);
    }
    cases
}

#[test]
fn python_and_pad_agree_on_mutated_proofs() {
    let bench = Bench::new();
    bench.write("t.csv", TRACE.as_bytes());
    let mut numbers = Numbers(1);
    let (mut names, mut count) = (Vec::new(), 0);
    for scheme in SCHEMES {
        let cases = cases(&bench, scheme, &mut numbers);
        count += cases.accepted.len() + cases.refused.len();
        let name = format!("{scheme}.json");
        let vectors = json!({
            "public": cases.public.to_text(), "accepted": cases.accepted, "refused": cases.refused,
        });
        bench.write(&name, vectors.to_string().as_bytes());
        names.push(name);
    }
    assert!(count >= 3000, "{count}");
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    if let Some(output) = python("check_vectors.py", &names, bench.folder.path()) {
        let (said, error) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{said}{error}");
        assert!(!said.contains("skipped"), "{said}");
    }
}

#[test]
fn python_agrees_with_the_published_vectors() {
    let bench = Bench::new();
    if let Some(output) = python("check_vectors.py", &[], bench.folder.path()) {
        let (said, error) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{said}{error}");
        let total = said.lines().last().unwrap();
        let numbers: Vec<usize> = total
            .split(' ')
            .filter_map(|word| word.parse().ok())
            .collect();
        assert!(numbers[0] >= 400 && numbers[1] >= 4000, "{total}");
    }
}

#[test]
fn the_command_in_python_says_what_pad_verify_says() {
    let bench = Bench::with_trace();
    bench.ok("prove --store s --at 2 --out proof apple");
    bench.ok("prove --store s --at 2 --out absent pear");
    let mut changed = bench.read("proof");
    *changed.last_mut().unwrap() ^= 1;
    bench.write("changed", &changed);
    for (arguments, status, says) in [
        ("--at 2 --key apple proof", 0, "'apple' = '4'"),
        ("--at 2 --hex --key 6170706c65 proof", 0, "6170706c65 = 34"),
        ("--at 2 --key pear absent", 0, "'pear' is absent"),
        ("--at 3 --key apple proof", 3, "not proved"),
        ("--at 2 --key pear proof", 3, "not proved"),
        ("--at 2 --key apple changed", 3, "not proved"),
        ("--at 2 --first proof", 3, "not proved"),
        ("--at 2 --key apple gone", 2, "No such file"),
        ("--at 2 --range b a proof", 2, "the range is empty"),
    ] {
        let line = format!("--public k.pub {arguments}");
        let words: Vec<&str> = line.split(' ').collect();
        let Some(output) = python("pad_verify.py", &words, bench.folder.path()) else {
            return;
        };
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{line}: {said}");
        assert!(said.contains(says), "{line}: {said}");
    }
    bench.ok("verify --public k.pub --proof proof --at 2 apple");
    bench.ok("verify --public k.pub --proof absent --at 2 pear");
    for line in [
        "--proof proof --at 3 apple",
        "--proof proof --at 2 pear",
        "--proof changed --at 2 apple",
    ] {
        bench.fails(
            &format!("verify --public k.pub {line}"),
            3,
            "verification failed",
        );
    }
}

/// The key files of the vectors are read, and the questions that `pad` asks have the published verdicts.
#[test]
fn the_published_proof_files_are_what_pad_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/vectors/proof-files");
    let mut verdicts = [0, 0];
    for entry in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let vectors: Json = serde_json::from_str(&text).unwrap();
        let Ok(public) = PublicKey::from_text(vectors["public"].as_str().unwrap()) else {
            // Of a suite or a family that this build does not have.
            let parts = [
                (cfg!(feature = "all-suites"), "suite blake3-ed25519"),
                (cfg!(feature = "all-suites"), "suite paper-2010"),
                (cfg!(feature = "aad"), "scheme aa"),
                (cfg!(feature = "accumulators"), "-rsa\\n"),
                (cfg!(feature = "accumulators"), "-bilinear\\n"),
                (cfg!(feature = "bls"), "-bls\\n"),
            ];
            let mut missing = parts.iter().filter(|(is_built, _)| !is_built);
            assert!(missing.any(|(_, of)| text.contains(of)));
            continue;
        };
        for (name, is_accepted) in [("accepted", true), ("refused", false)] {
            for case in vectors[name].as_array().unwrap() {
                let Some(question) = question(case) else {
                    continue;
                };
                let version = Version::new(case["version"].as_u64().unwrap());
                let file = hex::decode(case["file"].as_str().unwrap()).unwrap();
                let verdict = verify(&public, version, &question, &file);
                assert_eq!(verdict.is_ok(), is_accepted, "{case}");
                if let Ok(statement) = verdict {
                    assert_eq!(answer(statement), case["answer"], "{case}");
                }
                verdicts[usize::from(is_accepted)] += 1;
            }
        }
    }
    assert!(verdicts[0] >= 500 && verdicts[1] >= 200, "{verdicts:?}");
}
