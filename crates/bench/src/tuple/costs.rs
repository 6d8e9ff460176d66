//! Figures 7 and 8: what a look-up costs with its share of the updates, and which design is the
//! cheapest where.
//!
//! A design costs `lookup + update / r` for each of `r` look-ups per update, a line in `1 / r`; so the
//! points where another design becomes the cheapest are computed, not searched.

use crate::{
    costs::{Prices, Scenario},
    line,
    line::Line,
};

/// From one look-up per update to hardly any update: the horizontal axis.
const RANGE: (f64, f64) = (1.0, 1e7);

/// The name of figure 7.
pub const GROWING: &str = "figure7";

/// What one design costs, in micro-dollars.
#[derive(Clone, Debug)]
pub struct Expense {
    pub(super) figure: String,
    pub(super) design: String,
    keys: u64,
    lookup: f64,
    update: f64,
    pub(super) prices: Prices,
}

impl Expense {
    /// What a measured design costs: its times in microseconds are those of an update, the prices those of the line.
    pub fn new(figure: &str, line: &Line, update_us: f64, update_bytes: &str) -> Self {
        let prices = Prices {
            cpu_cents_per_hour: line.figure("cpu_cents_per_hour"),
            cents_per_gigabyte: line.figure("cents_per_gigabyte"),
        };
        Self::at_prices(prices, (figure, line), update_us, update_bytes)
    }

    fn at_prices(
        prices: Prices,
        (figure, line): (&str, &Line),
        update_us: f64,
        update_bytes: &str,
    ) -> Self {
        let microdollars =
            |us, bytes| 1e6 * (prices.of_computing(us) + prices.of_sending(line.figure(bytes)));
        Self {
            figure: figure.to_owned(),
            design: line.text("design").to_owned(),
            keys: line.count("keys"),
            lookup: microdollars(line.figure("prove_us"), "proof_bytes"),
            update: microdollars(update_us, update_bytes),
            prices,
        }
    }

    /// Whether witnesses of an accumulator prove its answers.
    pub(super) fn accumulates(&self) -> bool {
        ["accumulators", "rsa", "bilinear"]
            .iter()
            .any(|part| self.design.contains(part))
    }

    pub(super) fn at(&self, lookups_per_update: f64) -> f64 {
        self.lookup + self.update / lookups_per_update
    }

    /// The line of the experiment of that family.
    pub(super) fn line(&self, family: &str) -> Line {
        let ratios = (0..=28).map(|step| 10_f64.powf(f64::from(step) / 4.0));
        let points: Vec<(f64, f64)> = ratios.map(|ratio| (ratio, self.at(ratio))).collect();
        let line = line! {
            experiment: format!("{family}_lookup_costs"),
            figure: &self.figure,
            design: &self.design,
            keys: self.keys,
        };
        line.and("lookup_microdollars", self.lookup)
            .and("update_microdollars", self.update)
            .and("points", points)
            .merged(&self.prices)
    }
}

/// Figure 7, over the growing run as in the paper. Designs that were stopped early are left out.
pub fn of_growing(lines: &[&Line]) -> Vec<Expense> {
    let expense = |line| {
        let update_us = sum(line, &["author_us", "apply_us"]);
        Expense::new(GROWING, line, update_us, "update_overall_bytes")
    };
    finished(lines).map(expense).collect()
}

/// Figure 7 in a scenario of section 10. Cryptography is the measured shares of the times of author and server.
pub fn of_growing_in(lines: &[&Line], scenario: &Scenario) -> Vec<Expense> {
    let left = |line: &Line, time: &str, share: &str| {
        let share = line.number(share).unwrap_or(0.0);
        line.figure(time) * (1.0 - share * (1.0 - scenario.cryptography))
    };
    let expense = |line| {
        let update_us = left(line, "author_us", "author_cryptography_share")
            + left(line, "apply_us", "server_cryptography_share");
        let figure = (scenario.name.as_str(), line);
        Expense::at_prices(scenario.prices, figure, update_us, "update_overall_bytes")
    };
    finished(lines).map(expense).collect()
}

/// The designs that reached all keys.
fn finished<'a>(lines: &[&'a Line]) -> impl Iterator<Item = &'a Line> {
    let is_finished = |line: &&Line| line.count("inserted") == line.count("keys");
    lines.iter().copied().filter(is_finished)
}

/// Up to how many look-ups per update a design is the cheapest; none if it never is.
pub fn cheapest_until(designs: &[Expense], design: &str) -> Option<f64> {
    let ranges = cheapest(designs).into_iter();
    let of_design = ranges.filter(|(_, _, cheapest)| cheapest.design == design);
    of_design.map(|(_, to, _)| to).next_back()
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

/// Which of the designs of one figure is the cheapest in which ranges, in ascending order.
pub(super) fn cheapest(designs: &[Expense]) -> Vec<(f64, f64, &Expense)> {
    let mut ranges = Vec::new();
    let mut from = RANGE.0;
    let first = |one: &&Expense, other: &&Expense| one.at(RANGE.0).total_cmp(&other.at(RANGE.0));
    let mut current = designs.iter().min_by(first);
    while let Some(cheapest) = current {
        // Only a design with cheaper look-ups overtakes; the first to do so is next.
        let next = designs
            .iter()
            .filter(|other| other.lookup < cheapest.lookup)
            .map(|other| {
                let (update, lookup) = (
                    other.update - cheapest.update,
                    cheapest.lookup - other.lookup,
                );
                ((update / lookup).max(from), other)
            })
            .filter(|(at, _)| *at < RANGE.1)
            .min_by(|one, other| one.0.total_cmp(&other.0));
        let to = next.map_or(RANGE.1, |(at, _)| at);
        ranges.push((from, to, cheapest));
        from = to;
        current = next.map(|(_, other)| other);
    }
    ranges
}

#[cfg(test)]
#[allow(clippy::cast_sign_loss, reason = "counts are not negative")]
pub(super) mod tests {
    use super::*;

    pub(crate) fn design(name: &str, lookup: f64, update: f64) -> Expense {
        Expense {
            figure: "figure7".to_owned(),
            design: name.to_owned(),
            keys: 1,
            lookup,
            update,
            prices: Prices::PAPER,
        }
    }

    #[test]
    fn the_cheapest_change_where_the_costs_cross() {
        let designs = [
            design("never", 6.0, 2_000.0),
            design("many", 1.0, 10_000.0),
            design("few", 5.0, 10.0),
            design("some", 2.0, 610.0),
        ];
        let ranges = cheapest(&designs);
        let shown: Vec<_> = ranges
            .iter()
            .map(|(from, _, design)| (design.design.as_str(), from.round() as u64))
            .collect();
        assert_eq!(shown, [("few", 1), ("some", 200), ("many", 9390)]);
        assert!((ranges[2].1 - RANGE.1).abs() < 1.0);
        assert!(cheapest(&[]).is_empty());
    }
}
