//! The full report: its steps, resumption of an interrupted run, and its page.

use std::{fs, path::Path, process::Command};

use crate::report::{lines, run};

fn report(folder: &Path, further: &[&str]) -> String {
    let (out, steps) = (folder.join("out"), folder.join("steps"));
    let paths = [
        "--out",
        out.to_str().unwrap(),
        "--steps",
        steps.to_str().unwrap(),
    ];
    run(&[&["report", "--quick"], further, &paths].concat())
}

#[test]
fn finished_steps_are_not_measured_again() {
    let folder = tempfile::tempdir().unwrap();
    let only = ["--only", "primitives,tuple-threads"];
    let printed = report(folder.path(), &only);
    assert!(printed.contains("A quick run"), "{printed}");
    let file = folder.path().join("out/measurements.jsonl");
    let first = fs::read_to_string(&file).unwrap();
    let of_runs = |text: &str| -> Vec<_> {
        let lines = lines(text).into_iter();
        lines
            .filter(|line| line["experiment"] == "report_run")
            .collect()
    };
    assert_eq!(of_runs(&first).len(), 2);
    // A line that no measurement prints marks the kept parts: repeated steps can have equal times.
    let part = |step: &str| folder.path().join(format!("steps/quick/{step}.jsonl"));
    for step in ["primitives", "tuple-threads"] {
        let kept = fs::read_to_string(part(step)).unwrap();
        let mark = format!("{{\"experiment\":\"kept\",\"step\":\"{step}\"}}\n");
        fs::write(part(step), kept + &mark).unwrap();
    }

    // One step is lost, as after an interruption. Only that one is measured again.
    fs::remove_file(part("tuple-threads")).unwrap();
    report(folder.path(), &only);
    let second = fs::read_to_string(&file).unwrap();
    assert_eq!(of_runs(&second).len(), 2);
    let kept = lines(&second).into_iter();
    let kept: Vec<_> = kept.filter(|line| line["experiment"] == "kept").collect();
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0]["step"], "primitives");

    // A truncated line is ignored.
    fs::write(part("primitives"), "{\"experiment\":").unwrap();
    report(folder.path(), &only);
    assert_eq!(of_runs(&fs::read_to_string(&file).unwrap()).len(), 2);
}

#[test]
fn the_page_is_drawn_again_from_its_measurements() {
    let folder = tempfile::tempdir().unwrap();
    report(folder.path(), &["--only", "primitives"]);
    let tree = run(&["tree", "--json", "--quick", "--keys", "200"]);
    let file = folder.path().join("lines.jsonl");
    fs::write(&file, tree).unwrap();
    let drawn = |out: &str| {
        let out = folder.path().join(out);
        run(&[
            "page",
            "--from",
            file.to_str().unwrap(),
            "--out",
            out.to_str().unwrap(),
        ]);
        out
    };
    let (one, other) = (drawn("one"), drawn("other"));
    let page = fs::read_to_string(one.join("index.html")).unwrap();
    assert_eq!(page, fs::read_to_string(other.join("index.html")).unwrap());
    for part in [
        "id=\"trees\"",
        "Table 3",
        "id=\"figure5\"",
        "<svg",
        "prefers-color-scheme: dark",
        "width=device-width",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // The page reports missing steps, and every link has a target.
    assert!(!page.contains("href=\"#tuples\""));
    for link in page.split("href=\"#").skip(1) {
        let name = link.split('"').next().unwrap();
        assert!(page.contains(&format!("id=\"{name}\"")), "{name}");
    }
    // The page loads no external resource.
    assert!(!page.contains("src=") && !page.contains("href=\"http"));
    let rows = fs::read_to_string(one.join("measurements.csv")).unwrap();
    assert!(
        rows.lines()
            .any(|row| row.contains("prove_us_random_version")),
        "{rows}"
    );
    let figure = fs::read_to_string(one.join("figures/figure5.svg")).unwrap();
    assert!(figure.contains("prefers-color-scheme:dark"));
}

#[test]
fn what_is_asked_for_and_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_bench"))
        .args(["page", "--from", "nowhere.jsonl", "--out"])
        .arg(folder.path())
        .output()
        .unwrap();
    assert!(!output.status.success());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("nowhere.jsonl"), "{errors}");
    let output = Command::new(env!("CARGO_BIN_EXE_bench"))
        .args(["report", "--only", "nothing"])
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("--list"));
}

