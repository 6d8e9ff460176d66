//! Plots that `paper.toml` declares: which result lines a plot draws, and which figures are its
//! axes.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{Lines, Series, points};
use crate::{
    columns::{Column, Derived, Rows, filled, texts},
    paper::{self, section},
    prelude::*,
};

/// Declaration of one or several plots. In its texts, `{key}` is replaced by the figure `key` of
/// the first drawn line.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct PlotSpec {
    /// Name of the plot's file, without extension.
    pub(super) name: String,
    title: String,
    /// Selection of the result lines that are drawn.
    rows: Rows,
    /// Keys that split the lines into several plots, one for each combination of values.
    per: Vec<String>,
    /// Label of the horizontal axis, and the key of its figure.
    horizontal: [String; 2],
    vertical: String,
    /// Keys that split the lines into several series, one for each combination of values.
    by: Vec<String>,
    /// Figures on the vertical axis. Each is a series of its own.
    figures: Vec<Column>,
    /// Minimum number of points of a series, at least 1. Shorter series are left out.
    least: usize,
    /// Published series of the same experiment, drawn in addition: name, conditions, and the key of
    /// the figure.
    references: Vec<[String; 3]>,
}

/// All declared plots.
pub(super) static PLOTS: LazyLock<Vec<PlotSpec>> = LazyLock::new(|| section("plots"));

impl PlotSpec {
    /// Makes the plots from `lines`, each with the name of its file.
    pub(super) fn plots(&'static self, derived: Derived, lines: &[Line]) -> Vec<(String, Lines)> {
        let drawn = self.rows.select(derived, lines);
        let drawn: Vec<&Line> = drawn.iter().collect();
        let plots = groups(&drawn, &texts(&self.per)).into_iter();
        plots
            .map(|group| (filled(&self.name, group[0]), self.plot(&group)))
            .collect()
    }

    fn plot(&'static self, drawn: &[&Line]) -> Lines {
        let [label, horizontal] = &self.horizontal;
        let mut series: Vec<Series> = Vec::new();
        for group in groups(drawn, &texts(&self.by)) {
            for figure in &self.figures {
                let points = points(&group, horizontal, figure);
                series.push((filled(figure.title(), group[0]), points));
            }
        }
        series.retain(|(_, points)| points.len() >= self.least.max(1));
        if !series.is_empty() {
            let published = |[name, only, figure]: &[String; 3]| {
                let points = paper::points(&self.rows.experiment, (horizontal, figure), only);
                (name.clone(), points)
            };
            series.extend(self.references.iter().map(published));
        }
        Lines {
            title: filled(&self.title, drawn[0]),
            horizontal: label,
            vertical: &self.vertical,
            series,
        }
    }
}
