//! `pad directory prove`: writes the proof of entries or of a range of ids to a file.

use authdict::{
    LookupError, PublicKey, Untrusted, Version,
    block_directory::{BlockDirectory, DirectoryProof, internals::Selection},
    pad_core::codec,
};
use clap::Args;
use pad_core::{Response, Suite};
use serde_json::json;

use super::{
    ReadArguments, failure, open_trusting,
    shown::{Bounds, EntrySelection},
    suite_of,
    verify::entries_under,
    with_suite,
};
use crate::cli::{Failure, Output, Result, files::OutArguments};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad directory prove photographs --public directory.key.pub \\
    --out entry.proof 0
  pad directory prove photographs --public directory.key.pub \\
    --out entries.proof --range 3..7")]
pub(in crate::cli) struct Prove {
    #[command(flatten)]
    read: ReadArguments,
    #[command(flatten)]
    out: OutArguments,
    /// Prove all entries from id FIRST up to, but not including, END.
    #[arg(long, value_name = "FIRST..END", conflicts_with = "ids")]
    range: Option<Bounds>,
    /// The ids of the entries.
    #[arg(required_unless_present = "range")]
    ids: Vec<u64>,
}

impl Prove {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        self.out.check(output)?;
        let asked = EntrySelection::new(&self.ids, self.range)?;
        with_suite!(suite_of(&self.read.folder)?, S => self.prove::<S>(&asked, output))
    }

    fn prove<S: Suite>(&self, asked: &EntrySelection, output: &mut Output) -> Result {
        let (directory, public) = open_trusting::<S>(&self.read.folder, &self.read.trust, output)?;
        let version = directory.latest();
        if version == Version::EMPTY {
            return Err(Failure::input("the directory has no version yet"));
        }
        let answer = match asked {
            EntrySelection::Ids(query) => answer(&directory, &public, query),
            EntrySelection::Range(range) => answer(&directory, &public, range),
        }?;
        let Some(file) = self.out.write(&answer, output)? else {
            return Ok(());
        };
        let (bytes, asked) = (answer.len(), asked.text());
        let verdict = output.verdict();
        let text =
            format!("{bytes} bytes in {file} prove {asked} in version {version}   [{verdict}]");
        let object = json!({ "version": version.number(), "bytes": bytes, "file": file });
        output.say_verdict(&text, object)
    }
}

/// Proves the answer to `query`, verifies the proof, and encodes it with the head of its version.
fn answer<S: Suite, Q: Selection>(
    directory: &BlockDirectory<S>,
    public: &PublicKey,
    query: &Q,
) -> Result<Vec<u8>> {
    let proof = directory.prove_latest(query).map_err(|error| match error {
        LookupError::InvalidQuery => {
            Failure::input("a range of at most 1 048 576 entries is proved at once")
        }
        error => failure::lookup(directory, error),
    })?;
    let response = Response::<S, DirectoryProof<S, Q>>::new(directory, directory.latest(), proof)?;
    let bytes = codec::encode(&response);
    entries_under(public, Untrusted::new(response), None, query)?;
    Ok(bytes)
}
