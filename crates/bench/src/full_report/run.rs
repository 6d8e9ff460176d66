//! Runs the steps of a report, each in a process of its own. Stores the result lines of finished
//! steps, so that an interrupted report can resume.

use std::{
    fs,
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use sha2::{Digest as _, Sha256};

use super::{processors::ProcessorUse, steps::Step};
use crate::{Outcome, line, line::Line, machine::Machine, report::spinner};

/// Folder that stores the result lines of finished steps.
#[derive(Debug)]
pub struct Parts {
    folder: PathBuf,
    program: String,
}

impl Parts {
    /// Opens the folder of finished steps, and creates it if it is missing. Ignores steps that
    /// another build of this program measured.
    pub fn open(folder: &Path) -> Outcome<Self> {
        fs::create_dir_all(folder)?;
        Ok(Self {
            folder: folder.to_owned(),
            program: hex::encode(Sha256::digest(fs::read(std::env::current_exe()?)?)),
        })
    }

    fn path(&self, step: &Step) -> PathBuf {
        self.folder.join(step.name).with_extension("jsonl")
    }

    /// Returns the stored lines of a step, if this program finished it with the same arguments. The
    /// first line describes the run.
    pub fn finished(&self, step: &Step) -> Option<Vec<Line>> {
        let text = fs::read_to_string(self.path(step)).ok()?;
        let lines = read_lines(&text);
        let first = lines.first()?;
        let is_same = first.text("experiment") == RUN
            && first.text("arguments") == step.arguments
            && first.text("program") == self.program;
        is_same.then_some(lines)
    }

    /// Stores the lines of a finished step.
    fn keep(&self, step: &Step, lines: &[Line]) -> Outcome<()> {
        replace(&self.path(step), &written(lines)?)
    }
}

/// Writes a file atomically: at any time it has either the old or the complete new contents.
pub(super) fn replace(file: &Path, contents: &[u8]) -> Outcome<()> {
    let folder = file.parent().ok_or("a file is in a folder")?;
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    new.write_all(contents)?;
    let readable = fs::Permissions::from_mode(0o644);
    new.as_file().set_permissions(readable)?;
    new.persist(file)?;
    Ok(())
}

/// Value of `experiment` in the line that describes how a step was run.
pub const RUN: &str = "report_run";

/// Parses result lines, one JSON object per line of `text`. Skips lines that are not.
pub fn read_lines(text: &str) -> Vec<Line> {
    let lines = text.lines();
    lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// Writes result lines, one JSON object per line.
pub(super) fn written(lines: &[Line]) -> Outcome<Vec<u8>> {
    let mut text = Vec::new();
    for line in lines {
        writeln!(text, "{}", serde_json::to_string(line)?)?;
    }
    Ok(text)
}

/// Runs the steps that are not finished. Returns the result lines of all finished steps, and for
/// each failed step its name with the error.
pub fn run(steps: &[Step], parts: &Parts) -> Outcome<(Vec<Line>, Vec<String>)> {
    let progress = spinner("{spinner} {msg}")?;
    let seconds = |step: &Step| step.expected_seconds as f64;
    let unfinished = steps.iter().filter(|step| parts.finished(step).is_none());
    // Expected seconds of the unfinished steps, without the current one.
    let mut later: f64 = unfinished.map(seconds).sum();
    // Starts as if one minute of steps had taken as long as expected. So the first steps carry
    // little weight.
    let (mut expected, mut took) = (60.0, 60.0);
    let (mut lines, mut failures) = (Vec::new(), Vec::new());
    for (number, step) in (1..).zip(steps) {
        if let Some(finished) = parts.finished(step) {
            lines.extend(finished);
            continue;
        }
        later -= seconds(step);
        let announce = |elapsed: Duration| {
            let pace = took / expected;
            let current = (seconds(step) * pace - elapsed.as_secs_f64()).max(0.0);
            let left = Duration::from_secs_f64(current + later.max(0.0) * pace);
            let (of, name) = (steps.len(), step.name);
            let (elapsed, left) = (minutes(elapsed), minutes(left));
            progress.set_message(format!(
                "{number}/{of} {name}: {elapsed}, about {left} left"
            ));
        };
        match measure(step, &parts.program, &announce) {
            Ok(measured) => {
                expected += seconds(step);
                took += measured[0].figure("seconds");
                parts.keep(step, &measured)?;
                lines.extend(measured);
            }
            Err(error) => {
                let failure = format!("{}: {error}", step.name);
                progress.suspend(|| eprintln!("bench: {failure}"));
                failures.push(failure);
            }
        }
    }
    progress.finish_and_clear();
    Ok((lines, failures))
}

/// Runs one step in a new process. Returns a line that describes the run, and then the lines that
/// the step printed. Calls `announce` with the elapsed time while it runs.
fn measure(step: &Step, program: &str, announce: &dyn Fn(Duration)) -> Outcome<Vec<Line>> {
    let (start, before) = (Instant::now(), ProcessorUse::now());
    let (arguments, is_portable) = step.call();
    let child = Command::new(std::env::current_exe()?)
        .envs(is_portable.then_some(("PAD_LANES", "off")))
        .args(arguments.split(' '))
        .arg("--json")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let ended = thread::spawn(|| child.wait_with_output());
    while !ended.is_finished() {
        announce(start.elapsed());
        thread::sleep(Duration::from_millis(200));
    }
    let output = ended.join().map_err(|_| "reading the output panicked")??;
    if !output.status.success() {
        let (status, errors) = (output.status, String::from_utf8_lossy(&output.stderr));
        let (arguments, errors) = (step.arguments, errors.trim());
        return Err(format!("bench {arguments} ended with {status}: {errors}").into());
    }
    let others = before.and_then(|before| ProcessorUse::now()?.of_others_since(&before));
    let run = line! {
        experiment: RUN, step: step.name, arguments: step.arguments, program,
        seconds: start.elapsed().as_secs_f64(), cores_used_by_others: others,
    };
    let run = run.merged(&Machine::current());
    let measured = read_lines(&String::from_utf8_lossy(&output.stdout));
    if measured.is_empty() {
        return Err(format!("bench {} printed no line", step.arguments).into());
    }
    let named = |line: Line| if is_portable { portable(line) } else { line };
    let measured = measured.into_iter().map(named);
    Ok(core::iter::once(run).chain(measured).collect())
}

/// Renames the experiment of a line that was measured without fast lanes, so that tables of the
/// same experiment select only lines with them.
fn portable(line: Line) -> Line {
    let experiment = format!("{}_portable", line.text("experiment"));
    line.without(&["experiment"]).and("experiment", experiment)
}

/// Formats a time as minutes and seconds, for example `2m05s`.
fn minutes(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}m{:02}s", seconds / 60, seconds % 60)
}
