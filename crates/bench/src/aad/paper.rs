//! Published figures of append-only dictionaries, shown next to the measured ones.
//!
//! - *Paper*: C++ on 64 virtual CPUs of 2018 (section 6).
//! - *Authors' code*: the program of the paper's authors on one core of the 2-core virtual EPYC
//!   that the workspace's README names.
//!
//! Both use a curve of 254 bits, check less and send less than this workspace. `docs/measuring.md`
//! lists what cannot be compared.
//!
//! Source: Tomescu et al. 2019, section 6.1 and figure 5.

use crate::{figures::Series, paper::PublishedFigures};

/// Number of entries that the paper appended to measure [`APPEND_MS`].
pub(super) const APPENDS: u64 = 8_192;

/// The paper's milliseconds per appended entry, mean over 8 192 entries, by number of entries per
/// batch (figure 5c).
#[rustfmt::skip]
pub(super) const APPEND_MS: PublishedFigures<2, 1> = PublishedFigures {
    keys: ["n", "batch"],
    rows: &[
        ([APPENDS, 1], [5_750.0]), ([APPENDS, 32], [3_422.0]), ([APPENDS, 64], [3_064.0]),
        ([APPENDS, 128], [2_644.0]),
        ([APPENDS, 256], [2_361.0]), ([APPENDS, 512], [1_848.0]), ([APPENDS, 1_024], [1_548.0]),
        ([APPENDS, 2_048], [1_353.0]),
        ([APPENDS, 4_096], [976.0]), ([APPENDS, 8_192], [760.0]),
    ],
};

/// Milliseconds per appended entry of the authors' code, by number of entries and entries per
/// batch.
#[rustfmt::skip]
pub(super) const CODE_APPEND_MS: PublishedFigures<2, 1> = PublishedFigures {
    keys: ["n", "batch"],
    rows: &[
        ([16, 1], [1_461.0]), ([64, 1], [2_227.0]), ([128, 1], [2_530.0]), ([32, 32], [571.0]),
        ([64, 64], [573.0]),
        ([128, 128], [632.0]), ([256, 256], [741.0]), ([512, 512], [744.0]),
        ([1_024, 1_024], [786.0]),
    ],
};

const HALF: u64 = (1 << 19) - 1;
const FULL: u64 = (1 << 20) - 1;

/// The paper's bytes of a lookup proof and milliseconds to verify it, by number of entries and
/// values of the key.
#[rustfmt::skip]
pub(super) const LOOK_UPS: PublishedFigures<2, 2> = PublishedFigures {
    keys: ["n", "values"],
    rows: &[([FULL, 0], [42_906.0, 840.0]), ([FULL, 1], [45_875.0, 910.0]),
        ([FULL, 32], [120_832.0, 3_000.0])],
};

/// Bytes and milliseconds of lookups as in [`LOOK_UPS`], by the authors' code, in a log of one
/// tree.
#[rustfmt::skip]
pub(super) const CODE_LOOK_UPS: PublishedFigures<2, 2> = PublishedFigures {
    keys: ["n", "values"],
    rows: &[
        ([16, 0], [1_312.0, 11.4]), ([512, 0], [2_080.0, 17.9]), ([1_024, 0], [2_208.0, 18.7]),
        ([512, 1], [3_456.0, 46.0]),
        ([512, 6], [9_184.0, 168.0]),
    ],
};

/// Bytes of an append-only proof and milliseconds to verify it, by the sizes of the older and newer
/// log. The row from 511 is by the authors' code, the other one by the paper.
pub(super) const APPEND_ONLY: PublishedFigures<2, 2> = PublishedFigures {
    keys: ["from", "n"],
    rows: &[
        ([HALF, FULL], [3_552.0, 45.6]),
        ([511, 512], [1_632.0, 9.3]),
    ],
};

/// Note about the longest single append, in seconds: of the paper among 8 192 entries, of the
/// authors' code among 128.
pub(super) const LONGEST_APPENDS: &str = "Paper: single appends of 0.025 to 5 400 s up to 8 192 \
    entries. Authors' code: up to 63 s at 128.";

/// Note about the author's bytes of memory per entry in the authors' code.
pub(super) const MEMORY: &str = "Authors' code: 650 000 to 800 000 bytes each.";

/// Returns the published series for the plot of appends: entries per batch, and milliseconds per
/// entry. Of the authors' code, includes only runs that append all entries in one batch.
pub(super) fn appends() -> Vec<Series> {
    let point = |([_, batch], [ms]): &([u64; 2], [f64; 1])| (*batch as f64, *ms);
    let whole = CODE_APPEND_MS.rows.iter();
    let whole = whole.filter(|([n, batch], _)| n == batch);
    vec![
        (
            format!("paper, {APPENDS} entries, 64 CPUs"),
            APPEND_MS.rows.iter().map(point).collect(),
        ),
        (
            "authors' code, entries of one batch".to_owned(),
            whole.map(point).collect(),
        ),
    ]
}

/// Returns the published series for a plot of lookups that find no value, or one. Points are the
/// number of entries and a figure: bytes if `figure` is 0, milliseconds to verify if it is 1.
pub(super) fn look_ups(figure: usize) -> Vec<Series> {
    let mut series = Vec::new();
    for (values, asked) in [(0, "absent key"), (1, "one value")] {
        for (whose, published) in [("paper", &LOOK_UPS), ("authors' code", &CODE_LOOK_UPS)] {
            let same = published.rows.iter();
            let same = same.filter(|([_, of], _)| *of == values);
            let points = same.map(|([n, _], figures)| (*n as f64, figures[figure]));
            series.push((format!("{whose}, {asked}"), points.collect()));
        }
    }
    series
}
