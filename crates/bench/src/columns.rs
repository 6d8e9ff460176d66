//! Tables and plots as data: which lines they show, and what of each.

use crate::{
    line::Selection,
    prelude::*,
    tables::{Column, Tables, cell, text},
};

/// The title of a column, and what [`cell`] shows of a line there.
pub type Titled = (&'static str, &'static str);

/// A column for each title.
pub fn titled(columns: &'static [Titled]) -> Vec<Column<'static>> {
    let column = |(title, shown): &'static Titled| text(title, shown);
    columns.iter().map(column).collect()
}

/// A text with what [`cell`] shows of a line in place of each `{key}`.
pub fn filled(template: &str, line: &Line) -> String {
    let mut parts = template.split('{');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (shown, rest) = part.split_once('}').unwrap_or((part, ""));
        text += &(cell(line, shown) + rest);
    }
    text
}

/// Which lines are shown, with what follows from them.
#[derive(Clone, Copy)]
pub struct Rows {
    /// Their `experiment`: `one|other` is one after the other.
    pub experiment: &'static str,
    /// What else they say.
    pub only: Selection,
    /// Whether they are among those that are shown.
    pub filter: fn(&Line) -> bool,
    /// Further figures of a line, which may depend on all lines.
    pub derived: fn(&[Line], &Line) -> Line,
}

impl Rows {
    /// All lines of an experiment.
    pub const fn of(experiment: &'static str) -> Self {
        Self {
            experiment,
            only: &[],
            filter: |_| true,
            derived: |_, _| Line::default(),
        }
    }

    /// Those of these lines.
    pub fn select(&self, lines: &[Line]) -> Vec<Line> {
        let experiments = self.experiment.split('|');
        let own: Vec<&Line> = experiments.flat_map(|it| of(lines, it)).collect();
        self.with_derived(&own, lines)
    }

    /// The lines that are shown of some, with their further figures.
    fn with_derived(&self, own: &[&Line], all: &[Line]) -> Vec<Line> {
        let derived = |line: &&Line| (*line).clone().merged(&(self.derived)(all, line));
        let mut shown: Vec<Line> = own.iter().map(derived).collect();
        shown.retain(|line| line.says(self.only) && (self.filter)(line));
        shown
    }
}

/// A table.
#[derive(Clone, Copy)]
pub struct Declared {
    rows: Rows,
    /// What stands above, and below that: texts for [`filled`] of the first line.
    heading: (&'static str, &'static str),
    /// Lines that differ in these have tables of their own.
    by: &'static [&'static str],
    columns: &'static [Titled],
    /// The titles of columns that are aligned to the left, as the first one always is.
    left: &'static [&'static str],
}

impl Declared {
    /// A table of all lines of an experiment.
    pub const fn new(
        experiment: &'static str,
        title: &'static str,
        columns: &'static [Titled],
    ) -> Self {
        Self {
            rows: Rows::of(experiment),
            heading: (title, ""),
            by: &[],
            columns,
            left: &[],
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
        let heading = (self.heading.0, note);
        Self { heading, ..self }
    }

    /// The same of lines that say this.
    #[must_use]
    pub const fn only(mut self, only: Selection) -> Self {
        self.rows.only = only;
        self
    }

    /// The same of lines for which this holds.
    #[must_use]
    pub const fn filtered(mut self, filter: fn(&Line) -> bool) -> Self {
        self.rows.filter = filter;
        self
    }

    /// The same with further figures of each line.
    #[must_use]
    pub const fn deriving(mut self, derived: fn(&[Line], &Line) -> Line) -> Self {
        self.rows.derived = derived;
        self
    }

    /// The same with these columns aligned to the left.
    #[must_use]
    pub const fn left(self, left: &'static [&'static str]) -> Self {
        Self { left, ..self }
    }

    /// Adds the table or tables, unless there are no lines.
    pub fn show(&self, tables: &mut Tables, lines: &[Line]) {
        self.add(tables, &self.rows.select(lines));
    }

    /// The same of these lines of any experiment.
    pub fn show_of(&self, tables: &mut Tables, own: &[&Line]) {
        let all: Vec<Line> = own.iter().map(|line| (*line).clone()).collect();
        self.add(tables, &self.rows.with_derived(own, &all));
    }

    fn add(&self, tables: &mut Tables, lines: &[Line]) {
        let columns = titled(self.columns).into_iter().zip(self.columns);
        let aligned = |(column, (title, _)): (Column<'static>, &Titled)| match self.left {
            left if left.contains(title) => column.left(),
            _ => column,
        };
        let columns: Vec<Column<'_>> = columns.map(aligned).collect();
        let lines: Vec<&Line> = lines.iter().collect();
        for group in groups(&lines, self.by) {
            let (title, note) = self.heading;
            if !title.is_empty() || !note.is_empty() {
                tables.heading(&filled(title, group[0]), &filled(note, group[0]));
            }
            tables.table(group, &columns);
        }
    }
}

/// All of these tables.
pub fn shown(declared: &[Declared], lines: &[Line]) -> Tables {
    let mut tables = Tables::default();
    for table in declared {
        table.show(&mut tables, lines);
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line;

    #[test]
    fn figures_look_like_what_they_are() {
        let lines = [("a", 1_u64), ("b", 2)].map(|(name, keys)| {
            line! { experiment: "e", name, keys, us: 1234.56, none: None::<f64>, half: 0.5, at: [7.0, 8.0] }
        });
        let columns: &[Titled] = &[
            ("n", "name"),
            ("k", "keys"),
            ("us", "us"),
            ("0", "none"),
            ("x", "x"),
            ("ms", "us/1e3"),
            ("per second", "1e6/us"),
            ("share", "half%"),
            ("second", "at.1"),
            ("double", "double"),
        ];
        let shown = |declared: Declared| {
            let mut tables = Tables::default();
            declared.show(&mut tables, &lines);
            tables.to_string()
        };
        let declared = Declared::new("e", "{name}: {keys} keys", columns)
            .deriving(|all, line| line! { double: 2 * line.count("keys") + all.len() as u64 });
        let text = shown(declared);
        let cells = [
            "a", "1", "1235", "-", "?", "1.23", "810.0", "50.0 %", "8.00", "4",
        ];
        let row: Vec<&str> = text
            .lines()
            .nth(4)
            .unwrap()
            .split('|')
            .map(str::trim)
            .collect();
        assert_eq!(row[1..11], cells, "{text}");
        assert!(text.starts_with("a: 1 keys\n"), "{text}");
        assert_eq!(shown(declared.by(&["name"])).matches(" keys\n").count(), 2);
        assert!(!shown(declared.only(&[("name", "b")])).contains("| a "));
        assert!(!shown(declared.filtered(|line| line.count("keys") < 2)).contains("| b "));
        assert!(shown(Declared::new("other", "Title", columns)).is_empty());
        let both = Declared::new("other|e", "", columns);
        assert_eq!(shown(both).lines().count(), 2 + 2 + 1);
    }
}
