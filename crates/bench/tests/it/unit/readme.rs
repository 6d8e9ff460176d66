//! Tests of `bench::full_report::readme`.

use bench::{full_report::readme::written, line, line::Line};
use comparison::records::Records;

fn lines() -> Vec<Line> {
    let line = |design| {
        line! {
            experiment: "tuple_steady", keys: 10_000, design: design, author_us: 156_000.4,
            update_bytes: 640_000.0,
            apply_us: 0.0456, memory_bytes_per_update: 344.4, prove_us: 1.24,
            proof_bytes: 138.0,
        }
    };
    let designs = "base-superseding base-lightweight spec-superseding spec-lightweight \
        spec-lightweight-3";
    designs.split(' ').map(line).collect()
}

#[test]
fn tables_are_replaced_and_nothing_else() {
    let text = "before\n<!-- measured: tuples -->\nold\n<!-- end -->\nafter\n";
    let replaced = written(text, &lines()).unwrap();
    assert!(
        replaced.starts_with("before\n<!-- measured: tuples -->\n| | base, superseding |"),
        "{replaced}"
    );
    assert!(
        replaced.ends_with("| 138 bytes |\n<!-- end -->\nafter\n"),
        "{replaced}"
    );
    assert!(
        replaced.contains("| author, each snapshot | 156 ms |"),
        "{replaced}"
    );
    assert!(replaced.contains("| server, apply | 46 ns |"), "{replaced}");
    assert!(
        replaced.contains("| update as sent | 640 KB |"),
        "{replaced}"
    );
    assert_eq!(written(&replaced, &lines()).unwrap(), replaced);
    assert_eq!(written("no table", &[]).unwrap(), "no table");
}

#[test]
fn what_is_missing_is_named() {
    let refused = |text: &str, lines: &[Line]| written(text, lines).unwrap_err().to_string();
    let error = refused("<!-- measured: tuples -->\n<!-- end -->", &lines()[1..]);
    assert!(
        error.contains("base-superseding") && error.contains("author, each snapshot"),
        "{error}"
    );
    assert!(refused("<!-- measured: tuples -->\n", &lines()).contains("no end"));
    assert!(refused("<!-- measured: bees -->\n<!-- end -->", &lines()).contains("bees"));
}

#[test]
fn the_measurements_of_advice_are_those_of_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let [from, records] = ["report.jsonl", "records.jsonl"].map(|name| folder.path().join(name));
    let run = r#"{"experiment":"report_run","step":"compare","cpu":"a","cores":2}"#;
    let measured = Records::shipped().measured.remove(0);
    let line = line! { experiment: "compare" }.merged(&measured);
    let lines = format!("{run}\n{}\n", serde_json::to_string(&line).unwrap());
    std::fs::write(&from, lines).unwrap();
    std::fs::write(&records, "").unwrap();
    let document = from.display();
    crate::output::run(&format!(
        "readme --from {document} --documents {document} --records {}",
        records.display()
    ));
    let written = std::fs::read_to_string(records).unwrap();
    let written = Records::parse("records", &written).unwrap();
    assert_eq!(written.measured, [measured]);
    assert_eq!(written.machines, ["a, 2 cores"]);
}
