//! Tables for people: a column is its name and what it shows of a line.

use std::fmt;

use comfy_table::{CellAlignment, Table, presets::ASCII_MARKDOWN};

use crate::line::Line;

/// A column of a table.
pub struct Column<'a> {
    title: &'a str,
    cell: Box<dyn Fn(&Line) -> String + 'a>,
    alignment: CellAlignment,
}

impl<'a> Column<'a> {
    /// A column of anything.
    pub fn new(title: &'a str, cell: impl Fn(&Line) -> String + 'a) -> Self {
        Self {
            title,
            cell: Box::new(cell),
            alignment: CellAlignment::Right,
        }
    }

    /// The column under another title.
    #[must_use]
    pub fn titled(mut self, title: &'a str) -> Self {
        self.title = title;
        self
    }

    /// The column aligned to the left, as the first one always is.
    #[must_use]
    pub fn left(mut self) -> Self {
        self.alignment = CellAlignment::Left;
        self
    }
}

/// A column of texts or whole numbers.
pub fn text<'a>(title: &'a str, key: &'a str) -> Column<'a> {
    Column::new(title, move |line| match line.get(key) {
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(serde_json::Value::Null) => dash(),
        Some(value) => value.to_string(),
        None => missing(),
    })
}

/// A column of figures.
pub fn number<'a>(title: &'a str, key: &'a str) -> Column<'a> {
    scaled(title, key, 1.0)
}

/// A column of figures in another unit.
pub fn scaled<'a>(title: &'a str, key: &'a str, factor: f64) -> Column<'a> {
    figure(title, key, move |value| digits(value * factor))
}

/// A column of shares of 1, as percentages.
pub fn share<'a>(title: &'a str, key: &'a str) -> Column<'a> {
    figure(title, key, percent)
}

/// A column of figures that are not in the line itself, where there are any.
pub fn computed<'a>(title: &'a str, value: impl Fn(&Line) -> Option<f64> + 'a) -> Column<'a> {
    Column::new(title, move |line| value(line).map_or_else(dash, digits))
}

/// The same of shares.
pub fn computed_share<'a>(title: &'a str, value: impl Fn(&Line) -> Option<f64> + 'a) -> Column<'a> {
    Column::new(title, move |line| value(line).map_or_else(dash, percent))
}

fn figure<'a>(title: &'a str, key: &'a str, show: impl Fn(f64) -> String + 'a) -> Column<'a> {
    Column::new(title, move |line| match line.get(key) {
        Some(value) => value.as_f64().map_or_else(dash, &show),
        None => missing(),
    })
}

/// Headings, notes and tables one after the other: as text by [`Display`](fmt::Display), and on a page by [`mod@crate::full_report::page`].
#[derive(Clone, Debug, Default)]
pub struct Tables(Vec<Block>);

/// One part of [`Tables`].
#[derive(Clone, Debug)]
pub enum Block {
    /// A title, and a note below, either of which may be empty.
    Heading {
        /// The title.
        title: String,
        /// What must be known to read what follows.
        note: String,
    },
    /// A table of texts.
    Table {
        /// The names of the columns.
        titles: Vec<String>,
        /// Whether each column is aligned to the right, as numbers are.
        to_the_right: Vec<bool>,
        /// The rows, each as long as the titles.
        rows: Vec<Vec<String>>,
    },
    /// A line of text.
    Note(String),
}

impl Tables {
    /// Adds a heading and a note, each if it is not empty.
    pub fn heading(&mut self, title: &str, note: &str) {
        let (title, note) = (title.to_owned(), note.to_owned());
        self.0.push(Block::Heading { title, note });
    }

    /// Adds a table with a row for each line.
    pub fn table<'l>(&mut self, lines: impl IntoIterator<Item = &'l Line>, columns: &[Column<'_>]) {
        let row = |line| columns.iter().map(|column| (column.cell)(line)).collect();
        let titles: Vec<&str> = columns.iter().map(|column| column.title).collect();
        let alignments: Vec<CellAlignment> = columns.iter().map(|it| it.alignment).collect();
        self.rows(&titles, &alignments, lines.into_iter().map(row).collect());
    }

