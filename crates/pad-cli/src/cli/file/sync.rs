//! `pad file sync`: sends the server the changes of a local file.

use std::{fs::File, path::PathBuf};

use clap::Args;
use flexlist_service::client::{ClientError, FileProgress, SettleOutcome};
use indicatif::ProgressBar;

use super::{
    FileArguments, byte_bar, check_source, settled_line, state_line, state_object, upload::Upload,
};
use crate::cli::{Failure, Output, Result};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad file sync --state thesis.state thesis.pdf
  pad file sync --state thesis.state --server files.example:7420 thesis.pdf")]
pub(in crate::cli) struct Sync {
    #[command(flatten)]
    file: FileArguments,
    /// The local file whose changes are sent.
    source: PathBuf,
}

impl Sync {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        check_source(&self.source, "a sync reads the file twice")?;
        let is_new = !self.file.state.exists();
        if is_new || matches!(self.file.kept()?.progress, FileProgress::Uploading { .. }) {
            return Upload::of(self.file.clone(), self.source.clone()).run(output);
        }
        let failure = |error| Failure::file(&self.source, &error);
        let mut source = File::open(&self.source).map_err(failure)?;
        if !source.metadata().map_err(failure)?.is_file() {
            return Err(Failure::not_plain(&self.source));
        }
        let mut client = self.file.open()?;
        // The outcome of an interrupted update is only reported. The update is not repeated,
        // because contents are compared afterwards.
        let settled = client.settle();
        match settled.map_err(|error| self.file.failure_of(&client, error))? {
            SettleOutcome::Nothing => {}
            SettleOutcome::Applied(state) => output.text(&settled_line(&state))?,
            SettleOutcome::Dropped(refusal) => eprintln!("pad: {}", ClientError::Dropped(refusal)),
        }
        let mut bar: Option<ProgressBar> = None;
        let synced = client.sync(&mut source, &mut |sent, total| {
            bar.get_or_insert_with(|| byte_bar(output, total, "sync"))
                .set_position(sent);
        });
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        let synced = synced.map_err(|error| self.file.failure_of(&client, error))?;
        let line = state_line(&synced.state);
        let text = match (synced.updates, synced.sent) {
            (0, _) => format!("the server has all of it: {line}"),
            (1, sent) => format!("sent {sent} bytes: {line}"),
            (updates, sent) => format!("sent {sent} bytes in {updates} updates: {line}"),
        };
        let mut object = state_object(&synced.state);
        object["new_versions"] = synced.updates.into();
        object["sent_bytes"] = synced.sent.into();
        output.say(&text, &object)
    }
}
