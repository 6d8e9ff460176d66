//! Tables that `paper.toml` declares: which result lines a table selects, and which figures its
//! columns show.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;
use serde_json::Value;

use crate::{
    line::{Line, conditions, groups, of},
    paper::{published, section},
    tables::{Tables, cell, dash, digits, percent},
};

/// Function of all lines and one of them. Returns figures that tables and plots show in addition to
/// those of this one.
pub type Derived = fn(&[Line], &Line) -> Line;

/// Derives nothing.
pub fn nothing(_: &[Line], _: &Line) -> Line {
    Line::default()
}

/// The unit `%`.
#[derive(Clone, Copy, Debug, Deserialize)]
pub enum Percent {
    /// `%`.
    #[serde(rename = "%")]
    Percent,
}

/// Declaration of a column of a table, or of a series of a plot: its title, and the figure.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Column {
    /// Title, and the key of the figure.
    Plain(String, String),
    /// Title, key, and the unit in which the figure is shown.
    Scaled(String, String, f64),
    /// Title, dividend, and the key of the figure by which it is divided.
    Rate(String, f64, String),
    /// Title, the key of a share of 1 that is shown as a percentage, and `%`.
    Share(String, String, Percent),
}

impl Column {
    /// Returns the title.
    pub fn title(&self) -> &str {
        let (Self::Plain(title, _)
        | Self::Scaled(title, ..)
        | Self::Rate(title, ..)
        | Self::Share(title, ..)) = self;
        title
    }

    /// Returns the key of the figure.
    fn key(&self) -> &str {
        let (Self::Plain(_, key)
        | Self::Scaled(_, key, _)
        | Self::Rate(_, _, key)
        | Self::Share(_, key, _)) = self;
        key
    }

    /// Returns the figure of a line, in the unit of the column; `None` if it is no number.
    pub fn figure(&self, line: &Line) -> Option<f64> {
        let number = line.number(self.key())?;
        Some(match self {
            Self::Scaled(_, _, unit) => number / unit,
            Self::Rate(_, dividend, _) => dividend / number,
            Self::Plain(..) | Self::Share(..) => number,
        })
    }

    /// Formats the cell of a line. Texts and counts are unchanged; figures have about four digits.
    fn cell(&self, line: &Line) -> String {
        match (self, line.get(self.key())) {
            (Self::Plain(..), _) | (_, None | Some(Value::Null)) => cell(line, self.key()),
            (Self::Share(..), _) => self.figure(line).map_or_else(dash, percent),
            _ => self.figure(line).map_or_else(dash, digits),
        }
    }
}

/// Fills a template: replaces each `{key}` with the figure that [`cell`] formats for `line`.
pub fn filled(template: &str, line: &Line) -> String {
    let mut parts = template.split('{');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (shown, rest) = part.split_once('}').unwrap_or((part, ""));
        text += &(cell(line, shown) + rest);
    }
    text
}

/// Declaration of a table's rows: the selected result lines.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rows {
    /// Name of the experiment whose lines are selected. `one|other` selects the lines of both, in
    /// this order.
    pub experiment: String,
    /// Conditions that a line must meet, in addition to the experiment.
    pub only: String,
}

impl Rows {
    /// Selects the rows from `lines`, and adds the derived figures.
    pub fn select(&self, derived: Derived, lines: &[Line]) -> Vec<Line> {
        let experiments = self.experiment.split('|');
        let own: Vec<&Line> = experiments.flat_map(|it| of(lines, it)).collect();
        self.with_derived(derived, &own, lines)
    }

    /// Adds derived figures to the lines `own`, and the published ones as `paper`. Keeps the lines
    /// that meet the conditions. Figures may depend on `all` lines.
    fn with_derived(&self, derived: Derived, own: &[&Line], all: &[Line]) -> Vec<Line> {
        let only = conditions(&self.only);
        // Own figures come before derived ones, so most lines are dropped before any is derived.
        let is_possible = |line: &&&Line| {
            let own = |condition: &&(&str, &str)| line.get(condition.0).is_some();
            let mut own = only.iter().filter(own);
            own.all(|condition| line.says(&[*condition]))
        };
        let complete = |line: &&Line| {
            let complete = (*line).clone().merged(&derived(all, line));
            complete.and("paper", published(line))
        };
        let mut shown: Vec<Line> = own.iter().filter(is_possible).map(complete).collect();
        shown.retain(|line| line.says(&only));
        shown
    }
}

/// Declaration of a table, or of several tables with the same columns.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TableSpec {
    /// Selection of the rows.
    pub rows: Rows,
    /// Title: a template that [`filled`] fills with the figures of the first row.
    title: String,
    /// Note below the title, a template like it.
    note: String,
    /// Keys that split the rows into several tables, one for each combination of values.
    pub by: Vec<String>,
    columns: Vec<Column>,
    /// Titles of the left-aligned columns. The first column is always left-aligned.
    left: Vec<String>,
}

impl TableSpec {
    /// Selects rows from `lines`, and adds the resulting table or tables to `tables`. Adds nothing
    /// if no line is selected.
    pub fn show(&self, derived: Derived, tables: &mut Tables, lines: &[Line]) {
        self.add(tables, &self.rows.select(derived, lines));
    }

    fn add(&self, tables: &mut Tables, lines: &[Line]) {
        let titles: Vec<&str> = self.columns.iter().map(Column::title).collect();
        let cells = |line: &&Line| self.columns.iter().map(|it| it.cell(line)).collect();
        let (by, left) = (texts(&self.by), texts(&self.left));
        let lines: Vec<&Line> = lines.iter().collect();
        for group in groups(&lines, &by) {
            if !self.title.is_empty() || !self.note.is_empty() {
                let [title, note] = [&self.title, &self.note].map(|text| filled(text, group[0]));
                tables.heading(&title, &note);
            }
            tables.rows(&titles, &left, group.iter().map(cells).collect());
        }
    }
}

/// Borrows each text of a list.
pub(crate) fn texts(list: &[String]) -> Vec<&str> {
    list.iter().map(String::as_str).collect()
}

/// Declared tables, by the names of their groups.
static TABLES: LazyLock<BTreeMap<String, Vec<TableSpec>>> = LazyLock::new(|| section("tables"));

/// Adds the tables of a group, with rows from `lines`.
pub fn show(group: &str, derived: Derived, tables: &mut Tables, lines: &[Line]) {
    for table in &TABLES[group] {
        table.show(derived, tables, lines);
    }
}

/// Like [`show()`], but selects from the lines `own`, of any experiment.
pub fn show_of(group: &str, derived: Derived, tables: &mut Tables, own: &[&Line]) {
    let all: Vec<Line> = own.iter().map(|line| (*line).clone()).collect();
    for table in &TABLES[group] {
        table.add(tables, &table.rows.with_derived(derived, own, &all));
    }
}

/// Makes the tables of a group from `lines`.
pub fn shown(group: &str, derived: Derived, lines: &[Line]) -> Tables {
    let mut tables = Tables::default();
    show(group, derived, &mut tables, lines);
    tables
}
