//! `pad file owner`: prints the public key of an owner's key file.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::load_key;
use crate::cli::{Output, Result};

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
