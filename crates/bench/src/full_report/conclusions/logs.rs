//! Conclusions about append-only logs (Tomescu and others 2019, section 6).

use super::{Claim, Verdict, figures};
use crate::line::{Line, of};

/// Conclusions about append-only logs.
pub(super) const LOGS: &[Claim] = &[("append-only", append_only)];

fn append_only(lines: &[Line]) -> Option<(Verdict, Line)> {
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
    let finding = figures! {
        n: line.count("n"), entries: entries(line), own, plain, trees,
        first_entries: entries(first), first_n: first.count("n"),
        first_own: first.figure("aad_bytes"), first_plain: first.figure("ct_like_bytes"),
    };
    Some((Verdict::of([own < plain, own < trees]), finding))
}
