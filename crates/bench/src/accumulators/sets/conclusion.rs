//! Checks the paper's conclusion that accumulators never win, and its statements about bytes and
//! times.

use super::{EXPERIMENT, claims};
use crate::{
    prelude::*,
    tuple::{conclusion, costs::Expense},
};

/// Reports the cheapest contender for each range of lookups per update, and whether an accumulator
/// is ever the cheapest.
///
/// Computes from the result lines in `report` so far.
pub fn run(report: &mut Report) -> Outcome<()> {
    let lines = report.lines().to_vec();
    let lines = of(&lines, EXPERIMENT);
    for group in groups(&lines, &["n"]) {
        let n = group[0].count("n");
        for generations in [1, 2] {
            let contends = |line: &&&Line| {
                // A tree gains nothing from generations, and is compared with both.
                line.count("generations") == generations || line.text("contender") == "merkle-tree"
            };
            let figure = format!("sets-{n}-elements-{generations}-generations");
            let expense = |line: &&Line| {
                let update_us = line.figure("author_us") + line.figure("apply_us");
                Expense::new(&figure, line, update_us, "update_bytes")
            };
            let contenders: Vec<Expense> = group.iter().filter(contends).map(expense).collect();
            conclusion::report("accumulators", &contenders, report)?;
        }
        claims::run(&group, report)?;
    }
    Ok(())
}
