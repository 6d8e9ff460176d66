//! Tables for the result lines of `bench accumulators`.

use crate::{line, prelude::*};

/// Makes all tables of `bench accumulators` from the result lines of one run.
pub fn table(lines: &[Line]) -> Tables {
    shown("accumulators", derived, lines).signed(lines)
}

/// Derives figures of an operation. `speed_up` is the time on one thread divided by the time of
/// `line`; it is null for lines of one thread. `portable_us` is the time without fast lanes.
pub(crate) fn derived(lines: &[Line], line: &Line) -> Line {
    if line.text("experiment") != "accumulators" {
        return Line::default();
    }
    let same = ["accumulator", "operation", "n"];
    let mut alone = lines.iter().filter(|other| other.count("threads") == 1);
    let alone = alone.find(|other| other.agrees(line, &same));
    let times = alone.map(|alone| alone.figure("per_element_us") / line.figure("per_element_us"));
    let work = ["accumulator", "operation", "n", "threads"];
    line! {
        speed_up: times.filter(|_| line.count("threads") > 1),
        portable_us: without_lanes(lines, line, &work, "per_element_us"),
    }
}
