//! Conclusions about outsourced files (FlexDPDP 2013, section 4).

use super::{Checked, MARGIN, figures, largest, listed};
use crate::{
    line,
    line::{Line, like, of},
    tables::{digits, percent},
};

pub(super) fn parallel_build(lines: &[Line]) -> Option<Checked> {
    let mut builds = of(lines, "flexlist_build");
    builds.retain(|line| line.count("blocks") >= 500_000 && line.count("threads") > 1);
    let mut last = largest(builds, "threads");
    last.retain(|line| line.says(&[("tags", "none")]));
    let threads = last.first()?.count("threads");
    let shown = last.iter().map(|line| {
        let (blocks, times) = (line.count("blocks"), digits(line.figure("speed_up")));
        format!("{times} times as fast for {blocks} blocks")
    });
    let few = if threads < 8 {
        " Eight cores were not measured; the verdict compares 0.75 for each thread."
    } else {
        ""
    };
    let finding = figures! { threads, speed_ups: listed(shown), few };
    let holds = |line: &&Line| line.figure("speed_up") * MARGIN >= 0.75 * threads as f64;
    Some((last.iter().map(holds).collect(), finding))
}

pub(super) fn share_of_hashes(lines: &[Line]) -> Option<Checked> {
    let shares = largest(of(lines, "flexlist_hash_share"), "blocks");
    let blocks = shares.first()?.count("blocks");
    let shown = shares.iter().map(|line| {
        let (operation, share) = (line.text("operation"), percent(line.figure("hash_share")));
        format!("{operation} {share}")
    });
    let finding = figures! { blocks, shares: listed(shown) };
    let holds = |line: &&Line| 1.0 - line.figure("hash_share") <= 0.1 * MARGIN;
    Some((shares.iter().map(holds).collect(), finding))
}

pub(super) fn batches_of_blocks(lines: &[Line]) -> Option<Checked> {
    let lines = of(lines, "flexlist_multi");
    let most = lines.iter().map(|line| line.count("updates")).max()?;
    let line = like(&lines, &line! { updates: most, order: "consecutive" })?;
    let gain = |side: &str| line.number(&format!("{side}.gain"));
    let (server, client) = (gain("server")?, gain("client")?);
    let finding = figures! {
        most, blocks: line.count("blocks"), server: percent(server), client: percent(client),
        batch: line.figure("witness_bytes"), singles: line.figure("singles_witness_bytes"),
    };
    let parts = vec![1.0 - server <= 0.4 * MARGIN, 1.0 - client <= 0.1 * MARGIN];
    Some((parts, finding))
}
