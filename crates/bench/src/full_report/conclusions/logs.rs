//! Conclusions about append-only logs (Tomescu and others 2019, section 6).

use super::{Claim, Verdict};
use crate::{
    line::{Line, of},
    tables::digits,
};

/// Conclusions about append-only logs.
pub(super) const LOGS: &[Claim] = &[("append-only", APPEND_ONLY, append_only)];

const APPEND_ONLY: &str = "A log that proves all values of a key and its own growth can send less \
    than CT and than CONIKS (Tomescu and others, 6).";

fn append_only(lines: &[Line]) -> Option<(Verdict, String)> {
    let visits = of(lines, "aad_bandwidth");
    let entries = |line: &Line| {
        let versions = line.count("versions");
        line.count("entries_per_version").saturating_mul(versions)
    };
    let line = visits
        .iter()
        .max_by_key(|line| (line.count("n"), entries(line)))?;
    let [own, plain, trees] =
        ["aad_bytes", "ct_like_bytes", "coniks_like_bytes"].map(|key| line.figure(key));
    let first = visits
        .iter()
        .min_by_key(|line| (line.count("n"), entries(line)))?;
    let finding = format!(
        "Measured with a counted log, not with the paper's frontier log. A client returns to a log \
         of at most {} entries, which has grown by {}: it receives {} bytes. A plain log sends {}, \
         a tree for each version {}. After growth by {} in a log of at most {}: {} bytes; a plain \
         log sends {}.",
        line.count("n"),
        entries(line),
        digits(own),
        digits(plain),
        digits(trees),
        entries(first),
        first.count("n"),
        digits(first.figure("aad_bytes")),
        digits(first.figure("ct_like_bytes")),
    );
    Some((Verdict::of(&[own < plain, own < trees]), finding))
}
