//! Tests of exit statuses, errors, closed outputs, and existing files.

use serde_json::json;

use crate::bench::{Bench, OF_TREE, Outcome as _, TRACE, assert_has, is_error, object, text};

/// Advice is a second line after the message, and a field of the JSON object. Advice does not
/// change the exit status.
#[test]
fn failures_are_lines_with_advice_and_objects() {
    let bench = Bench::with_trace();
    bench.ok("keygen --out other");
    let lost = "versions were signed with the key k before, but there is no store gone";
    for (line, exit, kind, said) in [
        ("get --store s apple --at 9", 2, "input", None),
        (
            "get --store s --public other.pub apple",
            3,
            "verification",
            None,
        ),
        (
            "commit --store s --key k --name a",
            2,
            "input",
            Some((
                "nothing is pending",
                "note changes with pad put and pad remove",
            )),
        ),
        (
            "import --store gone --key k t.csv",
            3,
            "verification",
            Some((
                lost,
                "restore a copy of the store, or create another key for a new dictionary",
            )),
        ),
        (
            "get --store none apple",
            4,
            "store",
            Some((
                "there is no store at none",
                "create one with pad import or pad put, and --key",
            )),
        ),
    ] {
        let error = bench.error(line);
        assert_has(&error, &json!({ "exit": exit, "kind": kind }), line);
        let [printed, shown] = ["--json ", ""].map(|option| bench.run(&format!("{option}{line}")));
        assert_eq!(text(&printed.stdout) + &text(&shown.stdout), "", "{line}");
        let expected = json!({ "error": error });
        assert_eq!(object(&text(&printed.stderr)), expected, "{line}");
        let (message, help) = (error["message"].as_str().unwrap(), error["help"].as_str());
        let advice = help.map_or_else(String::new, |help| format!("help: {help}\n"));
        let expected = format!("pad: {message}\n{advice}");
        assert_eq!(shown.fails_with(exit, ""), expected, "{line}");
        if let Some((message, help)) = said {
            let all = json!({ "exit": exit, "kind": kind, "message": message, "help": help });
            assert_eq!(error, all, "{line}");
        }
    }
    let error = bench.error("get --store s apple --at 9");
    assert!(error.get("help").is_none(), "{error}");
}

/// A command succeeds if the reader of its output closes the pipe: `pad range .. | head -1`.
#[test]
fn a_reader_that_leaves_is_no_failure() {
    let rows = (0..20_000).map(|row| format!("a,put,key {row},{row}\n"));
    let bench = Bench::with_rows(rows);
    for options in ["", "--json "] {
        let range = format!("pad {options}range --store s --public k.pub '' ''");
        let status = "echo ${PIPESTATUS[0]} >status";
        let output = bench.shell(&format!("{range} | head -c 10 >head; {status}"));
        assert_eq!(text(&output.stderr), "");
        assert_eq!(bench.read("head").len(), 10);
        assert_eq!(bench.read("status"), b"0\n");
    }
}

/// A command that changes data completes, even if standard output is closed.
#[test]
fn a_change_is_whole_though_nobody_reads() {
    let bench = Bench::with_key("red-black");
    let rows = (0..200).map(|row| format!("s{row},put,key,{row}\n"));
    bench.write_trace("t.csv", rows);
    let import = "pad --json import --store s --key k t.csv";
    bench.shell(&format!(
        "{import} | head -1 >head; echo ${{PIPESTATUS[0]}} >status"
    ));
    assert_eq!(bench.read("status"), b"0\n");
    assert_eq!(bench.list("versions --store s --public k.pub").0.len(), 200);
}

/// Names in messages come from untrusted sources, and standard error may be closed.
#[test]
fn a_refusal_is_one_line_and_an_object_whatever_it_names() {
    let bench = Bench::with_trace();
    let said = text(&bench.run("get --store no\nne\u{1b}[31m x").stderr);
    assert!(is_error(&said), "{said}");
    assert!(!said.contains('\u{1b}'), "{said}");
    assert_eq!(bench.error("get --store s")["exit"], 2);
    let output = bench.shell("pad --json get --store none x 2>/dev/full");
    // The reason cannot be printed, but the exit status reports the failure.
    assert_eq!(output.status.code(), Some(4));
}

