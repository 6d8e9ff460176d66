//! Figures that Crosby & Wallach published in 2010, shown next to the measured ones.
//!
//! The paper measured on other hardware, with digests of 28 bytes and DSA-2048 signatures. Its
//! memory is that of the whole process, including the author. `docs/measuring.md` lists what cannot
//! be compared.
//!
//! Source: Crosby & Wallach 2010, sections 5.3, 6 and 7.

use crate::line::Line;

/// Published table with named rows and named columns.
pub struct Paper<const COLUMNS: usize, const ROWS: usize> {
    figures: [&'static str; COLUMNS],
    rows: [(&'static str, [f64; COLUMNS]); ROWS],
}

impl<const COLUMNS: usize, const ROWS: usize> Paper<COLUMNS, ROWS> {
    /// Returns the figure in the row `row` and the column `figure`; `None` if the table has no such
    /// row or column.
    pub fn get(&self, row: &str, figure: &str) -> Option<f64> {
        let (_, figures) = self.rows.iter().find(|(name, _)| *name == row)?;
        let column = self.figures.iter().position(|name| *name == figure)?;
        figures.get(column).copied()
    }

    /// Builds a result line with a key for each column. `of` returns the value for a column's name.
    pub fn line(&self, of: impl Fn(&str) -> Option<f64>) -> Line {
        let figures = self.figures.iter();
        figures.fold(Line::default(), |line, figure| line.and(figure, of(figure)))
    }
}

/// Published figures for some combinations of counts, such as the number of keys.
pub struct PublishedFigures<const KEYS: usize, const FIGURES: usize> {
    /// Keys of the counts in result lines.
    pub keys: [&'static str; KEYS],
    /// Rows: values of the counts, and the published figures for them.
    pub rows: &'static [([u64; KEYS], [f64; FIGURES])],
}

impl<const KEYS: usize, const FIGURES: usize> PublishedFigures<KEYS, FIGURES> {
    /// Returns the published figures for the counts in `line`. All are `None` if there are none for
    /// these counts.
    pub fn of(&self, line: &Line) -> [Option<f64>; FIGURES] {
        let counts = self.keys.map(|key| line.count(key));
        let row = self.rows.iter().find(|(keys, _)| *keys == counts);
        row.map_or([None; FIGURES], |(_, figures)| figures.map(Some))
    }
}

/// Number of keys in tables 3 and 4.
pub const KEYS: u64 = 100_000;

/// Table 3: kinds of trees over path copying, with the memory of the whole process.
pub static SCHEMES: Paper<3, 3> = Paper {
    figures: ["proof_kilobytes", "lookups_per_second", "megabytes"],
    rows: [
        ("treap", [1.96, 7850.0, 1077.0]),
        ("red-black", [1.50, 10269.0, 841.0]),
        ("skip-list", [2.63, 4956.0, 1587.0]),
    ],
};

/// Table 4: kinds of repositories of red-black trees. Lookups are in random old versions, and the
/// memory is that of the whole process.
pub static REPOSITORIES: Paper<2, 4> = Paper {
    figures: ["lookups_per_second", "megabytes"],
    rows: [
        ("path-copying", [10269.0, 841.0]),
        ("cache-nowhere", [2.23, 182.0]),
        ("cache-everywhere", [8477.0, 358.0]),
        ("cache-median", [194.0, 204.0]),
    ],
};

/// Returns a row of table 5: kilobytes sent per second of computing, for updates and for lookups.
/// The table has red-black trees of 10 000 and of 100 000 keys. Updates count the time of author
/// and server, lookups only that of the server.
pub fn bandwidth(keys: u64, repository: &str) -> [Option<f64>; 2] {
    let figures = match (keys, repository) {
        (10_000, "cache-everywhere") => [104.0, 12265.0],
        (10_000, "cache-median") => [105.0, 533.0],
        (KEYS, "cache-everywhere") => [106.0, 12907.0],
        (KEYS, "cache-median") => [106.0, 297.0],
        _ => return [None; 2],
    };
    figures.map(Some)
}

/// Number of keys in tables 7, 8 and 9. The figures of `base-superseding` are for 3 851 keys.
pub const TUPLE_KEYS: u64 = 10_000;

/// Tables 7 (the first four columns), 8 (the next four) and 9 (the last two) of tuple designs.
#[rustfmt::skip]
pub static TUPLES: Paper<10, 7> = Paper {
    figures: [
        "inserts_per_second", "author_cryptography_share", "update_overall_bytes", "proof_bytes",
        "updates_per_second", "lookups_per_second", "verifications_per_second",
        "verify_cryptography_share",
        "update_kilobytes_per_second", "lookup_kilobytes_per_second",
    ],
    rows: [
        ("base-superseding", [0.35, 0.88, 114_460.0, 150.0, 4.2, 5619.0, 653.0, 0.91, 37.0, 843.0]),
        ("base-lightweight", [2.67, 0.13, 156_720.0, 210.0, 2.4, 4781.0, 594.0, 0.91, 201.0,
            1004.0]),
        ("spec-superseding", [6.6, 0.85, 6_440.0, 300.0, 64.8, 2896.0, 323.0, 0.91, 39.0, 869.0]),
        ("spec-lightweight", [63.0, 0.52, 3_760.0, 420.0, 104.4, 2497.0, 314.0, 0.9, 149.0,
            1046.0]),
        ("chain-accumulators-rsa", [62.5, 0.79, 140.0, 1_230.0, 0.9, 2419.0, 290.0, 0.89, 0.124,
            2975.0]),
        ("accumulators-rsa", [64.7, 0.81, 140.0, 1_300.0, 0.93, 1991.0, 205.0, 0.91, 0.128,
            2975.0]),
        ("red-black", [753.0, 0.91, 150.0, 1_200.0, 9009.0, 10221.0, 628.0, 0.88, 104.0, 12265.0]),
    ],
};

/// Number of elements in the set for which section 7.4 states the time to make all witnesses.
pub const ACCUMULATED_SET_ELEMENTS: f64 = 262_144.0;

/// Section 7.4: accumulated sets with RSA of 2048 bits, compared with DSA signatures of 320 bits on
/// each element.
///
/// - If the author makes the witnesses: twice the time and six times the bytes.
/// - If the server makes the witnesses: six times the cost.
/// - Proofs are three times as long.
/// - One update of 2^18 elements takes minutes of computing.
pub static SETS: Paper<6, 1> = Paper {
    figures: [
        "author_time_to_signing_each",
        "update_bytes_to_signing_each",
        "server_cost_to_signing_each",
        "proof_bytes_to_signing_each",
        "minutes_of_author_for_262144",
        "minutes_of_server_for_262144",
    ],
    rows: [("accumulators", [2.0, 6.0, 6.0, 3.0, 10.0, 60.0])],
};

/// Table of accumulators: microseconds per element on 8 threads of a Core i7 of 3.4 GHz (Tremel
/// 2013, section 5). The round trips are from section 7.
///
/// Witnesses with the public key are for sets of up to 1 000. Columns have the names that `bench`
/// uses for operations. `setup` is making the public key, whose time with RSA does not depend on
/// the set.
#[rustfmt::skip]
pub static ACCUMULATORS: Paper<9, 2> = Paper {
    figures: [
        "setup", "representatives", "accumulate_secret_each", "accumulate_public",
        "witnesses_secret",
        "witnesses_one_by_one", "verify", "round_trip_private", "round_trip_public",
    ],
    rows: [
        ("rsa", [2.238_52, 481.499, 1.533_45, 2_675.604, 5_933.464, 5_444_668.433_3, 4_967.992,
            11_400.0, 5_400_000.0]),
        ("bilinear", [857.809, 0.0, 3.989_97, 95.358_4, 461.254, 453_206.817, 2_990.075, 4_300.0,
            450_000.0]),
    ],
};

/// Returns the number of lookups per update up to which a red-black tree is the cheapest dictionary
/// in `scenario`. Source: Crosby & Wallach 2010, section 10. Returns `None` for other scenarios.
pub fn red_black_until(scenario: &str) -> Option<f64> {
    match scenario {
        "prices of 2010" => Some(15.0),
        "bandwidth 10 times cheaper" => Some(200.0),
        _ => None,
    }
}
