//! Writes the tables with measurements in the README and `docs/benchmarks.md`, from the
//! measurements of a report.
//!
//! Replaces the text between `<!-- measured: NAME -->` and `<!-- end -->`.

use std::path::PathBuf;

use clap::Args;

mod tables;

use super::run::read_lines;
use crate::{
    Outcome,
    line::{Line, Selection},
};
use tables::TABLES;

/// The command line of `bench readme`.
#[derive(Clone, Debug, Args)]
pub struct ReadmeArguments {
    /// File of measurements that `bench report` wrote.
    #[arg(long, default_value = "docs/report/measurements.jsonl")]
    from: PathBuf,
    /// Documents whose tables with measurements are replaced.
    #[arg(long, default_values = ["README.md", "docs/benchmarks.md"])]
    documents: Vec<PathBuf>,
    /// Changes nothing, and fails if a table differs from the measurements.
    #[arg(long)]
    check: bool,
}

impl ReadmeArguments {
    /// Replaces the tables in the documents. With `--check`, fails if a table would change.
    pub fn run(&self) -> Outcome<()> {
        let read = |path: &PathBuf| {
            std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
        };
        let lines = read_lines(&read(&self.from)?);
        for document in &self.documents {
            let text = read(document)?;
            let written = written(&text, &lines)?;
            if written == text {
                continue;
            }
            if self.check {
                return Err(format!(
                    "{}: its tables are not those of {}; `bench readme` writes them",
                    document.display(),
                    self.from.display()
                )
                .into());
            }
            std::fs::write(document, written)?;
        }
        Ok(())
    }
}

const BEGIN: &str = "<!-- measured: ";
const END: &str = "<!-- end -->";

/// Returns `text` with its tables replaced by those made from `lines`.
pub fn written(text: &str, lines: &[Line]) -> Outcome<String> {
    replaced(text, |name| {
        let table = TABLES.iter().find(|table| table.name == name);
        let table = table.ok_or_else(|| format!("there is no table {name}"))?;
        table.markdown(lines)
    })
}

/// Replaces the text between the marks of each table. Calls `write` with the table's name for the
/// new text.
pub(crate) fn replaced(text: &str, write: impl Fn(&str) -> Outcome<String>) -> Outcome<String> {
    let mut parts = text.split(BEGIN);
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part
            .split_once(" -->\n")
            .ok_or("a table begins without a name")?;
        let (_, rest) = rest
            .split_once(END)
            .ok_or_else(|| format!("the table {name} has no end"))?;
        written.extend([BEGIN, name, " -->\n", &write(name)?, END, rest]);
    }
    Ok(written)
}

/// Declaration of a table in a document, whose figures come from similar result lines.
struct Table {
    name: &'static str,
    /// Conditions that all result lines of the table meet.
    of: Selection,
    /// Key whose value distinguishes the table's result lines from each other.
    and: &'static str,
    /// Titles of the columns. The first column contains the names of the rows.
    titles: &'static [&'static str],
    rows: &'static [(&'static str, Row)],
}

