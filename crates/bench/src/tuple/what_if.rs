//! Figure 7 if bandwidth, computing or cryptography were cheaper.
//!
//! Source: Crosby & Wallach 2010, section 10.

use super::{
    costs::{self, cheapest_until, of_growing_in},
    macrobenchmark::TREE,
};
use crate::{Outcome, costs::scenarios, line, line::Line, paper::red_black_until, report::Report};

/// The costs of the designs in each scenario, and up to where the tree is the cheapest.
pub fn run(lines: &[Line], cheaper: f64, report: &mut Report) -> Outcome<()> {
    for (index, scenario) in scenarios(cheaper).iter().enumerate() {
        let designs = of_growing_in(lines, scenario);
        costs::report("tuple_what_if", &designs, report)?;
        let until = cheapest_until(&designs, TREE);
        let line = line! {
            experiment: "tuple_what_if",
            scenario: &scenario.name,
            cheaper: if index == 0 { 1.0 } else { cheaper },
            keys: lines.first().map(|line| line.count("keys")),
            red_black_until: until,
            paper_red_black_until: red_black_until(&scenario.name),
        };
        report.line(line.merged(&scenario.prices))?;
    }
    Ok(())
}
