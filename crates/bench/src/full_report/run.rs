//! Runs the steps of a report, each in a process of its own. Stores the result lines of finished
//! steps, so that an interrupted report can resume.

use std::{
    fs,
    io::{Read, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};
use sha2::{Digest as _, Sha256};

use super::{processors, steps::Step};
use crate::{Outcome, line, line::Line, machine::Machine};

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
        self.folder.join(&step.name).with_extension("jsonl")
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
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        for line in lines {
            writeln!(file, "{}", serde_json::to_string(line)?)?;
        }
        file.persist(self.path(step))?;
        Ok(())
    }
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

/// Runs the steps that are not finished. Returns the result lines of all finished steps, and for
/// each failed step its name with the error.
pub fn run(steps: &[Step], parts: &Parts) -> Outcome<(Vec<Line>, Vec<String>)> {
    let progress = ProgressBar::new_spinner();
    progress.set_style(ProgressStyle::with_template("{spinner} {msg}")?);
    progress.enable_steady_tick(Duration::from_millis(200));
    let mut clock = Clock::new(steps, parts);
    let (mut lines, mut failures) = (Vec::new(), Vec::new());
    for (number, step) in steps.iter().enumerate() {
        if let Some(finished) = parts.finished(step) {
            lines.extend(finished);
            continue;
        }
        let announce = |elapsed: Duration| {
            let left = clock.left(step, elapsed);
            let (number, of) = (number + 1, steps.len());
            let (elapsed, left) = (minutes(elapsed), minutes(left));
            progress.set_message(format!(
                "{number}/{of} {}: {elapsed}, about {left} left",
                step.name
            ));
        };
        match measure(step, &parts.program, &announce) {
            Ok(measured) => {
                clock.took(step, measured[0].figure("seconds"));
                parts.keep(step, &measured)?;
                lines.extend(measured);
            }
            Err(error) => {
                clock.left -= step.expected_seconds as f64;
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
    let (start, before) = (Instant::now(), processors::ProcessorUse::now());
    let (arguments, is_portable) = step.call();
    let mut child = Command::new(std::env::current_exe()?)
        .envs(is_portable.then_some(("PAD_LANES", "off")))
        .args(arguments.split(' '))
        .arg("--json")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (output, errors) = (reader(child.stdout.take()), reader(child.stderr.take()));
    let status = wait(&mut child, &|| announce(start.elapsed()))?;
    let (output, errors) = (output.join(), errors.join());
    if !status.success() {
        let errors = errors.unwrap_or_default();
        return Err(format!(
            "bench {} ended with {status}: {}",
            step.arguments,
            errors.trim()
        )
        .into());
    }
    let others =
        before.and_then(|before| processors::ProcessorUse::now()?.of_others_since(&before));
    let run = line! {
        experiment: RUN, step: &step.name, arguments: &step.arguments, program,
        seconds: start.elapsed().as_secs_f64(), cores_used_by_others: others,
    };
    let run = run.merged(&Machine::current());
    let measured = read_lines(&output.unwrap_or_default());
    if measured.is_empty() {
        return Err(format!("bench {} printed no line", step.arguments).into());
    }
    let named = |line: Line| {
        if is_portable { portable(line) } else { line }
    };
    let measured = measured.into_iter().map(named);
    Ok(core::iter::once(run).chain(measured).collect())
}

/// Renames the experiment of a line that was measured without fast lanes, so that tables of the
/// same experiment select only lines with them.
fn portable(line: Line) -> Line {
    let experiment = format!("{}_portable", line.text("experiment"));
    line.without(&["experiment"]).and("experiment", experiment)
}

/// Starts a thread that reads all output of a process, so that the process never blocks on a full
/// pipe. The thread returns the text.
fn reader(from: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(mut from) = from {
            // On an error, the text read so far is the whole output.
            _ = from.read_to_end(&mut text);
        }
        String::from_utf8_lossy(&text).into_owned()
    })
}

fn wait(child: &mut Child, announce: &dyn Fn()) -> Outcome<std::process::ExitStatus> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        announce();
        thread::sleep(Duration::from_millis(200));
    }
}

/// Estimates the remaining time of a report from the durations of its finished steps.
struct Clock {
    /// Sum of the expected seconds of all unfinished steps, including the current one.
    left: f64,
    expected: f64,
    measured: f64,
}

impl Clock {
    fn new(steps: &[Step], parts: &Parts) -> Self {
        let left = steps.iter().filter(|step| parts.finished(step).is_none());
        Self {
            left: left.map(|step| step.expected_seconds as f64).sum(),
            // Starts as if one minute of steps had taken as long as expected. So the first steps
            // carry little weight.
            expected: 60.0,
            measured: 60.0,
        }
    }

    fn took(&mut self, step: &Step, seconds: f64) {
        let expected = step.expected_seconds as f64;
        self.left -= expected;
        self.expected += expected;
        self.measured += seconds;
    }

    fn left(&self, step: &Step, elapsed: Duration) -> Duration {
        let pace = self.measured / self.expected;
        let current = (step.expected_seconds as f64 * pace - elapsed.as_secs_f64()).max(0.0);
        let later = (self.left - step.expected_seconds as f64).max(0.0) * pace;
        Duration::from_secs_f64(current + later)
    }
}

/// Formats a time as minutes and seconds, for example `2m05s`.
fn minutes(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}m{:02}s", seconds / 60, seconds % 60)
}
