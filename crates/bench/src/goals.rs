//! Goals for measured figures: an accepted range, or a largest ratio to a lower bound that is
//! measured in the same run.

use crate::{
    line::{Line, Selection},
    tables::{Tables, digits},
};

/// A measured figure, and the values that it should have.
pub(crate) struct Goal {
    /// Name of the goal in the table.
    pub(crate) name: &'static str,
    /// Source of the measured figure.
    pub(crate) figure: Figure,
    /// Number by which the measured figure is divided for the table, and the resulting unit.
    pub(crate) unit: (f64, &'static str),
    /// Smallest and largest accepted figure, in `unit`.
    pub(crate) accepted: (f64, f64),
    /// Largest accepted ratio of the figure to its limit, the lower bound from the same run.
    pub(crate) times: f64,
    /// Figure that others published, as text for the table.
    pub(crate) published: &'static str,
}

/// Source of a measured figure.
pub(crate) enum Figure {
    /// Figure with this key in a result line that meets the conditions.
    Of(Selection, &'static str),
    /// Figure and its limit (a lower bound), with these keys, in a result line that meets the
    /// conditions.
    WithLimit(Selection, &'static str, &'static str),
    /// Figure that the function computes from all result lines.
    From(fn(&[Line]) -> Option<f64>),
}

/// Accepted range that includes every figure.
pub(crate) const ANY: (f64, f64) = (0.0, f64::INFINITY);

/// Accepted range that includes only `figure`.
pub(crate) const fn exactly(figure: f64) -> (f64, f64) {
    (figure, figure)
}

/// Accepted range that includes `figure` and smaller ones.
pub(crate) const fn at_most(figure: f64) -> (f64, f64) {
    (0.0, figure)
}

/// Accepted range that includes `figure` and larger ones.
pub(crate) const fn at_least(figure: f64) -> (f64, f64) {
    (figure, f64::INFINITY)
}

impl Figure {
    /// Returns the figure, and its limit if it has one; `None` if no line has the figure. If
    /// several lines meet the conditions of `WithLimit`, uses the line with the largest ratio.
    fn of(&self, lines: &[Line]) -> Option<(f64, Option<f64>)> {
        match *self {
            Self::Of(selection, key) => {
                let line = lines.iter().find(|line| line.says(selection))?;
                Some((line.number(key)?, None))
            }
            Self::WithLimit(selection, key, limit) => {
                let both = |line: &Line| Some((line.number(key)?, line.number(limit)?));
                let ratio = |(figure, limit): &(f64, f64)| figure / limit;
                let found = lines.iter().filter(|line| line.says(selection));
                let farthest = found
                    .filter_map(both)
                    .max_by(|one, other| ratio(one).total_cmp(&ratio(other)));
                farthest.map(|(figure, limit)| (figure, Some(limit)))
            }
            Self::From(computed) => Some((computed(lines)?, None)),
        }
    }
}

impl Goal {
    /// Sets the largest accepted ratio of the figure to its limit.
    pub(crate) const fn within(mut self, times: f64) -> Self {
        self.times = times;
        self
    }

    /// Formats the goal as a row of the table; `None` if `lines` lack the figure. Cells are name,
    /// unit, figure, accepted range, limit, ratio, accepted ratio, published figure, and whether
    /// the goal is met.
    fn row(&self, lines: &[Line]) -> Option<Vec<String>> {
        let (figure, limit) = self.figure.of(lines)?;
        let (factor, unit) = self.unit;
        let (figure, limit) = (figure / factor, limit.map(|limit| limit / factor));
        let accepted = match self.accepted {
            (0.0, f64::INFINITY) => String::new(),
            (least, most) if least.to_bits() == most.to_bits() => format!("exactly {least}"),
            (least, f64::INFINITY) => format!("at least {least}"),
            (0.0, most) => format!("at most {most}"),
            (least, most) => format!("{least} to {most}"),
        };
        let ratio = limit.map(|limit| figure / limit);
        let is_met = (self.accepted.0..=self.accepted.1).contains(&figure)
            && ratio.is_none_or(|ratio| ratio <= self.times);
        let show = |number: Option<f64>| number.map_or_else(String::new, digits);
        let times = ratio.filter(|_| self.times.is_finite());
        Some(vec![
            self.name.to_owned(),
            unit.to_owned(),
            digits(figure),
            accepted,
            show(limit),
            show(ratio),
            times.map_or_else(String::new, |_| format!("at most {}", self.times)),
            self.published.to_owned(),
            if is_met { "yes" } else { "MISSED" }.to_owned(),
        ])
    }
}

/// Adds a table that compares `lines` with `goals`. A note below it names the goals without a
/// figure in `lines`, except those whose names begin with `the same`.
pub(crate) fn table(goals: &[Goal], note: &str, lines: &[Line], tables: &mut Tables) {
    if lines.is_empty() {
        return;
    }
    let (mut rows, mut missing) = (Vec::new(), Vec::new());
    for goal in goals {
        match goal.row(lines) {
            Some(row) => rows.push(row),
            None => missing.push(goal.name),
        }
    }
    tables.heading("Goals", note);
    if !rows.is_empty() {
        let titles = [
            "goal",
            "unit",
            "figure",
            "accepted",
            "limit",
            "ratio",
            "accepted",
            "published",
            "met",
        ];
        tables.rows(&titles, &[], rows);
    }
    missing.retain(|name| !name.starts_with("the same"));
    missing.dedup();
    if !missing.is_empty() {
        tables.note(&format!(
            "Goals without a figure in these measurements: {}.\n",
            missing.join("; ")
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line;

    #[test]
    fn goals_are_met_or_missed() {
        const GOALS: [Goal; 2] = [
            Goal {
                name: "append",
                figure: Figure::WithLimit(
                    &[("experiment", "append"), ("n", "512")],
                    "us",
                    "limit_us",
                ),
                unit: (1e3, "ms"),
                accepted: at_most(1.0),
                times: 1.5,
                published: "code 744 ms",
            },
            Goal {
                name: "bytes",
                figure: Figure::Of(&[("experiment", "bytes")], "bytes"),
                unit: (1.0, ""),
                accepted: exactly(688.0),
                times: f64::INFINITY,
                published: "",
            },
        ];
        let shown = |line: Line| {
            let mut tables = Tables::default();
            table(&GOALS, "", &[line], &mut tables);
            tables.to_string()
        };
        let append = |us: f64, limit_us: f64| {
            shown(line! { experiment: "append", n: 512, us: us, limit_us: limit_us })
        };
        assert!(append(900.0, 700.0).contains("| yes |"));
        assert!(
            append(900.0, 700.0).contains("Goals without a figure in these measurements: bytes.")
        );
        assert!(append(1_100.0, 1_000.0).contains("MISSED"));
        assert!(append(900.0, 500.0).contains("MISSED"));
        let bytes = |bytes: u64| shown(line! { experiment: "bytes", bytes: bytes });
        assert!(bytes(688).contains("| yes |"), "{}", bytes(688));
        assert!(bytes(687).contains("MISSED"));
    }
}
