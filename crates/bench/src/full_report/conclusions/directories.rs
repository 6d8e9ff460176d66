//! Conclusions about block directories (Stanton and others 2010, section 4).

use super::{Claim, MARGIN, Verdict, figures, is_below, largest};
use crate::{
    line::{Line, find, of},
    tables::digits,
};

/// Conclusions about block directories.
pub(super) const DIRECTORIES: &[Claim] = &[("sums-of-blocks", sums_of_blocks), ("hints", hints)];

fn sums_of_blocks(lines: &[Line]) -> Option<(Verdict, Line)> {
    let lines = of(lines, "directory_inserts");
    let us = |strategy: &str, bytes: u64| {
        let bytes = bytes.to_string();
        let wanted = [("strategy", strategy), ("block_bytes", bytes.as_str())];
        find(&lines, &wanted)?.number("update_us")
    };
    let strategies = ["ad-hash-1600", "sha-384-scanning", "mu-hash-1024", "merkle"];
    let sizes = lines.iter().map(|line| line.count("block_bytes"));
    let has_all = |bytes: &u64| strategies.iter().all(|it| us(it, *bytes).is_some());
    let bytes = sizes.filter(has_all).max()?;
    let [sums, pairs, products, path] = strategies.map(|strategy| us(strategy, bytes));
    let (sums, pairs, products, path) = (sums?, pairs?, products?, path?);
    let verdict = Verdict::of([
        pairs >= 5.0 * sums / MARGIN,
        products >= 100.0 * sums / MARGIN,
        is_below(sums, products),
    ]);
    let finding = figures! { bytes, sums, pairs, products, path };
    Some((verdict, finding))
}

fn hints(lines: &[Line]) -> Option<(Verdict, Line)> {
    let mut compared = of(lines, "directory_hints");
    compared.retain(|line| line.count("capacity") == 68 && line.count("entries") <= 10_000_000);
    let compared = largest(compared, "entries");
    let reads = |percent: u64, hints: &str| {
        let percent = percent.to_string();
        let wanted = [("update_percent", percent.as_str()), ("hints", hints)];
        find(&compared, &wanted)?.number("reads_per_lookup")
    };
    let mut percents: Vec<u64> = compared
        .iter()
        .map(|line| line.count("update_percent"))
        .collect();
    percents.sort_unstable();
    percents.dedup();
    let (mut parts, mut shown) = (Vec::new(), Vec::new());
    for percent in percents {
        let (without, with) = (reads(percent, "false")?, reads(percent, "true")?);
        parts.push(6.0 * with <= without * MARGIN);
        shown.push(format!(
            "{} without hints and {} with, if {percent} % of the writes are updates",
            digits(without),
            digits(with)
        ));
    }
    let entries = compared.first()?.count("entries");
    let finding = figures! { entries, reads: shown.join("; ") };
    Some((Verdict::of(parts), finding))
}
