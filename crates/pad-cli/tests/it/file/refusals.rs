//! Tests of the exit status of every command after every refusal of a server.
//!
//! Status 2: the owner requests an operation that the server may refuse. Status 3: the server
//! breaks its promise. Status 4: the server is temporarily unable to answer. A server has no reason
//! to refuse requests for a file that it has accepted.

use std::{fmt::Debug, fs, thread};

use flexlist_service::internals::message::{Refusal, Request, Response};
use pad_conformance::soak;
use pad_core::codec;

use crate::{
    bench::{Bench, Outcome as _, text},
    file::liar::Liar,
};

/// Commands without the arguments for state, key and server; the requests that are refused; the
/// column of [`TABLE`] with the expected exit status; and the state file before the command.
const CASES: [&str; 19] = [
    "upload original | Begin | begin | nothing",
    "upload original | Part | part | nothing",
    "upload original | Finish | finish | nothing",
    "write --offset 5 --text new | Update | change | uploaded",
    "insert --offset 5 --text new | Read | question | uploaded",
    "delete --offset 5 --length 3 | Update | change | uploaded",
    "read --out copy --force | Read | question | uploaded",
    "audit | Audit | question | uploaded",
    "audit --full | Audit | question | uploaded",
    "audit --count 3 | Audit Read | question | uploaded with hashes",
    "audit --full | Read | question | uploaded with hashes",
    "audit | Status | question | uploaded empty",
    "status | Status | question | uploaded",
    "adopt | Confirmed | question | uploaded",
    "adopt --accept-version 1 | Confirmed | question | uploaded",
    "read --accept-version 1 --out copy --force | Read | question | uploaded",
    "delete --whole-file | Delete | remove | uploaded",
    "status | Update | settle | pending",
    "audit | Update Status Audit | question | pending",
];

/// Returns the command, requests, column and state of a case.
fn parts(case: &str) -> [&str; 4] {
    let parts: Vec<_> = case.split(" | ").collect();
    parts.try_into().unwrap()
}

/// The columns of [`TABLE`]. A command of the column `remove` removes the file, and succeeds if the
/// server has no such file. The column `settle` is like `question`, for an update with unknown
/// outcome: a final refusal is reported, but is not a failure.
const COLUMNS: [&str; 7] = [
    "begin", "part", "finish", "change", "question", "remove", "settle",
];

/// The expected exit statuses of each refusal, in the order of [`COLUMNS`].
const TABLE: &[(&str, [i32; 7])] = &[
    ("UnknownFile", [3, 4, 4, 3, 3, 0, 3]),
    ("UnknownVersion", [3, 3, 3, 3, 3, 3, 3]),
    ("UploadUnfinished", [3, 4, 4, 3, 3, 3, 3]),
    // A server that claims a finished upload must present the owner's signature. This server cannot
    // present it.
    ("UploadFinished", [3, 3, 3, 3, 3, 3, 0]),
    ("PartOutOfOrder", [3, 4, 4, 3, 3, 3, 0]),
    ("WrongOwner", [2, 3, 3, 3, 3, 3, 0]),
    ("WrongFileId", [2, 3, 3, 3, 3, 3, 0]),
    ("StaleBase", [3, 3, 3, 3, 3, 3, 3]),
    ("RootMismatch", [3, 3, 3, 3, 3, 3, 0]),
    ("Invalid", [2, 3, 3, 3, 3, 3, 0]),
    ("TooLarge", [2, 2, 2, 2, 3, 2, 0]),
    ("TagsInvalid", [3, 3, 3, 3, 3, 3, 0]),
    ("Unavailable", [4, 4, 4, 4, 4, 4, 4]),
    ("StoreFailed", [3, 3, 3, 3, 3, 3, 3]),
    ("CannotWrite", [4, 4, 4, 4, 4, 4, 4]),
    ("Removed", [2, 2, 2, 3, 3, 0, 3]),
    ("OwnerNotAllowed", [2, 3, 3, 3, 3, 3, 3]),
    ("BeginExpired", [2, 3, 3, 3, 3, 3, 3]),
];

/// Returns the expected exit status of the refusal with this name.
fn expected(name: &str, column: &str) -> i32 {
    let line = TABLE.iter().find(|(line, _)| *line == name);
    let (_, statuses) = line.unwrap_or_else(|| panic!("{name} has no line in the table"));
    let place = COLUMNS.iter().position(|other| *other == column);
    statuses[place.unwrap()]
}

