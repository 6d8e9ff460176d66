//! `pad file status` prints the status of a file at the owner and at the server. `pad file adopt`
//! moves the owner's state file to an older or newer version that the owner has signed.

use clap::Args;
use flexlist::FileState;
use flexlist_service::client::{ClientError, SettleOutcome, Status as ServerStatus};
use serde_json::json;

use super::{Client, FileArguments, settled_line, state_line, state_object};
use crate::cli::{Failure, Output, Result, counted};

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

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad file adopt --state thesis.state
  pad file adopt --state thesis.state --accept-version 7")]
pub(in crate::cli) struct Adopt {
    #[command(flatten)]
    file: FileArguments,
    /// Continue from version NUMBER of the server, which the state's owner must have signed.
    ///
    /// Without it nothing changes: the command only shows the server's version.
    #[arg(long, value_name = "NUMBER")]
    accept_version: Option<u64>,
}

impl Adopt {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        let mut client = self.file.open()?;
        let known = client.version();
        let was_pending = client.is_pending();
        let vouched = match self.accept_version {
            None => client.vouched(),
            Some(version) => client.vouched_at(version),
        };
        let vouched = vouched.map_err(|error| self.file.failure(error))?;
        let mut lines = vec![way(known.as_ref(), vouched.state())];
        let adopted = self.accept_version.is_some() && known.as_ref() != Some(vouched.state());
        if adopted {
            let version = vouched.state().version;
            let done = client.adopt(version);
            done.map_err(|error| self.file.failure(error))?;
            lines.push(format!("adopted: {}", state_line(vouched.state())));
            if was_pending {
                lines.push("the pending update is discarded".into());
            }
        } else if known.as_ref() != Some(vouched.state()) {
            lines.push(self.file.how_to_adopt(vouched.state().version));
        }
        if !vouched.is_current() {
            lines.push(format!(
                "the server is at version {}, but shows no signature for it: version {} can be \
                 read, but not changed; read it, and upload it anew",
                vouched.status().version,
                vouched.state().version
            ));
        }
        let mut object = state_object(vouched.state());
        object["adopted"] = adopted.into();
        object["known_version"] = known.map(|state| state.version).into();
        object["current"] = vouched.is_current().into();
        output.say(&lines.join("\n"), &object)
    }
}

/// Describes how the server's version `shown` compares with `known`, the version in the state.
fn way(known: Option<&FileState>, shown: &FileState) -> String {
    let version = shown.version;
    let bytes = shown.list.total;
    let signed =
        format!("the server shows version {version} of {bytes} bytes, signed by this owner");
    let Some(known) = known else {
        return format!("{signed}; this state has no version yet");
    };
    let from = known.version;
    if version < from {
        let count = from - version;
        let steps = counted(count, "version");
        let changes = match count {
            1 => format!("version {from}"),
            _ => format!("versions {} to {from}", version + 1),
        };
        return format!(
            "{signed}; this state has version {from}: that is {steps} back, and the changes of \
             {changes} are lost"
        );
    }
    if version > from {
        let steps = counted(version - from, "version");
        return format!(
            "{signed}; this state has version {from}, so it is an older copy: that is {steps} \
             forward"
        );
    }
    if known == shown {
        return format!("{signed}; so has this state: there is nothing to adopt");
    }
    format!(
        "{signed}; this state has version {version} with other contents, of {} bytes, which would \
         be lost",
        known.list.total
    )
}

impl FileArguments {
    /// Converts a client's error into a [`Failure`]. After a rollback, a fork or a failed audit,
    /// explains how to adopt the version that the server presents with the owner's signature.
    pub(super) fn failure_of(&self, client: &Client, error: ClientError) -> Failure {
        let way_back = match &error {
            ClientError::Rollback { .. } | ClientError::Forked { .. } | ClientError::Audit(_) => {
                client.vouched().ok()
            }
            _ => None,
        };
        let failure = self.failure(error);
        let known = client.version();
        match (failure, way_back) {
            (Failure::Refused(text), Some(vouched)) if known.as_ref() != Some(vouched.state()) => {
                let shown = vouched.state();
                let way = way(known.as_ref(), shown);
                Failure::Refused(format!("{text}; {way}")).help(self.how_to_adopt(shown.version))
            }
            (failure, _) => failure,
        }
    }

    pub(super) fn how_to_adopt(&self, version: u64) -> String {
        let state = self.state.display();
        format!(
            "read it with pad file read --state {state} --accept-version {version}, or continue \
             from it with pad file adopt --state {state} --accept-version {version}"
        )
    }
}
