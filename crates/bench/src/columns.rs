//! Columns as data: titles and keys.

use serde_json::Value;

use crate::{
    line::{Line, groups, of},
    tables::{Column, Tables, dash, digits},
};

/// The title of a column, and the key of its figures.
pub type Titled = (&'static str, &'static str);

/// A column for each title: texts and counts as they are, figures with about four digits.
pub fn titled(columns: &'static [Titled]) -> Vec<Column<'static>> {
    let column = |(title, key): &'static Titled| Column::new(title, move |line| cell(line, key));
    columns.iter().map(column).collect()
}

fn cell(line: &Line, key: &str) -> String {
    match line.get(key) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) => dash(),
        Some(Value::Number(number)) if number.is_f64() => number.as_f64().map_or_else(dash, digits),
        Some(value) => value.to_string(),
        // As of every column: the line was written by another version of this program.
        None => "?".to_owned(),
    }
}

/// A table that shows every line of an experiment.
pub struct Declared {
    /// The `experiment` of its lines.
    pub experiment: &'static str,
    /// What stands above.
    pub title: &'static str,
    /// What stands below the title.
    pub note: &'static str,
    /// Lines that differ in these have tables of their own.
    pub by: &'static [&'static str],
    /// What it shows.
    pub columns: &'static [Titled],
}

impl Declared {
    /// A table of all lines of an experiment.
    pub const fn new(
        experiment: &'static str,
        title: &'static str,
        columns: &'static [Titled],
    ) -> Self {
        Self {
            experiment,
            title,
            note: "",
            by: &[],
            columns,
        }
    }

    /// The same with a table for each value of these keys.
    #[must_use]
    pub const fn by(self, by: &'static [&'static str]) -> Self {
        Self { by, ..self }
    }

    /// The same with a note.
    #[must_use]
    pub const fn noted(self, note: &'static str) -> Self {
        Self { note, ..self }
    }

    /// Adds the table or tables, unless there are no lines.
    pub fn show(&self, tables: &mut Tables, lines: &[Line]) {
        let columns = titled(self.columns);
        for group in groups(&of(lines, self.experiment), self.by) {
            tables.section(self.title, self.note, &group, &columns);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line;

    #[test]
    fn figures_look_like_what_they_are() {
        let lines = [("a", 1_u64), ("b", 2)].map(|(name, keys)| {
            line! { experiment: "e", name: name, keys: keys, us: 1234.56, none: None::<f64> }
        });
        let columns: &[Titled] = &[
            ("n", "name"),
            ("k", "keys"),
            ("us", "us"),
            ("0", "none"),
            ("x", "x"),
        ];
        let shown = |declared: Declared| {
            let mut tables = Tables::default();
            declared.show(&mut tables, &lines);
            tables.to_string()
        };
        let text = shown(Declared::new("e", "Title", columns));
        assert!(text.contains("| a | 1 | 1235 | - | ? |"), "{text}");
        let text = shown(Declared::new("e", "Title", columns).by(&["name"]));
        assert_eq!(text.matches("Title").count(), 2);
        assert!(shown(Declared::new("other", "Title", columns)).is_empty());
    }
}
