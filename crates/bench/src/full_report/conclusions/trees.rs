//! Conclusions about trees (Crosby and Wallach 2010, sections 6 and 10).

use super::{Claim, MARGIN, SUITE, Verdict, find, is_below, largest};
use crate::{
    line::{Line, of},
    tables::{digits, percent},
};

/// Conclusions about trees.
pub(super) const TREES: &[Claim] = &[
    ("cache-everywhere", CACHE_EVERYWHERE, cache_everywhere),
    ("cache-median", CACHE_MEDIAN, cache_median),
    ("red-black", RED_BLACK, red_black),
    ("growing-proofs", GROWING_PROOFS, growing_proofs),
    ("cheaper-computing", CHEAPER_COMPUTING, cheaper_computing),
];

const CACHE_EVERYWHERE: &str = "Versioned nodes with a cached digest in every node answer 0.83 \
    times as many queries as path copying, with 0.43 times its memory (Crosby and Wallach, 6.2 \
    and table 4).";
const CACHE_MEDIAN: &str = "Caches of a median layer take less memory than caches everywhere, for \
    slower answers (Crosby and Wallach, 6.2 and table 4).";
const RED_BLACK: &str = "Red-black trees need smaller proofs, less memory and less time for \
    look-ups than treaps and skip lists (Crosby and Wallach, 6.4).";
const GROWING_PROOFS: &str = "Proofs of red-black trees grow by about 340 bytes with each tenfold \
    number of keys (Crosby and Wallach, 10).";
const CHEAPER_COMPUTING: &str = "If computing gets ten times cheaper, caches of a median layer \
    become more appealing compared with caches everywhere (Crosby and Wallach, 10).";

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

fn cache_everywhere(lines: &[Line]) -> Option<(Verdict, String)> {
    let grown = grown(lines);
    let of = |repository| red_black_in(&grown, repository);
    let (copied, cached) = (of("path-copying")?, of("cache-everywhere")?);
    let [time, memory] = ["prove_us_random_version", "counted_bytes_per_version"];
    let [times, sizes] = [time, memory].map(|key| (cached.figure(key), copied.figure(key)));
    let verdict = Verdict::of(&[times.0 <= times.1 / 0.83 * MARGIN, sizes.0 < 0.5 * sizes.1]);
    let finding = format!(
        "Red-black trees of {} keys. A proof of a random version takes {} us with caches \
         everywhere and {} us with path copying. A version takes {} bytes of memory with caches \
         everywhere and {} with path copying.",
        cached.count("keys"),
        digits(times.0),
        digits(times.1),
        digits(sizes.0),
        digits(sizes.1),
    );
    Some((verdict, finding))
}

fn cache_median(lines: &[Line]) -> Option<(Verdict, String)> {
    let grown = grown(lines);
    let of = |repository| red_black_in(&grown, repository);
    let (median, everywhere) = (of("cache-median")?, of("cache-everywhere")?);
    let [time, memory] = ["prove_us_random_version", "counted_bytes_per_version"];
    let [times, sizes] = [time, memory].map(|key| (median.figure(key), everywhere.figure(key)));
    let finding = format!(
        "Red-black trees of {} keys. A version takes {} bytes of memory with caches of a median \
         layer and {} with caches everywhere. A proof of a random version takes {} us and {} us.",
        median.count("keys"),
        digits(sizes.0),
        digits(sizes.1),
        digits(times.0),
        digits(times.1),
    );
    let verdict = Verdict::of(&[sizes.0 < sizes.1, is_below(times.1, times.0)]);
    Some((verdict, finding))
}

fn red_black(lines: &[Line]) -> Option<(Verdict, String)> {
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
    let verdict = Verdict::of(&[dominates(keys[0]), dominates(keys[1]), is_faster]);
    let show = |key: &str| schemes.map(|line| digits(line.figure(key))).join(", ");
    let [bytes, memory, time] = keys.map(show);
    let finding = format!(
        "{} keys, path copying. For red-black tree, treap and skip list, in this order: a proof \
         has {bytes} bytes; a version takes {memory} bytes of memory; a proof of a random version \
         takes {time} us.",
        schemes[0].count("keys"),
    );
    Some((verdict, finding))
}

fn growing_proofs(lines: &[Line]) -> Option<(Verdict, String)> {
    let growing = of(lines, "growing");
    let bytes = |keys: u64| {
        let is_one = |line: &&&Line| {
            line.count("keys") == keys
                && line.says(&[("scheme", "red-black"), ("repository", "path-copying")])
                && line.text("suite") == SUITE
        };
        growing.iter().find(is_one)?.number("proof_bytes")
    };
    let (small, large) = (bytes(10_000)?, bytes(100_000)?);
    let finding = format!(
        "A proof has {} bytes with 10 000 keys and {} with 100 000 keys. For each level our proofs \
         contain one digest of 32 bytes. The paper's contain a key and two hashes of 28 bytes \
         each.",
        digits(small),
        digits(large),
    );
    let grown = large - small;
    let verdict = Verdict::of(&[grown <= 340.0 * MARGIN && grown * MARGIN >= 340.0]);
    Some((verdict, finding))
}

fn cheaper_computing(lines: &[Line]) -> Option<(Verdict, String)> {
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
    let finding = format!(
        "At {} look-ups per update, a look-up with caches of a median layer costs {} more than \
         with caches everywhere at the prices of 2010, and {} more if computing is ten times cheaper. \
         Memory is not in this price.",
        digits(most),
        percent(before - 1.0),
        percent(after - 1.0),
    );
    let holds = before > 1.0 && is_below(after - 1.0, before - 1.0);
    Some((Verdict::of(&[holds]), finding))
}
