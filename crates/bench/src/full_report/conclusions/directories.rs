//! Conclusions about block directories (Stanton and others 2010, section 4).

use std::collections::BTreeSet;

use super::{Checked, MARGIN, figures, is_below, largest};
use crate::{
    line,
    line::{Line, like, of},
    tables::digits,
};

pub(super) fn sums_of_blocks(lines: &[Line]) -> Option<Checked> {
    let lines = of(lines, "directory_inserts");
    let us = |strategy: &str, block_bytes: u64| {
        like(&lines, &line! { strategy, block_bytes })?.number("update_us")
    };
    let strategies = ["ad-hash-1600", "sha-384-scanning", "mu-hash-1024", "merkle"];
    let sizes = lines.iter().map(|line| line.count("block_bytes"));
    let has_all = |bytes: &u64| strategies.iter().all(|it| us(it, *bytes).is_some());
    let bytes = sizes.filter(has_all).max()?;
    let [sums, pairs, products, path] = strategies.map(|strategy| us(strategy, bytes));
    let (sums, pairs, products, path) = (sums?, pairs?, products?, path?);
    let parts = vec![
        pairs >= 5.0 * sums / MARGIN,
        products >= 100.0 * sums / MARGIN,
        is_below(sums, products),
    ];
    Some((parts, figures! { bytes, sums, pairs, products, path }))
}

pub(super) fn hints(lines: &[Line]) -> Option<Checked> {
    let mut compared = of(lines, "directory_hints");
    compared.retain(|line| line.count("capacity") == 68 && line.count("entries") <= 10_000_000);
    let compared = largest(compared, "entries");
    let reads = |update_percent: u64, hints: bool| {
        like(&compared, &line! { update_percent, hints })?.number("reads_per_lookup")
    };
    let percents: BTreeSet<u64> = compared
        .iter()
        .map(|line| line.count("update_percent"))
        .collect();
    let (mut parts, mut shown) = (Vec::new(), Vec::new());
    for percent in percents {
        let (without, with) = (reads(percent, false)?, reads(percent, true)?);
        parts.push(6.0 * with <= without * MARGIN);
        shown.push(format!(
            "{} without hints and {} with, if {percent} % of the writes are updates",
            digits(without),
            digits(with)
        ));
    }
    let entries = compared.first()?.count("entries");
    Some((parts, figures! { entries, reads: shown.join("; ") }))
}
