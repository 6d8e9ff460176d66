//! Published figures of block directories, shown next to ours. Also block reads of the synthetic
//! traces, counted by the *model*, a separate program.
//!
//! The paper's figures are plots; its text states only ratios.
//!
//! Source: Stanton et al. 2010, section 4.

use crate::{line::Line, paper::PublishedFigures};

/// Note with the paper's text about figure 3.
pub(super) const FIGURE_3: &str = "Paper: AdHASH takes a fifth of the pairwise baseline's time for \
    cryptography, and half of its total time. The baseline rises linearly with the size of blocks. \
    Here the scanning baselines read a whole block for each insertion; merkle and sha-384-path \
    store the tree of a block and hash only one path.";

/// Note with the paper's text about figure 4.
pub(super) const FIGURE_4: &str =
    "Paper: MuHASH of 1 024 bits takes a hundred times as long as AdHASH.";

/// Note with the paper's text about figure 5.
pub(super) const FIGURE_5: &str = "Paper: hints reduce the time of a look-up to a sixth, on a \
    trace that is not available. Model: the same synthetic trace, counted by another program.";

/// Note about the alternatives to directories, with figures that others published.
pub(super) const OTHERS: &str = "redb is a plain map from id to digest without authentication, in \
    durable batches of 10 000. red-black is the tree of this workspace, in memory, in versions of \
    10 000 updates. Both accept any keys; a directory assigns its ids. Cited, not measured here, \
    on machines of this kind under load: jmt 54 000 and firewood 74 000 proofs a second at 10^5 \
    keys; nomt 77 000 reads a second and thread, 15 600 durable random updates a second in \
    batches of 50 000, proofs of 712 bytes at 2 x 10^6 keys; RocksDB 3.1 us for a random durable \
    write and 4 to 7 us for a read, redb 9.9 and 1.3, at 10^6 records of 116 bytes.";

/// Block reads per lookup, counted by the model. Rows are numbers of entries and percentages of
/// updates. Figures are for 68 slots without and with hints, then for 128 slots without and with
/// hints.
#[rustfmt::skip]
const MODEL: PublishedFigures<2, 4> = PublishedFigures {
    keys: ["entries", "update_percent"],
    rows: &[
        ([1_000_000, 0], [0.727, 0.100, 0.286, 0.000]),
        ([10_000_000, 0], [0.952, 0.101, 0.417, 0.000]),
        ([100_000, 25], [0.502, 0.369, 0.004, 0.000]),
        ([1_000_000, 25], [0.721, 0.310, 0.275, 0.054]),
        ([10_000_000, 25], [0.958, 0.395, 0.406, 0.010]),
        ([100_000_000, 25], [1.229, 0.365, 0.696, 0.081]),
        ([1_000_000, 50], [0.712, 0.363, 0.274, 0.111]),
        ([10_000_000, 50], [0.973, 0.451, 0.407, 0.025]),
        ([1_000_000, 100], [0.708, 0.381, 0.305, 0.181]),
        ([10_000_000, 100], [1.081, 0.488, 0.464, 0.061]),
    ],
};

/// Reports whether a result line is for the seed and the number of operations that the model
/// counted.
fn is_models(line: &Line) -> bool {
    line.count("seed") == 2010 && line.count("operations") == 400_000
}

/// Returns the model's block reads per lookup without and with hints, for the trace and the block
/// size of `line`.
pub(super) fn model_reads(line: &Line) -> [Option<f64>; 2] {
    let reads = MODEL.of(line);
    let [one, other, third, fourth] = reads.map(|reads| reads.filter(|_| is_models(line)));
    match line.count("capacity") {
        68 => [one, other],
        _ => [third, fourth],
    }
}

/// Exact block reads of all lookups in a trace, which every run must reproduce. Each row is a
/// number of entries, a percentage of updates, and four counts. The counts are for 68 slots without
/// and with hints, then for 128 slots without and with hints.
const KNOWN: [(u64, u64, [u64; 4]); 3] = [
    (100_000, 25, [100_398, 73_849, 788, 1]),
    (1_000_000, 25, [144_182, 62_045, 55_039, 10_833]),
    (1_000_000, 0, [145_415, 20_084, 57_204, 1]),
];

/// Counts the figures of [`KNOWN`] from which `lines` differ; `None` if a line is missing.
pub(super) fn differing_reads(lines: &[Line]) -> Option<f64> {
    let mut differing = 0.0;
    for (entries, update_percent, reads) in KNOWN {
        for (number, reads) in reads.into_iter().enumerate() {
            let capacity = [68, 128][number / 2];
            let hints = number % 2 == 1;
            let is_same = |line: &&Line| {
                line.text("experiment") == "directory_hints"
                    && is_models(line)
                    && line.count("entries") == entries
                    && line.count("update_percent") == update_percent
                    && line.count("capacity") == capacity
                    && line.get("hints") == Some(&hints.into())
            };
            let line = lines.iter().find(is_same)?;
            differing += f64::from(u8::from(line.count("reads") != reads));
        }
    }
    Some(differing)
}
