//! Writes the tables with measurements in the README and `docs/benchmarks.md`, and on request the
//! measurements of `pad advise`, from the measurements of a report.
//!
//! Replaces the text between `<!-- measured: NAME -->` and `<!-- end -->`.

use std::path::{Path, PathBuf};

use clap::Args;
use comparison::Measurement;

use super::run::{RUN, read_lines};
use crate::{
    compare, line,
    line::{Conditions, conditions},
    prelude::*,
};

/// The command line of `bench readme`.
#[derive(Clone, Debug, Args)]
pub struct ReadmeArguments {
    /// File of measurements that `bench report` wrote.
    #[arg(long, default_value = "docs/report/measurements.jsonl")]
    from: PathBuf,
    /// Documents whose tables with measurements are replaced.
    #[arg(long, default_values = ["README.md", "docs/benchmarks.md"])]
    documents: Vec<PathBuf>,
    /// File with the measurements of `pad advise`, which is replaced:
    /// `crates/comparison/data/measurements.jsonl`.
    #[arg(long)]
    records: Option<PathBuf>,
    /// Changes nothing, and fails if a table differs from the measurements.
    #[arg(long)]
    check: bool,
}

impl ReadmeArguments {
    /// Replaces the tables in the documents, and the measurements of `pad advise`. With `--check`,
    /// fails if a file would change.
    pub fn run(&self) -> Outcome<()> {
        let lines = read_lines(&read_text(&self.from)?);
        for document in &self.documents {
            let text = read_text(document)?;
            self.replace(document, &text, &written(&text, &lines)?)?;
        }
        match &self.records {
            Some(path) => self.replace(path, &read_text(path)?, &records(&lines)?),
            None => Ok(()),
        }
    }

    fn replace(&self, path: &Path, text: &str, written: &str) -> Outcome<()> {
        if written == text {
            return Ok(());
        }
        if self.check {
            let (path, from) = (path.display(), self.from.display());
            let problem = "its measurements are not those of";
            return Err(format!("{path}: {problem} {from}; `bench readme` writes them").into());
        }
        Ok(std::fs::write(path, written)?)
    }
}

/// Selects the measurements of `pad advise` from the lines of a report: all schemes on one
/// workload, with the name of the machine, and the primitives.
fn records(lines: &[Line]) -> Outcome<String> {
    let mut runs = of(lines, RUN).into_iter();
    let run = runs.find(|run| run.text("step") == compare::EXPERIMENT);
    let machine =
        line! { cpu: run.map(|run| run.text("cpu")), cores: run.map(|run| run.count("cores")) };
    let mut text = String::new();
    for line in of(lines, compare::EXPERIMENT) {
        if line.get("author_us").is_some() {
            let measured: Measurement = serde_json::from_value(serde_json::to_value(line)?)?;
            text += &serde_json::to_string(&machine.clone().merged(&measured))?;
            text.push('\n');
        }
    }
    for line in of(lines, "primitives") {
        text += &serde_json::to_string(line)?;
        text.push('\n');
    }
    Ok(text)
}

const BEGIN: &str = "<!-- measured: ";
const END: &str = "<!-- end -->";

/// Returns `text` with its tables, which are between marks with their names, replaced by those made
/// from `lines`.
pub fn written(text: &str, lines: &[Line]) -> Outcome<String> {
    let mut parts = text.split(BEGIN);
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let named = part.split_once(" -->\n");
        let (name, rest) = named.ok_or("a table begins without a name")?;
        let ended = rest.split_once(END);
        let (_, rest) = ended.ok_or_else(|| format!("the table {name} has no end"))?;
        let table = Table::named(TABLES, name);
        let table = table.ok_or_else(|| format!("there is no table {name}"))?;
        let table = table.markdown(lines);
        let table = table.map_err(|error| format!("table {name}, {error}"))?;
        written.extend([BEGIN, name, " -->\n", &table, END, rest]);
    }
    Ok(written)
}

/// Tables with measurements in documents; its first lines describe the format.
const TABLES: &str = include_str!("documents.txt");

/// Key and unit of a figure; `None` in an empty cell.
type Cell<'a> = Option<(&'a str, &'a str)>;

/// Declaration of a table in a document.
#[derive(Default)]
struct Table<'a> {
    /// Conditions that all result lines of the table meet.
    of: Conditions<'a>,
    /// Further conditions of each column, except the first one, which contains the names of rows.
    columns: Vec<Conditions<'a>>,
    /// Titles of all columns.
    titles: Vec<&'a str>,
    /// Cells of rows that declare none.
    cells: Vec<Cell<'a>>,
    /// Name, further conditions, and cells of each row.
    rows: Vec<(&'a str, Conditions<'a>, Vec<Cell<'a>>)>,
}

fn parts(text: &str) -> Vec<&str> {
    text.split('|').map(str::trim).collect()
}

fn cells<'a>(parts: &[&'a str]) -> Vec<Cell<'a>> {
    parts.iter().map(|cell| cell.split_once(' ')).collect()
}

impl<'a> Table<'a> {
    /// Parses the table with the name `name` in `declared`; `None` if there is no such table.
    fn named(declared: &'a str, name: &str) -> Option<Self> {
        let mut blocks = declared.split("\n\n").map(str::lines);
        let lines = blocks.find_map(|mut lines| {
            let is_named = lines.next()?.strip_prefix("table ")? == name;
            is_named.then_some(lines)
        })?;
        let mut table = Self::default();
        for line in lines {
            let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
            match kind {
                "of" => table.of = conditions(rest),
                "columns" => table.columns = parts(rest).into_iter().map(conditions).collect(),
                "titles" => table.titles = parts(rest),
                "cells" => table.cells = cells(&parts(rest)),
                _ => {
                    let parts = parts(rest);
                    let of_row = parts.get(1).copied().unwrap_or_default();
                    let cells = cells(parts.get(2..).unwrap_or_default());
                    table.rows.push((parts[0], conditions(of_row), cells));
                }
            }
        }
        Some(table)
    }

    fn markdown(&self, lines: &[Line]) -> Outcome<String> {
        let mut table = vec![
            self.titles.iter().map(|&title| title.to_owned()).collect(),
            vec!["---".to_owned(); self.titles.len()],
        ];
        for (name, of_row, own) in &self.rows {
            let mut cells = vec![(*name).to_owned()];
            let own = if own.is_empty() { &self.cells } else { own };
            for (of_column, cell) in self.columns.iter().zip(own.iter().cycle()) {
                let conditions = [&self.of[..], of_row, of_column].concat();
                let shown = cell.map_or(Ok(String::new()), |cell| shown(lines, &conditions, cell));
                cells.push(shown.map_err(|error| format!("{name}: {error}"))?);
            }
            table.push(cells);
        }
        let row = |cells: Vec<String>| {
            let cells = cells
                .iter()
                .map(|cell| format!("| {cell}").trim_end().to_owned());
            cells.map(|cell| cell + " ").collect::<String>() + "|\n"
        };
        Ok(table.into_iter().map(row).collect())
    }
}

/// Formats a figure of the first line that meets all conditions.
fn shown(lines: &[Line], of: &[(&str, &str)], (key, unit): (&str, &str)) -> Outcome<String> {
    let line = lines.iter().find(|line| line.says(of));
    let line = line.ok_or_else(|| format!("no measurement is of {of:?}"))?;
    let figure = line.number(key);
    let figure = figure.ok_or_else(|| format!("no {key} in the measurement of {of:?}"))?;
    Ok(match unit {
        "us" => time(figure),
        "ms" => time(figure * 1e3),
        "s" => time(figure * 1e6),
        _ => bytes(figure),
    })
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
