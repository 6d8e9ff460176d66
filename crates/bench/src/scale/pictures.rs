//! The pictures of docs/scale.md.

use super::document::Shown;
use crate::{
    figures::{Bars, Figure, Lines},
    prelude::*,
};

impl Shown {
    /// The pictures.
    pub fn figures(&self) -> Outcome<Vec<Figure>> {
        let series = self
            .last()
            .iter()
            .zip(&self.plan.continents)
            .map(|(seen, needs)| {
                let ages = &seen.staleness;
                let step = (ages.len() / 200).max(1);
                let points = ages.iter().enumerate().step_by(step);
                let points = points
                    .map(|(place, age)| (*age, 100.0 * (1.0 - place as f64 / ages.len() as f64)));
                (needs.name.clone(), points.collect())
            });
        let staleness = Lines {
            title: "How stale readers are".to_owned(),
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
