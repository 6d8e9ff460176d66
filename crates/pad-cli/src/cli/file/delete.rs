//! `pad file delete`: deletes a range of bytes of a file, or the whole file, on the server.

use clap::Args;
use flexlist::ByteEdit;
use serde_json::json;

use super::{FileArguments, edit::apply};
use crate::cli::{Output, Result};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad file delete --state thesis.state --offset 1000 --length 80
  pad file delete --state thesis.state --whole-file")]
pub(in crate::cli) struct Delete {
    #[command(flatten)]
    file: FileArguments,
    #[command(flatten)]
    what: Deletion,
}

/// The bytes or file to delete.
#[derive(Debug, Args)]
#[group(required = true)]
struct Deletion {
    /// The offset of the first BYTE to delete.
    #[arg(long, value_name = "BYTE", requires = "length")]
    offset: Option<u64>,
    /// The number of BYTES to delete.
    #[arg(long, value_name = "BYTES", requires = "offset")]
    length: Option<u64>,
    /// Delete the file on the server, or its unfinished upload.
    ///
    /// This cannot be undone.
    #[arg(long, conflicts_with_all = ["offset", "length"])]
    whole_file: bool,
}

impl Delete {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        match (self.what.offset, self.what.length) {
            (Some(offset), Some(length)) => {
                let edit = ByteEdit::Delete {
                    start: offset,
                    end: offset.saturating_add(length),
                };
                apply(&self.file, edit, output)
            }
            _ => self.remove(output),
        }
    }

    fn remove(&self, output: &mut Output) -> Result {
        let mut client = self.file.open()?;
        let file = client.file();
        let removed = client.remove();
        removed.map_err(|error| self.file.failure_of(&client, error))?;
        let state = self.file.state.display();
        output.say(
            &format!("removed from the server: file {file} (no longer of use: {state})"),
            &json!({ "file_id": file.to_string(), "removed": true }),
        )
    }
}
