//! Tests of `bench::columns`.

use bench::{
    columns::{Derived, TableSpec},
    line,
    tables::Tables,
};

const DECLARED: &str = r#"
rows = { experiment = "e" }
title = "{name}: {keys} keys"
columns = [
    ["n", "name"], ["k", "keys"], ["us", "us"], ["0", "none"], ["x", "x"], ["ms", "us", 1e3],
    ["per second", 1e6, "us"], ["share", "half", "%"], ["second", "at.1"], ["double", "double"],
]
"#;

#[test]
fn figures_look_like_what_they_are() {
    let lines = [("a", 1_u64), ("b", 2)].map(|(name, keys)| {
        line! { experiment: "e", name, keys, us: 1234.56, none: None::<f64>, half: 0.5,
        at: [7.0, 8.0] }
    });
    let derived: Derived = |all, line| line! { double: 2 * line.count("keys") + all.len() as u64 };
    let shown = |change: &dyn Fn(&mut TableSpec)| {
        let mut declared: TableSpec = basic_toml::from_str(DECLARED).unwrap();
        change(&mut declared);
        let mut tables = Tables::default();
        declared.show(derived, &mut tables, &lines);
        tables.to_string()
    };
    let text = shown(&|_| ());
    let cells = [
        "a", "1", "1235", "-", "?", "1.23", "810.0", "50.0 %", "8.00", "4",
    ];
    let row: Vec<&str> = text
        .lines()
        .nth(4)
        .unwrap()
        .split('|')
        .map(str::trim)
        .collect();
    assert_eq!(row[1..11], cells, "{text}");
    assert!(text.starts_with("a: 1 keys\n"), "{text}");
    let by_name = shown(&|table| table.by = vec!["name".to_owned()]);
    assert_eq!(by_name.matches(" keys\n").count(), 2);
    let only = |only: &'static str| shown(&move |table| table.rows.only = only.to_owned());
    assert!(!only("name=b").contains("| a "));
    assert!(!only("double=4").contains("| b "));
    assert!(only("us=any").contains("| a ") && only("none=any; x=none").is_empty());
    let of = |of: &'static str| shown(&move |table| table.rows.experiment = of.to_owned());
    assert!(of("other").is_empty());
    assert_eq!(of("other|e").lines().count(), of("e").lines().count());
}

#[test]
fn columns_of_no_known_form_are_refused() {
    for column in [
        "['t']",
        "['t', 1e3]",
        "['t', 'key', 'other', 1]",
        "['t', 'key', '1e3']",
        "[1, 'key']",
    ] {
        let table = format!("columns = [{column}]");
        assert!(
            basic_toml::from_str::<TableSpec>(&table).is_err(),
            "{column}"
        );
    }
    assert!(basic_toml::from_str::<TableSpec>("heading = ''").is_err());
}
