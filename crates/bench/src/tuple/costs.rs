//! Figures 7 and 8: the cost of a lookup with its share of an update. Also finds the cheapest
//! design for each range of lookups per update.
//!
//! [`comparison::line`](mod@comparison::line) computes where another design becomes the cheapest.

use comparison::{
    Prices,
    line::{CostLine, lowest},
};

use crate::{
    costs::{self, Scenario},
    line,
    prelude::*,
};

/// Smallest and largest number of lookups per update on the horizontal axis.
const RANGE: (f64, f64) = (1.0, 1e7);

/// Value of `figure` in the result lines of figure 7, at the largest number of keys.
pub const GROWING: &str = "figure7";

/// Cost of one design in one figure, in micro-dollars.
#[derive(Clone, Debug)]
pub struct Expense {
    pub(super) figure: String,
    pub(super) design: String,
    keys: u64,
    /// Cost of an update, and of each lookup, in micro-dollars.
    cost: CostLine,
    pub(super) prices: Prices,
}

impl Expense {
    /// Computes the cost of the design in `line`, at the prices in `line`. `update_us` is the time
    /// of an update, and `update_bytes` the key of its bytes.
    pub fn new(figure: &str, line: &Line, update_us: f64, update_bytes: &str) -> Self {
        let prices = costs::prices_of(line);
        let microdollars =
            |us, bytes| 1e6 * (prices.of_computing(us) + prices.of_sending(line.figure(bytes)));
        let fixed = microdollars(update_us, update_bytes);
        let each = microdollars(line.figure("prove_us"), "proof_bytes");
        Self::of(figure, line, CostLine { fixed, each })
    }

    /// Reads the cost of a design from a result line of the experiment `{family}_lookup_costs`;
    /// `None` if the line has no cost.
    pub fn read(line: &Line) -> Option<Self> {
        let (fixed, each) = ("update_microdollars", "lookup_microdollars");
        let (fixed, each) = (line.number(fixed)?, line.number(each)?);
        Some(Self::of(
            line.text("figure"),
            line,
            CostLine { fixed, each },
        ))
    }

    fn of(figure: &str, line: &Line, cost: CostLine) -> Self {
        Self {
            figure: figure.to_owned(),
            design: line.text("design").to_owned(),
            keys: line.count("keys"),
            cost,
            prices: costs::prices_of(line),
        }
    }

    /// Reports whether the design has accumulators, so that answers are proved by witnesses.
    pub(super) fn accumulates(&self) -> bool {
        let parts = ["accumulators", "rsa", "bilinear"];
        parts.iter().any(|part| self.design.contains(part))
    }

    pub(super) fn at(&self, lookups_per_update: f64) -> f64 {
        self.cost.per_time(lookups_per_update)
    }

    /// Builds the result line of the experiment `{family}_lookup_costs`, with the points of a
    /// curve.
    pub(super) fn line(&self, family: &str) -> Line {
        let ratios = (0..=28).map(|step| 10_f64.powf(f64::from(step) / 4.0));
        let points: Vec<(f64, f64)> = ratios.map(|ratio| (ratio, self.at(ratio))).collect();
        let line = line! {
            experiment: format!("{family}_lookup_costs"), figure: &self.figure,
            design: &self.design, keys: self.keys,
        };
        line.and("lookup_microdollars", self.cost.each)
            .and("update_microdollars", self.cost.fixed)
            .and("points", points)
            .merged(&costs::line_of(&self.prices))
    }
}

/// Returns the cost of each design for figure 7 (Crosby & Wallach 2010) in a scenario of section
/// 10, whose name is that of the figure.
///
/// `lines` are the result lines of `super::growing`, and those that a
/// [`Policy`](super::witness_policy::Policy) computes from them. Scales the measured shares of
/// cryptography in the author's and the server's time. Omits designs whose run
/// stopped before all keys were inserted.
pub fn of_growing(lines: &[&Line], scenario: &Scenario) -> Vec<Expense> {
    let left = |line: &Line, time: &str, share: &str| {
        let share = line.number(share).unwrap_or(0.0);
        line.figure(time) * (1.0 - share * (1.0 - scenario.cryptography))
    };
    let expense = |line: &Line| {
        let update_us = left(line, "author_us", "author_cryptography_share")
            + left(line, "apply_us", "server_cryptography_share");
        let line = replaced(line, &costs::line_of(&scenario.prices));
        Expense::new(&scenario.name, &line, update_us, "update_overall_bytes")
    };
    let is_finished = |line: &&&Line| line.count("inserted") == line.count("keys");
    let finished = lines.iter().filter(is_finished);
    finished.map(|line| expense(line)).collect()
}

/// Returns the largest number of lookups per update for which `design` is the cheapest of
/// `designs`; `None` if it never is.
pub fn cheapest_until(designs: &[Expense], design: &str) -> Option<f64> {
    let ranges = cheapest(designs).into_iter();
    let of_design = ranges.filter(|(_, _, cheapest)| cheapest.design == design);
    of_design.map(|(_, to, _)| to).next_back()
}

/// Returns the cost of each design for figure 7 at a constant number of keys. Uses the `lines` with
/// `keys` keys. Designs with accumulators are measured with at most 1 000 keys, so a larger `keys`
/// omits them.
pub fn of_steady(lines: &[Line], keys: u64) -> Vec<Expense> {
    let of_size = lines.iter().filter(|line| line.count("keys") == keys);
    let expense = |line| {
        let update_us = sum(line, &["author_us", "later_chains_us", "apply_us"]);
        Expense::new("figure7-steady", line, update_us, "update_bytes")
    };
    of_size.map(expense).collect()
}

/// Returns the cost of each design for figure 8, from the result lines of one trace. Omits designs
/// whose run stopped before the end of the trace.
pub fn of_macrobenchmark(lines: &[Line]) -> Vec<Expense> {
    let finished = lines
        .iter()
        .filter(|line| line.count("processed") == line.count("snapshots"));
    let expense = |line| {
        let seconds = sum(line, &["author_seconds", "server_seconds"]);
        let update_us = seconds * 1e6 / line.figure("processed");
        let figure = format!("figure8-{}", line.text("trace"));
        let mut expense = Expense::new(&figure, line, update_us, "update_bytes");
        if line.text("epochs") != "none" {
            expense.design = format!("{}, {}", expense.design, line.text("epochs"));
        }
        expense
    };
    finished.map(expense).collect()
}

fn sum(line: &Line, keys: &[&str]) -> f64 {
    keys.iter().map(|key| line.figure(key)).sum()
}

/// Finds the cheapest of one figure's designs for each range of lookups per update. Returns start
/// and end of each range with its design, in ascending order.
pub(super) fn cheapest(designs: &[Expense]) -> Vec<(f64, f64, &Expense)> {
    let drawn: Vec<_> = designs.iter().map(|design| design.cost).collect();
    let parts = lowest(&drawn, RANGE).into_iter();
    let range = |part: comparison::line::Lowest| (part.from, part.to, &designs[part.line]);
    parts.map(range).collect()
}
