//! Checks that the verifier in Python (`examples/python`) agrees with the published vectors and
//! with `pad verify`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::LazyLock,
};

use authdict::{
    Key, Predecessor, PublicKey, Question, Statement, Successor, Value, Version,
    internals::witnessed::newest, verify,
};
use pad_conformance::{Random, soak};
use pad_core::{KeyRange, Keys};
use serde_json::{Value as Json, json};
use transparency_log::{
    Checkpoint, Timestamp,
    note::{Cosigner, NoteSigner},
    policy::Window,
    proof::LogProof,
    tree::Hash,
};

use crate::bench::{Bench, TRACE, text};

/// The schemes whose proofs are mutated.
const SCHEMES: [&str; 6] = [
    "red-black",
    "tuple-base",
    "tuple-base-superseding",
    "tuple-spec3-lightweight",
    "treap",
    "tuple-spec-lightweight",
];

/// Schemes with pairings, with the arguments that create their keys. Python takes about a hundred
/// times as long to verify many of these proofs.
const PAIRED: [&str; 6] = [
    "tuple-base-superseding-bls",
    "tuple-accumulators-superseding-bilinear --entries 15",
    "aad-counted --top 4",
    "tuple-spec-lightweight-bls",
    "tuple-chain-accumulators-bilinear --entries 15",
    "aas-counted --schedule deferred",
];

/// The extent of a test with mutated proofs.
struct Extent {
    /// The number of the first schemes of [`SCHEMES`] and [`PAIRED`] that are tested.
    schemes: [usize; 2],
    /// The versions of the genuine proofs.
    versions: &'static [u64],
    /// The part of the mutations that is tested.
    fewer: usize,
    /// The number of other keys that a genuine proof is verified for.
    questions: usize,
    /// The step through the published files that are mutated.
    published: usize,
    /// The least number of cases.
    cases: usize,
}

/// The short test has a scheme of each family.
const SHORT: Extent = Extent {
    schemes: [4, 3],
    versions: &[0, 3],
    fewer: 8,
    questions: 1,
    published: 4,
    cases: 250,
};

const LONG: Extent = Extent {
    schemes: [SCHEMES.len(), PAIRED.len()],
    versions: &[0, 1, 2, 3],
    fewer: 1,
    questions: 4,
    published: 1,
    cases: 3000,
};

/// The number of mutations of each genuine proof, and of each genuine proof of a scheme with
/// pairings.
const MUTATIONS: usize = 60;
const PAIRED_MUTATIONS: usize = 8;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/python")
}

/// Runs a script of the verifier, given by the name of its file, or a script of several lines.
fn python(script: &str, arguments: &[&str], folder: &Path) -> Output {
    static IS_NEW_ENOUGH: LazyLock<bool> = LazyLock::new(|| {
        let asks = "import sys; sys.exit(sys.version_info < (3, 8))";
        let there = Command::new("python3").args(["-c", asks]).output();
        there.is_ok_and(|output| output.status.success())
    });
    let needed = "this test needs python3 of version 3.8 or newer; \
                  scripts/install-prerequisites.sh installs it";
    assert!(*IS_NEW_ENOUGH, "{needed}");
    let mut command = Command::new("python3");
    // All runs share compiled modules, which are not stored next to the sources.
    command.env("PYTHONPYCACHEPREFIX", env!("CARGO_TARGET_TMPDIR"));
    command.env("PYTHONPATH", examples());
    if script.contains('\n') {
        command.args(["-c", script]);
    } else {
        command.arg(examples().join(script));
    }
    let output = command.args(arguments).current_dir(folder).output();
    output.unwrap()
}

/// Calls `main` of `pad_verify.py` with each of its arguments, and prints the exit statuses and
/// texts as JSON.
const VERIFY_ALL: &str = "
import contextlib, io, json, sys
import pad_verify
results = []
for line in sys.argv[1:]:
    sys.argv = ['pad_verify.py', *line.split(' ')]
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            status = pad_verify.main()
        except SystemExit as end:
            status = end.code
    results.append([status, said.getvalue()])
