//! Goals for measured figures: an accepted range, or a largest ratio to a lower bound that is
//! measured in the same run. The file `paper.toml` lists them.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

use crate::{
    line::{Line, conditions},
    paper::section,
    tables::{Tables, digits},
};

/// All goals, by the id of the family of measurements, see [`crate::families::Family::id`].
pub static GOALS: LazyLock<BTreeMap<String, Vec<Goal>>> = LazyLock::new(|| section("goals"));

/// A measured figure, and the values that it should have.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Goal {
    /// Name of the goal in the table.
    #[serde(rename = "goal")]
    name: String,
    /// Experiment whose result line contains the figure. A goal without one is for a figure that a
    /// function of its family computes.
    experiment: String,
    /// Further conditions on the line: `key=value`, separated by semicolons.
    conditions: String,
    /// Key of the figure, or the name of a computed figure.
    figure: String,
    /// Key of the figure's limit, the lower bound from the same run. If several lines meet the
    /// conditions, the goal is for the line with the largest ratio of the two.
    limit: String,
    /// Unit in the table: `ms` for figures in microseconds, `KB` for figures in bytes, or none.
    unit: String,
    /// Accepted figures in this unit: `exactly`, `at least` or `at most` a number, a range such as
    /// `1 to 2`, or any.
    pub accepted: String,
    /// Largest accepted ratio of the figure to its limit.
    times: Option<f64>,
    /// Figure that others published, as text for the table.
    published: String,
}

/// Function of a family that computes figures by name; `None` if result lines are missing.
pub type Computed = fn(&str, &[Line]) -> Option<f64>;

impl Goal {
    /// Returns the figure, and its limit if it has one; `None` if no line has the figure.
    fn figure(&self, computed: Computed, lines: &[Line]) -> Option<(f64, Option<f64>)> {
        if self.experiment.is_empty() {
            return Some((computed(&self.figure, lines)?, None));
        }
        let mut selection = conditions(&self.conditions);
        selection.push(("experiment", &self.experiment));
        let mut found = lines.iter().filter(|line| line.says(&selection));
        if self.limit.is_empty() {
            return Some((found.next()?.number(&self.figure)?, None));
        }
        let both = |line: &Line| Some((line.number(&self.figure)?, line.number(&self.limit)?));
        let ratio = |(figure, limit): &(f64, f64)| figure / limit;
        let farthest = found
            .filter_map(both)
            .max_by(|one, other| ratio(one).total_cmp(&ratio(other)));
        farthest.map(|(figure, limit)| (figure, Some(limit)))
    }

    /// Reports whether `figure`, in the unit of the table, is an accepted one.
    pub fn accepts(&self, figure: f64) -> bool {
        let number = |text: &str| text.parse().unwrap_or(f64::NAN);
        match self.accepted.split_once(' ') {
            None => true,
            Some(("exactly", only)) => figure.to_bits() == number(only).to_bits(),
            Some(("at", bound)) => match bound.split_once(' ') {
                Some(("least", least)) => figure >= number(least),
                Some((_, most)) => (0.0..=number(most)).contains(&figure),
                None => false,
            },
            Some((least, most)) => {
                let most = number(most.trim_start_matches("to "));
                (number(least)..=most).contains(&figure)
            }
        }
    }

    /// Formats the goal as a row of the table; `None` if `lines` lack the figure. Cells are name,
    /// unit, figure, accepted range, limit, ratio, accepted ratio, published figure, and whether
    /// the goal is met.
    fn row(&self, computed: Computed, lines: &[Line]) -> Option<Vec<String>> {
        let (figure, limit) = self.figure(computed, lines)?;
        let factor = if self.unit.is_empty() { 1.0 } else { 1e3 };
        let (figure, limit) = (figure / factor, limit.map(|limit| limit / factor));
        let ratio = limit.map(|limit| figure / limit);
        let is_close = ratio.is_none_or(|ratio| self.times.is_none_or(|times| ratio <= times));
        let show = |number: Option<f64>| number.map_or_else(String::new, digits);
        let times = self.times.filter(|_| ratio.is_some());
        let is_met = is_close && self.accepts(figure);
        let met = if is_met { "yes" } else { "MISSED" };
        Some(vec![
            self.name.clone(),
            self.unit.clone(),
            digits(figure),
            self.accepted.clone(),
            show(limit),
            show(ratio),
            times.map_or_else(String::new, |times| format!("at most {times}")),
            self.published.clone(),
            met.to_owned(),
        ])
    }
}

/// Adds a table that compares `lines` with `goals`. A note below it names the goals without a
/// figure in `lines`, except those whose names begin with `the same`.
pub fn table(goals: &[Goal], note: &str, computed: Computed, lines: &[Line], tables: &mut Tables) {
    if lines.is_empty() {
        return;
    }
    let (mut rows, mut missing) = (Vec::new(), Vec::new());
    for goal in goals {
        match goal.row(computed, lines) {
            Some(row) => rows.push(row),
            None => missing.push(goal.name.as_str()),
        }
    }
    tables.heading("Goals", note);
    if !rows.is_empty() {
        let titles = "goal,unit,figure,accepted,limit,ratio,accepted,published,met";
        tables.rows(&titles.split(',').collect::<Vec<_>>(), &[], rows);
    }
    missing.retain(|name| !name.starts_with("the same"));
    missing.dedup();
    if !missing.is_empty() {
        let missing = missing.join("; ");
        tables.note(&format!(
            "Goals without a figure in these measurements: {missing}.\n"
        ));
    }
}
