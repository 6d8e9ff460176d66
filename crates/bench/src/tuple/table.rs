//! Tables for the result lines of `bench tuple`.

use super::witness_policy::Policy;
use crate::{line, prelude::*};

/// Makes all tables of `bench tuple` from the result lines of one run.
pub fn report(lines: &[Line]) -> Tables {
    let mut tables = Tables::default();
    for size in groups(&of(lines, "tuple_growing"), &["keys"]) {
        show_of("tuple-growing", derived, &mut tables, &size);
    }
    show("tuple-steady", derived, &mut tables, lines);
    exponents(&mut tables, lines);
    show("tuple-scaling", derived, &mut tables, lines);
    for trace in groups(&of(lines, "tuple_macrobenchmark"), &["trace"]) {
        show_of("tuple-macrobenchmark", derived, &mut tables, &trace);
    }
    let changed = Policy::ALL.map(Policy::experiment);
    for family in ["tuple"]
        .into_iter()
        .chain(changed)
        .chain(["tuple_what_if"])
    {
        let [costs, cheapest, conclusions] = ["lookup_costs", "cheapest", "conclusion"]
            .map(|kind| of(lines, &format!("{family}_{kind}")));
        for figure in groups(&costs, &["figure"]) {
            let same = |line: &&&Line| line.agrees(figure[0], &["figure"]);
            show_of("tuple-costs", derived, &mut tables, &figure);
            let cheapest: Vec<&Line> = cheapest.iter().filter(same).copied().collect();
            show_of("tuple-cheapest", derived, &mut tables, &cheapest);
            for line in conclusions.iter().filter(same) {
                tables.heading("", line.text("sentence"));
            }
        }
    }
    show("tuple-what-if", derived, &mut tables, lines);
    tables.signed(lines)
}

/// Derives the reason why the run of a design stopped early, and the title of a figure with the
/// policy for witnesses that it assumes.
pub(crate) fn derived(_: &[Line], line: &Line) -> Line {
    let stopped_by = Some(line.text("stopped")).filter(|stopped| *stopped != "finished");
    let experiment = line.text("experiment");
    let is_of = |policy: &Policy| experiment.starts_with(policy.experiment());
    let policy = Policy::ALL.into_iter().find(is_of);
    let policy = policy.map_or_else(String::new, |policy| format!(", {}", policy.name()));
    line! { stopped_by, title: format!("{}{policy}", title_of(line.text("figure"))) }
}

/// Returns the title of a plot for figure 7 or 8 of Crosby & Wallach, from the value of `figure` in
/// result lines.
pub(crate) fn title_of(figure: &str) -> String {
    match figure.split_once('-') {
        Some(("figure8", trace)) => format!("Figure 8, {}", trace.replace('-', " ")),
        Some(("figure7", "steady")) => "Figure 7, in a steady state".to_owned(),
        Some(("figure7", keys)) => format!("Figure 7, growing to {}", keys.replace('-', " ")),
        _ => "Figure 7, growing".to_owned(),
    }
}

/// Adds a note for each line of `tuple_exponent`: how a figure of `tuple_steady` grows with the
/// number of keys.
fn exponents(tables: &mut Tables, lines: &[Line]) {
    for line in of(lines, "tuple_exponent") {
        let (design, quantity) = (line.text("design"), line.text("quantity"));
        let exponent = digits(line.figure("exponent"));
        tables.note(&format!("{design}: {quantity} grows as keys^{exponent}"));
    }
    if !of(lines, "tuple_steady").is_empty() {
        tables.note("");
    }
}
