//! Conclusions about outsourced files (FlexDPDP 2013, section 4).

use super::{Claim, MARGIN, Verdict, figures, largest};
use crate::{
    line::{Line, find, of},
    tables::{digits, percent},
};

/// Conclusions about outsourced files.
pub(super) const FILES: &[Claim] = &[
    ("parallel-build", parallel_build),
    ("share-of-hashes", share_of_hashes),
    ("batches-of-blocks", batches_of_blocks),
];

fn parallel_build(lines: &[Line]) -> Option<(Verdict, Line)> {
    let builds = of(lines, "flexlist_build");
    let is_large = |line: &&&Line| line.count("blocks") >= 500_000 && line.count("threads") > 1;
    let of_large: Vec<&Line> = builds.iter().filter(is_large).copied().collect();
    let threads = of_large.iter().map(|line| line.count("threads")).max()?;
    let is_last = |line: &&&Line| {
        line.count("threads") == threads && line.get("tags").is_none_or(serde_json::Value::is_null)
    };
    let last: Vec<&Line> = of_large.iter().filter(is_last).copied().collect();
    last.first()?;
    let speed_ups: Vec<f64> = last.iter().map(|line| line.figure("speed_up")).collect();
    let shown: Vec<String> = last
        .iter()
        .map(|line| {
            let (blocks, times) = (line.count("blocks"), digits(line.figure("speed_up")));
            format!("{times} times as fast for {blocks} blocks")
        })
        .collect();
    let few = if threads < 8 {
        " Eight cores were not measured; the verdict compares 0.75 for each thread."
    } else {
        ""
    };
    let finding = figures! { threads, speed_ups: shown.join(", "), few };
    let holds = |times: &f64| *times * MARGIN >= 0.75 * threads as f64;
    let parts: Vec<bool> = speed_ups.iter().map(holds).collect();
    Some((Verdict::of(&parts), finding))
}

fn share_of_hashes(lines: &[Line]) -> Option<(Verdict, Line)> {
    let shares = largest(of(lines, "flexlist_hash_share"), "blocks");
    let first = shares.first()?;
    let share = |line: &&Line| line.figure("hash_share");
    let shown: Vec<String> = shares
        .iter()
        .map(|line| format!("{} {}", line.text("operation"), percent(share(line))))
        .collect();
    let finding = figures! { blocks: first.count("blocks"), shares: shown.join(", ") };
    let parts: Vec<bool> = shares
        .iter()
        .map(|line| 1.0 - share(line) <= 0.1 * MARGIN)
        .collect();
    Some((Verdict::of(&parts), finding))
}

fn batches_of_blocks(lines: &[Line]) -> Option<(Verdict, Line)> {
    let lines = of(lines, "flexlist_multi");
    let most = lines.iter().map(|line| line.count("updates")).max()?;
    let updates = most.to_string();
    let wanted = [("updates", updates.as_str()), ("order", "consecutive")];
    let line = find(&lines, &wanted)?;
    let gain = |side: &str| line.number(&format!("{side}.gain"));
    let (server, client) = (gain("server")?, gain("client")?);
    let finding = figures! {
        most, blocks: line.count("blocks"), server, client, batch: line.figure("witness_bytes"),
        singles: line.figure("singles_witness_bytes"),
    };
    Some((
        Verdict::of(&[1.0 - server <= 0.4 * MARGIN, 1.0 - client <= 0.1 * MARGIN]),
        finding,
    ))
}
