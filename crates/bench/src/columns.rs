//! Declarations of tables as data: which result lines a table selects, and which figures its
//! columns show.

use crate::{
    line::{Line, Selection, groups, of},
    paper::published,
    tables::{Tables, cell},
};

/// Declaration of a column: its title, and the key or formula of its figure, as [`cell`] reads it.
pub type ColumnSpec = (&'static str, &'static str);

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

/// Declaration of a table's rows: the selected result lines, and figures derived from them.
#[derive(Clone, Copy)]
pub struct Rows {
    /// Name of the experiment whose lines are selected. `one|other` selects the lines of both, in
    /// this order.
    pub experiment: &'static str,
    /// Conditions that a line must meet, in addition to the experiment.
    pub only: Selection,
    /// Predicate that a line must satisfy.
    pub filter: fn(&Line) -> bool,
    /// Function of all lines and one of them. Returns the figures that are added to this one.
    pub derived: fn(&[Line], &Line) -> Line,
}

impl Rows {
    /// Selects all lines of an experiment.
    pub const fn of(experiment: &'static str) -> Self {
        Self {
            experiment,
            only: &[],
            filter: |_| true,
            derived: |_, _| Line::default(),
        }
    }

    /// Selects the rows from `lines`, and adds the derived figures.
    pub fn select(&self, lines: &[Line]) -> Vec<Line> {
        let experiments = self.experiment.split('|');
        let own: Vec<&Line> = experiments.flat_map(|it| of(lines, it)).collect();
        self.with_derived(&own, lines)
    }

    /// Adds derived figures to the lines `own`, and the published ones as `paper`. Keeps the lines
    /// that meet the conditions. Figures may depend on `all` lines.
    fn with_derived(&self, own: &[&Line], all: &[Line]) -> Vec<Line> {
        let derived = |line: &&Line| {
            let derived = (*line).clone().merged(&(self.derived)(all, line));
            derived.and("paper", published(line))
        };
        let mut shown: Vec<Line> = own.iter().map(derived).collect();
        shown.retain(|line| line.says(self.only) && (self.filter)(line));
        shown
    }
}

/// Declaration of a table, or of several tables with the same columns.
#[derive(Clone, Copy)]
pub struct TableSpec {
    rows: Rows,
    /// Title and note above the table: templates that [`filled`] fills with the figures of the
    /// first row.
    heading: (&'static str, &'static str),
    /// Keys that split the rows into several tables, one for each combination of values.
    by: &'static [&'static str],
    columns: &'static [ColumnSpec],
    /// Titles of the left-aligned columns. The first column is always left-aligned.
    left: &'static [&'static str],
}

impl TableSpec {
    /// Declares a table of all lines of an experiment.
    pub const fn new(
        experiment: &'static str,
        title: &'static str,
        columns: &'static [ColumnSpec],
    ) -> Self {
        Self {
            rows: Rows::of(experiment),
            heading: (title, ""),
            by: &[],
            columns,
            left: &[],
        }
    }

    /// Splits the rows into several tables, one for each combination of values of the keys `by`.
    #[must_use]
    pub const fn by(self, by: &'static [&'static str]) -> Self {
        Self { by, ..self }
    }

    /// Sets the note above the table.
    #[must_use]
    pub const fn noted(self, note: &'static str) -> Self {
        let heading = (self.heading.0, note);
        Self { heading, ..self }
    }

    /// Restricts the rows to lines that meet the conditions `only`.
    #[must_use]
    pub const fn only(mut self, only: Selection) -> Self {
        self.rows.only = only;
        self
    }

    /// Restricts the rows to lines for which `filter` holds.
    #[must_use]
    pub const fn filtered(mut self, filter: fn(&Line) -> bool) -> Self {
        self.rows.filter = filter;
        self
    }

    /// Adds the figures that `derived` computes to each line.
    #[must_use]
    pub const fn deriving(mut self, derived: fn(&[Line], &Line) -> Line) -> Self {
        self.rows.derived = derived;
        self
    }

    /// Aligns the columns with the titles `left` to the left.
    #[must_use]
    pub const fn left(self, left: &'static [&'static str]) -> Self {
        Self { left, ..self }
    }

    /// Selects rows from `lines`, and adds the resulting table or tables to `tables`. Adds nothing
    /// if no line is selected.
    pub fn show(&self, tables: &mut Tables, lines: &[Line]) {
        self.add(tables, &self.rows.select(lines));
    }

    /// Like [`Self::show`], but selects from the lines `own`, of any experiment.
    pub fn show_of(&self, tables: &mut Tables, own: &[&Line]) {
        let all: Vec<Line> = own.iter().map(|line| (*line).clone()).collect();
        self.add(tables, &self.rows.with_derived(own, &all));
    }

    fn add(&self, tables: &mut Tables, lines: &[Line]) {
        let titles: Vec<&str> = self.columns.iter().map(|(title, _)| *title).collect();
        let cells = |line: &&Line| {
            self.columns
                .iter()
                .map(|(_, shown)| cell(line, shown))
                .collect()
        };
        let lines: Vec<&Line> = lines.iter().collect();
        for group in groups(&lines, self.by) {
            let (title, note) = self.heading;
            if !title.is_empty() || !note.is_empty() {
                tables.heading(&filled(title, group[0]), &filled(note, group[0]));
            }
            tables.rows(&titles, self.left, group.iter().map(cells).collect());
        }
    }
}

/// Makes all `declared` tables from `lines`.
pub fn shown(declared: &[TableSpec], lines: &[Line]) -> Tables {
    let mut tables = Tables::default();
    for table in declared {
        table.show(&mut tables, lines);
    }
    tables
}
