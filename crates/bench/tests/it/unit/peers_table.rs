//! Tests of `bench::peers::table`.

use bench::{line::Line, peers::table::report};

fn lines() -> Vec<Line> {
    let texts = [
        r#"{"experiment":"peers","peer":"jmt","version":"0.12.0","operation":"load","keys":1000,"changes":1000,"us":9000.0,"median_us":9000.0,"includes":"new root","hash":"SHA-256","threads":"1","medium":"memory","can_not":["ranges","signatures"],"differs":"","licence":"Apache-2.0"}"#,
        r#"{"experiment":"peers","peer":"jmt","operation":"snapshot","keys":1000,"changes":1,"us":41.0,"median_us":40.5,"bytes":null}"#,
        r#"{"experiment":"peers","peer":"jmt","operation":"prove_present","keys":1000,"changes":null,"us":3.0,"median_us":2.5,"bytes":612.0}"#,
        r#"{"experiment":"peers","peer":"ours","operation":"memory","keys":1000,"bytes":250000.0,"can_not":[],"cpu":"a processor"}"#,
        r#"{"experiment":"peers","peer":"jmt","operation":"memory","keys":10,"bytes":77.0}"#,
    ];
    texts
        .map(|text| serde_json::from_str(text).unwrap())
        .to_vec()
}

#[test]
fn figures_of_a_dictionary_stand_in_one_row() {
    let text = report(&lines()).to_string();
    let row = text
        .lines()
        .find(|line| line.starts_with("| jmt") && line.contains("9.00"));
    let row = row.unwrap_or_else(|| panic!("{text}"));
    assert!(row.contains("41.00") && row.contains("2.50"), "{row}");
    assert!(text.contains("250.0") && text.contains("612.0"), "{text}");
    assert!(
        text.contains("ranges; signatures") && text.contains("a processor"),
        "{text}"
    );
    let sizes: Vec<_> = text.match_indices("keys of 32 bytes").collect();
    assert_eq!(sizes.len(), 2);
    assert!(text.find(": 10 keys").unwrap() < text.find(": 1000 keys").unwrap());
}

#[test]
fn no_lines_make_no_tables() {
    assert!(report(&[]).is_empty());
}
