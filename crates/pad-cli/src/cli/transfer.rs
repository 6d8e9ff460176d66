//! `pad export` and `pad apply`: how signed updates travel from an author to a server.

use std::path::PathBuf;

use clap::Args;
use pad::{Version, dynamic::open_repository};
use serde_json::json;

use super::{
    Failure, NewStoreArguments, Output, StoreArgument,
    files::{OutArguments, read_file},
    session::{create_or_match, load_public},
};

#[derive(Debug, Args)]
pub(super) struct Export {
    #[command(flatten)]
    store: StoreArgument,
    /// The version that the update leads to.
    #[arg(long, value_name = "VERSION")]
    at: u64,
    #[command(flatten)]
    out: OutArguments,
}

#[derive(Debug, Args)]
pub(super) struct Apply {
    #[command(flatten)]
    store: StoreArgument,
    /// The author's public key; needed only where the store is new.
    #[arg(long, value_name = "FILE")]
    public: Option<PathBuf>,
    #[command(flatten)]
    new: NewStoreArguments,
    /// The updates' files, in the order of their versions.
    #[arg(required = true)]
    updates: Vec<PathBuf>,
}

impl Export {
    pub(super) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        self.out.check(output)?;
        let repository = open_repository(&self.store.store)?;
        let version = Version::new(self.at);
        let Some(update) = repository.update_message(version)? else {
            let (oldest, latest) = (repository.oldest(), repository.latest());
            return Err(Failure::Input(format!(
                "there is no update to version {version}, the store has those after version \
                 {oldest} up to version {latest}"
            )));
        };
        self.out.write(&update, output)?;
        if self.out.is_standard() {
            return Ok(());
        }
        let (bytes, file) = (update.len(), self.out.shown());
        let text = format!("{bytes} bytes in {file} lead to version {version}");
        output.say(
            &text,
            &json!({ "version": self.at, "bytes": bytes, "file": file }),
        )
    }
}

impl Apply {
    pub(super) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        output.goes_on();
        let path = &self.store.store;
        if let Some(public) = &self.public {
            create_or_match(path, &load_public(public)?, &self.new, output)?;
        }
        let mut repository = open_repository(path)?;
        for file in &self.updates {
            let bytes = read_file(file, MAX_UPDATE_BYTES)?;
            let version = repository.apply_message(&bytes).map_err(|error| {
                let failure = Failure::from(error);
                match failure {
                    Failure::Refused(text) => {
                        Failure::Refused(format!("{}: {text}", file.display()))
                    }
                    other => other,
                }
            })?;
            let root = repository.head_text(version)?.root;
            let text = format!("version {version} verified and stored, root {root}");
            output.say(&text, &json!({ "version": version.number(), "root": root }))?;
        }
        Ok(())
    }
}

const MAX_UPDATE_BYTES: u64 = 1 << 30;
