//! Imports and helpers that most benchmark modules share.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use pad_core::{Authority, SnapshotHead, Suite, Untrusted, Verified};

pub(crate) use comparison::{
    Outcome, ensure,
    timing::{Distribution, Effort, Timings, median, microseconds, percentile, stopwatch},
    workload::Random,
};

pub(crate) use crate::{
    columns::{nothing, show, show_of, shown},
    line::{Line, groups, of, without_lanes},
    paper::published,
    primitives::{author_key, signing_key},
    report::{Manner, Report},
    sizes::{SizeArgument as _, within},
    tables::{Tables, digits, percent},
};

/// Returns the text of a file. An error names the file.
pub(crate) fn read_text(file: &Path) -> Outcome<String> {
    fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()).into())
}

/// Returns the name of a recorded trace: that of its file, without extensions.
pub(crate) fn trace_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().unwrap_or_default().to_owned()
}

/// Returns the paths of the `chosen` traces, or else of the `bundled` ones in the folder `data`.
pub(crate) fn traces(chosen: &[PathBuf], bundled: &[&str]) -> Vec<PathBuf> {
    if !chosen.is_empty() {
        return chosen.to_vec();
    }
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data");
    bundled.iter().map(|name| data.join(name)).collect()
}

/// Runs this program with other arguments in a new process, and returns its output. Memory of that
/// process is the memory of only one measurement.
pub(crate) fn run_alone<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Outcome<Vec<u8>> {
    let mut command = Command::new(env::current_exe()?);
    let output = command.args(arguments).stderr(Stdio::inherit()).output()?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(format!("{command:?} failed: {}", output.status).into())
}

/// Signs `head` with the author's key, and returns it verified, as a client knows it.
pub(crate) fn known_head<S: Suite>(head: SnapshotHead<S>) -> Outcome<Verified<SnapshotHead<S>>> {
    let authority = Authority {
        author: author_key(),
        dictionary: head.dictionary,
        scheme: head.scheme,
    };
    let (version, signed) = (head.version, head.sign(&signing_key())?);
    Ok(Untrusted::new(signed).verify(&authority, &version)?)
}

/// Returns `line` with the figures of `others` instead of its own ones under the same keys.
pub(crate) fn replaced(line: &Line, others: &Line) -> Line {
    let keys: Vec<&str> = others.figures().map(|(key, _)| key).collect();
    line.clone().without(&keys).merged(others)
}

/// Reports whether `list` contains `name`. An empty list contains every name.
pub(crate) fn chosen(list: &[String], name: &str) -> bool {
    list.is_empty() || list.iter().any(|chosen| chosen == name)
}
