//! `pad file upload`.

use std::{fs::File, io::BufReader, path::PathBuf};

use clap::Args;
use flexlist::{chunk::Chunker, tag::TagKind};
use pad::{FileOwnerKey, Workers};

use super::{FileArguments, byte_bar, failure, load_key, state_line, state_object};
use crate::cli::{Failure, Output};

#[derive(Debug, Args)]
pub(in crate::cli) struct Upload {
    #[command(flatten)]
    file: FileArguments,
    /// Cut the file into blocks of this many bytes, in place of by its contents into about 16 KiB.
    #[arg(long, value_name = "BYTES")]
    block_size: Option<u32>,
    /// The file to upload.
    source: PathBuf,
}

impl Upload {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        let source =
            File::open(&self.source).map_err(|error| Failure::file(&self.source, &error))?;
        let length = source
            .metadata()
            .map_err(|error| Failure::file(&self.source, &error))?
            .len();
        let mut client = if self.file.state.exists() {
            self.file.open()?
        } else {
            let key = self.key(output)?;
            self.file.create(&key, self.chunker()?)?
        };
        let bar = byte_bar(output, length, "upload");
        let uploaded = client.upload(BufReader::new(source), &mut |done| bar.set_position(done));
        bar.finish_and_clear();
        let state = uploaded.map_err(|error| self.file.failure(error))?;
        output.say(
            &format!("uploaded: {}", state_line(&state)),
            &state_object(&state),
        )
    }

    fn chunker(&self) -> Result<Chunker, Failure> {
        match self.block_size {
            None => Ok(Chunker::default()),
            Some(size) => {
                let size = usize::try_from(size).unwrap_or(usize::MAX);
                Chunker::fixed(size)
                    .map_err(|error| Failure::Input(format!("--block-size: {error}")))
            }
        }
    }

    /// The owner's key; a new one with the first upload.
    fn key(&self, output: &mut Output) -> Result<FileOwnerKey, Failure> {
        let path = &self.file.key;
        if path.exists() {
            return load_key(path);
        }
        let failure = |error| failure::key(path, &error);
        let key = FileOwnerKey::generate(TagKind::default(), &Workers::all_cores());
        let key = key.map_err(failure)?;
        key.save(path).map_err(failure)?;
        output.text(&format!(
            "new owner key  {}  (keep it: nobody else can change your files)",
            path.display()
        ))?;
        Ok(key)
    }
}