/// Figure of a row: further conditions on its result line, its key, and its unit. A cell without a
/// key is empty.
type Cell = (Selection, &'static str, Unit);

/// Figures of one row, after its name.
#[derive(Clone, Copy)]
enum Row {
    /// The same figure of several result lines. Contains the values of [`Table::and`] that select
    /// the lines, the figure's key, and its unit.
    Lines(&'static [&'static str], &'static str, Unit),
    /// Several figures of one result line. Contains the value of [`Table::and`] that selects the
    /// line, the figures' keys, and their unit. Remaining cells stay empty.
    Keys(&'static str, &'static [&'static str], Unit),
    /// Figures of similar result lines. Contains the conditions that all these lines meet in
    /// addition to [`Table::of`], and the cells.
    Cells(Selection, &'static [Cell]),
}

/// Unit in which a figure was measured, which determines its format.
#[derive(Clone, Copy)]
enum Unit {
    /// Time in microseconds.
    Time,
    /// Time in milliseconds.
    Milliseconds,
    /// Time in seconds.
    Seconds,
    /// Size in bytes.
    Bytes,
}

impl Table {
    fn markdown(&self, lines: &[Line]) -> Outcome<String> {
        let row = |cells: &[String]| {
            let cells = cells.iter().map(|cell| {
                if cell.is_empty() {
                    "| ".to_owned()
                } else {
                    format!("| {cell} ")
                }
            });
            cells.collect::<String>() + "|\n"
        };
        let titles: Vec<String> = self
            .titles
            .iter()
            .map(|title| (*title).to_owned())
            .collect();
        let mut text = row(&titles) + &row(&vec!["---".to_owned(); titles.len()]);
        for (name, figures) in self.rows {
            let mut cells = vec![(*name).to_owned()];
            let shown = self.cells(*figures, lines);
            cells.extend(shown.map_err(|error| format!("table {}, {name}: {error}", self.name))?);
            cells.resize(titles.len(), String::new());
            text += &row(&cells);
        }
        Ok(text)
    }

    /// Formats the figures of a row.
    fn cells(&self, row: Row, lines: &[Line]) -> Outcome<Vec<String>> {
        let of = |value: &'static str, key, unit| {
            self.shown(lines, &[&[(self.and, value)]], (key, unit))
        };
        match row {
            Row::Lines(values, key, unit) => {
                values.iter().map(|value| of(value, key, unit)).collect()
            }
            Row::Keys(value, keys, unit) => keys.iter().map(|key| of(value, key, unit)).collect(),
            Row::Cells(row, cells) => {
                let cells = cells.iter();
                cells
                    .map(|(and, key, unit)| self.shown(lines, &[row, and], (key, *unit)))
                    .collect()
            }
        }
    }

    /// Formats a figure of the first line that meets the table's conditions and all of `and`.
    fn shown(
        &self,
        lines: &[Line],
        and: &[&[(&str, &str)]],
        (key, unit): (&str, Unit),
    ) -> Outcome<String> {
        if key.is_empty() {
            return Ok(String::new());
        }
        let is_it = |line: &&Line| line.says(self.of) && and.iter().all(|and| line.says(and));
        let line = lines.iter().find(is_it);
        let what = || format!("{:?} and {and:?}", self.of);
        let line = line.ok_or_else(|| format!("no measurement is of {}", what()))?;
        let figure = line.number(key);
        let figure = figure.ok_or_else(|| format!("no {key} in the measurement of {}", what()))?;
        Ok(match unit {
            Unit::Time => time(figure),
            Unit::Milliseconds => time(figure * 1e3),
            Unit::Seconds => time(figure * 1e6),
            Unit::Bytes => bytes(figure),
        })
    }
}

/// Formats a time that is given in microseconds, with at least two digits. Chooses the unit in
/// which at most three digits are needed.
fn time(us: f64) -> String {
    match us {
        us if us < 1.0 => format!("{} ns", rounded(us * 1e3)),
        us if us < 999.5 => format!("{} us", rounded(us)),
        us if us < 999.5e3 => format!("{} ms", rounded(us / 1e3)),
        us => format!("{} s", rounded(us / 1e6)),
    }
}

fn bytes(bytes: f64) -> String {
    match bytes {
        bytes if bytes < 1e4 => format!("{} bytes", bytes.round()),
        bytes if bytes < 1e6 => format!("{} KB", rounded(bytes / 1e3)),
        bytes => format!("{} MB", rounded(bytes / 1e6)),
    }
}

fn rounded(number: f64) -> String {
    match number {
        number if number < 10.0 => format!("{number:.1}"),
        number => format!("{number:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{tables::DESIGNS, *};
    use crate::line;

    fn lines() -> Vec<Line> {
        let line = |design| {
            line! {
                experiment: "tuple_steady", keys: 10_000, design: design, author_us: 156_000.4,
                update_bytes: 640_000.0,
                apply_us: 0.0456, memory_bytes_per_update: 344.4, prove_us: 1.24,
                proof_bytes: 138.0,
            }
        };
        DESIGNS.iter().copied().map(line).collect()
    }

    #[test]
    fn tables_are_replaced_and_nothing_else() {
        let text = "before\n<!-- measured: tuples -->\nold\n<!-- end -->\nafter\n";
        let replaced = written(text, &lines()).unwrap();
        assert!(
            replaced.starts_with("before\n<!-- measured: tuples -->\n| | base, superseding |"),
            "{replaced}"
        );
        assert!(
            replaced.ends_with("| 138 bytes |\n<!-- end -->\nafter\n"),
            "{replaced}"
        );
        assert!(
            replaced.contains("| author, each snapshot | 156 ms |"),
            "{replaced}"
        );
        assert!(replaced.contains("| server, apply | 46 ns |"), "{replaced}");
        assert!(
            replaced.contains("| update as sent | 640 KB |"),
            "{replaced}"
        );
        assert_eq!(written(&replaced, &lines()).unwrap(), replaced);
        assert_eq!(written("no table", &[]).unwrap(), "no table");
    }

    #[test]
    fn what_is_missing_is_named() {
        let refused = |text: &str, lines: &[Line]| written(text, lines).unwrap_err().to_string();
        let error = refused("<!-- measured: tuples -->\n<!-- end -->", &lines()[1..]);
        assert!(
            error.contains("base-superseding") && error.contains("author, each snapshot"),
            "{error}"
        );
        assert!(refused("<!-- measured: tuples -->\n", &lines()).contains("no end"));
        assert!(refused("<!-- measured: bees -->\n<!-- end -->", &lines()).contains("bees"));
    }
}
