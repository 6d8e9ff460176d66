//! Tests of `bench::columns`.

use bench::{
    columns::{ColumnSpec, TableSpec},
    line,
    tables::Tables,
};

#[test]
fn figures_look_like_what_they_are() {
    let lines = [("a", 1_u64), ("b", 2)].map(|(name, keys)| {
        line! { experiment: "e", name, keys, us: 1234.56, none: None::<f64>, half: 0.5,
        at: [7.0, 8.0] }
    });
    let columns: &[ColumnSpec] = &[
        ("n", "name"),
        ("k", "keys"),
        ("us", "us"),
        ("0", "none"),
        ("x", "x"),
        ("ms", "us/1e3"),
        ("per second", "1e6/us"),
        ("share", "half%"),
        ("second", "at.1"),
        ("double", "double"),
    ];
    let shown = |declared: TableSpec| {
        let mut tables = Tables::default();
        declared.show(&mut tables, &lines);
        tables.to_string()
    };
    let declared = TableSpec::new("e", "{name}: {keys} keys", columns)
        .deriving(|all, line| line! { double: 2 * line.count("keys") + all.len() as u64 });
    let text = shown(declared);
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
    assert_eq!(shown(declared.by(&["name"])).matches(" keys\n").count(), 2);
    assert!(!shown(declared.only(&[("name", "b")])).contains("| a "));
    assert!(!shown(declared.filtered(|line| line.count("keys") < 2)).contains("| b "));
    assert!(shown(TableSpec::new("other", "Title", columns)).is_empty());
    let both = TableSpec::new("other|e", "", columns);
    assert_eq!(shown(both).lines().count(), 2 + 2 + 1);
}