#[test]
fn the_steps_of_both_reports_are_commands_of_this_program() {
    for further in [&["--quick"][..], &[]] {
        let listed = run(&[&["report", "--list"], further].concat());
        assert!(listed.lines().count() > 20, "{listed}");
        for line in listed.lines() {
            let (_, arguments) = line.split_once(": bench ").unwrap();
            // An unknown option is refused before anything runs. An invalid option before it would
            // be named first.
            let output = Command::new(env!("CARGO_BIN_EXE_bench"))
                .args(arguments.split(' '))
                .arg("--no-such-option")
                .output()
                .unwrap();
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(
                errors.contains("unexpected argument '--no-such-option'"),
                "{line}: {errors}"
            );
        }
    }
}

#[test]
fn hostile_lines_make_a_page_or_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lines.jsonl");
    let most = u64::MAX;
    let text = format!(
        concat!(
            r#"{{"experiment":"aad_bandwidth","n":"x","entries_per_version":{0},"versions":{0}}}"#,
            "\n",
            r#"{{"experiment":"tuple_lookup_costs","figure":"../escaped","design":"<b>","points":[[1,1],[2,2]]}}"#,
            "\n",
            r#"{{"experiment":"tuple_lookup_costs","figure":"figure7","design":"<b>","points":[[1,0],[2,0]]}}"#,
            "\n",
            r#"{{"experiment":"growing","scheme":"red-black","keys":0,"prove_us_random_version":0}}"#,
            "\n",
            r#"{{"experiment":"report_run","step":"<script>","seconds":"long","arguments":"--quick"}}"#,
            "\n",
            "no line\n",
        ),
        most
    );
    fs::write(&file, text).unwrap();
    let out = folder.path().join("a/page");
    run(&[
        "page",
        "--from",
        file.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
    ]);
    let page = fs::read_to_string(out.join("index.html")).unwrap();
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script>") && !page.contains("<b>"));
    assert!(!folder.path().join("a/escaped.svg").exists());
    assert!(!out.join("figures").exists());
}

/// The tables of documents, and the page, agree with the bundled measurements. These are of one
/// run, on one idle machine, of one commit.
#[test]
fn the_shipped_report_is_that_of_its_measurements() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = workspace.join("docs/report");
    let from = folder.join("measurements.jsonl");
    let measured = fs::read_to_string(&from).unwrap();
    let measured = bench::full_report::run::read_lines(&measured);
    let warnings = bench::full_report::page::warnings(&measured);
    assert!(warnings.is_empty(), "{warnings:?}");
    let unchecked = bench::full_report::conclusions::unchecked(&measured);
    assert!(unchecked.is_empty(), "{unchecked:?}");
    let from = from.to_str().unwrap();
    for document in ["README.md", "docs/benchmarks.md"] {
        let document = workspace.join(document);
        let document = document.to_str().unwrap();
        run(&["readme", "--check", "--from", from, "--documents", document]);
    }
    let drawn = tempfile::tempdir().unwrap();
    run(&[
        "page",
        "--from",
        from,
        "--out",
        drawn.path().to_str().unwrap(),
    ]);
    let [shipped, drawn] = [folder.as_path(), drawn.path()]
        .map(|folder| fs::read_to_string(folder.join("index.html")).unwrap());
    assert!(
        shipped == drawn,
        "bench page --from docs/report/measurements.jsonl --out docs/report draws it again"
    );
}
