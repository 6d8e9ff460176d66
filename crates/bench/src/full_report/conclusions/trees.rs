//! Conclusions about trees (Crosby and Wallach 2010, sections 6 and 10).

use super::{Checked, MARGIN, SUITE, figures, is_below, largest};
use crate::{
    line,
    line::{Line, like, of},
    tables::{digits, percent},
};

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

/// Compares red-black trees over both repositories. Returns the number of keys, the microseconds of
/// a proof of a random version, and the bytes of a version.
fn compared(lines: &[Line], repositories: [&str; 2]) -> Option<(u64, [f64; 2], [f64; 2])> {
    let grown = grown(lines);
    let [one, other] =
        repositories.map(|repository| like(&grown, &line! { scheme: "red-black", repository }));
    let both = |key: &str| Some([one?.figure(key), other?.figure(key)]);
    let (times, sizes) = (
        both("prove_us_random_version")?,
        both("counted_bytes_per_version")?,
    );
    Some((one?.count("keys"), times, sizes))
}

pub(super) fn cache_everywhere(lines: &[Line]) -> Option<Checked> {
    let repositories = ["cache-everywhere", "path-copying"];
    let (keys, [cached_us, copied_us], [cached_bytes, copied_bytes]) =
        compared(lines, repositories)?;
    let parts = vec![
        cached_us <= copied_us / 0.83 * MARGIN,
        cached_bytes < 0.5 * copied_bytes,
    ];
    Some((
        parts,
        figures! { keys, cached_us, copied_us, cached_bytes, copied_bytes },
    ))
}

pub(super) fn cache_median(lines: &[Line]) -> Option<Checked> {
    let repositories = ["cache-median", "cache-everywhere"];
    let (keys, [median_us, everywhere_us], [median_bytes, everywhere_bytes]) =
        compared(lines, repositories)?;
    let parts = vec![
        median_bytes < everywhere_bytes,
        is_below(everywhere_us, median_us),
    ];
    let finding = figures! { keys, median_bytes, everywhere_bytes, median_us, everywhere_us };
    Some((parts, finding))
}

pub(super) fn red_black(lines: &[Line]) -> Option<Checked> {
    let grown = grown(lines);
    let of = |scheme| like(&grown, &line! { scheme, repository: "path-copying" });
    let schemes = [of("red-black")?, of("treap")?, of("skip-list")?];
    let figures = |key: &str| schemes.map(|line| line.figure(key));
    let [bytes, memory, time] = [
        "proof_bytes",
        "counted_bytes_per_version",
        "prove_us_random_version",
    ]
    .map(figures);
    let dominates = |[own, treap, skip_list]: [f64; 3]| own < treap && own < skip_list;
    let is_faster = is_below(time[0], time[1]) && is_below(time[0], time[2]);
    let parts = vec![dominates(bytes), dominates(memory), is_faster];
    let [bytes, memory, time] = [bytes, memory, time].map(|it| it.map(digits).join(", "));
    Some((
        parts,
        figures! { keys: schemes[0].count("keys"), bytes, memory, time },
    ))
}

pub(super) fn growing_proofs(lines: &[Line]) -> Option<Checked> {
    let growing = of(lines, "growing");
    let bytes = |keys: u64| {
        let scheme = "red-black";
        let wanted = line! { scheme, repository: "path-copying", suite: SUITE, keys };
        like(&growing, &wanted)?.number("proof_bytes")
    };
    let (small, large) = (bytes(10_000)?, bytes(100_000)?);
    let grown = large - small;
    let parts = vec![grown <= 340.0 * MARGIN && grown * MARGIN >= 340.0];
    Some((parts, figures! { small, large }))
}

pub(super) fn cheaper_computing(lines: &[Line]) -> Option<Checked> {
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
    let parts = vec![before > 1.0 && is_below(after - 1.0, before - 1.0)];
    Some((
        parts,
        figures! { most, before: percent(before - 1.0), after: percent(after - 1.0) },
    ))
}
