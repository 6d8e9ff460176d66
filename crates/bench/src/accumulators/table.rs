//! The lines of one run, for people.

use comfy_table::CellAlignment;

use super::AccumulatorRecord;
use crate::tables::{machine, new_table, number};

/// Every line, with the gain over one thread beside those of more.
pub fn table(records: &[AccumulatorRecord]) -> String {
    let mut table = new_table(&[
        "accumulator",
        "operation",
        "n",
        "threads",
        "us each",
        "ratio",
        "speed-up",
        "to one",
    ]);
    for record in records {
        let alone = records.iter().find(|other| {
            (&other.accumulator, &other.operation, other.n, other.threads)
                == (&record.accumulator, &record.operation, record.n, 1)
        });
        let speed_up = alone
            .filter(|_| record.threads > 1)
            .map_or_else(String::new, |alone| {
                number(alone.per_element_us / record.per_element_us)
            });
        table.add_row([
            record.accumulator.clone(),
            record.operation.clone(),
            record.n.to_string(),
            record.threads.to_string(),
            number(record.per_element_us),
            number(record.ratio),
            speed_up,
            record.primitive.clone(),
        ]);
    }
    for column in [0, 1, 7] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Left);
        }
    }
    let footer = records
        .first()
        .map_or_else(String::new, |r| machine(&r.machine));
    format!("{table}\n{footer}")
}
