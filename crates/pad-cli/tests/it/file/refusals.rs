//! Tests of the exit status of every command after every refusal of a server.
//!
//! Status 2: the owner requests an operation that the server may refuse. Status 3: the server
//! breaks its promise. Status 4: the server is temporarily unable to answer. A server has no reason
//! to refuse requests for a file that it has accepted.

use std::{fs, thread};

use flexlist_service::internals::message::{Refusal, Request, Response};
use pad_conformance::soak;
use pad_core::codec;

use crate::{
    bench::{Bench, text},
    file::liar::Liar,
};

/// A refused request, and the owner's state at that time.
struct Case {
    /// The command, without the arguments for state, key and server.
    command: &'static str,
    /// The request that is refused.
    request: fn(&Request) -> bool,
    /// The column of [`TABLE`] with the expected exit status.
    column: Column,
    /// The state file before the command.
    before: Before,
}

#[derive(Clone, Copy)]
enum Before {
    Nothing,
    Uploaded,
    UploadedEmpty,
    UploadedWithHashes,
    Pending,
}

#[derive(Clone, Copy, PartialEq)]
enum Column {
    Begin,
    Part,
    Finish,
    Change,
    Question,
    /// The command removes the file. If the server has no such file, the command succeeds.
    Remove,
    /// Like `Question`, for an update with unknown outcome. A final refusal is reported, but is not
    /// a failure.
    Settle,
}

const CASES: &[Case] = &[
    Case {
        command: "upload original",
        request: |request| matches!(request, Request::Begin(_)),
        column: Column::Begin,
        before: Before::Nothing,
    },
    Case {
        command: "upload original",
        request: |request| matches!(request, Request::Part(_)),
        column: Column::Part,
        before: Before::Nothing,
    },
    Case {
        command: "upload original",
        request: |request| matches!(request, Request::Finish(_)),
        column: Column::Finish,
        before: Before::Nothing,
    },
    Case {
        command: "write --offset 5 --text new",
        request: |request| matches!(request, Request::Update(_)),
        column: Column::Change,
        before: Before::Uploaded,
    },
    Case {
        command: "insert --offset 5 --text new",
        request: |request| matches!(request, Request::Read { .. }),
        column: Column::Question,
        before: Before::Uploaded,
    },
    Case {
        command: "delete --offset 5 --length 3",
        request: |request| matches!(request, Request::Update(_)),
        column: Column::Change,
        before: Before::Uploaded,
    },
    Case {
        command: "read --out copy --force",
        request: |request| matches!(request, Request::Read { .. }),
        column: Column::Question,
        before: Before::Uploaded,
    },
    Case {
        command: "audit",
        request: |request| matches!(request, Request::Audit { .. }),
        column: Column::Question,
        before: Before::Uploaded,
    },
    Case {
        command: "audit --full",
        request: |request| matches!(request, Request::Audit { .. }),
        column: Column::Question,
        before: Before::Uploaded,
    },
    Case {
        command: "audit --count 3",
        request: |request| matches!(request, Request::Audit { .. } | Request::Read { .. }),
        column: Column::Question,
        before: Before::UploadedWithHashes,
    },
    Case {
        command: "audit --full",
        request: |request| matches!(request, Request::Read { .. }),
        column: Column::Question,
        before: Before::UploadedWithHashes,
    },
    Case {
        command: "audit",
        request: |request| matches!(request, Request::Status { .. }),
        column: Column::Question,
        before: Before::UploadedEmpty,
    },
    Case {
        command: "status",
        request: |request| matches!(request, Request::Status { .. }),
        column: Column::Question,
        before: Before::Uploaded,
    },
    Case {
        command: "adopt",
        request: |request| matches!(request, Request::Confirmed { .. }),
        column: Column::Question,
        before: Before::Uploaded,
    },
    Case {
        command: "adopt --accept-version 1",
        request: |request| matches!(request, Request::Confirmed { .. }),
        column: Column::Question,
        before: Before::Uploaded,
    },
    Case {
        command: "read --accept-version 1 --out copy --force",
        request: |request| matches!(request, Request::Read { .. }),
        column: Column::Question,
        before: Before::Uploaded,
    },
    Case {
        command: "delete --whole-file",
        request: |request| matches!(request, Request::Delete(_)),
        column: Column::Remove,
        before: Before::Uploaded,
    },
    Case {
        command: "status",
        request: |request| matches!(request, Request::Update(_)),
        column: Column::Settle,
        before: Before::Pending,
    },
    Case {
        command: "audit",
        request: |request| {
            matches!(
                request,
                Request::Update(_) | Request::Status { .. } | Request::Audit { .. }
            )
        },
        column: Column::Question,
        before: Before::Pending,
    },
];

