//! `pad file write`, `pad file insert` and `pad file delete`: overwrite, insert or delete bytes of
//! a file on the server, or delete the whole file.

use std::path::PathBuf;

use clap::Args;
use flexlist::ByteEdit;
use flexlist_service::client::{ApplyOutcome, ClientError, SettleOutcome};
use serde_json::json;

use super::{FileArguments, settled_line, state_line, state_object};
use crate::cli::{Failure, Output, Result, files::read_file};

#[derive(Debug, Args)]
pub(in crate::cli) struct NewBytes {
    #[command(flatten)]
    file: FileArguments,
    /// The offset of the first BYTE; to append, the file's length.
    #[arg(long, value_name = "BYTE")]
    offset: u64,
    #[command(flatten)]
    source: Source,
}

/// The source of the bytes to write or insert.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Source {
    /// The bytes, as TEXT.
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// A file with the bytes; - for standard input.
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
}

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

impl NewBytes {
    pub(super) fn write(&self, output: &mut Output) -> Result {
        let (offset, bytes) = (self.offset, self.bytes()?);
        apply(&self.file, ByteEdit::Write { offset, bytes }, output)
    }

    pub(super) fn insert(&self, output: &mut Output) -> Result {
        let (offset, bytes) = (self.offset, self.bytes()?);
        apply(&self.file, ByteEdit::Insert { offset, bytes }, output)
    }

    fn bytes(&self) -> Result<Vec<u8>> {
        match (&self.source.text, &self.source.from) {
            (Some(text), _) => Ok(text.clone().into_bytes()),
            (None, Some(path)) => read_file(path, MOST_BYTES),
            (None, None) => Err(Failure::input("--text or --from is needed")),
        }
    }
}

/// Maximum number of bytes read from a file or standard input. It bounds the memory for endless
/// input.
const MOST_BYTES: usize = 1 << 30;

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
        let text = format!("removed from the server: file {file} (no longer of use: {state})");
        let object = json!({ "file_id": file.to_string(), "removed": true });
        output.say(&text, &object)
    }
}

fn apply(file: &FileArguments, edit: ByteEdit, output: &mut Output) -> Result {
    let mut client = file.open()?;
    // The outcome of an interrupted update is reported first. A user who repeats the update must
    // learn that both were applied.
    let settled = client.settle();
    match settled.map_err(|error| file.failure_of(&client, error))? {
        SettleOutcome::Nothing => {}
        SettleOutcome::Applied(state) => output.text(&settled_line(&state))?,
        SettleOutcome::Dropped(refusal) => return Err(file.failure(ClientError::Dropped(refusal))),
    }
    let applied = client.apply(&[edit]);
    let (outcome, state) = match applied.map_err(|error| file.failure_of(&client, error))? {
        ApplyOutcome::Version(state) => ("changed", state),
        ApplyOutcome::Unchanged(state) => ("every byte stays as it is", state),
    };
    let text = format!("{outcome}: {}", state_line(&state));
    output.say(&text, &state_object(&state))
}
