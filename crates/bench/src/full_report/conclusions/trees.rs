//! Conclusions about trees (Crosby and Wallach 2010, sections 6 and 10).

use super::{Claim, MARGIN, SUITE, Verdict, figures, is_below, largest};
use crate::{
    line::{Line, find, of},
    tables::digits,
};

/// Conclusions about trees.
pub(super) const TREES: &[Claim] = &[
    ("cache-everywhere", cache_everywhere),
    ("cache-median", cache_median),
    ("red-black", red_black),
    ("growing-proofs", growing_proofs),
    ("cheaper-computing", cheaper_computing),
];

/// Selects the result lines of growing trees at the largest number of keys for which all twelve
/// kinds of trees were measured.
fn grown(lines: &[Line]) -> Vec<&Line> {
    let grown = of(lines, "growing");
    let is_compared = |line: &&Line| {
        let same = grown
            .iter()
            .filter(|other| other.agrees(line, &["keys", "suite"]));
        same.count() == 12
    };
    let compared = grown.iter().filter(|line| is_compared(line)).copied();
    largest(compared.collect(), "keys")
}

/// Finds the red-black tree over `repository`.
fn red_black_in<'a>(grown: &[&'a Line], repository: &str) -> Option<&'a Line> {
    find(
        grown,
        &[("scheme", "red-black"), ("repository", repository)],
    )
}

fn cache_everywhere(lines: &[Line]) -> Option<(Verdict, Line)> {
    let grown = grown(lines);
    let of = |repository| red_black_in(&grown, repository);
    let (copied, cached) = (of("path-copying")?, of("cache-everywhere")?);
    let [time, memory] = ["prove_us_random_version", "counted_bytes_per_version"];
    let [times, sizes] = [time, memory].map(|key| (cached.figure(key), copied.figure(key)));
    let verdict = Verdict::of([times.0 <= times.1 / 0.83 * MARGIN, sizes.0 < 0.5 * sizes.1]);
    let finding = figures! {
        keys: cached.count("keys"), cached_us: times.0, copied_us: times.1, cached_bytes: sizes.0,
        copied_bytes: sizes.1,
    };
    Some((verdict, finding))
}

fn cache_median(lines: &[Line]) -> Option<(Verdict, Line)> {
    let grown = grown(lines);
    let of = |repository| red_black_in(&grown, repository);
    let (median, everywhere) = (of("cache-median")?, of("cache-everywhere")?);
    let [time, memory] = ["prove_us_random_version", "counted_bytes_per_version"];
    let [times, sizes] = [time, memory].map(|key| (median.figure(key), everywhere.figure(key)));
    let finding = figures! {
        keys: median.count("keys"), median_bytes: sizes.0, everywhere_bytes: sizes.1,
        median_us: times.0, everywhere_us: times.1,
    };
    let verdict = Verdict::of([sizes.0 < sizes.1, is_below(times.1, times.0)]);
    Some((verdict, finding))
}

fn red_black(lines: &[Line]) -> Option<(Verdict, Line)> {
    let grown = grown(lines);
    let of = |scheme| {
        find(
            &grown,
            &[("scheme", scheme), ("repository", "path-copying")],
        )
    };
    let schemes = [of("red-black")?, of("treap")?, of("skip-list")?];
    let keys = [
        "proof_bytes",
        "counted_bytes_per_version",
        "prove_us_random_version",
    ];
    let dominates = |key: &str| {
        let [own, treap, skip_list] = schemes.map(|line| line.figure(key));
        own < treap && own < skip_list
    };
    let is_faster = {
        let [own, treap, skip_list] = schemes.map(|line| line.figure(keys[2]));
        is_below(own, treap) && is_below(own, skip_list)
    };
    let verdict = Verdict::of([dominates(keys[0]), dominates(keys[1]), is_faster]);
    let show = |key: &str| schemes.map(|line| digits(line.figure(key))).join(", ");
    let [bytes, memory, time] = keys.map(show);
    let finding = figures! { keys: schemes[0].count("keys"), bytes, memory, time };
    Some((verdict, finding))
}

fn growing_proofs(lines: &[Line]) -> Option<(Verdict, Line)> {
    let bytes = |keys: u64| {
        let mut growing = of(lines, "growing");
        growing.retain(|line| line.count("keys") == keys && line.text("suite") == SUITE);
        red_black_in(&growing, "path-copying")?.number("proof_bytes")
    };
    let (small, large) = (bytes(10_000)?, bytes(100_000)?);
    let finding = figures! { small, large };
    let grown = large - small;
    let verdict = Verdict::of([grown <= 340.0 * MARGIN && grown * MARGIN >= 340.0]);
    Some((verdict, finding))
}

fn cheaper_computing(lines: &[Line]) -> Option<(Verdict, Line)> {
    let lines = of(lines, "growing_what_if");
    let largest = largest(lines, "keys");
    let most = largest.iter().map(|line| line.figure("lookups_per_update"));
    let most = most.fold(0.0, f64::max);
    let ratio = |begin: &str| {
        let is_one = |line: &&&Line| {
            line.text("scenario").starts_with(begin) && line.figure("lookups_per_update") >= most
        };
        largest.iter().find(is_one)?.number("median_to_everywhere")
    };
    let (before, after) = (ratio("prices")?, ratio("computing")?);
    let finding = figures! { most, before: before - 1.0, after: after - 1.0 };
    let holds = before > 1.0 && is_below(after - 1.0, before - 1.0);
    Some((Verdict::of([holds]), finding))
}
