//! The published figures, to stand beside ours.
//!
//! *Paper*: C++ on 64 virtual CPUs of 2018, a curve of 254 bits (section 6). *Authors' code*: their program on one core of the 2-core
//! virtual EPYC that the workspace's README names. Both count multiplicities once, check less and send less; README.md says what
//! cannot be compared.
//!
//! Source: Tomescu et al. 2019, section 6.1 and figure 5.

use crate::line::Line;

/// Milliseconds of an append, mean over 8 192, by the size of the batches (figure 5c).
const APPEND_MS: [(u64, f64); 10] = [
    (1, 5_750.0),
    (32, 3_422.0),
    (64, 3_064.0),
    (128, 2_644.0),
    (256, 2_361.0),
    (512, 1_848.0),
    (1_024, 1_548.0),
    (2_048, 1_353.0),
    (4_096, 976.0),
    (8_192, 760.0),
];

/// The entries behind [`APPEND_MS`].
pub(super) const APPENDS: u64 = 8_192;

/// Milliseconds of an append by the authors' code: entries, batch, mean.
const CODE_APPEND_MS: [(u64, u64, f64); 9] = [
    (16, 1, 1_461.0),
    (64, 1, 2_227.0),
    (128, 1, 2_530.0),
    (32, 32, 571.0),
    (64, 64, 573.0),
    (128, 128, 632.0),
    (256, 256, 741.0),
    (512, 512, 744.0),
    (1_024, 1_024, 786.0),
];

/// Look-ups among 2^20 - 1 entries: values, bytes, milliseconds to verify.
const LOOK_UPS: [(u64, f64, f64); 3] = [
    (0, 42_906.0, 840.0),
    (1, 45_875.0, 910.0),
    (32, 120_832.0, 3_000.0),
];

/// Look-ups by the authors' code in one tree: entries, values, bytes, milliseconds to verify.
const CODE_LOOK_UPS: [(u64, u64, f64, f64); 5] = [
    (16, 0, 1_312.0, 11.4),
    (512, 0, 2_080.0, 17.9),
    (1_024, 0, 2_208.0, 18.7),
    (512, 1, 3_456.0, 46.0),
    (512, 6, 9_184.0, 168.0),
];

/// The longest append: the paper's among 8 192, that of the authors' code among 128, in seconds.
pub(super) const LONGEST_APPENDS: &str = "Paper: single appends of 0.025 to 5 400 s up to 8 192 entries. Authors' code: up to 63 s at 128.";

/// Memory of the authors' code.
pub(super) const MEMORY: &str = "Authors' code: 650 000 to 800 000 bytes each.";

/// The paper's milliseconds for each append of 8 192.
pub(super) fn append_ms(line: &Line) -> Option<f64> {
    let of_batch = |(batch, _): &&(u64, f64)| *batch == line.count("batch");
    let found = APPEND_MS.iter().find(of_batch)?;
    (line.count("n") == APPENDS).then_some(found.1)
}

/// The same of the authors' code.
pub(super) fn code_append_ms(line: &Line) -> Option<f64> {
    let is_same =
        |(n, batch, _): &&(u64, u64, f64)| (*n, *batch) == (line.count("n"), line.count("batch"));
    CODE_APPEND_MS.iter().find(is_same).map(|(_, _, ms)| *ms)
}

/// Bytes and milliseconds of a look-up in the paper.
pub(super) fn look_up(line: &Line) -> Option<(f64, f64)> {
    let of_values = |(values, _, _): &&(u64, f64, f64)| *values == line.count("values");
    let (_, bytes, ms) = *LOOK_UPS.iter().find(of_values)?;
    (line.count("n") == (1 << 20) - 1).then_some((bytes, ms))
}

/// The same of the authors' code.
pub(super) fn code_look_up(line: &Line) -> Option<(f64, f64)> {
    let is_same = |(n, values, _, _): &&(u64, u64, f64, f64)| {
        (*n, *values) == (line.count("n"), line.count("values"))
    };
    let found = CODE_LOOK_UPS.iter().find(is_same);
    found.map(|(_, _, bytes, ms)| (*bytes, *ms))
}

/// Bytes and milliseconds of an append-only proof: the paper's from 2^19 - 1 to 2^20 - 1, those of the authors' code from 511 to 512.
pub(super) fn append_only(line: &Line) -> Option<(f64, f64)> {
    const HALF: u64 = (1 << 19) - 1;
    const FULL: u64 = (1 << 20) - 1;
    match (line.count("from"), line.count("n")) {
        (HALF, FULL) => Some((3_552.0, 45.6)),
        (511, 512) => Some((1_632.0, 9.3)),
        _ => None,
    }
}

/// Points of plots: batch and milliseconds.
pub(super) fn append_points() -> Vec<(f64, f64)> {
    let point = |(batch, ms): &(u64, f64)| (*batch as f64, *ms);
    APPEND_MS.iter().map(point).collect()
}

/// The same of the authors' code, one batch of all entries.
pub(super) fn code_append_points() -> Vec<(f64, f64)> {
    let whole = CODE_APPEND_MS.iter().filter(|(n, batch, _)| n == batch);
    whole.map(|(n, _, ms)| (*n as f64, *ms)).collect()
}

/// Points of plots: entries, bytes and microseconds of look-ups of so many values; first the paper's, then those of the authors' code.
pub(super) fn look_up_points(values: u64) -> [Vec<[f64; 3]>; 2] {
    let published = LOOK_UPS.iter().filter(|(of, _, _)| *of == values);
    let published = published.map(|(_, bytes, ms)| [f64::from((1 << 20) - 1), *bytes, ms * 1e3]);
    let code = CODE_LOOK_UPS.iter().filter(|(_, of, _, _)| *of == values);
    let code = code.map(|(n, _, bytes, ms)| [*n as f64, *bytes, ms * 1e3]);
    [published.collect(), code.collect()]
}
