//! `pad evidence`: checks whether a file proves that an author's key has signed two histories.

use std::path::PathBuf;

use authdict::evidence;
use clap::Args;
use serde_json::json;

use super::{
    Output, PUBLIC_VARIABLE, Result,
    files::read_file,
    session::{MAX_EVIDENCE_BYTES, load_public},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad evidence --public author.key.pub prices.view.evidence
  pad evidence --public author.key.pub --json - < prices.view.evidence")]
pub(super) struct Evidence {
    /// The author's public key.
    #[arg(long, value_name = "FILE", env = PUBLIC_VARIABLE)]
    public: PathBuf,
    /// The evidence file of a client's --view; - for standard input.
    evidence: PathBuf,
}

impl Evidence {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        let public = load_public(&self.public)?;
        let bytes = read_file(&self.evidence, MAX_EVIDENCE_BYTES)?;
        let version = evidence::check(&public, &bytes)?;
        let author = public.authority.author;
        let text = format!(
            "proved: the key of author {author} signed two different statements about version \
             {version}; its signatures from that version on prove nothing"
        );
        let object = json!({
            "author": author.to_string(),
            "dictionary": public.authority.dictionary.to_string(),
            "version": version.number(),
            "verified": true,
        });
        output.say(&text, &object)
    }
}
