//! The pictures of docs/scale.md.

use super::document::Shown;
use crate::{
    figures::{Bars, Figure, Lines},
    prelude::*,
};

impl Shown {
    /// The pictures.
    pub fn figures(&self) -> Outcome<Vec<Figure>> {
        let farthest = self.farthest();
        let series = self.stages.iter().map(|(name, seen)| {
            let ages = &seen[farthest].staleness;
            let points = ages.iter().enumerate().step_by((ages.len() / 60).max(1));
            let older = |place: usize| 100.0 * (1.0 - place as f64 / ages.len() as f64);
            let points = points.map(|(place, age)| (*age, older(place)));
            ((*name).to_owned(), points.collect())
        });
        let continent = &self.plan.continents[farthest].name;
        let staleness = Lines {
            title: format!("How stale readers in {continent} are, part by part"),
            horizontal: "seconds since the version that is read was closed",
            vertical: "per cent of readers with something older",
            series: series.collect(),
        };
        let (one, other) = (
            self.dollars(&self.entries()[0])?,
            self.dollars(&self.entries()[1])?,
        );
        let rows = one.iter().zip(&other);
        let rows =
            rows.map(|((name, one), (_, other))| ((*name).to_owned(), one / 1e3, other / 1e3));
        let title = format!(
            "Thousands of dollars a month: {} left, {} right",
            self.entries()[0],
            self.entries()[1]
        );
        let cost = Bars {
            title,
            vertical: "thousands of dollars",
            rows: rows.collect(),
        };
        Ok(vec![
            Figure::new("scale-staleness", |svg| staleness.draw(svg))?,
            Figure::new("scale-cost", |svg| cost.draw(svg))?,
        ])
    }
}
