//! `pad prove` and `pad verify`.

use std::path::PathBuf;

use clap::Args;
use pad::{
    Version,
    dynamic::{longest_answer, verify},
    question::{Question, Refusal},
};
use serde_json::json;

use super::{
    Failure, Output,
    files::{OutArguments, read_file},
    session::{ReadArguments, add_caveat, load_public},
};

#[derive(Debug, Args)]
pub(super) struct Prove {
    #[command(flatten)]
    read: ReadArguments,
    /// The version, if not the latest.
    #[arg(long, value_name = "VERSION")]
    at: Option<u64>,
    #[command(flatten)]
    out: OutArguments,
    /// The key.
    key: String,
}

#[derive(Debug, Args)]
pub(super) struct Verify {
    /// The author's public key.
    #[arg(long, value_name = "FILE")]
    public: PathBuf,
    /// The proof's file.
    #[arg(long, value_name = "FILE")]
    proof: PathBuf,
    /// The version that the proof must be about.
    #[arg(long, value_name = "VERSION")]
    at: u64,
    /// The key that the proof must be about.
    key: String,
}

impl Prove {
    pub(super) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        self.out.check(output)?;
        let key = output.key(&self.key)?;
        let session = self.read.open(output)?;
        let version = session.version(self.at)?;
        let question = Question::Key(key.clone());
        let answer = session.repository.answer(version, &question)?;
        // A proof that does not verify is not worth writing.
        session.verify(version, &question, &answer)?;
        self.out.write(&answer, output)?;
        if self.out.is_standard() {
            return Ok(());
        }
        let text = format!(
            "{} bytes in {} prove the answer for {} in version {version}",
            answer.len(),
            self.out.shown(),
            output.show(key.as_bytes()),
        );
        let object = json!({
            "version": version.number(),
            "bytes": answer.len(),
            "file": self.out.shown(),
        });
        let text = format!("{text}   [{}]", output.verdict());
        output.say_verdict(&text, object)
    }
}

impl Verify {
    pub(super) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        let key = output.key(&self.key)?;
        let asked = output.show(key.as_bytes());
        let public = load_public(&self.public)?;
        add_caveat(&public, output);
        let question = Question::Key(key);
        let longest = longest_answer(&public, &question);
        let longest = u64::try_from(longest).unwrap_or(u64::MAX);
        let answer = read_file(&self.proof, longest)?;
        let statement = verify(&public, Version::new(self.at), &question, &answer);
        output.statement(statement.map_err(|refusal| self.refused(&asked, refusal))?)
    }
}

impl Verify {
    /// The refusal with what was to be proved: a proof of something else is refused for how it differs.
    fn refused(&self, asked: &str, refusal: Refusal) -> Failure {
        match Failure::from(refusal) {
            Failure::Refused(text) => Failure::Refused(format!(
                "{text} (asked: what version {} says about {asked})",
                self.at,
            )),
            failure => failure,
        }
    }
}
