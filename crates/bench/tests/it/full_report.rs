//! The full report: its steps, resumption of an interrupted run, and its page.

use std::{fs, path::Path};

use crate::output::{lines, of, page, refusal, run};

/// Runs some steps of the quick report, with its results in `folder`.
fn report(folder: &Path, only: &str) -> String {
    let (out, steps) = (folder.join("out"), folder.join("steps"));
    let (out, steps) = (out.display(), steps.display());
    run(&format!(
        "report --quick --only {only} --out {out} --steps {steps}"
    ))
}

#[test]
fn finished_steps_are_not_measured_again() {
    let folder = tempfile::tempdir().unwrap();
    let only = "primitives,tuple-threads";
    let printed = report(folder.path(), only);
    assert!(printed.contains("A quick run"), "{printed}");
    let file = folder.path().join("out/measurements.jsonl");
    let first = fs::read_to_string(&file).unwrap();
    let of_runs = |text: &str| of(&lines(text), "report_run").len();
    assert_eq!(of_runs(&first), 2);
    // A line that no measurement prints marks the kept parts: repeated steps can have equal times.
    let part = |step: &str| folder.path().join(format!("steps/quick/{step}.jsonl"));
    for step in ["primitives", "tuple-threads"] {
        let kept = fs::read_to_string(part(step)).unwrap();
        let mark = format!("{{\"experiment\":\"kept\",\"step\":\"{step}\"}}\n");
        fs::write(part(step), kept + &mark).unwrap();
    }

    // One step is lost, as after an interruption. Only that one is measured again.
    fs::remove_file(part("tuple-threads")).unwrap();
    report(folder.path(), only);
    let second = fs::read_to_string(&file).unwrap();
    assert_eq!(of_runs(&second), 2);
    let second = lines(&second);
    let kept = of(&second, "kept");
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0]["step"], "primitives");

    // A truncated line is ignored.
    fs::write(part("primitives"), "{\"experiment\":").unwrap();
    report(folder.path(), only);
    assert_eq!(of_runs(&fs::read_to_string(&file).unwrap()), 2);
}

#[test]
fn the_page_is_drawn_again_from_its_measurements() {
    let folder = tempfile::tempdir().unwrap();
    report(folder.path(), "primitives");
    let tree = run("tree --json --quick --keys 200");
    let file = folder.path().join("lines.jsonl");
    fs::write(&file, tree).unwrap();
    let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
    let [page, again] = [&one, &other].map(|out| page(&file, out));
    assert_eq!(page, again);
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
    let out = folder.path().display();
    let (_, errors) = refusal(&format!("page --from nowhere.jsonl --out {out}"));
    assert!(errors.contains("nowhere.jsonl"), "{errors}");
    assert!(refusal("report --only nothing").1.contains("--list"));
}

#[test]
fn the_steps_of_both_reports_are_commands_of_this_program() {
    for report in ["report --list", "report --list --quick"] {
        let listed = run(report);
        assert!(listed.lines().count() > 20, "{listed}");
        for line in listed.lines() {
            let (_, arguments) = line.split_once("bench ").unwrap();
            // An unknown option is refused before anything runs. An invalid option before it would
            // be named first.
            let (_, errors) = refusal(&format!("{arguments} --no-such-option"));
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
    let page = page(&file, &out);
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script>") && !page.contains("<b>"));
    assert!(!folder.path().join("a/escaped.svg").exists());
    assert!(!out.join("figures").exists());
}

/// The tables of documents, the measurements of `pad advise`, and the page agree with the shipped
/// report. It is of one run, on one idle machine, of one commit.
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
    let records = workspace.join("crates/comparison/data/measurements.jsonl");
    for document in ["README.md", "docs/benchmarks.md"] {
        let (from, records) = (from.display(), records.display());
        let document = workspace.join(document);
        let document = document.display();
        run(&format!(
            "readme --check --from {from} --documents {document} --records {records}"
        ));
    }
    let drawn = tempfile::tempdir().unwrap();
    let drawn = page(&from, drawn.path());
    let shipped = fs::read_to_string(folder.join("index.html")).unwrap();
    assert!(
        shipped == drawn,
        "bench page --from docs/report/measurements.jsonl --out docs/report draws it again"
    );
}