/// Returns every refusal of the protocol, by its encoded number, with zeros and empty texts.
fn every_refusal() -> Vec<Refusal> {
    let decoded = |number: u8| {
        (0..16).find_map(|zeros| {
            let bytes = [vec![number], vec![0; zeros]].concat();
            codec::decode_body::<Refusal>(&bytes).ok()
        })
    };
    let refusals: Vec<Refusal> = (0..=250).map_while(decoded).collect();
    assert!(refusals.len() >= 18, "{refusals:?}");
    refusals
}

/// Returns the name of the variant.
fn name_of(message: &impl Debug) -> String {
    let shown = format!("{message:?}");
    let end = shown.find(|letter: char| !letter.is_alphanumeric());
    shown[..end.unwrap_or(shown.len())].to_owned()
}

/// Returns whether a command is tested with a refusal.
///
/// With `make soak`, this holds for all pairs. With `make test`, the commands of one column share
/// the refusals, and each refusal occurs in every second column. Every command is tested with
/// `Unavailable`, after which it asks again.
fn is_tested(place: usize, number: usize, name: &str) -> bool {
    let [_, _, column, _] = parts(CASES[place]);
    let of_column = |cases: &[&str]| {
        let of_cases = cases.iter().map(|case| parts(case)[2]);
        of_cases.filter(|other| *other == column).count()
    };
    let (most, columns) = soak::size((6, 2), (1, 1));
    let shares = of_column(&CASES).min(most);
    let is_in_share = number % shares == of_column(&CASES[..place]) % shares;
    let place_of_column = COLUMNS.iter().position(|other| *other == column).unwrap();
    let is_in_column = (number / shares + place_of_column).is_multiple_of(columns);
    name == "Unavailable" || is_in_share && is_in_column
}

#[test]
fn every_refusal_has_an_exit_status_for_every_command() {
    let check = |place: usize| {
        let [command, requests, column, before] = parts(CASES[place]);
        let (bench, server) = Liar::bench();
        let words = format!("--state s --key k --server {}", server.address());
        prepare(&bench, &server, before, &words);
        let kept = fs::read(bench.path("s")).ok();
        for (number, refusal) in every_refusal().into_iter().enumerate() {
            let name = name_of(&refusal);
            if !is_tested(place, number, &name) {
                continue;
            }
            match &kept {
                Some(state) => fs::write(bench.path("s"), state).unwrap(),
                None => drop(fs::remove_file(bench.path("s"))),
            }
            let said = refusal.clone();
            server.lie(move |request, _| {
                let is_refused = requests.split(' ').any(|name| name == name_of(request));
                is_refused.then(|| Response::Refused(said.clone()))
            });
            let (verb, rest) = command.split_once(' ').unwrap_or((command, ""));
            let line = format!("file {verb} {words} {rest}");
            let output = bench.run(line.trim_end());
            let error = text(&output.stderr);
            let code = Some(expected(&name, column));
            assert_eq!(output.status.code(), code, "{command}: {name}: {error}");
            if verb == "audit" {
                assert!(error.contains("version 1"), "{name}: {error}");
            }
            server.be_honest();
        }
    };
    // A server that is temporarily unable to answer is queried again after a pause. The cases run
    // in parallel.
    thread::scope(|scope| {
        for place in 0..CASES.len() {
            scope.spawn(move || check(place));
        }
    });
}

/// Creates the state file and the server's file, as they are before the command.
fn prepare(bench: &Bench, server: &Liar, before: &str, words: &str) {
    let kind = match before {
        "uploaded with hashes" => "hash-only",
        _ => "private-mac",
    };
    bench.ok(&format!("file keygen --out k --tags {kind}"));
    let contents = match before {
        "uploaded empty" => Vec::new(),
        _ => b"some lines of text\n".repeat(3000),
    };
    fs::write(bench.path("original"), contents).unwrap();
    if before == "nothing" {
        return;
    }
    bench.ok(&format!("file upload {words} original"));
    if before == "pending" {
        server.lie(|request, _| {
            let refusal = Response::Refused(Refusal::StoreFailed("a test".into()));
            matches!(request, Request::Update(_)).then_some(refusal)
        });
        let write = format!("file write {words} --offset 0 --text lost");
        bench.run(&write).fails_with(3, "");
        server.be_honest();
    }
}
