//! `pad file publish` records the sealed root of a file in a dictionary. One signed head then
//! covers all recorded files. `pad file public` writes the public data of a file.

use std::path::PathBuf;

use authdict::{Key, Operation, Value, internals::FilePublic};
use clap::Args;

use super::{FileArguments, state_line, state_object};
use crate::cli::{Output, Result, change::Target, files::OutArguments};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad file publish --state thesis.state --path thesis.pdf --store heads.pad
  pad file publish --state thesis.state --path thesis.pdf --store heads.pad \\
    --author author.key")]
pub(in crate::cli) struct Publish {
    #[command(flatten)]
    file: FileArguments,
    /// The path of the file, which is its key in the dictionary.
    #[arg(long, value_name = "PATH")]
    path: String,
    /// The dictionary's store.
    #[arg(long, value_name = "FILE")]
    store: PathBuf,
    /// The author's secret key (pad keygen); needed only for a new store.
    #[arg(long, value_name = "FILE")]
    author: Option<PathBuf>,
}

impl Publish {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        let mut client = self.file.open()?;
        let state = client.current().map_err(|error| self.file.failure(error))?;
        let key = Key::try_from(self.path.as_str())?;
        let value = Value::new(state.sealed_root().0)?;
        let target = Target::new(&self.store, self.author.as_deref());
        target.note(output, &Operation::Put(key, value))
    }
}

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
        let Some(out) = self.out.write(public.to_string().as_bytes(), output)? else {
            return Ok(());
        };
        let auditors = if can_audit {
            "with it, the file can be read and audited"
        } else {
            "with it, the file can be read; only the owner can audit it"
        };
        let mut object = state_object(&state);
        object["file"] = out.as_str().into();
        object["auditable"] = can_audit.into();
        let line = state_line(&state);
        output.say(&format!("published in {out}: {line}\n{auditors}"), &object)
    }
}
