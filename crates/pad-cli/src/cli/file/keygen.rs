//! `pad file keygen` creates an owner's key with a chosen kind of tags. `pad file owner` prints the
//! public key of an owner's key file.

use std::path::PathBuf;

use authdict::internals::{FileOwnerKey, FileOwnerKeyError};
use clap::Args;
use flexlist::tag::TagKind;
use pad_core::Workers;
use serde_json::json;

use super::{failure, load_key};
use crate::cli::{
    Failure, Output, Result,
    secret::{ProtectArguments, check_place},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad file keygen --tags public-bls --out open.key
  pad file keygen --out pad-file.key --passphrase")]
pub(in crate::cli) struct Keygen {
    /// The key file to write.
    #[arg(long, short, value_name = "FILE", default_value = "pad-file.key")]
    out: PathBuf,
    /// The kind of tags, which authenticate a file's blocks.
    ///
    /// private-mac is fast, and only the owner can audit. With hash-only the audited sub-chunks are
    /// transferred. With public-bls anyone can audit. The others are rsa-2048 and rsa-3072.
    #[arg(long, value_name = "NAME", default_value_t = TagKind::default())]
    tags: TagKind,
    #[command(flatten)]
    protect: ProtectArguments,
}

impl Keygen {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        check_place("--out", &self.out)?;
        if self.out.exists() {
            return Err(Failure::Input(format!(
                "key file {}: the file exists already, keys are not overwritten",
                self.out.display()
            )));
        }
        let failure = |error: FileOwnerKeyError| failure::key(&self.out, &error);
        let protect = self.protect.ask()?;
        let key = FileOwnerKey::generate(self.tags, &Workers::all_cores()).map_err(failure)?;
        let file = protect(&self.out, key.to_file())?;
        file.save(&self.out)
            .map_err(|error| failure(error.into()))?;
        let path = self.out.display().to_string();
        let text =
            format!("owner key  {path}  (keep it, and keep it secret: it changes your files)");
        let object = json!({ "secret_key": path, "tags": self.tags.to_string() });
        output.say(&text, &object)
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad file owner
  pad file owner --key open.key")]
pub(in crate::cli) struct ShowOwner {
    /// The owner's key.
    #[arg(long, value_name = "FILE", default_value = "pad-file.key")]
    key: PathBuf,
}

impl ShowOwner {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        let owner = hex::encode(load_key(&self.key)?.owner().key.to_bytes());
        output.say(&owner, &json!({ "owner": owner }))
    }
}
