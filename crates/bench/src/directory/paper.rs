//! The published figures, and what a model of the synthetic traces gives, to stand beside ours.
//!
//! The paper's figures are plots; its text has factors only.
//!
//! Source: Stanton et al. 2010, section 4.

use crate::line::Line;

/// What the text says of figure 3.
pub(super) const FIGURE_3: &str = "Paper: AdHASH takes a fifth of the pairwise baseline's time for cryptography, and half of its total time; \
     the baseline rises linearly with the size of blocks. That shape needs a baseline that scans: a path in a stored tree does not rise.";

/// What the text says of figure 4.
pub(super) const FIGURE_4: &str =
    "Paper: MuHASH takes a hundred times the time of AdHASH, with 1 024 bits.";

/// What the text says of figure 5.
pub(super) const FIGURE_5: &str = "Paper: hints reduce the time of a look-up to a sixth, on a trace that is not available. Model: the same synthetic trace, counted \
     by another program.";

/// Block reads for each look-up by the model: entries, update %, then without and with hints, 68 slots and 128 slots.
#[rustfmt::skip]
const MODEL: [(u64, u64, [f64; 4]); 10] = [
    (1_000_000, 0, [0.727, 0.100, 0.286, 0.000]),
    (10_000_000, 0, [0.952, 0.101, 0.417, 0.000]),
    (100_000, 25, [0.502, 0.369, 0.004, 0.000]),
    (1_000_000, 25, [0.721, 0.310, 0.275, 0.054]),
    (10_000_000, 25, [0.958, 0.395, 0.406, 0.010]),
    (100_000_000, 25, [1.229, 0.365, 0.696, 0.081]),
    (1_000_000, 50, [0.712, 0.363, 0.274, 0.111]),
    (10_000_000, 50, [0.973, 0.451, 0.407, 0.025]),
    (1_000_000, 100, [0.708, 0.381, 0.305, 0.181]),
    (10_000_000, 100, [1.081, 0.488, 0.464, 0.061]),
];

/// The model's reads of a line without hints, and of the same trace with them.
pub(super) fn model_reads(line: &Line) -> Option<[f64; 2]> {
    let of = (line.count("entries"), line.count("update_percent"));
    let is_known = line.count("seed") == 2010 && line.count("operations") == 400_000;
    let (_, _, reads) = MODEL
        .iter()
        .find(|(entries, percent, _)| (*entries, *percent) == of)?;
    let [one, other, third, fourth] = *reads;
    is_known.then_some(if line.count("capacity") == 68 {
        [one, other]
    } else {
        [third, fourth]
    })
}
