//! The command `bench report`, which measures everything and writes a page with the results.
//!
//! [`mod@steps`] lists the measurements. [`mod@run`] runs them, and stores the results of finished
//! steps. [`mod@page`] renders the page: the tables and figures of each family, [`mod@contents`]
//! (every table and figure of the papers) and [`mod@conclusions`].

use std::{
    fs,
    io::{Write as _, stdout},
    path::{Path, PathBuf},
};

use clap::Args;

pub mod conclusions;
pub mod contents;
pub mod page;
pub mod processors;
pub mod readme;
pub mod run;
pub mod steps;

use crate::{figures, prelude::*, tuple::figure7};
use run::{Parts, read_lines, replace, written};
use steps::Step;

/// The command line of `bench report`.
#[derive(Clone, Debug, Args)]
pub struct ReportArguments {
    /// Measures small sizes, in about ten minutes. Full sizes take about 85 minutes.
    #[arg(long)]
    quick: bool,
    /// Restricts the run to steps whose names begin with one of these. The page shows only these
    /// steps.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Prints the steps with their expected durations, and measures nothing.
    #[arg(long)]
    list: bool,
    /// Folder for the page, its figures and the measurements; by default target/report, or
    /// target/report-quick with --quick.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Folder for finished steps, from which an interrupted run resumes.
    #[arg(long, default_value = "target/report-steps")]
    steps: PathBuf,
}

impl ReportArguments {
    /// Runs the steps that are not finished, and writes the page.
    pub fn run(&self) -> Outcome<()> {
        let (name, out) = if self.quick {
            ("quick", "target/report-quick")
        } else {
            ("full", "target/report")
        };
        let mut steps = steps::steps(self.quick);
        let is_of = |step: &Step, begin: &String| step.name.starts_with(begin.as_str());
        let is_asked = |step: &Step| self.only.iter().any(|begin| is_of(step, begin));
        steps.retain(|step| self.only.is_empty() || is_asked(step));
        ensure(!steps.is_empty(), "no step begins so; --list shows them")?;
        if self.list {
            for step in &steps {
                let (seconds, name) = (step.expected_seconds, step.name);
                let (arguments, is_portable) = step.call();
                let setting = if is_portable { steps::PORTABLE } else { "" };
                writeln!(
                    stdout(),
                    "{seconds:>6} s  {name}: {setting}bench {arguments}"
                )?;
            }
            return Ok(());
        }
        let parts = Parts::open(&self.steps.join(name))?;
        let (lines, failures) = run::run(&steps, &parts)?;
        let out = self.out.clone().unwrap_or_else(|| out.into());
        write_page(lines, &out)?;
        if failures.is_empty() {
            return Ok(());
        }
        let failures = failures.join("; ");
        let again = "The same command tries these steps again";
        Err(format!("the page lacks what failed: {failures}. {again}").into())
    }
}

/// Removes the description of the machine from each line whose description equals that of its step.
/// The line that describes the step comes first, and keeps it.
fn once_described(lines: Vec<Line>) -> Vec<Line> {
    const MACHINE: [&str; 4] = ["commit", "cores", "cpu", "rustc"];
    let mut step = Line::default();
    let mut describe = |line: Line| {
        if line.text("experiment") == run::RUN {
            step = line.clone();
            return line;
        }
        if line.agrees(&step, &MACHINE) {
            return line.without(&MACHINE);
        }
        line
    };
    lines.into_iter().map(&mut describe).collect()
}

/// Computes figure 7 for all designs together. The lines replace those of figure 7 for single
/// designs, because each design is a step of its own.
fn with_figure_7(mut lines: Vec<Line>) -> Vec<Line> {
    lines.retain(|line| !figure7::follows(line));
    lines.extend(figure7::lines(&lines));
    lines
}

/// The command line of `bench page`.
#[derive(Clone, Debug, Args)]
pub struct PageArguments {
    /// File of measurements that `bench report` wrote.
    #[arg(long)]
    from: PathBuf,
    /// Folder for the page and its figures.
    #[arg(long, default_value = "target/report")]
    out: PathBuf,
}

impl PageArguments {
    /// Draws the page and its figures again. Computes figure 7 and the verdicts again.
    pub fn run(&self) -> Outcome<()> {
        let lines = read_lines(&read_text(&self.from)?);
        if lines.is_empty() {
            let from = self.from.display();
            return Err(format!("{from}: no measurements, one JSON object in each line").into());
        }
        write_page(lines, &self.out)
    }
}

/// Writes the page, its figures, and the result lines in JSON and in CSV into `folder`. Prints
/// warnings and the verdicts on the papers' conclusions.
fn write_page(lines: Vec<Line>, folder: &Path) -> Outcome<()> {
    let lines = &with_figure_7(once_described(lines))[..];
    fs::create_dir_all(folder)?;
    replace(&folder.join("measurements.jsonl"), &written(lines)?)?;
    replace(&folder.join("measurements.csv"), &table(lines)?)?;
    let (page, figures) = (page::page(lines)?, folder.join("figures"));
    if figures.exists() {
        fs::remove_dir_all(&figures)?;
    }
    figures::draw(lines, &figures)?;
    replace(&folder.join("index.html"), page.as_bytes())?;
    let mut out = stdout().lock();
    for warning in page::warnings(lines) {
        writeln!(out, "{warning}")?;
    }
    for conclusion in conclusions::conclusions(lines) {
        writeln!(out, "{}: {}", conclusion.id, conclusion.verdict.name())?;
    }
    writeln!(out, "{}", folder.join("index.html").display())?;
    Ok(())
}

/// Formats result lines as CSV. Each row is one figure: the line's number, its experiment, the
/// figure's name and its value.
fn table(lines: &[Line]) -> Outcome<Vec<u8>> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(["line", "experiment", "name", "figure"])?;
    for (number, line) in lines.iter().enumerate() {
        let number = (number + 1).to_string();
        for (name, figure) in line.figures() {
            let experiment = line.text("experiment");
            table.write_record([&number, experiment, name, &figure.to_string()])?;
        }
    }
    Ok(table.into_inner()?)
}
