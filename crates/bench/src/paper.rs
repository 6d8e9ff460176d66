//! Published figures that the report shows next to ours. The file `published.csv` lists them, with
//! their sources.
//!
//! The figures of Crosby & Wallach are of an Intel Core 2 Duo of 2.4 GHz, with digests of 28 bytes
//! and DSA-2048 signatures.

use std::sync::LazyLock;

use crate::line::{Conditions, Line, conditions};

/// Published figures for lines of an experiment that meet some conditions.
#[derive(Debug)]
pub struct Published {
    /// Experiments and further conditions: keys, each with its text or number.
    pub conditions: Conditions<'static>,
    /// The figures.
    pub figures: Line,
}

/// All published figures.
pub static PUBLISHED: LazyLock<Vec<Published>> =
    LazyLock::new(|| read(include_str!("published.csv")));

/// Number of keys in tables 3 and 4 of Crosby & Wallach 2010.
pub const KEYS: u64 = 100_000;

/// Number of elements in the set for which section 7.4 of Crosby & Wallach 2010 states the time to
/// make all witnesses.
pub const ACCUMULATED_SET_ELEMENTS: f64 = 262_144.0;

fn read(text: &'static str) -> Vec<Published> {
    let rows = text.lines().filter(|row| !row.starts_with('#')).skip(1);
    let published = rows.filter_map(|row| {
        let mut fields = row.splitn(3, ',');
        let experiment = ("experiment", fields.next()?);
        let mut of = vec![experiment];
        of.extend(conditions(fields.next()?));
        let mut figures = Line::default();
        for (key, figure) in conditions(fields.next()?) {
            figures = figures.and(key, figure.parse::<f64>().ok());
        }
        Some(Published {
            conditions: of,
            figures,
        })
    });
    published.collect()
}

/// Returns all figures that are published for the work of a result line.
pub fn published(line: &Line) -> Line {
    let rows = PUBLISHED.iter().filter(|row| line.says(&row.conditions));
    rows.fold(Line::default(), |all, row| all.merged(&row.figures))
}

/// Collects the published points of a series, from the rows of `experiment`. A point is the number
/// of the condition `horizontal`, and the figure `vertical`. `is_of` selects rows by a line with
/// their conditions.
pub fn points(
    experiment: &str,
    (horizontal, vertical): (&str, &str),
    is_of: impl Fn(&Line) -> bool,
) -> Vec<(f64, f64)> {
    let rows = PUBLISHED.iter().filter_map(|row| {
        let conditions = row.conditions.iter();
        let of = conditions.fold(Line::default(), |line, (key, value)| match value.parse() {
            Ok(number) => line.and(key, Some::<u64>(number)),
            Err(_) => line.and(key, value),
        });
        let point = (of.number(horizontal)?, row.figures.number(vertical)?);
        (of.text("experiment") == experiment && is_of(&of)).then_some(point)
    });
    rows.collect()
}
