//! `pad file list` lists the files recorded by state files, without asking a server. `pad file
//! forget` removes the state of a file that the server no longer has.

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::Args;
use flexlist_service::client::{FileProgress, StateError, StateSummary};
use serde_json::{Value as Json, json};

use super::{ServerArguments, failure, state_object};
use crate::cli::{Failure, Output, Result};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad file list
  pad file list states thesis.state

To ask the server, use pad file status. For a proof, use pad file audit.")]
pub(in crate::cli) struct List {
    /// State files, and folders with state files.
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad file forget --state thesis.state
  pad file forget --state thesis.state --abandon")]
pub(in crate::cli) struct Forget {
    /// The state file to remove; the owner's key file stays.
    #[arg(long, value_name = "FILE")]
    state: PathBuf,
    /// Forget a file that the server has, or whose server does not answer.
    ///
    /// Without a copy of the state the file can no longer be changed or removed there.
    #[arg(long)]
    abandon: bool,
    #[command(flatten)]
    server: ServerArguments,
}

impl List {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        let (mut unusable, mut items) = (Vec::new(), 0);
        for path in &self.paths {
            for state in states(path)? {
                items += 1;
                match StateSummary::read(&state) {
                    Ok(kept) => {
                        let (line, object) = shown(&state, &kept);
                        output.say(&line, &object)?;
                    }
                    Err(StateError::Io(error)) => return Err(Failure::file(&state, &error)),
                    Err(error) => {
                        let shown = state.display();
                        let object = json!({
                            "state": shown.to_string(),
                            "unusable": error.to_string(),
                            "verified": false,
                        });
                        output.say(&format!("{shown}  {error}"), &object)?;
                        unusable.push(shown.to_string());
                    }
                }
            }
        }
        if output.is_json() {
            output.end(items);
            output.say("", &json!({ "verified": false }))?;
        }
        match unusable.as_slice() {
            [] => Ok(()),
            states => Err(Failure::Input(format!("of no use: {}", states.join(", ")))),
        }
    }
}

impl Forget {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        let failure = |error| failure::client(&self.state, error);
        let kept = StateSummary::read(&self.state).map_err(|error| failure(error.into()))?;
        if self.abandon {
            StateSummary::abandon(&self.state).map_err(|error| failure(error.into()))?;
        } else {
            let transport = self.server.transport(&kept.server)?;
            let server = self.server.address(&kept.server);
            StateSummary::forget(&self.state, &transport)
                .map_err(|error| failure::client_at(server, &self.state, error))?;
        }
        let (state, file) = (self.state.display(), kept.file);
        let object = json!({
            "state": state.to_string(),
            "file_id": file.to_string(),
            "abandoned": self.abandon,
        });
        output.say(&format!("forgotten: {state}, of file {file}"), &object)
    }
}

/// Returns the state files in a folder, in order of names. If `path` is not a folder, returns only
/// `path`.
fn states(path: &Path) -> Result<Vec<PathBuf>> {
    if !fs::metadata(path).map_err(Failure::at(path))?.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut states = Vec::new();
    for entry in fs::read_dir(path).map_err(Failure::at(path))? {
        let found = entry.map_err(Failure::at(path))?.path();
        // Files that cannot be opened are skipped. Pipes are not opened, because opening them would
        // block.
        let is_plain = fs::metadata(&found).is_ok_and(|found| found.is_file());
        if is_plain && StateSummary::is_at(&found).unwrap_or(false) {
            let shown = found.strip_prefix(".").unwrap_or(&found);
            states.push(shown.to_path_buf());
        }
    }
    states.sort();
    Ok(states)
}

/// Describes a state, as a line of text and as an object.
fn shown(path: &Path, kept: &StateSummary) -> (String, Json) {
    let (standing, mut object, progress) = match &kept.progress {
        FileProgress::Uploading { bytes } => (
            format!("upload not finished, {bytes} bytes sent"),
            json!({ "file_id": kept.file.to_string(), "sent_bytes": bytes }),
            "uploading",
        ),
        FileProgress::Settled(state) => (
            format!("version {}, {} bytes", state.version, state.list.total),
            state_object(state),
            "settled",
        ),
        FileProgress::Pending(state) => (
            format!(
                "version {}, {} bytes, an update is in progress",
                state.version, state.list.total
            ),
            state_object(state),
            "pending",
        ),
    };
    let server = Some(kept.server.as_str()).filter(|server| !server.is_empty());
    let at = server.map_or_else(
        || "no server noted".to_owned(),
        |server| format!("at {}", server.escape_debug()),
    );
    let path = path.display().to_string();
    // No server was asked, and a server may have lost the file. So the line states only what the
    // state says.
    let line = format!("{path}  its state says: {standing}, {at}");
    object["state"] = path.into();
    object["progress"] = progress.into();
    object["server"] = server.into();
    object["verified"] = false.into();
    (line, object)
}
