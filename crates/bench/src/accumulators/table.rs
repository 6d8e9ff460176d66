//! The lines of one run, for people.

use crate::{
    line::Line,
    tables::{Column, Tables, digits, number, text},
};

/// Every line, with the gain over one thread beside those of more.
pub fn table(lines: &[Line]) -> Tables {
    let speed_up = |line: &Line| {
        let same = ["accumulator", "operation", "n"];
        let alone = lines
            .iter()
            .find(|other| other.agrees(line, &same) && other.count("threads") == 1)
            .filter(|_| line.count("threads") > 1);
        alone.map_or_else(String::new, |alone| {
            digits(alone.figure("per_element_us") / line.figure("per_element_us"))
        })
    };
    let columns = [
        text("accumulator", "accumulator"),
        text("operation", "operation").left(),
        text("n", "n"),
        text("threads", "threads"),
        number("us each", "per_element_us"),
        number("ratio", "ratio"),
        Column::new("speed-up", speed_up),
        text("to one", "primitive").left(),
    ];
    let mut tables = Tables::default();
    tables.table(lines, &columns);
    tables.signed(lines)
}
