//! Conclusions about outsourced files (FlexDPDP 2013, section 4).

use super::{Claim, MARGIN, Verdict, largest};
use crate::{
    line::{Line, of},
    tables::{digits, percent},
};

/// Conclusions about outsourced files.
pub(super) const FILES: &[Claim] = &[
    ("parallel-build", PARALLEL_BUILD, parallel_build),
    ("share-of-hashes", SHARE_OF_HASHES, share_of_hashes),
    ("batches-of-blocks", BATCHES, batches_of_blocks),
];

const PARALLEL_BUILD: &str = "A list of 500 000 blocks or more is built six times as fast on \
    eight cores as on one (FlexDPDP, figure 7).";
const SHARE_OF_HASHES: &str = "Hashes take nine tenths of the time of an update in a file of 4 \
    GB, reading and writing included (FlexDPDP, 4.2 and figure 8).";
const BATCHES: &str = "A batch of consecutive updates takes a server 60 % less time, and a client \
    nearly 90 % less, than the same updates one by one (FlexDPDP, 4.2, 4.3, figures 9 and 10).";

fn parallel_build(lines: &[Line]) -> Option<(Verdict, String)> {
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
    let mut finding = format!("{threads} threads, without tags: {}.", shown.join(", "));
    if threads < 8 {
        finding += " Eight cores were not measured; the verdict compares 0.75 for each thread.";
    }
    let holds = |times: &f64| *times * MARGIN >= 0.75 * threads as f64;
    let parts: Vec<bool> = speed_ups.iter().map(holds).collect();
    Some((Verdict::of(&parts), finding))
}

fn share_of_hashes(lines: &[Line]) -> Option<(Verdict, String)> {
    let shares = largest(of(lines, "flexlist_hash_share"), "blocks");
    let first = shares.first()?;
    let share = |line: &&Line| line.figure("hash_share");
    let shown: Vec<String> = shares
        .iter()
        .map(|line| format!("{} {}", line.text("operation"), percent(share(line))))
        .collect();
    let finding = format!(
        "Share of the hashes in the time of an update in a list of {} blocks in memory: {}.",
        first.count("blocks"),
        shown.join(", "),
    );
    let parts: Vec<bool> = shares
        .iter()
        .map(|line| 1.0 - share(line) <= 0.1 * MARGIN)
        .collect();
    Some((Verdict::of(&parts), finding))
}

fn batches_of_blocks(lines: &[Line]) -> Option<(Verdict, String)> {
    let lines = of(lines, "flexlist_multi");
    let most = lines.iter().map(|line| line.count("updates")).max()?;
    let is_last =
        |line: &&&Line| line.count("updates") == most && line.text("order") == "consecutive";
    let line = lines.iter().find(is_last)?;
    let gain = |side: &str| line.number(&format!("{side}.gain"));
    let (server, client) = (gain("server")?, gain("client")?);
    let finding = format!(
        "A batch of {most} consecutive updates in a file of {} blocks saves a server {} of its \
            time and a client {}. The witness of the batch has {} bytes, the witnesses one by one \
            have {} bytes.",
        line.count("blocks"),
        percent(server),
        percent(client),
        digits(line.figure("witness_bytes")),
        digits(line.figure("singles_witness_bytes")),
    );
    Some((
        Verdict::of(&[1.0 - server <= 0.4 * MARGIN, 1.0 - client <= 0.1 * MARGIN]),
        finding,
    ))
}
