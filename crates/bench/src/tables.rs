//! Tables of texts, and the text of a cell for a figure of a result line.

use std::fmt;

use comfy_table::{CellAlignment, Table, presets::ASCII_MARKDOWN};
use serde_json::Value;

use crate::line::Line;

/// Formats the value of a key as a cell. Texts and counts are unchanged; figures have about four
/// digits.
pub fn cell(line: &Line, key: &str) -> String {
    match line.get(key) {
        // No paper published this figure.
        None if key.starts_with("paper.") => dash(),
        // The key is missing if another version of this program wrote the line.
        None => missing(),
        Some(Value::Null) => dash(),
        Some(Value::String(text)) => text.clone(),
        Some(value) if value.is_f64() => value.as_f64().map_or_else(dash, digits),
        Some(value) => value.to_string(),
    }
}

/// Headings, notes and tables in sequence.
///
/// Rendered as text by [`Display`](fmt::Display), and on a page by
/// [`mod@crate::full_report::page`].
#[derive(Clone, Debug, Default)]
pub struct Tables(Vec<Block>);

/// One part of [`Tables`].
#[derive(Clone, Debug)]
pub enum Block {
    /// A title and a note below it. Either may be empty.
    Heading {
        /// Title of the tables that follow.
        title: String,
        /// Note to read before the tables that follow.
        note: String,
    },
    /// A table of texts.
    Table {
        /// Titles of the columns.
        titles: Vec<String>,
        /// Whether each column is aligned to the right, as numbers are.
        to_the_right: Vec<bool>,
        /// Cells of each row, as many as there are titles.
        rows: Vec<Vec<String>>,
    },
    /// A line of text.
    Note(String),
}

impl Tables {
    /// Adds a heading with a title and a note. Either may be empty.
    pub fn heading(&mut self, title: &str, note: &str) {
        let (title, note) = (title.to_owned(), note.to_owned());
        self.0.push(Block::Heading { title, note });
    }

    /// Adds a table of texts. The first column, and those with the titles `left`, are aligned to
    /// the left.
    pub fn rows(&mut self, titles: &[&str], left: &[&str], rows: Vec<Vec<String>>) {
        let is_right = |(index, title): (usize, &&str)| index > 0 && !left.contains(title);
        self.0.push(Block::Table {
            titles: titles.iter().map(|&title| title.to_owned()).collect(),
            to_the_right: titles.iter().enumerate().map(is_right).collect(),
            rows,
        });
    }

    /// Adds a line of text.
    pub fn note(&mut self, text: &str) {
        self.0.push(Block::Note(text.to_owned()));
    }

    /// Adds a note about the machine that measured, if `lines` name one.
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

    /// Returns all headings, tables and notes in the order in which they were added.
    pub fn blocks(&self) -> &[Block] {
        &self.0
    }

    /// Reports whether there is no heading, table or note.
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

/// Formats a number with about four significant digits and no exponent.
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

/// Formats a share of 1 as a percentage.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// Returns the text of a cell whose figure does not exist, for example because the paper of 2010
/// has none.
pub fn dash() -> String {
    "-".to_owned()
}

/// Returns the text of a cell whose key is missing in the result line, because another version of
/// this program wrote the line.
fn missing() -> String {
    "?".to_owned()
}
