//! Tests of `bench::tables`.

use bench::{
    line,
    line::Line,
    tables::{Tables, cell, digits},
};

#[test]
fn numbers_have_about_four_digits() {
    for (value, text) in [
        (0.0, "0.00"),
        (0.004_567, "0.004567"),
        (0.1234, "0.1234"),
        (1.234, "1.23"),
        (123.45, "123.5"),
        (12_345.6, "12346"),
    ] {
        assert_eq!(digits(value), text);
    }
}

#[test]
fn columns_are_aligned() {
    let lines = [("a", "1.00"), ("longer", "100.00")];
    let lines = lines.map(|(name, us)| line! { name: name, us: us });
    let mut tables = Tables::default();
    let row = |line: &Line| ["name", "us"].map(|key| cell(line, key)).to_vec();
    tables.rows(&["name", "us"], &[], lines.iter().map(row).collect());
    let text = tables.signed(&lines).to_string();
    let text = text.trim_end();
    let widths: Vec<_> = text.lines().map(|line| line.chars().count()).collect();
    assert!(widths.windows(2).all(|pair| pair[0] == pair[1]), "{text}");
    assert!(text.contains("|   1.00 |"), "{text}");
}