#[test]
fn what_was_pruned_does_not_come_back() {
    let bench = Bench::new();
    bench.write("t.csv", TRACE.as_bytes());
    bench.ok("keygen --out k --scheme tuple-accumulators-bilinear --entries 16");
    bench.ok("import --store s --key k t.csv");
    // This process has read the store before it is pruned.
    let mut early = authdict::Server::of_any(bench.path("s")).unwrap();
    bench.ok("prune --store s --before 3");
    let error = early.checkpoint().unwrap_err().to_string();
    assert!(error.contains("newer checkpoint"), "{error}");
    drop(early);
    bench.fails("get --store s apple --at 2", 2, "was pruned");
    assert_eq!(bench.json("check --store s")[0]["oldest"], 3);
}

#[test]
fn nothing_is_overwritten_unasked_and_a_dash_is_standard_output() {
    let bench = Bench::with_trace();
    for line in [
        "prove --store s apple --at 2",
        "export --store s --at 2",
        "public --key k",
    ] {
        bench.ok(&format!("{line} --out f"));
        let before = bench.read("f");
        let exists = "f exists already\nhelp: use --force to replace it\n";
        bench.fails(&format!("{line} --out f"), 2, exists);
        assert_eq!(bench.read("f"), before);
        bench.ok(&format!("{line} --out f --force"));
        let printed = bench.run(&format!("{line} --out -"));
        let is_right = printed.status.success() && printed.stdout == before;
        assert!(is_right, "{line}");
        assert!(!bench.path("-").exists());
        let message = "--out - and --json both write to standard output";
        let expected = json!({ "exit": 2, "message": message });
        assert_has(&bench.error(&format!("{line} --out -")), &expected, line);
        std::fs::remove_file(bench.path("f")).unwrap();
    }
    bench.ok("prove --store s apple --at 2 --out p");
    let verified = bench.shell("pad verify --public k.pub --proof - --at 2 apple <p");
    assert!(verified.succeeds().contains("present  apple = 4"));
}

/// If one of the two key files cannot be created, the other is not left behind.
#[test]
fn keygen_makes_both_files_or_none() {
    let bench = Bench::new();
    for taken in ["k", "k.pub"] {
        bench.write(taken, b"mine");
        bench.fails("keygen --out k", 2, "exists already");
        assert_eq!(bench.path("k").exists(), taken == "k");
        assert_eq!(bench.path("k.pub").exists(), taken == "k.pub");
        assert_eq!(bench.read(taken), b"mine");
        std::fs::remove_file(bench.path(taken)).unwrap();
    }
    bench.fails("keygen --out none/k", 4, "none/k");
    bench.ok("keygen --out k");
    bench.ok("public --key k --out again.pub");
    assert_eq!(bench.read("again.pub"), bench.read("k.pub"));
    bench.steps(&[
        "public --key k.pub --out x => 2 this is a public key",
        "public --key k --out k --force => 2 is what the command reads",
        "keygen --out - => 2 a file of its own",
    ]);
}

/// Commands must leave no temporary files.
#[test]
fn commands_leave_no_drafts() {
    let bench = Bench::with_trace();
    bench.ok("get --store s --public k.pub --view v apple");
    bench.ok("prove --store s apple --out p");
    let expected = "k k.pub k.signed p s s.newest s.nodes s.nodes.heads t.csv v v.lock";
    assert_eq!(bench.names().join(" "), expected);
}

/// Each row of the table in docs/exit-status.md must be true of the program.
#[test]
fn the_table_of_exit_statuses_is_true() {
    let bench = Bench::with_trace();
    bench.ok("keygen --out other");
    bench.write("forged.csv", TRACE.replace("apple,4", "apple,0").as_bytes());
    bench.ok("import --store swapped --key other forged.csv");
    bench.ok("prove --store s apple --at 3 --out proof");
    bench.ok("export --store s --at 3 --out update");
    bench.ok("export --store swapped --at 3 --out foreign");
    bench.ok("get --store s --public k.pub --view view apple");
    bench.copy("s", "alone", &[""]);
    bench.copy("s", "old", OF_TREE);
    bench.publish("put apple 5");
    bench.ok("get --store s --view view apple");
    bench.write("bad.csv", b"when,what\n");
    let whole = bench.read("s");
    bench.write("cut", &whole[..whole.len() / 2]);
    let document = include_str!("../../../../docs/exit-status.md");
    let mut rows = 0;
    for row in document.lines().filter(|line| line.starts_with("| `pad ")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, line, exit, says, _] = cells.as_slice() else {
            panic!("{row}");
        };
        let line = line.trim_matches('`').strip_prefix("pad ").unwrap();
        let exit: i32 = exit.parse().unwrap();
        if exit == 0 {
            bench.ok(line);
        } else {
            bench.fails(line, exit, says.trim_matches('`'));
        }
        rows += 1;
    }
    assert!(rows >= 20, "{rows} rows");
}