print(json.dumps(results))
";

/// Runs the command `pad_verify.py` with each of these lines of arguments. One process runs all
/// lines, because its tables of points take most of the time. Returns the exit statuses, and what
/// was printed.
fn verify_all(lines: &[&str], folder: &Path) -> Vec<(i32, String)> {
    let output = python(VERIFY_ALL, lines, folder);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let results: Vec<(i32, String)> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(results.len(), lines.len());
    results
}

/// Returns the question of a published case; `None` for a question about a block directory.
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
        "first" => Some(Question::First),
        "last" => Some(Question::Last),
        "predecessor" => Some(Predecessor(keys.remove(0)?).into()),
        "successor" => Some(Successor(keys.remove(0)?).into()),
        _ => None,
    }
}

/// Returns the name and the keys of a question, in the form of the published files.
fn published(question: &Question) -> (&'static str, Vec<Option<String>>) {
    let digits = |key: &Key| Some(hex::encode(key.as_bytes()));
    match question {
        Question::Key(key) => ("look-up", vec![digits(key)]),
        Question::Keys(keys) => ("keys", keys.as_slice().iter().map(digits).collect()),
        Question::Range(range) => {
            let ends = [&range.start, &range.end].map(|end| end.as_ref().and_then(digits));
            ("range", ends.into())
        }
        Question::Value(key, value) => {
            let value = Some(hex::encode(value.as_bytes()));
            ("inclusion", vec![digits(key), value])
        }
        Question::Growth(older) => {
            let older = hex::encode(older.number().to_be_bytes());
            ("append-only", vec![Some(older)])
        }
        Question::First => ("first", Vec::new()),
        Question::Last => ("last", Vec::new()),
        Question::Predecessor(Predecessor(key)) => ("predecessor", vec![digits(key)]),
        Question::Successor(Successor(key)) => ("successor", vec![digits(key)]),
        other => panic!("{other:?}"),
    }
}

/// Returns the entries in a statement, in the form of the published files.
pub(crate) fn answer(statement: Statement) -> Json {
    let bytes = |value: &Value| value.as_bytes().to_vec();
    let entry = |(key, value): (Key, Value)| (key, Some(bytes(&value)));
    let entries: Vec<(Key, Option<Vec<u8>>)> = match statement {
        Statement::Lookup(lookup) => vec![(lookup.key, lookup.answer.value().map(bytes))],
        Statement::Lookups(lookups) => {
            let answers = lookups.answers.into_iter();
            let entries = answers.map(|(key, answer)| (key, answer.value().map(bytes)));
            entries.collect()
        }
        Statement::Range(contents) => contents.entries.into_iter().map(entry).collect(),
        Statement::Neighbour(found) => found.entry.into_iter().map(entry).collect(),
        other => of_log(other),
    };
    let row = |(key, value): (Key, Option<Vec<u8>>)| {
        json!([hex::encode(key.as_bytes()), value.map(hex::encode)])
    };
    entries.into_iter().map(row).collect()
}

/// Returns the entries in a statement about a log: all values of a key, one value, or none. A
/// statement about two versions contains no entries.
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

/// Cases, with the verdict and the answer of `pad verify`.
struct Cases {
    public: PublicKey,
    accepted: Vec<Json>,
    refused: Vec<Json>,
}

impl Cases {
    fn new(public: PublicKey) -> Self {
        let (accepted, refused) = (Vec::new(), Vec::new());
        Self {
            public,
            accepted,
            refused,
        }
    }

