//! `pad file forget`: removes the state of a file that the server no longer has.

use std::path::PathBuf;

use clap::Args;
use flexlist_service::client::StateSummary;
use serde_json::json;

use super::{ServerArguments, failure};
use crate::cli::{Output, Result};

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
        output.say(
            &format!("forgotten: {state}, of file {file}"),
            &json!({
                "state": state.to_string(),
                "file_id": file.to_string(),
                "abandoned": self.abandon,
            }),
        )
    }
}
