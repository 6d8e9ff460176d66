//! Figures 7 and 8: what a look-up costs with its share of the updates, and which design is the
//! cheapest where.
//!
//! [`comparison::line`](mod@comparison::line) computes where another design becomes the cheapest.

use comparison::{
    Prices,
    line::{CostLine, lowest},
};

use crate::{Outcome, costs, line, line::Line, report::Report};

/// From one look-up per update to hardly any update: the horizontal axis.
const RANGE: (f64, f64) = (1.0, 1e7);

/// What one design costs, in micro-dollars.
#[derive(Clone, Debug)]
pub struct Expense {
    figure: String,
    design: String,
    keys: u64,
    /// The update, and each look-up.
    cost: CostLine,
    prices: Prices,
}

impl Expense {
    /// What a measured design costs: its times in microseconds are those of an update.
    fn new(figure: &str, line: &Line, update_us: f64, update_bytes: &str) -> Self {
        let prices = costs::prices_of(line);
        let microdollars =
            |us, bytes| 1e6 * (prices.of_computing(us) + prices.of_sending(line.figure(bytes)));
        Self {
            figure: figure.to_owned(),
            design: line.text("design").to_owned(),
            keys: line.count("keys"),
            cost: CostLine {
                fixed: microdollars(update_us, update_bytes),
                each: microdollars(line.figure("prove_us"), "proof_bytes"),
            },
            prices,
        }
    }

    fn line(&self) -> Line {
        let ratios = (0..=28).map(|step| 10_f64.powf(f64::from(step) / 4.0));
        let points: Vec<(f64, f64)> = ratios
            .map(|ratio| (ratio, self.cost.per_time(ratio)))
            .collect();
        let line = line! {
            experiment: "tuple_lookup_costs",
            figure: &self.figure,
            design: &self.design,
            keys: self.keys,
        };
        line.and("lookup_microdollars", self.cost.each)
            .and("update_microdollars", self.cost.fixed)
            .and("points", points)
            .merged(&costs::line_of(&self.prices))
    }
}

/// Figure 7, over the growing run as in the paper. Designs that were stopped early are left out.
pub fn of_growing(lines: &[Line]) -> Vec<Expense> {
    let finished = lines
        .iter()
        .filter(|line| line.count("inserted") == line.count("keys"));
    let expense = |line| {
        let update_us = sum(line, &["author_us", "apply_us"]);
        Expense::new("figure7", line, update_us, "update_overall_bytes")
    };
    finished.map(expense).collect()
}

/// Figure 7 with so many keys all the time: what every design reaches.
pub fn of_steady(lines: &[Line], keys: u64) -> Vec<Expense> {
    let of_size = lines.iter().filter(|line| line.count("keys") == keys);
    let expense = |line| {
        let update_us = sum(line, &["author_us", "later_chains_us", "apply_us"]);
        Expense::new("figure7-steady", line, update_us, "update_bytes")
    };
    of_size.map(expense).collect()
}

/// Figure 8, of one trace. Designs that did not reach its end are left out.
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

/// The lines of a figure, and which of them is the lowest where.
pub fn report(designs: &[Expense], report: &mut Report) -> Outcome<()> {
    lines(designs)
        .into_iter()
        .try_for_each(|line| report.line(line))
}

/// What [`report`] reports.
pub fn lines(designs: &[Expense]) -> Vec<Line> {
    let mut lines: Vec<Line> = designs.iter().map(Expense::line).collect();
    let drawn: Vec<_> = designs.iter().map(|design| design.cost).collect();
    for part in lowest(&drawn, RANGE) {
        let cheapest = &designs[part.line];
        let line = line! {
            experiment: "tuple_cheapest",
            figure: &cheapest.figure,
            design: &cheapest.design,
        };
        let line = line
            .and("from_lookups_per_update", part.from)
            .and("to_lookups_per_update", part.to)
            .and("microdollars_at_start", cheapest.cost.per_time(part.from));
        lines.push(line.merged(&costs::line_of(&cheapest.prices)));
    }
    lines
}