    fn add(&mut self, question: &Question, version: u64, file: &[u8]) -> bool {
        let (name, keys) = published(question);
        let mut case = json!({
            "why": "a mutation", "question": name, "keys": keys, "version": version,
            "file": hex::encode(file),
        });
        let verdict = verify(&self.public, Version::new(version), question, file);
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

/// Mutates a proof. `other` is a second proof. Half of the changes are after the head, because the
/// signature protects the head anyway.
fn mutate(genuine: &[u8], other: &[u8], numbers: &mut Random) -> Vec<u8> {
    const HEAD_END: usize = 156;
    let from = if numbers.index(2) == 0 { HEAD_END } else { 0 };
    let from = from.min(genuine.len() - 1);
    let place = from + numbers.index(genuine.len() - from);
    let mut bytes = genuine.to_vec();
    match numbers.index(8) {
        0 => bytes.truncate(place),
        1 => bytes.insert(place, u8::try_from(numbers.below(256)).unwrap()),
        2 => drop(bytes.remove(place)),
        3 => {
            let length = numbers.index(40) + 1;
            let end = (place + length).min(other.len());
            let piece = other.get(place..end).unwrap_or_default();
            let end = (place + piece.len()).min(genuine.len());
            bytes.splice(place..end, piece.iter().copied());
        }
        4 => {
            // Replaces the number at this place by its next longer encoding.
            let byte = bytes[place];
            bytes.splice(place..=place, [0xfb, byte, 0]);
        }
        5 => bytes[place] = u8::try_from(numbers.below(256)).unwrap(),
        6 => bytes[place] = bytes[place].wrapping_add(1),
        _ => bytes[place] ^= 1 << numbers.index(8),
    }
    bytes
}

/// Returns the trace of a log. Its third version has a tree above blocks, in which "apple" has
/// three values. In a set, "apple" is contained once, without values.
fn log_trace(is_set: bool) -> String {
    let row = |number: u32| {
        let snapshot = match number {
            0..5 => "a",
            5..11 => "b",
            _ => "c",
        };
        let key = match number {
            1 => "apple".to_owned(),
            7 | 14 if !is_set => "apple".to_owned(),
            3 => "pear".to_owned(),
            _ => format!("key {number}"),
        };
        let value = (number / 7).to_string();
        let value = if is_set { "" } else { &value };
        format!("{snapshot},put,{key},{value}\n")
    };
    let rows: String = (0..19).map(row).collect();
    format!("snapshot,op,key,value\n{rows}")
}

/// Returns genuine proofs of a scheme, made by the real binary, and mutations of them.
/// Each genuine proof is also verified for other keys, in its version and the next one.
fn cases(
    bench: &Bench,
    scheme: &str,
    extent: &Extent,
    mutations: usize,
    numbers: &mut Random,
) -> Cases {
    let name = scheme.split(' ').next().unwrap();
    let is_log = name.starts_with("aa");
    let trace = if is_log {
        log_trace(name.starts_with("aas"))
    } else {
        TRACE.to_owned()
    };
    bench.write("t.csv", trace.as_bytes());
    bench.ok(&format!("keygen --out {name}.k --scheme {scheme}"));
    bench.ok(&format!("import --store {name}.s --key {name}.k t.csv"));
    let public = PublicKey::load(&bench.path(&format!("{name}.k.pub"))).unwrap();
    let mut cases = Cases::new(public);
    let mut genuine = Vec::new();
    let mut make = |line: &str, question, version| {
        bench.ok(&format!("{line} --store {name}.s --force --out proof"));
        genuine.push((question, version, bench.read("proof")));
    };
    for &version in extent.versions {
        for key in ["apple", "pear", "zebra"] {
            let question = Question::Key(key.try_into().unwrap());
            make(&format!("prove --at {version} {key}"), question, version);
        }
        if is_log {
            for older in 0..=version {
                let line = format!("prove-append-only --from {older} --to {version}");
                make(&line, Question::Growth(Version::new(older)), version);
            }
        }
    }
    if name == "aad-counted" {
        let value = Value::new(b"0".to_vec()).unwrap();
        let question = Question::Value("apple".try_into().unwrap(), value);
        make("prove --at 3 --value 0 apple", question, 3);
    }
    let others = ["apple", "pear", "zebra", "b"];
    for (number, (question, version, file)) in genuine.iter().enumerate() {
        let is_accepted = cases.add(question, *version, file);
        assert!(is_accepted, "{scheme} {question:?} {version}");
        // Over the versions, each key is asked about with the proof of each other key.
        let first = number % 3 + number / 3;
        let asked = others.into_iter().cycle().skip(first);
        for asked in asked.take(extent.questions) {
            let asked = Question::Key(asked.try_into().unwrap());
            cases.add(&asked, *version, file);
            cases.add(&asked, version + 1, file);
        }
        for _ in 0..mutations {
            let other = &genuine[numbers.index(genuine.len())].2;
            let mutated = mutate(file, other, numbers);
            cases.add(question, *version, &mutated);
        }
        assert!(cases.refused.len() > number * mutations / 2);
    }
    cases
}

/// Returns the published proof files of a design with aggregated signatures, and mutations of them.
/// Takes every file whose place is a multiple of `every`.
fn published_cases(mutations: usize, every: usize, numbers: &mut Random) -> Cases {
    let vectors: Json = pad_conformance::published::read("proof-files/tuple-spec-lightweight-bls");
    let public = vectors["public"].as_str().unwrap();
    let mut cases = Cases::new(PublicKey::from_text(public).unwrap());
    let accepted = vectors["accepted"].as_array().unwrap();
    for case in accepted.iter().step_by(every) {
        let question = question(case).unwrap();
        let version = case["version"].as_u64().unwrap();
        let file = hex::decode(case["file"].as_str().unwrap()).unwrap();
        assert!(cases.add(&question, version, &file), "{case}");
        for _ in 0..mutations {
            let other = &accepted[numbers.index(accepted.len())]["file"];
            let other = hex::decode(other.as_str().unwrap()).unwrap();
            cases.add(&question, version, &mutate(&file, &other, numbers));
        }
    }
    cases
}

/// Runs `check_vectors.py`, which must succeed, and returns what it prints.
fn check_vectors(arguments: &[&str], bench: &Bench) -> String {
    let output = python("check_vectors.py", arguments, bench.folder.path());
    let (said, error) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{said}{error}");
    said
}

#[test]
fn python_and_pad_agree_on_mutated_proofs() {
    let bench = Bench::new();
    let mut numbers = Random::new(1);
    let extent = &soak::size(SHORT, LONG);
    let [plain, paired] = extent.schemes;
    let (plain, paired) = (&SCHEMES[..plain], &PAIRED[..paired]);
    let plain = plain
        .iter()
        .map(|scheme| (scheme, MUTATIONS / extent.fewer));
    let paired = paired.iter();
    let paired = paired.map(|scheme| (scheme, PAIRED_MUTATIONS / extent.fewer));
    let mut groups = Vec::new();
    for (scheme, mutations) in plain.chain(paired) {
        groups.push(cases(&bench, scheme, extent, mutations, &mut numbers));
    }
    let aggregated = PAIRED_MUTATIONS / extent.fewer;
    groups.push(published_cases(aggregated, extent.published, &mut numbers));
    let (mut names, mut count) = (Vec::new(), 0);
    for (number, cases) in groups.into_iter().enumerate() {
        count += cases.accepted.len() + cases.refused.len();
        let name = format!("{number}.json");
        let vectors = json!({
            "public": cases.public.to_text(), "accepted": cases.accepted, "refused": cases.refused,
        });
        bench.write(&name, vectors.to_string().as_bytes());
        names.push(name);
    }
    assert!(count >= extent.cases, "{count}");
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let said = check_vectors(&names, &bench);
    assert!(!said.contains("skipped"), "{said}");
}

#[test]
fn python_agrees_with_the_published_vectors() {
    let bench = Bench::new();
    let every = soak::size(97, 1);
    let arguments = ["--every", &every.to_string()];
    let said = check_vectors(&arguments, &bench);
    let total = said.lines().last().unwrap();
    let numbers = total.split(' ').filter_map(|word| word.parse().ok());
    let numbers: Vec<usize> = numbers.collect();
    let accepted = if every == 1 { 1600 } else { 900 };
    assert!(numbers[0] >= accepted, "{total}");
    assert!(numbers[1] >= 30000 / every, "{total}");
}

#[test]
fn the_command_in_python_says_what_pad_verify_says() {
    let bench = Bench::with_trace();
    bench.ok("prove --store s --at 2 --out proof apple");
    bench.ok("prove --store s --at 2 --out absent pear");
    let mut changed = bench.read("proof");
    *changed.last_mut().unwrap() ^= 1;
    bench.write("changed", &changed);
    let cases = [
        ("--at 2 --key apple proof", 0, "'apple' = '4'"),
        ("--at 2 --key apple changed", 3, "not proved"),
        ("--at 2 --key apple gone", 2, "No such file"),
        ("--at 2 --hex --key 6170706c65 proof", 0, "6170706c65 = 34"),
        ("--at 2 --key pear absent", 0, "'pear' is absent"),
        ("--at 3 --key apple proof", 3, "not proved"),
        ("--at 2 --key pear proof", 3, "not proved"),
        ("--at 2 --first proof", 3, "not proved"),
        ("--at 2 --range b a proof", 2, "the range is empty"),
    ];
    let lines = cases.map(|(arguments, ..)| format!("--public k.pub {arguments}"));
    let lines = lines.each_ref().map(String::as_str);
    let results = verify_all(&lines, bench.folder.path());
    for (number, (_, expected, says)) in cases.into_iter().enumerate() {
        let line = lines[number];
        let (status, said) = &results[number];
        assert_eq!(*status, expected, "{line}: {said}");
        assert!(said.contains(says), "{line}: {said}");
        // One case of each exit status runs in its own process, as users run it.
        if number < 3 {
            let words: Vec<&str> = line.split(' ').collect();
            let output = python("pad_verify.py", &words, bench.folder.path());
            assert_eq!(output.status.code(), Some(expected), "{line}");
            assert_eq!(text(&output.stdout) + &text(&output.stderr), *said);
        }
    }
    bench.ok("verify --public k.pub --proof proof --at 2 apple");
    bench.ok("verify --public k.pub --proof absent --at 2 pear");
    bench.steps(&[
        "verify --public k.pub --proof proof --at 3 apple => 3 verification failed",
        "verify --public k.pub --proof proof --at 2 pear => 3 verification failed",
        "verify --public k.pub --proof changed --at 2 apple => 3 verification failed",
    ]);
}

/// Returns the text of a policy, and proofs about these entries of a log. Some of the proofs show
/// that the last entry is the newest.
fn proofs_of_the_newest(origin: &str, entries: &[Vec<u8>; 3]) -> (String, Vec<Vec<u8>>) {
    let log = NoteSigner::new(origin.parse().unwrap(), &[1; 32]);
    let witnesses = [2, 3].map(|seed| {
        let name = format!("witness.example/{seed}");
        Cosigner::new(name.parse().unwrap(), &[seed; 32])
    });
    let keys = witnesses.each_ref().map(Cosigner::verifier);
    let policy = format!(
        "log {}\nwitness a {}\nwitness b {}\ngroup any-of-both any a b\nquorum any-of-both\n",
        log.verifier(),
        keys[0],
        keys[1],
    );
    let proof = |size: u64, root: Hash, index: usize, path: Vec<Hash>, cosigned: &[usize]| {
        let checkpoint = Checkpoint::new(origin, size, root).unwrap();
        let mut note = checkpoint.sign(&log);
        for &number in cosigned {
            let seconds = 1_000 + u64::try_from(number).unwrap();
            let time = Timestamp::from_seconds(seconds).unwrap();
            let line = witnesses[number].cosign(&checkpoint, time);
            note.add(line).unwrap();
        }
        let proof = LogProof {
            index: u64::try_from(index).unwrap(),
            path,
            note,
            extra: Some(entries[index].clone()),
        };
        proof.encode().into_bytes()
    };
    // The log with the first two entries, and the log with all three.
    let leaves = entries.each_ref().map(|entry| Hash::of_leaf(entry));
    let both = Hash::of_node(&leaves[0], &leaves[1]);
    let all = Hash::of_node(&both, &leaves[2]);
    let proofs = vec![
        proof(3, all, 2, vec![both], &[0, 1]),
        proof(2, both, 1, vec![leaves[0]], &[1]),
        proof(3, all, 2, vec![both], &[]),
        proof(3, all, 2, vec![all], &[0]),
        proof(3, all, 1, vec![leaves[0], leaves[2]], &[0]),
        proof(1, leaves[0], 0, Vec::new(), &[0]),
        proof(1, leaves[1], 1, Vec::new(), &[0]),
        proof(2, both, 0, vec![leaves[1]], &[0]),
    ];
    (policy, proofs)
}

/// Tests a proof that a head is the newest, other proofs of the log, and mutations of the proof.
#[test]
fn python_and_pad_agree_on_the_newest_head() {
    // The beginning of messages and proof files with heads: the envelope and the head.
    const ENVELOPE: &[u8] = b"PAD1\x01\x01\x00\x01";
    const HEAD: std::ops::Range<usize> = 9..155;

    let bench = Bench::with_trace();
    let public = PublicKey::load(&bench.path("k.pub")).unwrap();
    let entries = [1, 2, 3].map(|version| {
        let prove = format!("prove --store s --force --at {version}");
        bench.ok(&format!("{prove} --out proof apple"));
        [ENVELOPE, &bench.read("proof")[HEAD]].concat()
    });
    let origin = format!("log.example/{}", public.authority.dictionary);
    let (policy, mut proofs) = proofs_of_the_newest(&origin, &entries);
    bench.write("policy", policy.as_bytes());
    let policy = policy.parse().unwrap();
    let mut numbers = Random::new(2);
    for _ in 0..12 {
        proofs.push(mutate(&proofs[0], &proofs[1], &mut numbers));
    }
    let (mut lines, mut verdicts) = (Vec::new(), Vec::new());
    for (number, proof) in proofs.iter().enumerate() {
        bench.write(&format!("newest-{number}"), proof);
        // The first witness has cosigned one second before this time.
        for since in [None, Some(1_001)] {
            let time = |seconds| Timestamp::from_seconds(seconds).unwrap();
            let until = time(u64::MAX >> 1);
            let window = since.map(|since| Window {
                since: time(since),
                now: until,
                until,
            });
            verdicts.push(newest(&public, &policy, window, proof).is_ok());
            let since = since.map_or_else(String::new, |since| format!(" --since {since}"));
            let line = format!("--public k.pub --newest policy newest-{number}{since}");
            lines.push(line);
        }
    }
    let words: Vec<&str> = lines.iter().map(String::as_str).collect();
    let results = verify_all(&words, bench.folder.path());
    let mut counts = [0, 0];
    for (number, (status, said)) in results.into_iter().enumerate() {
        let expected = if verdicts[number] { 0 } else { 3 };
        let proof = String::from_utf8_lossy(&proofs[number / 2]);
        assert_eq!(status, expected, "{}: {said}{proof}", lines[number]);
        counts[usize::from(verdicts[number])] += 1;
    }
    assert!(counts[0] >= 20 && counts[1] >= 5, "{counts:?}");
}

/// Reads the key files of the vectors. The questions that `pad` supports must have the published
/// verdicts.
#[test]
fn the_published_proof_files_are_what_pad_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/vectors/proof-files");
    let mut verdicts = [0, 0];
    for entry in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let vectors: Json = serde_json::from_str(&text).unwrap();
        let Ok(public) = PublicKey::from_text(vectors["public"].as_str().unwrap()) else {
            // The suite is not supported by this build.
            let suites = ["suite blake3-ed25519", "suite paper-2010"];
            let is_missing = suites.iter().any(|suite| text.contains(suite));
            assert!(is_missing && cfg!(not(feature = "all-suites")));
            continue;
        };
        for (name, is_accepted) in [("accepted", true), ("refused", false)] {
            for case in vectors[name].as_array().unwrap() {
                let Some(question) = question(case) else {
                    // Another test checks the vectors of block directories.
                    assert!(case["question"].as_str().unwrap().starts_with("entries"));
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
