//! Tables of `bench tree`, `bench batch` and `bench primitives`, with the figures of 2010 next to
//! ours.

use crate::{costs, prelude::*};

/// Numbers of lookups per update on the horizontal axis of figure 6.
pub const LOOKUPS_PER_UPDATE: [f64; 7] = [0.01, 0.1, 1.0, 10.0, 100.0, 1e3, 1e4];

/// Makes the tables for the result lines of `bench tree`.
pub fn report(lines: &[Line]) -> Tables {
    let mut tables = Tables::default();
    let layouts = of(lines, "growing_paper_layout");
    for group in groups(&of(lines, "growing"), &["suite", "keys"]) {
        // All repositories of a scheme share one author.
        let authors = groups(&group, &["scheme"]);
        let authors: Vec<&Line> = authors.iter().map(|of_scheme| of_scheme[0]).collect();
        show_of("tree-authors", derived, &mut tables, &authors);
        show_of("tree-roles", derived, &mut tables, &group);
        let same = |line: &&&Line| line.agrees(group[0], &["suite", "keys"]);
        let layouts = layouts.iter().filter(same);
        let with_layouts: Vec<&Line> = group.iter().chain(layouts).copied().collect();
        show_of("tree-paper", derived, &mut tables, &with_layouts);
    }
    show("tree-further", derived, &mut tables, lines);
    tables.signed(lines)
}

/// Derives further figures of a result line. Plots draw lines of the first measured suite.
pub(crate) fn derived(all: &[Line], line: &Line) -> Line {
    let experiment = line.text("experiment");
    let is_drawn = experiment == "steady_state"
        && of(all, "steady_state")
            .first()
            .is_some_and(|first| first.agrees(line, &["suite"]));
    let [scheme, repository] = ["scheme", "repository"].map(|key| line.text(key));
    let bytes = line.number("resident_bytes_per_version");
    let megabytes = bytes.zip(line.number("versions"));
    let entries_in = match line.get("layout") {
        None => "leaves",
        Some(_) => "all nodes",
    };
    let costs = || LOOKUPS_PER_UPDATE.map(|ratio| costs::per_lookup(line, ratio) * 1e6);
    Line::default()
        .and("is_drawn", is_drawn)
        .and("name", format!("{scheme} {repository}"))
        .and("entries_in", entries_in)
        .and("megabytes", megabytes.map(|(bytes, of)| bytes * of / 1e6))
        .and("costs", (experiment == "growing").then(costs))
}

/// Makes the table of the primitives of each suite.
pub fn primitives(lines: &[Line]) -> Tables {
    shown("primitives", nothing, lines).signed(lines)
}

/// Makes the table of large snapshots on each number of threads.
pub fn batches(lines: &[Line]) -> Tables {
    shown("batch", nothing, lines).signed(lines)
}