/// The expected exit statuses of each refusal, in the order of [`Column`].
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
fn expected(name: &str, column: Column) -> i32 {
    let line = TABLE.iter().find(|(line, _)| *line == name);
    let (_, [begin, part, finish, change, question, remove, settle]) =
        line.unwrap_or_else(|| panic!("{name} has no line in the table"));
    *match column {
        Column::Begin => begin,
        Column::Part => part,
        Column::Finish => finish,
        Column::Change => change,
        Column::Question => question,
        Column::Remove => remove,
        Column::Settle => settle,
    }
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

fn name_of(refusal: &Refusal) -> String {
    let shown = format!("{refusal:?}");
    let end = shown.find(|letter: char| !letter.is_alphanumeric());
    shown[..end.unwrap_or(shown.len())].to_owned()
}

/// Returns whether a command is tested with a refusal.
///
/// With `make soak`, this holds for all pairs. With `make test`, the commands of one column share
/// the refusals, so that each refusal occurs in each column. Every command is tested with
/// `Unavailable`, after which it asks again.
fn is_tested(place: usize, number: usize, name: &str) -> bool {
    let column = CASES[place].column;
    let of_column = |cases: &[Case]| cases.iter().filter(|case| case.column == column).count();
    let shares = of_column(CASES).min(soak::size(6, 1));
    name == "Unavailable" || number % shares == of_column(&CASES[..place]) % shares
}

#[test]
fn every_refusal_has_an_exit_status_for_every_command() {
    let check = |place: usize| {
        let case = &CASES[place];
        let bench = Bench::new();
        let server = Liar::start(&bench);
        let words = format!("--state s --key k --server {}", server.address());
        prepare(&bench, &server, case.before, &words);
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
            let refused = case.request;
            server.lie(move |request, _| refused(request).then(|| Response::Refused(said.clone())));
            let (verb, rest) = case.command.split_once(' ').unwrap_or((case.command, ""));
            let line = format!("file {verb} {words} {rest}");
            let output = bench.run(line.trim_end());
            let error = text(&output.stderr);
            assert_eq!(
                output.status.code(),
                Some(expected(&name, case.column)),
                "{}: {name}: {error}",
                case.command
            );
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
fn prepare(bench: &Bench, server: &Liar, before: Before, words: &str) {
    let kind = match before {
        Before::UploadedWithHashes => "hash-only",
        _ => "private-mac",
    };
    bench.ok(&format!("file keygen --out k --tags {kind}"));
    let contents = match before {
        Before::UploadedEmpty => Vec::new(),
        _ => b"some lines of text\n".repeat(3000),
    };
    fs::write(bench.path("original"), contents).unwrap();
    if matches!(before, Before::Nothing) {
        return;
    }
    bench.ok(&format!("file upload {words} original"));
    if matches!(before, Before::Pending) {
        server.lie(|request, _| {
            let refusal = Response::Refused(Refusal::StoreFailed("a test".into()));
            matches!(request, Request::Update(_)).then_some(refusal)
        });
        let output = bench.run(&format!("file write {words} --offset 0 --text lost"));
        assert_eq!(output.status.code(), Some(3));
        server.be_honest();
    }
}
