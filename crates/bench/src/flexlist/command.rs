//! The commands `flexlist` and `flexlist-trace`.

use std::{
    io::{Write, stdout},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};

use super::{
    FlexlistArguments, FlexlistLine, Reporter,
    cut::{self, CutArguments},
    run, table,
};
use crate::Outcome;

/// Measures, and prints lines or tables.
pub fn report(arguments: &FlexlistArguments) -> Outcome<()> {
    let progress = ProgressBar::new_spinner();
    progress.set_style(ProgressStyle::with_template("{spinner} {msg} ({elapsed})")?);
    progress.enable_steady_tick(Duration::from_millis(200));
    let mut report = Report {
        progress,
        json: arguments.json,
        lines: Vec::new(),
    };
    run(arguments, &mut report)?;
    report.progress.finish_and_clear();
    if !arguments.json {
        write!(stdout(), "{}", table::report(&report.lines))?;
    }
    Ok(())
}

/// Prints lines as they come, or collects them for tables.
struct Report {
    progress: ProgressBar,
    json: bool,
    lines: Vec<FlexlistLine>,
}

impl Reporter for Report {
    fn announce(&mut self, what: &str) {
        self.progress.set_message(what.to_owned());
    }

    fn line(&mut self, line: FlexlistLine) -> Outcome<()> {
        if self.json {
            let json = serde_json::to_string(&line)?;
            self.progress.suspend(|| writeln!(stdout(), "{json}"))?;
        }
        self.lines.push(line);
        Ok(())
    }
}

/// Cuts a trace, and says what it is.
pub fn cut(arguments: &CutArguments) -> Outcome<()> {
    let progress = ProgressBar::new(0);
    let style = "{bar:30} {pos}/{len} commits ({elapsed}, about {eta} left)";
    progress.set_style(ProgressStyle::with_template(style)?);
    let summary = cut::cut(arguments, |done, all| {
        progress.set_length(u64::try_from(all).unwrap_or(0));
        progress.set_position(u64::try_from(done).unwrap_or(0));
    })?;
    progress.finish_and_clear();
    Ok(writeln!(stdout(), "{summary}")?)
}
