//! The page with the plots: one file that needs nothing else.

use core::fmt::Write;

use pad::selection::RepositoryName;
use plotters::{
    prelude::{IntoDrawingArea, RGBColor, Rectangle, SVGBackend, Text},
    style::{Color, IntoFont, TextStyle, WHITE},
};

use super::{
    measure::{COLUMNS, Measured},
    prices::Prices,
};
use crate::cli::Failure;

/// The page as HTML.
pub(super) fn page(measured: &[Measured], prices: &Prices) -> Result<String, Failure> {
    let plots = [
        Plot {
            title: "Proof of one key, mean bytes, without the signed head",
            value: |row| row.proof_bytes,
            logarithmic: false,
        },
        Plot {
            title: "Memory for all versions, MB",
            value: Measured::memory_megabytes,
            logarithmic: false,
        },
        Plot {
            title: "Look-ups per second in random versions (logarithmic)",
            value: |row| row.lookups_per_second,
            logarithmic: true,
        },
        Plot {
            title: "Verifications per second, signature included",
            value: |row| row.verifications_per_second,
            logarithmic: false,
        },
    ];
    let mut body = String::new();
    for plot in plots {
        let drawn = plot
            .draw(measured)
            .map_err(|error| Failure::Store(format!("plot: {error}")))?;
        body.push_str(&drawn);
    }
    let cells = |cells: &[String], tag: &str| {
        cells.iter().fold(String::new(), |mut row, cell| {
            let written = write!(row, "<{tag}>{cell}</{tag}>");
            written.expect("page: writing to a string does not fail");
            row
        })
    };
    let rows = measured.iter().fold(String::new(), |mut rows, row| {
        let written = writeln!(rows, "<tr>{}</tr>", cells(&row.cells(), "td"));
        written.expect("page: writing to a string does not fail");
        rows
    });
    let header = cells(&COLUMNS.map(String::from), "th");
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <title>Persistent authenticated dictionaries</title>\n<style>{STYLE}</style></head><body>\n\
         <h1>Persistent authenticated dictionaries</h1>\n\
         <p>Prices of language models: {} snapshots from {} to {}, {} changes. Every answer behind \
         these figures was verified with the author's public key alone. Designs with BLS signatures and \
         accumulators hold some of the keys only.</p>\n\
         {body}\n<table><tr>{header}</tr>\n{rows}</table>\n</body></html>\n",
        prices.snapshots.len(),
        prices.first_name(),
        prices.last_name(),
        prices.changes(),
    ))
}

struct Plot {
    title: &'static str,
    value: fn(&Measured) -> f64,
    logarithmic: bool,
}

impl Plot {
    /// Horizontal bars, one for each dictionary.
    fn draw(&self, measured: &[Measured]) -> Result<String, Box<dyn core::error::Error>> {
        let mut svg = String::new();
        let rows = i32::try_from(measured.len())?;
        let height = TOP + rows * ROW + 10;
        {
            let area = SVGBackend::with_string(&mut svg, (WIDTH, u32::try_from(height)?))
                .into_drawing_area();
            area.fill(&WHITE)?;
            let style = |size: i32| TextStyle::from(("sans-serif", size).into_font());
            area.draw(&Text::new(self.title, (10, 10), style(17)))?;
            let scale = |value: f64| {
                if self.logarithmic {
                    value.max(1.0).log10()
                } else {
                    value
                }
            };
            let longest = measured
                .iter()
                .map(|row| scale((self.value)(row)))
                .fold(0.0, f64::max);
            for (row, top) in measured.iter().zip((0..rows).map(|row| TOP + row * ROW)) {
                let value = (self.value)(row);
                let right = LEFT + pixels(scale(value) / longest.max(f64::MIN_POSITIVE));
                let name = format!("{} / {}", row.scheme, row.repository);
                area.draw(&Text::new(name, (10, top + 3), style(14)))?;
                let bar = [(LEFT, top + 2), (right, top + ROW - 3)];
                area.draw(&Rectangle::new(bar, color(row.repository).filled()))?;
                let shown = if value < 100.0 {
                    format!("{value:.1}")
                } else {
                    format!("{value:.0}")
                };
                area.draw(&Text::new(shown, (right + 6, top + 3), style(14)))?;
            }
            area.present()?;
        }
        Ok(svg)
    }
}

/// The length of a bar that is this share of the longest.
#[allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "a share of the width in pixels"
)]
const fn pixels(share: f64) -> i32 {
    (share.clamp(0.0, 1.0) * 430.0) as i32
}

/// One colour for each way to keep versions.
const fn color(repository: RepositoryName) -> RGBColor {
    match repository {
        RepositoryName::PathCopying => RGBColor(31, 119, 180),
        RepositoryName::CacheNowhere => RGBColor(127, 127, 127),
        RepositoryName::CacheMedian => RGBColor(44, 160, 44),
        RepositoryName::Stored => RGBColor(214, 39, 40),
        RepositoryName::VersionedIndex => RGBColor(148, 103, 189),
        _ => RGBColor(255, 127, 14),
    }
}

const WIDTH: u32 = 860;
const LEFT: i32 = 320;
const TOP: i32 = 40;
const ROW: i32 = 22;
const STYLE: &str = "body{font-family:sans-serif;max-width:60em;margin:2em auto;padding:0 1em}\
    svg{display:block;margin:1.5em 0;max-width:100%;height:auto}\
    table{border-collapse:collapse;font-size:90%}td,th{padding:.2em .7em;text-align:right}\
    td:nth-child(-n+2),th:nth-child(-n+2){text-align:left}tr:nth-child(even){background:#f2f2f2}";