    /// Adds a table with a heading, unless there are no lines.
    pub fn section(&mut self, title: &str, note: &str, lines: &[&Line], columns: &[Column<'_>]) {
        if !lines.is_empty() {
            self.heading(title, note);
            self.table(lines.iter().copied(), columns);
        }
    }

    /// Adds a table of texts; columns without an alignment are aligned to the right, the first one to the left.
    pub fn rows(&mut self, titles: &[&str], alignments: &[CellAlignment], rows: Vec<Vec<String>>) {
        let is_right = |index: usize| {
            let alignment = alignments.get(index).copied();
            index > 0 && alignment.unwrap_or(CellAlignment::Right) == CellAlignment::Right
        };
        self.0.push(Block::Table {
            titles: titles.iter().map(|&title| title.to_owned()).collect(),
            to_the_right: (0..titles.len()).map(is_right).collect(),
            rows,
        });
    }

    /// Adds a line of text.
    pub fn note(&mut self, text: &str) {
        self.0.push(Block::Note(text.to_owned()));
    }

    /// Ends with the machine that measured, if a line names one.
    #[must_use]
    pub fn signed(mut self, lines: &[Line]) -> Self {
        if let Some(line) = lines.iter().find(|line| line.get("cpu").is_some()) {
            let [cpu, rustc, commit] = ["cpu", "rustc", "commit"].map(|key| line.text(key));
            let cores = line.count("cores");
            self.note(&format!(
                "{cpu}, {cores} cores; {rustc}; commit {commit}; one thread unless stated."
            ));
        }
        self
    }

    /// What was added, in order.
    pub fn blocks(&self) -> &[Block] {
        &self.0
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Tables {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|block| write!(formatter, "{block}"))
    }
}

impl fmt::Display for Block {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Heading { title, note } => {
                for text in [title, note].into_iter().filter(|text| !text.is_empty()) {
                    writeln!(formatter, "{text}")?;
                }
                writeln!(formatter)
            }
            Self::Table {
                titles,
                to_the_right,
                rows,
            } => {
                let mut table = Table::new();
                let table = table.load_style(ASCII_MARKDOWN);
                table.set_header(titles).add_rows(rows);
                for (column, is_right) in table.column_iter_mut().zip(to_the_right) {
                    if *is_right {
                        column.set_cell_alignment(CellAlignment::Right);
                    }
                }
                writeln!(formatter, "{table}\n")
            }
            Self::Note(text) => writeln!(formatter, "{text}"),
        }
    }
}

/// A number with about four significant digits, and no exponent.
pub fn digits(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 1000.0 => 0,
        size if size >= 100.0 => 1,
        size if size >= 1.0 || size == 0.0 => 2,
        size if size >= 0.01 => 4,
        _ => 6,
    };
    format!("{value:.decimals$}")
}

/// A share of 1 as a percentage.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// There is no such figure, for example because 2010 has none.
pub fn dash() -> String {
    "-".to_owned()
}

/// A line lacks this key: it was written by another version of this program.
fn missing() -> String {
    "?".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line;

    #[test]
    fn numbers_have_about_four_digits() {
        for (value, text) in [
            (0.0, "0.00"),
            (0.004_567, "0.004567"),
            (0.1234, "0.1234"),
            (1.234, "1.23"),
            (123.45, "123.5"),
            (12_345.6, "12346"),
        ] {
            assert_eq!(digits(value), text);
        }
    }

    #[test]
    fn columns_are_aligned() {
        let lines = [("a", "1.00"), ("longer", "100.00")];
        let lines = lines.map(|(name, us)| line! { name: name, us: us });
        let mut tables = Tables::default();
        tables.table(&lines, &[text("name", "name"), text("us", "us")]);
        let text = tables.signed(&lines).to_string();
        let text = text.trim_end();
        let widths: Vec<_> = text.lines().map(|line| line.chars().count()).collect();
        assert!(widths.windows(2).all(|pair| pair[0] == pair[1]), "{text}");
        assert!(text.contains("|   1.00 |"), "{text}");
    }

    #[test]
    fn what_is_not_there_is_marked() {
        let line = line! { none: None::<f64>, half: 0.5 };
        let cell = |column: Column<'_>| (column.cell)(&line);
        assert_eq!(cell(number("", "none")), "-");
        assert_eq!(cell(number("", "absent")), "?");
        assert_eq!(cell(text("", "absent")), "?");
        assert_eq!(cell(share("", "half")), "50.0 %");
        assert_eq!(cell(computed("", |_| None)), "-");
    }
}
