//! The file `paper.toml`, which declares what the report shows next to the measurements; and the
//! published figures in it.
//!
//! The figures of Crosby & Wallach are of an Intel Core 2 Duo of 2.4 GHz, with digests of 28 bytes
//! and DSA-2048 signatures.

use std::sync::LazyLock;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::line::{Conditions, Line, conditions};

static PAPER: LazyLock<Map<String, Value>> = LazyLock::new(|| {
    let read = basic_toml::from_str(include_str!("paper.toml"));
    read.expect("paper.toml: tests read all of it")
});

/// Reads a section of `paper.toml`.
pub fn section<T: DeserializeOwned>(name: &str) -> T {
    let section = PAPER.get(name).expect("paper.toml: it has every section");
    let read = T::deserialize(section);
    read.expect("paper.toml: sections have the form of their types")
}

/// Published figures for lines of an experiment that meet some conditions.
#[derive(Debug)]
pub struct Published {
    /// Experiments and further conditions: keys, each with its text or number.
    pub conditions: Conditions<'static>,
    /// The figures.
    pub figures: Line,
}

/// All published figures.
pub static PUBLISHED: LazyLock<Vec<Published>> = LazyLock::new(|| {
    static ROWS: LazyLock<Vec<[String; 3]>> = LazyLock::new(|| section("published"));
    let published = |[experiment, of, figures]: &'static [String; 3]| Published {
        conditions: [vec![("experiment", experiment.as_str())], conditions(of)].concat(),
        figures: conditions(figures)
            .into_iter()
            .fold(Line::default(), |line, (key, figure)| {
                line.and(key, figure.parse::<f64>().ok())
            }),
    };
    ROWS.iter().map(published).collect()
});

/// Number of keys in tables 3 and 4 of Crosby & Wallach 2010.
pub const KEYS: u64 = 100_000;

/// Number of elements in the set for which section 7.4 of Crosby & Wallach 2010 states the time to
/// make all witnesses.
pub const ACCUMULATED_SET_ELEMENTS: f64 = 262_144.0;

/// Returns all figures that are published for the work of a result line.
pub fn published(line: &Line) -> Line {
    let experiment = line.text("experiment");
    let rows = PUBLISHED.iter().filter(|row| {
        // Most rows are of other experiments, and this comparison is the fastest.
        let experiments = row.conditions.first();
        experiments.is_some_and(|(_, of)| of.contains(experiment)) && line.says(&row.conditions)
    });
    rows.fold(Line::default(), |all, row| all.merged(&row.figures))
}

/// Collects the published points of a series, from the rows of `experiment` whose conditions meet
/// `only`. A point is the number of the condition `horizontal`, and the figure `vertical`.
pub fn points(
    experiment: &str,
    (horizontal, vertical): (&str, &str),
    only: &str,
) -> Vec<(f64, f64)> {
    let only = conditions(only);
    let rows = PUBLISHED.iter().filter_map(|row| {
        let conditions = row.conditions.iter();
        let of = conditions.fold(Line::default(), |line, (key, value)| match value.parse() {
            Ok(number) => line.and(key, Some::<u64>(number)),
            Err(_) => line.and(key, value),
        });
        let point = (of.number(horizontal)?, row.figures.number(vertical)?);
        (of.text("experiment") == experiment && of.says(&only)).then_some(point)
    });
    rows.collect()
}
