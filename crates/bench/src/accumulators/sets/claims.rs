//! What the paper says of accumulated sets in numbers, beside ours.

use crate::{
    Outcome,
    costs::Prices,
    line,
    line::Line,
    paper::{ACCUMULATED_SET_ELEMENTS, SETS},
    report::Report,
};

/// The statements of section 7.4 over the lines of one size, as far as their contenders were measured.
pub fn run(group: &[&Line], report: &mut Report) -> Outcome<()> {
    let one = |contender: &str, witnesses: &str| {
        let is_it = |line: &&&Line| {
            line.text("contender").starts_with(contender)
                && line.text("witnesses") == witnesses
                && line.count("generations") == 1
        };
        group.iter().find(is_it).copied()
    };
    let signed = one("signed-each", "");
    let tree = one("merkle-tree", "");
    for accumulator in ["rsa", "bilinear"] {
        let Some(author) = one(accumulator, "author") else {
            continue;
        };
        let (server, name) = (one(accumulator, "server"), author.text("contender"));
        let n = author.figure("n");
        let ratio =
            |key: &str, other: Option<&Line>| Some(author.number(key)? / other?.number(key)?);
        let minutes = |us: Option<f64>| Some(us? / n * ACCUMULATED_SET_ELEMENTS / 6e7);
        let claims = [
            ("author_time_to_signing_each", ratio("author_us", signed)),
            (
                "update_bytes_to_signing_each",
                ratio("update_bytes", signed),
            ),
            ("proof_bytes_to_signing_each", ratio("proof_bytes", signed)),
            ("proof_bytes_to_merkle_tree", ratio("proof_bytes", tree)),
            (
                "server_cost_to_signing_each",
                Some(update_cost(server) / update_cost(signed)),
            ),
            (
                "minutes_of_author_for_262144",
                minutes(author.number("author_us")),
            ),
            (
                "minutes_of_server_for_262144",
                minutes(server.and_then(|it| it.number("apply_us"))),
            ),
        ];
        for (claim, ours) in claims {
            let ours = ours.filter(|ours| ours.is_finite());
            let paper = SETS.get("accumulators", claim);
            report.line(line! {
                experiment: "accumulators_claims",
                claim: claim,
                accumulator: name,
                n: author.count("n"),
                ours: ours,
                paper: paper,
                ratio: ours.zip(paper).map(|(ours, paper)| ours / paper),
            })?;
        }
    }
    Ok(())
}

/// Dollars of an update, at the paper's prices.
fn update_cost(line: Option<&Line>) -> f64 {
    let Some(line) = line else {
        return f64::NAN;
    };
    let prices = Prices::PAPER;
    let us = line.figure("author_us") + line.figure("apply_us");
    prices.of_computing(us) + prices.of_sending(line.figure("update_bytes"))
}
