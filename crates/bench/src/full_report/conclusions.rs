//! Conclusions of the papers, checked against the measurements.
//!
//! Times that differ by less than a fifth count as equal. So two runs on one machine agree, unless
//! a figure is near that border. A ratio of a paper counts as reached within the same margin.

mod accumulators;
mod directories;
mod files;
mod logs;
mod trees;
mod tuples;

use crate::{columns::filled, line::Line};

/// The texts of all conclusions; its first lines describe the format.
const TEXTS: &str = include_str!("conclusions.txt");

/// Makes the figures of a finding from `key: value` pairs, without rounding.
macro_rules! figures {
    ($($key:ident $(: $value:expr)?),* $(,)?) => {
        $crate::line::Line::default()
            $(.and(stringify!($key), $crate::line!(@ $key $(: $value)?)))*
    };
}
use figures;

/// A conclusion of a paper, and the verdict of our measurements on it.
#[derive(Clone, Debug)]
pub struct Conclusion {
    /// Unique short name, for example `red-black`.
    pub id: &'static str,
    /// The paper's conclusion, with its section.
    pub claim: &'static str,
    /// Whether the measurements confirm the conclusion.
    pub verdict: Verdict,
    /// Sentence with the measured numbers that support the verdict.
    pub finding: String,
}

/// Verdict on a conclusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The conclusion holds in full.
    Holds,
    /// The conclusion holds in part.
    InPart,
    /// The conclusion does not hold.
    HoldsNoLonger,
}

impl Verdict {
    /// Returns the text of the verdict on the report page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::InPart => "in part",
            Self::HoldsNoLonger => "does not hold",
        }
    }

    /// Combines the parts of a conclusion into a verdict. Each element states whether that part
    /// holds.
    fn of(parts: &[bool]) -> Self {
        match (parts.contains(&true), parts.contains(&false)) {
            (_, false) => Self::Holds,
            (true, true) => Self::InPart,
            (false, true) => Self::HoldsNoLonger,
        }
    }
}

/// Largest ratio of two times that count as equal.
const MARGIN: f64 = 1.2;

/// Reports whether `one` is smaller than `other` by more than the factor [`MARGIN`].
fn is_below(one: f64, other: f64) -> bool {
    one * MARGIN < other
}

/// A conclusion of a paper: its short name, and the function that checks it against result lines.
/// The function returns `None` if lines are missing.
type Claim = (&'static str, fn(&[Line]) -> Option<Checked>);

/// Whether each part of a conclusion holds, and the figures of the finding.
type Checked = (Vec<bool>, Line);

/// All conclusions, in the order of the page.
static ALL: [Claim; 22] = [
    ("cache-everywhere", trees::cache_everywhere),
    ("cache-median", trees::cache_median),
    ("red-black", trees::red_black),
    ("growing-proofs", trees::growing_proofs),
    ("cheaper-computing", trees::cheaper_computing),
    ("trees-or-tuples", tuples::trees_or_tuples),
    ("cheaper-bandwidth", tuples::cheaper_bandwidth),
    ("accumulators", tuples::accumulators),
    ("superseding", tuples::superseding),
    ("lightweight", tuples::lightweight),
    ("partitions", tuples::partitions),
    ("rsa-or-bilinear", accumulators::rsa_or_bilinear),
    ("secret-key", accumulators::secret_key),
    ("public-threads", accumulators::public_threads),
    ("witnesses-as-sent", accumulators::witnesses_as_sent),
    ("signing-each", accumulators::signing_each),
    ("parallel-build", files::parallel_build),
    ("share-of-hashes", files::share_of_hashes),
    ("batches-of-blocks", files::batches_of_blocks),
    ("append-only", logs::append_only),
    ("sums-of-blocks", directories::sums_of_blocks),
    ("hints", directories::hints),
];

/// Lists the conclusions for which `lines` contain the needed measurements, with a verdict on each.
pub fn conclusions(lines: &[Line]) -> Vec<Conclusion> {
    let conclude = |&(id, check): &Claim| {
        let (parts, figures) = check(lines)?;
        let mut texts = TEXTS.split("\n\n").map(str::lines);
        let mut texts = texts.find_map(|mut texts| (texts.next() == Some(id)).then_some(texts))?;
        Some(Conclusion {
            id,
            claim: texts.next()?,
            verdict: Verdict::of(&parts),
            finding: filled(texts.next()?, &figures),
        })
    };
    ALL.iter().filter_map(conclude).collect()
}

/// Lists the short names of the conclusions for which `lines` lack measurements.
pub fn unchecked(lines: &[Line]) -> Vec<&'static str> {
    let unchecked = ALL.iter().filter(|(_, check)| check(lines).is_none());
    unchecked.map(|(id, _)| *id).collect()
}

/// Joins the texts of several measurements.
fn listed(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<_>>().join(", ")
}

/// Suite of the compared schemes.
const SUITE: &str = "sha256-ed25519";

/// Selects the lines that have the largest value of `key` in `lines`, and the default suite or
/// none.
fn largest<'a>(lines: Vec<&'a Line>, key: &str) -> Vec<&'a Line> {
    let largest = lines.iter().map(|line| line.count(key)).max();
    let is_kept = |line: &&Line| {
        Some(line.count(key)) == largest && [SUITE, ""].contains(&line.text("suite"))
    };
    lines.into_iter().filter(is_kept).collect()
}
