//! `pad file status`: prints the status of a file at the owner and at the server.

use clap::Args;
use flexlist_service::client::{ClientError, SettleOutcome, Status as ServerStatus};
use serde_json::json;

use super::{FileArguments, settled_line, state_line, state_object};
use crate::cli::{Output, Result};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad file status --state thesis.state
  pad file status --state thesis.state --server https://files.example:7420")]
pub(in crate::cli) struct Status {
    #[command(flatten)]
    file: FileArguments,
}

impl Status {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        let mut client = self.file.open()?;
        let settled = client.settle();
        let settled = settled.map_err(|error| self.file.failure_of(&client, error))?;
        let settled = match settled {
            SettleOutcome::Nothing => None,
            SettleOutcome::Applied(state) => Some(settled_line(&state)),
            SettleOutcome::Dropped(refusal) => Some(ClientError::Dropped(refusal).to_string()),
        };
        let status = client.status();
        let status = status.map_err(|error| self.file.failure_of(&client, error))?;
        let claim = match status {
            ServerStatus::Uploading { next_part } => {
                format!("the upload is not finished; the server has {next_part} parts")
            }
            ServerStatus::Current(standing) => {
                format!("the server has this version, in {} blocks", standing.blocks)
            }
            ServerStatus::Newer { newer, .. } => format!(
                "the server has version {} of {} bytes, signed by this owner: this state is an \
                 older copy; use the newer one, or catch up with pad file adopt --state {} \
                 --accept-version {}",
                newer.version,
                newer.list.total,
                self.file.state.display(),
                newer.version
            ),
        };
        let file = client.file();
        let kept = [&self.file.state, &self.file.key].map(|path| path.display().to_string());
        // Opening the client has already verified that the key and the state match.
        let fit = format!("kept in      {} and {}, which fit", kept[0], kept[1]);
        let mut object = json!({ "file_id": file.to_string() });
        let text = match client.version() {
            Some(state) => {
                object = state_object(&state);
                let settled = settled.as_ref();
                let settled = settled.map_or_else(String::new, |words| format!("{words}\n"));
                format!(
                    "{settled}file         {file}\n{fit}\n\
                     state        {}\nsealed root  {}\n{claim}",
                    state_line(&state),
                    state.sealed_root(),
                )
            }
            None => format!("file         {file}\n{fit}\n{claim}"),
        };
        let [state, key] = kept;
        object["state"] = state.into();
        object["secret_key"] = key.into();
        object["says"] = claim.into();
        object["update"] = settled.into();
        object["verified"] = false.into();
        output.say(&text, &object)
    }
}
