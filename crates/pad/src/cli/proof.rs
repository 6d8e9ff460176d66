//! `pad prove` and `pad verify`.

use std::{
    fs,
    io::{Read, Write},
    path::{Path, PathBuf},
};

use clap::Args;
use pad::{
    Version,
    question::{Question, Statement, verify},
    store::new_file,
};
use serde_json::json;

use super::{
    Failure, Output,
    session::{ReadArguments, load_public},
};

#[derive(Debug, Args)]
pub(super) struct Prove {
    #[command(flatten)]
    read: ReadArguments,
    /// The version, if not the latest.
    #[arg(long, value_name = "VERSION")]
    at: Option<u64>,
    /// The proof's file.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
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
        let key = output.key(&self.key)?;
        let session = self.read.open()?;
        let version = session.version(self.at);
        let question = Question::Key(key.clone());
        let answer = session.repository.answer(version, &question)?;
        // A proof that does not verify is not worth writing.
        session.verify(version, &question, &answer)?;
        write_file(&self.out, &answer)?;
        let text = format!(
            "{} bytes in {} prove the answer for {} in version {version}",
            answer.len(),
            self.out.display(),
            output.show(key.as_bytes()),
        );
        let object = json!({
            "version": version.number(),
            "bytes": answer.len(),
            "file": self.out.display().to_string(),
        });
        output.say(&text, &object)
    }
}

impl Verify {
    pub(super) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        let key = output.key(&self.key)?;
        let public = load_public(&self.public)?;
        let answer = read_file(&self.proof, MAX_PROOF_BYTES)?;
        let question = Question::Key(key);
        match verify(&public, Version::new(self.at), &question, &answer)? {
            Statement::Lookup(lookup) => output.lookup(lookup.version, &lookup.key, &lookup.answer),
            _ => Err(Failure::Refused("the answer is to another question".into())),
        }
    }
}

/// Writes a file whole or not at all.
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failure = |error| Failure::file(path, &error);
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut draft = new_file(".pad-", folder).map_err(failure)?;
    draft.write_all(bytes).map_err(failure)?;
    draft.as_file().sync_all().map_err(failure)?;
    draft
        .persist(path)
        .map_err(|refused| failure(refused.error))?;
    Ok(())
}

/// Reads a file of at most `limit` bytes.
pub(super) fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    let failure = |error| Failure::file(path, &error);
    let file = fs::File::open(path).map_err(failure)?;
    let mut bytes = Vec::new();
    file.take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(failure)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > limit) {
        let path = path.display();
        return Err(Failure::Input(format!(
            "{path} is longer than {limit} bytes"
        )));
    }
    Ok(bytes)
}

/// The longest value, and what else a look-up proof holds with much to spare.
const MAX_PROOF_BYTES: u64 = 32 << 20;
