//! Tables for the result lines of `bench aad`.

use crate::{goals, line, prelude::*};

/// Makes a table for each experiment of `bench aad`, and the table of goals.
pub fn report(lines: &[Line]) -> Tables {
    let mut tables = shown("aad", derived, lines);
    goals::table(&goals::GOALS["logs"], GOALS, computed, lines, &mut tables);
    tables.signed(lines)
}

/// Note above the table of goals.
const GOALS: &str = "Limit: the time of only the sums, points and pairings, in this run. Ratio: \
    the figure divided by its limit.";

/// Computes a figure of a goal: memory in bytes per entry, without the bytes of the entry itself.
/// Skips logs of fewer than 512 entries, where the figure is noise.
fn computed(name: &str, lines: &[Line]) -> Option<f64> {
    let (scheme, key) = match name {
        "memory-counted" => ("aad-counted", "memory_bytes_per_element"),
        "memory-frontier" => ("aad-frontier", "memory_bytes_per_element"),
        _ => ("aad-frontier", "peak_bytes_per_element"),
    };
    let measured = of(lines, "aad_memory");
    let is_of = |line: &&&Line| line.text("scheme") == scheme && line.count("n") >= 512;
    let line = measured.iter().find(is_of)?;
    Some(line.number(key)? - line.figure("entry_bytes"))
}

/// Derives figures of a result line that tables and plots show in addition.
pub(crate) fn derived(all: &[Line], line: &Line) -> Line {
    match line.text("experiment") {
        "aad_append" => appended(all, line),
        "aad_lookup" => looked_up(all, line),
        "aad_bandwidth" => {
            let visits = of(all, "aad_bandwidth");
            let largest = visits.iter().map(|line| line.count("n")).max();
            line! { is_largest: largest == Some(line.count("n")) }
        }
        _ => Line::default(),
    }
}

/// Derives `portable_us`, the time of an append without fast lanes. Also derives `is_drawn`:
/// whether the line's log has the paper's number of entries. If its scheme has no such log, the
/// largest log is drawn.
fn appended(all: &[Line], line: &Line) -> Line {
    let work = ["scheme", "n", "batch", "threads"];
    let same = of(all, "aad_append").into_iter();
    let same = same.filter(|other| other.agrees(line, &["scheme", "threads"]));
    let sizes = same.map(|line| line.count("n"));
    let n = sizes.max_by_key(|n| (*n == APPENDS, *n));
    line! {
        portable_us: without_lanes(all, line, &work, "append_us"),
        is_drawn: n == Some(line.count("n")),
    }
}

/// Number of entries that the paper appended.
const APPENDS: u64 = 8_192;

/// Derives texts and conditions of a look-up. `asked` states whether the key was absent or has one
/// value. `mark` states from which number of entries on bytes are computed instead of measured.
fn looked_up(all: &[Line], line: &Line) -> Line {
    let same = of(all, "aad_lookup").into_iter();
    let same = same.filter(|other| other.agrees(line, &["scheme", "values", "schedule"]));
    let computed = same.filter(|other| is_computed(other) && is_full(other));
    let computed = computed.map(|line| line.count("n")).min();
    let mark = computed.map_or_else(String::new, |n| format!(" (computed from {n} on)"));
    let asked = match line.count("values") {
        0 => "absent key",
        _ => "one value",
    };
    line! {
        asked, mark, is_full: is_full(line),
        computed: if is_computed(line) { "computed" } else { "" },
        is_shown: !is_computed(line) || SHOWN.contains(&line.count("n")),
    }
}

/// Reports whether the log of a result line has `2^h - 1` entries, and so as many trees as
/// possible.
fn is_full(line: &Line) -> bool {
    line.count("n").saturating_add(1).is_power_of_two()
}

/// Reports whether the figures of a result line were computed instead of measured.
fn is_computed(line: &Line) -> bool {
    line.says(&[("is_computed", "true")])
}

/// Log sizes, in entries, whose computed result lines appear in the table of lookups.
const SHOWN: [u64; 2] = [(1 << 13) - 1, (1 << 20) - 1];
