//! Tests of `bench::full_report::contents`.

use std::collections::BTreeMap;

use bench::{families::FAMILIES, full_report::contents::contents, paper::section};

#[test]
fn every_item_stands_in_a_part() {
    let in_parts = FAMILIES.iter().map(|family| contents(family.id).count());
    let items: BTreeMap<String, Vec<[String; 3]>> = section("contents");
    assert_eq!(
        in_parts.sum::<usize>(),
        items.values().map(Vec::len).sum::<usize>()
    );
}
