//! Comparison of the designs in a figure: their costs, the cheapest in each range, and whether
//! accumulators are ever the cheapest.
//!
//! Source: Crosby & Wallach 2010, sections 7.3 to 7.5.

use super::costs::{Expense, cheapest};
use crate::{line, prelude::*};

/// Claim about accumulators that every comparison of designs checks; the value of `claim` in its
/// result line.
pub const CLAIM: &str = "accumulators never win";

/// Reports the costs of all designs in a figure, the cheapest design in each range, and whether a
/// design with accumulators is ever the cheapest. The values of `experiment` begin with `family`.
pub fn report(family: &str, designs: &[Expense], report: &mut Report) -> Outcome<()> {
    lines(family, designs)
        .into_iter()
        .try_for_each(|line| report.line(line))
}

/// Computes the result lines that [`report`] reports.
pub fn lines(family: &str, designs: &[Expense]) -> Vec<Line> {
    let mut lines: Vec<Line> = designs.iter().map(|design| design.line(family)).collect();
    for (from, to, cheapest) in cheapest(designs) {
        let line = line! {
            experiment: format!("{family}_cheapest"), figure: &cheapest.figure,
            design: &cheapest.design,
        };
        let line = line
            .and("from_lookups_per_update", from)
            .and("to_lookups_per_update", to)
            .and("microdollars_at_start", cheapest.at(from));
        lines.push(line.merged(&crate::costs::line_of(&cheapest.prices)));
    }
    lines.extend(conclusion(family, designs));
    lines
}

/// Checks the paper's conclusion that accumulators never win. The result line contains a sentence
/// about the costs.
///
/// `None` unless there are designs with accumulators and designs without.
fn conclusion(family: &str, designs: &[Expense]) -> Option<Line> {
    let (times, at, nearest) = nearest(designs, "")?;
    let ranges = cheapest(designs).into_iter();
    let wins = ranges.filter(|(_, _, design)| design.accumulates());
    let wins: Vec<String> = wins
        .map(|(from, to, design)| {
            let (design, from, to) = (&design.design, digits(from), digits(to));
            format!("{design} from {from} to {to} look-ups per update")
        })
        .collect();
    let (name, at_text) = (&nearest.design, digits(at));
    let sentence = if wins.is_empty() {
        let times = digits(times);
        format!(
            "Accumulators never win: the nearest, {name}, costs {times} times the cheapest at \
                {at_text} look-ups per update."
        )
    } else {
        let (saved, wins) = (percent(1.0 - times), wins.join(", "));
        format!("Accumulators win: {wins}; by {saved} at most, at {at_text}.")
    };
    let line = line! {
        experiment: format!("{family}_conclusion"), figure: &nearest.figure, claim: CLAIM,
        holds: wins.is_empty(), sentence, nearest: name, nearest_times_cheapest_other: times,
    };
    let line = line.and("at_lookups_per_update", at);
    Some(line.merged(&crate::costs::line_of(&nearest.prices)))
}

/// Finds the design with accumulators whose cost is the smallest in proportion to the cheapest
/// design without them. Considers only accumulators with `kind` in the design's name.
///
/// Returns that ratio of costs, the number of lookups per update at which it occurs, and the
/// design.
pub fn nearest<'a>(designs: &'a [Expense], kind: &str) -> Option<(f64, f64, &'a Expense)> {
    let is_other = |design: &&Expense| !design.accumulates();
    let others: Vec<Expense> = designs.iter().filter(is_other).cloned().collect();
    // Within a range, one design is the cheapest of the others. Its cost and the cost of a design
    // with accumulators are both linear in the reciprocal of the lookups per update. So their
    // quotient is the smallest at an end of the range.
    let ranges = cheapest(&others).into_iter();
    let ends = ranges.flat_map(|(from, to, other)| [from, to].map(|at| (at, other.at(at))));
    let quotients = ends.flat_map(|(at, lowest)| {
        let own = designs
            .iter()
            .filter(|it| it.accumulates() && it.design.contains(kind));
        own.map(move |design| (design.at(at) / lowest, at, design))
    });
    quotients.min_by(|one, other| one.0.total_cmp(&other.0))
}
