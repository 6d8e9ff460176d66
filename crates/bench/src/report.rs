//! Report of a run: collects the result lines as they are measured, and shows the progress.

use std::{
    io::{Write, stderr, stdout},
    time::Duration,
};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use crate::{Outcome, line::Line, machine::Machine, tables::Tables, timing::Effort};

/// Arguments that all benchmark commands share: output format and effort.
#[derive(Clone, Copy, Debug, Args)]
pub struct Manner {
    /// Prints one JSON object per line instead of tables.
    #[arg(long)]
    pub json: bool,
    /// Measures little, only to check that everything works.
    #[arg(long)]
    pub quick: bool,
}

impl Manner {
    /// Creates an empty report with these settings.
    pub fn report(self) -> Outcome<Report> {
        Report::new(self.json, self.quick)
    }
}

/// Note in reports that contain figures of a quick run.
pub const QUICK: &str =
    "A quick run: small sizes and few repetitions. Rankings can be read from it, figures cannot.";

/// Report of a run: its settings, and the result lines so far.
#[derive(Debug)]
pub struct Report {
    progress: ProgressBar,
    json: bool,
    quick: bool,
    machine: Machine,
    lines: Vec<Line>,
    left_out: Vec<String>,
}

impl Report {
    /// Creates an empty report. If `json`, it prints each result line as JSON, otherwise tables at
    /// the end. If `quick`, measurements are short and show only that everything works.
    pub fn new(json: bool, quick: bool) -> Outcome<Self> {
        Ok(Self {
            progress: spinner("{spinner} {msg} ({elapsed})")?,
            json,
            quick,
            machine: Machine::current(),
            lines: Vec::new(),
            left_out: Vec::new(),
        })
    }

    /// Shows `what` as the measurement in progress.
    pub fn announce(&self, what: impl Into<String>) {
        self.progress.set_message(what.into());
    }

    /// Returns the time budget and the number of repetitions for measurements.
    pub const fn effort(&self) -> Effort {
        Effort::new(self.quick)
    }

    /// Returns the number of repetitions for slow work: `quick` in a quick run, otherwise `full`.
    pub const fn rounds(&self, full: usize, quick: usize) -> usize {
        if self.quick { quick } else { full }
    }

    /// Records a result line that was measured on this machine. Adds the machine's description to
    /// it.
    pub fn measured(&mut self, line: Line) -> Outcome<()> {
        let line = line.merged(&self.machine);
        self.line(line)
    }

    /// Records a result line without adding a description of the machine, for example a line that
    /// was computed from others.
    pub fn line(&mut self, line: Line) -> Outcome<()> {
        if self.json {
            let json = serde_json::to_string(&line)?;
            self.progress.suspend(|| writeln!(stdout(), "{json}"))?;
        }
        self.lines.push(line);
        Ok(())
    }

    /// Returns the result lines so far.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Records work that is left out because it is expected to take too long.
    pub fn left_out(&mut self, what: &str, expected_seconds: f64) {
        self.left_out
            .push(format!("{what}: about {expected_seconds:.0} s"));
    }

    /// Ends the run. Prints the tables that `tables` makes, unless each line was printed as JSON.
    /// Lists the left-out work on standard error.
    pub fn finish(self, tables: impl FnOnce(&[Line]) -> Tables) -> Outcome<()> {
        self.progress.finish_and_clear();
        if !self.json {
            write!(stdout(), "{}", tables(&self.lines))?;
            if self.quick {
                writeln!(stdout(), "\n{QUICK}")?;
            }
        }
        for left_out in &self.left_out {
            writeln!(stderr(), "left out: {left_out}")?;
        }
        Ok(())
    }
}

/// Starts a spinner on standard error, whose texts follow the template.
pub(crate) fn spinner(template: &str) -> Outcome<ProgressBar> {
    let spinner = ProgressBar::new_spinner();
    spinner.set_style(ProgressStyle::with_template(template)?);
    spinner.enable_steady_tick(Duration::from_millis(200));
    Ok(spinner)
}
