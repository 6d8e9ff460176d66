//! `pad file forget`.

use std::path::PathBuf;

use clap::Args;
use flexlist_service::client::KeptFile;
use serde_json::json;

use super::{ServerArguments, failure};
use crate::cli::{Failure, Output};

#[derive(Debug, Args)]
#[command(after_help = "Example: pad file forget --state thesis.state")]
pub(in crate::cli) struct Forget {
    /// The state file. The owner's key, which other files may have, stays.
    #[arg(long, value_name = "FILE")]
    state: PathBuf,
    /// Also if the server has the file, or does not answer: nobody can change or remove it there any more,
    /// unless there is a copy of the state.
    #[arg(long)]
    abandon: bool,
    #[command(flatten)]
    server: ServerArguments,
}

impl Forget {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        let failure = |error| failure::client(&self.state, error);
        let kept = KeptFile::read(&self.state).map_err(|error| failure(error.into()))?;
        if self.abandon {
            KeptFile::abandon(&self.state).map_err(|error| failure(error.into()))?;
        } else {
            let transport = self.server.transport(&kept.server)?;
            let server = self.server.address(&kept.server);
            KeptFile::forget(&self.state, &transport)
                .map_err(|error| failure::client_at(server, &self.state, error))?;
        }
        let (state, file) = (self.state.display(), kept.file);
        output.say(
            &format!("forgotten: {state}, of file {file}"),
            &json!({
                "state": state.to_string(),
                "file": file.to_string(),
                "abandoned": self.abandon,
            }),
        )
    }
}
