//! Checks the paper's conclusion that accumulators never win, and its statements about bytes and
//! times.

use super::EXPERIMENT;
use crate::{
    costs, line,
    paper::ACCUMULATED_SET_ELEMENTS,
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
        claims_of(&group, report)?;
    }
    Ok(())
}

/// Reports each statement of section 7.4 with our number, from `group`, the result lines of one set
/// size. Skips accumulators that were not measured.
fn claims_of(group: &[&Line], report: &mut Report) -> Outcome<()> {
    for accumulator in ["rsa", "bilinear"] {
        let Some(author) = one(group, accumulator, "author") else {
            continue;
        };
        for (claim, ours) in claims(group, accumulator, author) {
            let ours = ours.filter(|ours| ours.is_finite());
            let paper = published(&line! { experiment: "accumulators_claims" }).number(claim);
            report.line(line! {
                experiment: "accumulators_claims", claim, accumulator: author.text("contender"),
                n: author.count("n"), ours, paper,
                ratio: ours.zip(paper).map(|(ours, paper)| ours / paper),
            })?;
        }
    }
    Ok(())
}

/// Finds a result line in one generation: `contender` is a prefix of its name, and `witnesses` is
/// the maker of its witnesses.
fn one<'a>(group: &[&'a Line], contender: &str, witnesses: &str) -> Option<&'a Line> {
    let is_it = |line: &&&Line| {
        line.text("contender").starts_with(contender)
            && line.text("witnesses") == witnesses
            && line.count("generations") == 1
    };
    group.iter().find(is_it).copied()
}

/// Returns the name of each statement in section 7.4, with the measured number. The number is
/// `None` or NaN if a contender was not measured. `author` is the line of the accumulator whose
/// witnesses the author makes.
fn claims(group: &[&Line], accumulator: &str, author: &Line) -> [(&'static str, Option<f64>); 7] {
    let (signed, tree) = (one(group, "signed-each", ""), one(group, "merkle-tree", ""));
    let server = one(group, accumulator, "server");
    let ratio = |key: &str, other: Option<&Line>| Some(author.number(key)? / other?.number(key)?);
    let n = author.figure("n");
    let minutes = |us: Option<f64>| Some(us? / n * ACCUMULATED_SET_ELEMENTS / 6e7);
    let apply_us = server.and_then(|line| line.number("apply_us"));
    let to_signing = Some(update_cost(server) / update_cost(signed));
    [
        ("author_time_to_signing_each", ratio("author_us", signed)),
        (
            "update_bytes_to_signing_each",
            ratio("update_bytes", signed),
        ),
        ("proof_bytes_to_signing_each", ratio("proof_bytes", signed)),
        ("proof_bytes_to_merkle_tree", ratio("proof_bytes", tree)),
        ("server_cost_to_signing_each", to_signing),
        (
            "minutes_of_author_for_262144",
            minutes(author.number("author_us")),
        ),
        ("minutes_of_server_for_262144", minutes(apply_us)),
    ]
}

/// Returns the cost of an update in dollars, at the paper's prices. Counts the CPU time of author
/// and server, and the bytes of the update. Returns NaN if `line` is `None`.
fn update_cost(line: Option<&Line>) -> f64 {
    let Some(line) = line else {
        return f64::NAN;
    };
    let prices = costs::of_2010();
    let us = line.figure("author_us") + line.figure("apply_us");
    prices.of_computing(us) + prices.of_sending(line.figure("update_bytes"))
}
