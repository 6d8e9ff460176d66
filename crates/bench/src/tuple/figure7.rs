//! Results computed from the measurements of the experiment `growing`: figure 7, its variants with
//! another [`Policy`] for witnesses, and the scenarios of section 10.
//!
//! If designs were measured in several runs, the lines of all runs are combined.

use core::cmp::Reverse;

use super::{
    conclusion,
    costs::{self, cheapest_until, of_growing},
    macrobenchmark::TREE,
    witness_policy::Policy,
};
use crate::{
    costs::{Scenario, scenarios},
    line,
    prelude::*,
};

/// Prefix of the value of `experiment` in the result lines of scenarios.
const WHAT_IF: &str = "tuple_what_if";

/// Computes the results from the lines of one run or several.
///
/// Compares only designs with equal numbers of keys. The comparison at the largest number is
/// `figure7`, and the only one with scenarios.
pub fn lines(lines: &[Line]) -> Vec<Line> {
    let grown = of(lines, "tuple_growing");
    let mut all = Vec::new();
    let mut sizes = groups(&grown, &["keys"]);
    sizes.sort_by_key(|size| Reverse(size[0].count("keys")));
    for (place, grown) in sizes.iter().enumerate() {
        let figure = Scenario {
            name: match place {
                0 => costs::GROWING.to_owned(),
                _ => format!("{}-{}{KEYS}", costs::GROWING, grown[0].count("keys")),
            },
            ..Scenario::of_2010()
        };
        all.extend(conclusion::lines("tuple", &of_growing(grown, &figure)));
        let is_as_large = |line: &&Line| line.agrees(grown[0], &["keys"]);
        for experiment in Policy::ALL.map(Policy::experiment) {
            let changed = of(lines, experiment).into_iter();
            let changed: Vec<&Line> = changed.filter(is_as_large).collect();
            if !changed.is_empty() {
                let is_other = |line: &&&Line| line.number("witnesses_per_snapshot").is_none();
                let others = grown.iter().filter(is_other).copied();
                let designs: Vec<&Line> = others.chain(changed).collect();
                let designs = of_growing(&designs, &figure);
                all.extend(conclusion::lines(experiment, &designs));
            }
        }
    }
    let largest = sizes.first().into_iter();
    all.extend(largest.flat_map(|grown| what_ifs(grown)));
    all
}

/// End of the value of `figure` for all numbers of keys except the largest.
const KEYS: &str = "-keys";

/// Reports whether [`lines()`] computed this result line.
pub fn follows(line: &Line) -> bool {
    let figure = line.text("figure");
    let is_smaller = figure.starts_with(costs::GROWING) && figure.ends_with(KEYS);
    figure == costs::GROWING || is_smaller || line.text("experiment").starts_with(WHAT_IF)
}

/// Computes the costs of the designs in each scenario of section 10. Also computes the number of
/// lookups per update up to which the tree is the cheapest.
///
/// Source: Crosby & Wallach 2010, section 10.
fn what_ifs(grown: &[&Line]) -> Vec<Line> {
    let mut lines = Vec::new();
    let keys = grown.first().map(|line| line.count("keys"));
    for scenario in scenarios() {
        let designs = of_growing(grown, &scenario);
        lines.extend(conclusion::lines(WHAT_IF, &designs));
        let line = line! {
            experiment: WHAT_IF, scenario: &scenario.name, keys,
            red_black_until: cheapest_until(&designs, TREE),
        };
        let paper = published(&line).number("red_black_until");
        let line = line.with("paper_red_black_until", paper);
        lines.push(line.merged(&crate::costs::line_of(&scenario.prices)));
    }
    lines
}
