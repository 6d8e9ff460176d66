//! Writes the tables with measurements in the README and `docs/benchmarks.md`, and on request the
//! measurements of `pad advise`, from the measurements of a report.
//!
//! Replaces the text between `<!-- measured: NAME -->` and `<!-- end -->`.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use clap::Args;
use comparison::Measurement;
use serde::Deserialize;

use super::run::{RUN, read_lines};
use crate::{compare, line, line::conditions, paper::section, prelude::*};

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
        let table = TABLES.get(name);
        let table = table.ok_or_else(|| format!("there is no table {name}"))?;
        let table = table.markdown(lines);
        let table = table.map_err(|error| format!("table {name}, {error}"))?;
        written.extend([BEGIN, name, " -->\n", &table, END, rest]);
    }
    Ok(written)
}

/// Tables with measurements in documents, by name.
static TABLES: LazyLock<BTreeMap<String, Table>> = LazyLock::new(|| section("documents"));

/// Declaration of a table in a document.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Table {
    /// Conditions that all result lines of the table meet.
    of: String,
    /// Further conditions of each column, except the first one, which contains the names of rows.
    columns: Vec<String>,
    /// Titles of all columns.
    titles: Vec<String>,
    /// Cells of rows that declare none. A cell is the key and the unit of a figure, or `-`.
    cells: Vec<String>,
    /// Name, further conditions, and cells of each row.
    rows: Vec<(String, String, Vec<String>)>,
}

impl Table {
    fn markdown(&self, lines: &[Line]) -> Outcome<String> {
        let mut table = vec![
            self.titles.clone(),
            vec!["---".to_owned(); self.titles.len()],
        ];
        for (name, of_row, own) in &self.rows {
            let mut cells = vec![name.clone()];
            let own = if own.is_empty() { &self.cells } else { own };
            for (of_column, cell) in self.columns.iter().zip(own.iter().cycle()) {
                let of = [&self.of, of_row, of_column]
                    .map(|text| conditions(text))
                    .concat();
                let cell = cell.split_once(' ');
                let shown = cell.map_or(Ok(String::new()), |cell| shown(lines, &of, cell));
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
