//! `pad file public`: writes the public data of a file, for readers and auditors without the
//! owner's secrets.

use authdict::internals::FilePublic;
use clap::Args;

use super::{FileArguments, state_line, state_object};
use crate::cli::{Output, Result, files::OutArguments};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad file public --state thesis.state --out thesis.public
  pad file public --state thesis.state --key open.key --out thesis.public")]
pub(in crate::cli) struct Public {
    #[command(flatten)]
    file: FileArguments,
    #[command(flatten)]
    out: OutArguments,
}

impl Public {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        self.out.check(output)?;
        let mut client = self.file.open()?;
        let public = client.public();
        let file = public.map_err(|error| self.file.failure_of(&client, error))?;
        let (state, can_audit) = (file.since, file.tags.key().is_some());
        let server = self.file.server.address(client.server()).to_owned();
        let public = FilePublic { file, server };
        self.out.write(public.to_string().as_bytes(), output)?;
        if self.out.is_standard() {
            return Ok(());
        }
        let auditors = if can_audit {
            "with it, the file can be read and audited"
        } else {
            "with it, the file can be read; only the owner can audit it"
        };
        let mut object = state_object(&state);
        object["file"] = self.out.shown().into();
        object["auditable"] = can_audit.into();
        let (out, line) = (self.out.shown(), state_line(&state));
        output.say(&format!("published in {out}: {line}\n{auditors}"), &object)
    }
}
