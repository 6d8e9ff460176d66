//! Conclusions about append-only logs (Tomescu and others 2019, section 6).

use super::{Checked, figures};
use crate::line::{Line, of};

pub(super) fn append_only(lines: &[Line]) -> Option<Checked> {
    let mut visits = of(lines, "aad_bandwidth");
    let entries = |line: &Line| {
        let versions = line.count("versions");
        line.count("entries_per_version").saturating_mul(versions)
    };
    visits.sort_by_key(|line| (line.count("n"), entries(line)));
    let (first, line) = (visits.first()?, visits.last()?);
    let [own, plain, trees] =
        ["aad_bytes", "ct_like_bytes", "coniks_like_bytes"].map(|key| line.figure(key));
    let finding = figures! {
        n: line.count("n"), entries: entries(line), own, plain, trees,
        first_entries: entries(first), first_n: first.count("n"),
        first_own: first.figure("aad_bytes"), first_plain: first.figure("ct_like_bytes"),
    };
    Some((vec![own < plain, own < trees], finding))
}
