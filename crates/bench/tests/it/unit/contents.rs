//! Tests of `bench::full_report::contents`.

use bench::{families::FAMILIES, full_report::contents::contents};

#[test]
fn every_item_stands_in_a_part() {
    let in_parts = FAMILIES.iter().map(|family| contents(family.id).count());
    let items = include_str!("../../../src/full_report/contents.txt").lines();
    let items = items.filter(|line| !line.starts_with('#'));
    assert_eq!(in_parts.sum::<usize>(), items.count());
}
