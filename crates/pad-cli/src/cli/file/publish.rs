//! `pad file publish`: records the sealed root of a file in a dictionary. One signed head then
//! covers all recorded files.

use std::path::PathBuf;

use authdict::{Key, Operation, Value};
use clap::Args;

use super::FileArguments;
use crate::cli::{Output, Result, change::Target};

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
